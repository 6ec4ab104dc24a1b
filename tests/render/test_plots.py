"""Figures: what is drawn is what the numbers say, files are whole, safe and the same every time."""

import json
import math
import os
import re
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest
from drawing import Drawing

from tarocco.core.errors import InputError, MissingExtra
from tarocco.io import files as writing
from tarocco.render.plots import charts, curves, dots, heat_map, points, write_chart
from tarocco.render.plots import style as look
from tarocco.render.plots.files import render_chart
from tarocco.render.plots.style import make_labels, place_labels, sanitize, shorten, wrap_title

NASTY = '</script><script>alert("1")</script>'
NAMES = ["plain", NASTY, "中文系统", "it's & <b>bold</b>"]
ROWS = [
    {
        "system": name,
        "metric": metric,
        "score": base + i / 50,
        "low": base + i / 50 - 0.03,
        "high": base + i / 50 + 0.05,
    }
    for metric, base in (("BLEU-4", 0.3), ("TER", 0.6))
    for i, name in enumerate(NAMES)
]
OPTIONS = {"lower_is_better": ["TER"], "scales": {"BLEU-4": 100}, "note": "Lines: intervals", "description": NASTY}

# The same chart in a process of its own: what its files hold must not depend on the hash seed, the zone or the locale.
WRITE = f"""
import sys
from tarocco.render.plots import dots, write_chart
chart = dots({ROWS!r}, **{OPTIONS!r})
for suffix in ("svg", "html", "json", "png"):
    write_chart(chart, f"{{sys.argv[1]}}/chart.{{suffix}}")
"""


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Two folders with the same chart in four formats, each written by a process of its own."""
    runs = []
    for seed, more in (("1", {}), ("2", {"TZ": "Asia/Tokyo", "LC_ALL": "C"})):
        folder = tmp_path_factory.mktemp("charts")
        command = [sys.executable, "-c", WRITE, str(folder)]
        runs.append((folder, subprocess.Popen(command, env=os.environ | more | {"PYTHONHASHSEED": seed})))
    assert [process.wait() for _, process in runs] == [0, 0]
    return [folder for folder, _ in runs]


class Elements(HTMLParser):
    """The elements of a page, with their attributes; what stands in a script is no element."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def position(mark):
    return tuple(map(float, re.match(r"translate\(([^,]+),([^)]+)\)", mark.get("transform")).groups()))


@pytest.fixture(scope="module")
def drawing(folders):
    return Drawing((folders[0] / "chart.svg").read_text("utf-8"))


def pixel(value, domain, size):
    return (value - domain[0]) / (domain[1] - domain[0]) * size


# --- dots ------------------------------------------------------------------------------------------------------------


def test_panels_have_titles_that_say_which_direction_is_better(drawing):
    assert drawing.texts("role-title-text") == [["BLEU-4"], ["TER"], ["Lines: intervals"]]
    assert drawing.texts("role-title-subtitle") == [["times 100"], ["lower is better"]]


def test_systems_stand_once_in_the_order_of_the_rows(drawing):
    assert drawing.texts("role-axis-label").count(NAMES) == 1
    rows = [position(mark)[1] for mark in drawing.marks("symbol")[0]]
    assert rows == sorted(rows)
    assert len(set(rows)) == len(NAMES)


@pytest.mark.parametrize(("panel", "scale"), [(0, 100), (1, 1)])
def test_points_and_interval_ends_are_where_the_numbers_are(folders, drawing, panel, scale):
    specification = json.loads((folders[0] / "chart.json").read_text("utf-8"))["concat"][panel]
    domain = specification["layer"][1]["encoding"]["x"]["scale"]["domain"]
    rows = ROWS[panel * len(NAMES) : (panel + 1) * len(NAMES)]
    dots_drawn, rules_drawn = drawing.marks("symbol")[panel], drawing.marks("rule")[panel]
    assert (len(dots_drawn), len(rules_drawn)) == (len(rows), len(rows))
    for row, dot, rule in zip(rows, dots_drawn, rules_drawn, strict=True):
        x, y = position(dot)
        assert x == pytest.approx(pixel(row["score"] * scale, domain, charts.PANEL_WIDTH), abs=0.01)
        ends = sorted((position(rule)[0], position(rule)[0] + float(rule.get("x2"))))
        wanted = [pixel(row[end] * scale, domain, charts.PANEL_WIDTH) for end in ("low", "high")]
        assert ends == pytest.approx(wanted, abs=0.01)
        assert position(rule)[1] == y


def test_a_score_that_does_not_exist_keeps_its_row():
    rows = [{"system": "a", "metric": "M", "score": 1.0}, {"system": "b", "metric": "M", "score": math.nan, "low": 0}]
    drawn = Drawing(render_chart(dots(rows), ".svg"))
    assert ["a", "b"] in drawn.texts("role-axis-label")
    assert [len(group) for group in drawn.marks("symbol")] == [1]
    assert [len(group) for group in drawn.marks("rule")] == [0]
    nothing = [{"system": "a", "metric": "M", "score": None}]
    assert Drawing(render_chart(dots(nothing), ".svg")).texts("role-title-text") == [["M"]]


def test_panels_wrap_and_each_line_of_them_names_the_systems():
    rows = [{"system": "a", "metric": f"M{i}", "score": i} for i in range(6)]
    drawn = Drawing(render_chart(dots(rows), ".svg"))
    assert drawn.texts("role-title-text") == [[f"M{i}"] for i in range(6)]
    assert drawn.texts("role-axis-label").count(["a"]) == 2


# --- the other kinds -------------------------------------------------------------------------------------------------


def test_curves():
    rows = [
        {"series": name, "x": x, "y": y, "low": y - 1, "high": y + 1}
        for name, y in (("second", 2.0), ("first", 1.0))
        for x in (16, 64, 1024)
    ]
    chart = curves(rows, x_title="list length", y_title="ORANGE", log_x=True)
    drawn = Drawing(render_chart(chart, ".svg"))
    assert drawn.texts("role-legend-label") == [["second"], ["first"]]
    assert ["16", "64", "1024"] in drawn.texts("role-axis-label")
    assert drawn.texts("role-axis-title") == [["list length"], ["ORANGE"]]
    symbols = [mark for group in drawn.marks("symbol") for mark in group]
    assert [mark.get("fill") for mark in symbols] == [look.COLORS[0]] * 3 + [look.COLORS[1]] * 3
    # Equal ratios of x are equally far apart: 64 is two doublings from 16, 1024 four from 64.
    first, second, third = (position(mark)[0] for mark in symbols[:3])
    assert (third - second) / (second - first) == pytest.approx(2, rel=1e-3)
    assert len(drawn.marks("area")) == 2
    bare = [{key: row[key] for key in ("series", "x", "y")} for row in rows]
    assert Drawing(render_chart(curves(bare, x_title="x", y_title="y"), ".svg")).marks("area") == []
    with pytest.raises(InputError, match="positive numbers, found x = 0"):
        curves([{"series": "a", "x": 0, "y": 1}], x_title="x", y_title="y", log_x=True)


def test_points_with_labels_and_a_line():
    rows = [{"x": x, "y": 2 * x + 1 + error, "label": f"s{x}"} for x, error in ((1, 0.1), (2, -0.2), (3, 0.1))]
    rows.append({"x": math.nan, "y": 1, "label": "nowhere"})
    chart = points(rows, x_title="BLEU-4", y_title="human", fit=True)
    drawn = Drawing(render_chart(chart, ".svg"))
    assert [len(group) for group in drawn.marks("symbol")] == [3]
    assert drawn.texts("role-mark") == [["s1", "s2", "s3"]]
    slope, intercept = charts.least_squares([(row["x"], row["y"]) for row in rows[:3]])
    assert (slope, intercept) == pytest.approx(tuple(np.polyfit([1, 2, 3], [3.1, 4.8, 7.1], 1)))
    assert len(drawn.marks("line")[0]) == 1
    assert charts.least_squares([(1, 1), (1, 2)]) is None
    without = Drawing(render_chart(points([{"x": 1, "y": 2}], x_title="x", y_title="y", fit=True), ".svg"))
    assert (without.marks("line"), without.marks("text")) == ([], [])


def test_labels_of_close_points_go_to_different_sides():
    places = place_labels([(100.0, 100.0), (112.0, 100.0)], ["left", "right"], (200, 200))
    assert [place.align for place in places] == ["right", "left"]
    assert place_labels([(195.0, 100.0)], ["at the edge"], (200, 200))[0].align == "right"


def test_heat_map_in_another_order():
    values = [[1.0, 0.5, None], [0.5, 1.0, -0.25], [None, -0.25, 1.0]]
    drawn = Drawing(render_chart(heat_map(["a", "b", "c"], values, order=["c", "a", "b"]), ".svg"))
    assert drawn.texts("role-axis-label") == [["c", "a", "b"], ["c", "a", "b"]]
    cells = {position(mark): (mark.text, mark.get("fill")) for group in drawn.marks("text") for mark in group}
    columns, rows = (sorted({place[i] for place in cells}) for i in (0, 1))
    shown = [[cells[x, y][0] for x in columns] for y in rows]
    assert shown == [["1.00", "–", "−0.25"], ["–", "1.00", "0.50"], ["−0.25", "0.50", "1.00"]]
    fills = [mark.get("fill") for mark in drawn.marks("rect")[0]]
    assert set(fills[:2]) == {"rgb(0, 114, 178)", "rgb(128, 185, 217)"}  # MAIN at 1, halfway to white at 0.5
    assert cells[columns[0], rows[0]][1] == "#FFFFFF"  # on the darkest blue
    assert cells[columns[2], rows[1]][1] == "#000000"


@pytest.mark.parametrize(
    ("names", "values", "order", "message"),
    [
        ([], [], None, "at least one"),
        (["a", "b"], [[1.0, 2.0]], None, "a heat map of 2 names needs as many rows"),
        (["a", "b"], [[1.0], [2.0]], None, "as many values"),
        (["a", "a"], [[1.0, 1.0], [1.0, 1.0]], None, "must be distinct"),
        (["a", "b"], [[1.0, 1.0], [1.0, 1.0]], ["a", "c"], "must contain each of them once"),
    ],
)
def test_heat_maps_that_do_not_fit(names, values, order, message):
    with pytest.raises(InputError, match=message):
        heat_map(names, values, order=order)


@pytest.mark.parametrize("kind", [dots, lambda rows: curves(rows, x_title="x", y_title="y")])
def test_no_rows(kind):
    with pytest.raises(InputError, match="nothing to draw"):
        kind([])


# --- words from data -------------------------------------------------------------------------------------------------


def test_readable():
    assert sanitize("a\x00b\ud800c\u2028d\uffff\n中 é") == "a?b?c?d??中 é"


def test_long_names_keep_both_ends_and_stay_apart():
    assert shorten("short") == "short"
    assert shorten("a" * 20 + "-seed1", 11) == "aaaaa…seed1"
    assert shorten("中" * 20, 10) == "中中…中中"
    names = [f"{'x' * 50}{i}{'y' * 50}" for i in range(3)]
    short = list(make_labels(names).values())
    assert len(set(short)) == 3
    assert short[1] == f"{short[0]} (2)"
    assert wrap_title("ROUGE-L:references=jackknife:beta=inf") == ["ROUGE-L:references=jackknife", ":beta=inf"]
    assert len(wrap_title(":".join(["x" * 40] * 9))) == 4


def test_names_cannot_break_the_layout():
    rows = [{"system": name, "metric": "M", "score": 1} for name in ("W" * 500, "中" * 500)]
    assert float(Drawing(render_chart(dots(rows), ".svg")).root.get("width")) < 500


# --- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["svg", "html", "json", "png"])
def test_the_same_bytes_in_every_process(folders, suffix):
    first, second = ((folder / f"chart.{suffix}").read_bytes() for folder in folders)
    assert first == second
    assert first


def test_the_page_asks_for_nothing_and_runs_nothing_from_data(folders):
    page = (folders[0] / "chart.html").read_text("utf-8")
    elements = Elements()
    elements.feed(page)
    # Two scripts, the runtime and the chart: no name from the data has ended one or begun another.
    assert [name for name, _ in elements.found if name not in ("html", "head", "meta", "body")] == [
        *("title", "style", "figure", "noscript", "script", "script")
    ]
    attributes = {attribute for _, found in elements.found for attribute in found}
    assert not attributes & {"src", "href", "srcset", "data", "action", "onload", "style"}
    assert not re.search(r"url\(|@import", re.search("<style>(.*?)</style>", page, re.DOTALL)[1])
    # And the browser holds the scripts to it: no host is named from which anything could come.
    policies = [found["content"] for _, found in elements.found if "http-equiv" in found]
    assert policies == [
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
    ]
    specification = re.search(r'vegaEmbed\("#chart", (\{.*\}), \{"mode"', page)[1]
    assert json.loads(specification) == json.loads((folders[0] / "chart.json").read_text("utf-8"))
    assert "<title>&lt;/script&gt;" in page


def test_the_description_is_in_the_drawing(drawing):
    assert drawing.root[0].text == NASTY


def test_pixels_and_pages(folders, tmp_path):
    png = (folders[0] / "chart.png").read_bytes()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width = int.from_bytes(png[16:20], "big")
    assert width == pytest.approx(
        float(Drawing((folders[0] / "chart.svg").read_text("utf-8")).root.get("width")) * 200 / 72, abs=2
    )
    write_chart(dots(ROWS), tmp_path / "chart.PDF")
    assert (tmp_path / "chart.PDF").read_bytes()[:5] == b"%PDF-"


def test_paths_that_cannot_be_written(tmp_path, monkeypatch):
    chart = dots(ROWS)
    (tmp_path / "folder.svg").mkdir()
    for path, message in (
        ("chart.gif", r"chart\.gif: expected the name of a figure to end in \.html, \.svg, \.png, \.pdf or \.json"),
        ("chart", "expected the name of a figure to end in"),
        ("folder.svg", "expected a file, found a directory"),
        ("missing/chart.svg", "there is no directory .*missing"),
    ):
        with pytest.raises(InputError, match=message):
            write_chart(chart, tmp_path / path)
    monkeypatch.setattr(writing.os, "access", lambda *_: False)
    with pytest.raises(InputError, match="is read-only"):
        write_chart(chart, tmp_path / "chart.svg")
    assert os.listdir(tmp_path) == ["folder.svg"]


def test_a_file_is_whole_or_not_there(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    link = tmp_path / "link"
    link.symlink_to(path)
    writing.write_atomically(link, b"new")
    assert (path.read_bytes(), link.is_symlink()) == (b"new", True)
    umask = os.umask(0)
    os.umask(umask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~umask

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing.os, "fsync", full)
    with pytest.raises(InputError, match="the file could not be written"):
        writing.write_atomically(path, b"newer")
    monkeypatch.undo()
    monkeypatch.setattr(writing.os, "replace", full)
    with pytest.raises(InputError, match="No space left"):
        writing.write_atomically(path, b"newer")
    assert path.read_bytes() == b"new"
    assert sorted(os.listdir(tmp_path)) == ["file", "link"]


def test_without_the_extra(tmp_path, monkeypatch):
    chart = dots(ROWS)
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingExtra, match=re.escape('plots need vl-convert: pip install "tarocco[plots]"')):
        write_chart(chart, tmp_path / "chart.svg")
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(MissingExtra, match=re.escape('plots need Altair: pip install "tarocco[plots]"')):
        dots(ROWS)
    assert os.listdir(tmp_path) == []
