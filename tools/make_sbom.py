"""Print the bill of materials of the installed tarocco as CycloneDX JSON: `python tools/make_sbom.py cluster plots`.

Lists tarocco, its dependencies and those of the named extras, as far as they are installed, with versions, licenses and
what needs what. Reads the metadata of installed packages and needs no network. The same packages give the same bytes.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement


def needs(package: Distribution, extras: Iterable[str]) -> Iterator[Requirement]:
    """Yield the requirements of a package that apply on this machine."""
    environments = [{"extra": extra} for extra in ("", *extras)]
    for text in package.requires or ():
        requirement = Requirement(text)
        if requirement.marker is None or any(map(requirement.marker.evaluate, environments)):
            yield requirement


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def reference_of(package: Distribution) -> str:
    return f"pkg:pypi/{normal(package.name)}@{package.version}"


def component_of(package: Distribution) -> dict[str, object]:
    about = package.metadata
    license = about.get("License-Expression") or (about.get("License") or "").strip().split("\n")[0][:100]
    named = {"licenses": [{"license": {"name": license}}]} if license else {}
    reference = reference_of(package)
    kind = {"type": "library", "bom-ref": reference, "name": package.name, "version": package.version}
    return {**kind, "purl": reference, **named}


def make_sbom(root: str, extras: Iterable[str]) -> dict[str, object]:
    """Return the bill of materials of an installed package with some of its extras."""
    packages: dict[str, Distribution] = {}
    edges: dict[str, set[str]] = {}
    waiting = [(root, tuple(extras))]
    done = set()
    while waiting:
        name, wanted = waiting.pop()
        if (normal(name), wanted) in done:
            continue
        done.add((normal(name), wanted))
        package = packages.setdefault(normal(name), distribution(name))
        for requirement in needs(package, wanted):
            try:
                other = distribution(requirement.name)
            except PackageNotFoundError:
                continue
            edges.setdefault(reference_of(package), set()).add(reference_of(other))
            waiting.append((requirement.name, tuple(sorted(requirement.extras))))
    main = packages.pop(normal(root))
    others = [packages[name] for name in sorted(packages)]
    references = [reference_of(package) for package in (main, *others)]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": component_of(main) | {"type": "application"}},
        "components": list(map(component_of, others)),
        "dependencies": [{"ref": each, "dependsOn": sorted(edges.get(each, ()))} for each in references],
    }


if __name__ == "__main__":
    print(json.dumps(make_sbom("tarocco", sys.argv[1:]), indent=1, ensure_ascii=False))
