"""The bill of materials names what tarocco needs, and what that needs."""

import runpy

from conftest import ROOT

make_sbom = runpy.run_path(str(ROOT / "tools" / "make_sbom.py"))["make_sbom"]


def test_bill_of_materials():
    bare, more = make_sbom("tarocco", []), make_sbom("tarocco", ["cluster"])
    names = [{component["name"].lower() for component in bill["components"]} for bill in (bare, more)]
    assert {"numpy", "rich", "snowballstemmer", "xxhash", "pygments"} <= names[0]
    assert {"distributed", "dask"} <= names[1] - names[0]
    for bill in (bare, more):
        references = {bill["metadata"]["component"]["bom-ref"]} | {each["bom-ref"] for each in bill["components"]}
        assert {entry["ref"] for entry in bill["dependencies"]} == references
        assert {other for entry in bill["dependencies"] for other in entry["dependsOn"]} <= references
    assert all(component["version"] and component["purl"].startswith("pkg:pypi/") for component in more["components"])
