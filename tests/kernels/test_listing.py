"""Lines of n-best files to ids and texts, against regular expressions: what is taken, and where it stops."""

import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tarocco.kernels import kernel, nbest_lines

SPACE = rb"[ \t\r\x0b\x0c]*"
FORMS = {
    "split_moses_lines": re.compile(
        SPACE + rb"([0-9]{1,18})" + SPACE + rb"\|\|\|" + SPACE + rb"(.*?)" + SPACE + rb"(\|\|\|.*)?", re.DOTALL
    ),
    "split_tab_lines": re.compile(rb"([0-9]{1,18})\t([^\t]*)"),
    "split_fairseq_lines": re.compile(rb"H-([0-9]{1,18})\t[^\t]*\t(.*)", re.DOTALL),
}
SKIPPED = re.compile(rb"[STDP]-[0-9]{1,18}\t.*|(?![STHDP]-).*", re.DOTALL)  # by fairseq's

PARTS = st.sampled_from(
    [b"|||", b"|", b" ", b"\t", b"\r", b"\x0b", b"0", b"7", b"12", b"a", b"H-", b"D-", b"S-", b"\xff", b"-"]
)
LINE = st.one_of(
    st.lists(PARTS, max_size=8).map(b"".join),
    st.tuples(
        st.sampled_from([b"3 |||", b"3\t", b"4 ||| ", b"H-3\t-1\t", b"P-3\t", b""]),
        st.lists(PARTS, max_size=5).map(b"".join),
    ).map(b"".join),
)


def expected(name, lines):
    """(texts, line of each, id of each), and how many lines were read."""
    rows = []
    for number, line in enumerate(lines):
        found = FORMS[name].fullmatch(line)
        if found:
            rows.append((found[2], number, int(found[1])))
        elif name != "split_fairseq_lines" or not SKIPPED.fullmatch(line):
            return rows, number
    return rows, len(lines)


@pytest.mark.parametrize("name", FORMS)
@given(lines=st.lists(LINE, max_size=8))
@example(lines=[b"0 ||| a ||| f", b"0||| b", b"1\t|||||| f", b"1 ||| || ||| f", b"2 |||"])
@example(lines=[b"0\ta", b"0\t", b"1\tb\tc"])
@example(lines=[b"log", b"", b"S-0\ta", b"H-0\t-1\ta\tb", b"D-0\t-1\tx", b"H-0\t\t", b"H-5\t1"])
@example(lines=[b"9" * 18 + b" ||| a", b"9" * 19 + b" ||| a"])
@example(lines=[b"9" * 18 + b"\ta", b"9" * 19 + b"\ta"])
@example(lines=[])
def test_lists(name, lines):
    data = b"".join(line + b"\n" for line in lines)
    text, starts = np.empty(len(data), np.uint8), np.empty(len(lines) + 1, np.intp)
    places, ids, firsts = (np.empty(len(lines), np.intp) for _ in range(3))
    state = np.zeros(4, np.intp)
    letter = (ord("H"),) if name == "split_fairseq_lines" else ()
    kernel(nbest_lines, name)(*letter, np.frombuffer(data, np.uint8), text, starts, places, ids, firsts, state)
    rows, n_lines = expected(name, lines)
    end, n_read, n_candidates, n_lists = state.tolist()
    assert (end, n_read) == (sum(len(line) + 1 for line in lines[:n_lines]), n_lines)
    assert text[: starts[n_candidates]].tobytes() == b"".join(row[0] + b"\n" for row in rows)
    assert starts[: n_candidates + 1].tolist() == np.cumsum([0, *(len(row[0]) + 1 for row in rows)]).tolist()
    assert places[:n_candidates].tolist() == [row[1] for row in rows]
    runs = [i for i, row in enumerate(rows) if i == 0 or row[2] != rows[i - 1][2]]
    assert firsts[:n_lists].tolist() == runs
    assert ids[:n_lists].tolist() == [rows[i][2] for i in runs]
