"""The error analysis as files: JSON lines say what the records say, the page shows it, hostile text stays text."""

import json
import math
import re
import weakref
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from tarocco.core.errors import InputError
from tarocco.meta.orange.confusions import Confusion, RankedText
from tarocco.render.results.confusions import check_confusions, write_confusions

REFERENCES = (RankedText("the dog saw a cat", 0.6, 4.0, 1), RankedText("a hound saw the cat", 0.4, 7.5, 2))
ABOVE = (RankedText("the dog saw the bird", 0.8, 1.0, 9), RankedText("the dog saw a cat", 0.7, 2.0, 3, copy=True))
VIEW = Confusion(1, "BLEU-4", 3.0, 10, 0.5, REFERENCES, ABOVE, 5, "Der Hund sah eine Katze.")
CALM = Confusion(2, "BLEU-4", 1.0, 10, None, (replace(REFERENCES[0], score=None), REFERENCES[1]), (), 0)
HOSTILE = '</td></table></main><script>alert("1")</script><img src=x onerror=alert(2)> & \' {title}'


def write(path, confusions, **more):
    options = {"title": "Errors", "settings": {"ties": "average"}, "tokenize": str.split} | more
    write_confusions(path, confusions, **options)
    return path.read_text("utf-8")


def page(tmp_path, *confusions, **more):
    return Page(write(tmp_path / "errors.html", confusions, **more))


class Page(HTMLParser):
    """A page as a reader meets it: the text of each element of some kinds, and all tags."""

    def __init__(self, written):
        super().__init__()
        self.tags, self.open, self.texts, self.attributes = [], [], {}, []
        self.feed(written)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *one) for one in attrs]
        if tag != "meta":
            self.open.append(tag)
            self.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag  # every element is closed, in order

    def handle_data(self, data):
        for tag in set(self.open):
            self.texts[tag][-1] += data

    def rows(self):
        return [" ".join(row.split()) for row in self.texts["tr"]]


# --- JSON lines ------------------------------------------------------------------------------------------------------


def test_a_line_says_everything_of_a_segment_and_metric(tmp_path):
    first, second = map(json.loads, write(tmp_path / "errors.jsonl", iter([VIEW, CALM])).splitlines())
    assert first == {
        "segment": 1,
        "metric": "BLEU-4",
        "source": "Der Hund sah eine Katze.",
        "size": 10,
        "oracle": {"rank": 3.0, "score": 0.5},
        "references": [
            {"place": 1, "text": "the dog saw a cat", "score": 0.6, "rank": 4.0, "unsupported": ["dog"]},
            {"place": 2, "text": "a hound saw the cat", "score": 0.4, "rank": 7.5, "unsupported": ["hound"]},
        ],
        "above_count": 5,
        "above": [
            {
                "place": 9,
                "text": "the dog saw the bird",
                "score": 0.8,
                "rank": 1.0,
                "copy": False,
                "alone": ["the", "bird"],
                "differences": [
                    {"reference": 1, "gained": [], "lost": ["a", "cat"]},
                    {"reference": 2, "gained": ["dog"], "lost": ["a", "cat"]},
                ],
            },
            {
                "place": 3,
                "text": "the dog saw a cat",
                "score": 0.7,
                "rank": 2.0,
                "copy": True,
                "alone": [],
                "differences": [
                    {"reference": 1, "gained": [], "lost": []},
                    {"reference": 2, "gained": ["dog"], "lost": []},
                ],
            },
        ],
    }
    assert "source" not in second
    assert (second["oracle"], second["above"], second["references"][0]["score"]) == (
        {"rank": 1, "score": None},
        [],
        None,
    )


def test_lines_are_json_whatever_the_text_is(tmp_path):
    odd = replace(VIEW, source='"\\\n\u2028\ud800\x00 é', oracle_score=math.nan, oracle_rank=math.inf)
    written = write(tmp_path / "errors.jsonl", [odd])
    assert written.count("\n") == 1
    found = json.loads(written, parse_constant=pytest.fail)
    assert found["source"] == odd.source
    assert found["oracle"] == {"rank": None, "score": None}
    assert "é" in written


def test_words_are_those_of_the_tokenizer(tmp_path):
    written = write(tmp_path / "errors.jsonl", [VIEW], tokenize=lambda text: list(text.replace(" ", "")))
    assert json.loads(written)["references"][1]["unsupported"] == ["u", "n", "h"]  # "the" has the second h


# --- the page --------------------------------------------------------------------------------------------------------


def test_the_summary_has_a_row_a_metric(tmp_path):
    other = replace(VIEW, metric="TER", above_count=2)
    shown = page(tmp_path, VIEW, other, CALM, replace(CALM, metric="TER"), replace(VIEW, segment=3))
    metric = re.compile("(BLEU-4|TER) ?")
    assert [row for row in shown.rows() if metric.match(row)] == ["BLEU-432 (66.7%)3.3", "TER21 (50.0%)1.0"]
    assert shown.texts["dt"] == ["ties"]
    assert shown.texts["dd"] == ["average"]


def test_headings_are_in_order(tmp_path):
    shown = page(tmp_path, VIEW, replace(VIEW, metric="TER"), CALM)
    assert [tag for tag in shown.tags if re.fullmatch("h[1-6]", tag)] == ["h1", "h2", "h3", "h3", "h2", "h3"]
    assert shown.texts["h1"] == shown.texts["title"] == ["Errors"]
    assert shown.texts["h2"] == ["Segment 1", "Segment 2"]
    assert shown.texts["h3"] == ["BLEU-4", "TER", "BLEU-4"]
    assert shown.texts["blockquote"] == ["Der Hund sah eine Katze."]


def test_a_segment_shows_ranks_scores_and_words(tmp_path):
    shown = page(tmp_path, VIEW)
    assert shown.rows()[3:] == [
        "reference 140.6000the dog saw a catno other has dog",
        "reference 27.50.4000a hound saw the catno other has hound",
        "candidate 910.8000the dog saw the birdover reference 1: gains no word; lacks a · cat; alone with the · bird",
        "candidate 320.7000the dog saw a catcopy of a reference over reference 2: gains dog",
    ]
    text = " ".join(shown.texts["p"])
    assert "The oracle scores 0.5000 and ranks 3 in a list of 10: 5 candidates rank above it, 2 are shown." in text


def test_matched_words_are_marked_and_gained_ones_strongly(tmp_path):
    written = write(tmp_path / "errors.html", [VIEW])
    marked = re.findall(r'<p dir="auto">(.*?)</p>', written)
    assert marked[0] == "<mark>the</mark> dog <mark>saw a cat</mark>"
    # Beside reference 1, which stands next below, only reference 2 counts: one "the".
    assert marked[2] == "<mark>the</mark> dog <mark>saw</mark> the bird"
    # A copy of reference 1 is shown beside reference 2.
    assert marked[3] == "<mark>the</mark> <mark><b>dog</b></mark> <mark>saw a cat</mark>"


def test_a_segment_without_confusion_is_one_line(tmp_path):
    shown = page(tmp_path, CALM)
    assert "The oracle scores - and ranks 1 in a list of 10: no candidate ranks above it." in shown.texts["p"]
    assert shown.tags.count("table") == 1
    one = page(tmp_path, replace(VIEW, above=VIEW.above[:1], above_count=1))
    assert any("1 candidate ranks above it." in text for text in one.texts["p"])
    first = page(tmp_path, replace(VIEW, above=VIEW.above[:1]))
    assert any("5 candidates rank above it, 1 is shown." in text for text in first.texts["p"])


def test_hostile_text_stays_text(tmp_path):
    def view(text):
        scored = RankedText(text, 0.5, 2.0, 1)
        return Confusion(1, text, 3.0, 9, 0.5, (scored, replace(scored, rank=9.0)), (scored,), 1, text)

    shown = page(tmp_path, view(HOSTILE), title=HOSTILE, settings={HOSTILE: HOSTILE})
    wanted = page(tmp_path, view("x"), title="x", settings={"x": "x"})
    assert shown.tags == wanted.tags
    assert shown.attributes == wanted.attributes
    assert shown.texts["h1"] == shown.texts["h3"] == shown.texts["dt"] == shown.texts["blockquote"] == [HOSTILE]


def test_the_page_asks_for_nothing(tmp_path):
    shown = page(tmp_path, VIEW)
    assert not set(shown.tags) & {"script", "link", "img", "iframe", "object", "form"}
    assert not [one for one in shown.attributes if one[1] in ("src", "href", "style") or one[1].startswith("on")]
    assert "url(" not in shown.texts["style"][0]
    assert ("meta", "content", "default-src 'none'; style-src 'unsafe-inline'") in shown.attributes


def test_a_page_of_nothing_is_a_page(tmp_path):
    assert page(tmp_path).texts["h1"] == ["Errors"]
    assert write(tmp_path / "errors.jsonl", []) == ""


# --- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["errors.html", "errors.jsonl"])
def test_a_file_is_whole_or_not_there(tmp_path, name):
    def broken():
        yield VIEW
        raise InputError("line 7 is bad")

    path = tmp_path / name
    path.write_text("before")
    with pytest.raises(InputError, match="line 7 is bad"):
        write(path, broken())
    assert [one.name for one in tmp_path.iterdir()] == [name]
    assert path.read_text() == "before"


def test_other_suffixes_are_refused_before_any_work(tmp_path):
    with pytest.raises(InputError, match=r"errors.pdf: the name of an error analysis ends in .jsonl or .html"):
        write(tmp_path / "errors.pdf", (pytest.fail("not yet") for _ in [1]))
    with pytest.raises(InputError, match="there is no directory"):
        check_confusions(tmp_path / "nowhere" / "errors.html")
    check_confusions(tmp_path / "errors.HTML")


@pytest.mark.parametrize("name", ["errors.html", "errors.jsonl"])
def test_confusions_are_written_as_they_come(tmp_path, name):
    held, most = weakref.WeakSet(), []

    def confusions():
        for i in range(200):
            view = replace(VIEW, segment=i // 2, metric=f"metric {i % 2}")
            held.add(view)
            most.append(len(held))
            yield view
            del view

    write(tmp_path / name, confusions())
    assert max(most) <= 5  # two metrics of a segment, those of the one before, and the first of the next
