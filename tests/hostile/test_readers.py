"""Every function that reads a file is reached by a fuzz target, and the data of a report are checked field by field."""

import ast
import copy
import json
import random
import sys

import pytest
from fuzz.targets import TARGETS, Bench, seeds_of
from test_architecture import FILES, SOURCE

from tarocco.cli import main
from tarocco.core.errors import InputError, TaroccoError
from tarocco.render.page.figures import figures_of
from tarocco.render.page.payload import json_of, read_payload
from tarocco.render.page.tables import tables_of

PRIMITIVES = {"read_bytes", "read_chunks", "read_blocks", "open_input", "read_text", "read_text_lines", "open"}
NOT_FUZZED = {  # functions that open files, but read none of users
    "__init__.py _public_names": "our own stub",
    "datasets.py": "the bundled data",
    "encode/tokenizers.py": "our own table of characters",
    "render/page/report.py": "our own scripts",
    "encode/tokenizer_plugins.py _load_model": "a SentencePiece model, which its library reads",
    "kernels/text_pairs.py": "reads memory",
    "metrics/registry.py": "the source of an installed plug-in",
    "annotate/pipelines.py": "the files of an installed pipeline, which are hashed",
    "io/files.py write_atomically": "writes",
    "io/graphs/formats.py write_lattices": "writes",
    "render/export.py": "writes",
    "render/results/confusions.py": "writes",
    "meta/orange/blind_sheet.py _write": "writes",
    "cli/__init__.py": "the null device",
    "io/discovery.py _FolderScan.nbest": "looks for three bars in the first line",
    "iqmt/configs.py EvalConfig.texts": "calls read_text, which is fuzzed",
    "iqmt/evaluate.py IQTestBed.texts_with_new": "calls read_text, which is fuzzed",
}


def readers():
    """The functions of the sources that call something that opens a file, as (file, qualified name)."""
    for path in FILES:
        file = path.relative_to(SOURCE).as_posix()
        tree = ast.parse(path.read_text("utf-8"))
        for scope in ast.walk(tree):
            members = getattr(scope, "body", None) if isinstance(scope, ast.Module | ast.ClassDef) else None
            for function in members or ():
                if isinstance(function, ast.FunctionDef):
                    calls = (node.func for node in ast.walk(function) if isinstance(node, ast.Call))
                    names = {getattr(call, "id", None) or getattr(call, "attr", None) for call in calls}
                    if names & PRIMITIVES:
                        owner = f"{scope.name}." if isinstance(scope, ast.ClassDef) else ""
                        yield file, f"{owner}{function.name}"


def test_every_reader_has_a_fuzz_target():
    called = set()

    def note(frame, event, _argument):
        if event == "call":
            called.add((frame.f_code.co_filename, frame.f_code.co_qualname))

    with Bench() as bench:
        sys.setprofile(note)
        try:
            for name in (name for name in TARGETS if name not in ("statistics", "trials", "encoding", "oracles")):
                for data in seeds_of(name)[:2]:
                    bench.try_one(name, data)
        finally:
            sys.setprofile(None)
    reached = {f"{file.rpartition('/tarocco/')[2]} {name}" for file, name in called if "/tarocco/" in file}
    missing = [
        f"{file} {name}"
        for file, name in readers()
        if f"{file} {name}" not in reached and not {file, f"{file} {name}"} & set(NOT_FUZZED)
    ]
    assert not missing, missing


# --- the data of a report ----------------------------------------------------------------------------------------

WHOLE = json.loads(next(data for data in seeds_of("report") if len(data) > 10_000))
VALUES = [
    None,
    True,
    -1,
    10**6,
    0.5,
    1e299,
    float("nan"),
    float("inf"),
    10**400,
    "",
    "../x",
    [],
    [None, None],
    [[1]],
    {},
]
DELETED = object()


def places(value, place=()):
    """The place of every field, of the first two items of a list."""
    yield place
    items = value.items() if isinstance(value, dict) else enumerate(value[:2]) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*place, key))


def test_a_report_with_every_part_is_read():
    payload = read_payload(json.dumps(WHOLE), "x.json")
    assert payload == WHOLE
    assert {figure.name for figure in figures_of(payload)} >= {"systems", "agreement", "orange", "king", "references"}
    assert {table.name for table in tables_of(payload)} >= {"systems", "metrics", "best-set", "breakdown-1"}


def test_every_field_may_be_wrong():
    """Each field in turn is replaced or removed: the file is refused with its place, or a page can be made of it."""
    rng = random.Random(1)
    refusals = []
    for place in [place for place in places(WHOLE) if place]:
        parts = {"form", "name", "metrics", place[0]} | ({"board"} if place[0] == "metrics" else set())
        payload = copy.deepcopy({key: value for key, value in WHOLE.items() if key in parts})
        at = payload
        for key in place[:-1]:
            at = at[key]
        value = rng.choice([*VALUES, DELETED])
        if value is DELETED:
            del at[place[-1]]
        else:
            at[place[-1]] = value
        try:
            read = read_payload(json.dumps(payload), "x.json")
        except TaroccoError as error:
            refusals.append(str(error))
            continue
        json_of(read)
        list(tables_of(read))
        if len(refusals) % 8 == 0:  # charts take most of the time
            list(figures_of(read))
    assert len(refusals) > 200
    assert all(sentence.startswith("x.json") and "\n" not in sentence for sentence in refusals)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": 3}, r"x\.json\.name: expected a text, found 3"),
        ({"metrics": [{"name": "a"}]}, r'x\.json\.metrics\[0\]: expected the key "kind", found none'),
        ({"notes": {}}, r"x\.json\.notes: expected a list, found \{\}"),
        ({"metrics": []}, r'x\.json\.metrics: expected a metric ".*", which has scores, found none'),
        ({"agreement": {"metrics": ["a"], "correlation": [[1, 2]]}}, r"correlation: expected 1 rows of 1 numbers"),
        (
            {"people": [WHOLE["people"][0] | {"level": "../../x"}]},
            r"level: expected system, segment or document, found",
        ),
    ],
)
def test_what_is_wrong_is_said(change, message):
    with pytest.raises(InputError, match=message):
        read_payload(json.dumps(WHOLE | change), "x.json")


@pytest.mark.parametrize("depth", [60, 900, 5000, 200_000])
def test_deep_reports(tmp_path, capsys, depth):
    path = tmp_path / "x.json"
    path.write_text('{"form": 1, "name": "x", "y": ' + "[" * depth + "]" * depth + "}")
    assert main(["report", str(path), "--json", str(tmp_path / "y.json")]) == 1
    assert capsys.readouterr().err.count("\n") == 1
