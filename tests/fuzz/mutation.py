"""A mutation fuzzer in a page: bytes of kept inputs changed, cut, repeated, crossed, and filled with what breaks readers."""

import random
import re
from collections.abc import Sequence

# Pieces that formats have, and pieces that they should not have.
TOKENS = (
    b"\0", b"\n", b"\r\n", b"\t", b" ", b"\"", b"'", b"\\", b"|||", b"=", b":", b",", b";", b"-", b"_", b"#", b"%", b"*",
    b"(", b")", b"[", b"]", b"{", b"}", b"<", b">", b"</", b"/>", b"&", b"&amp;", b"<!--", b"<![CDATA[", b"<!DOCTYPE a>",
    b"0", b"1", b"-1", b"00", b"1e400", b"-0.0", b"1e-400", b"nan", b"inf", b"-Infinity", b"null", b"true", b"0x10", b"1_0",
    b"4294967296", b"9223372036854775807", b"9223372036854775808", b"999999999999999999", b"1000000000000000000000",
    b"9" * 400, b"9" * 5000, b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\xc2\x85", b"\xc2\xa0",
    b"\xf0\x9f\x98\x80", b"\xcc\x81", b"\xe2\x80\xae", b"\x1b[2J", b"../", b"/dev/zero", b"\\ud800", b"\\u0000", b"\\x00",
    b"system", b"segment", b"score", b"rank", b"judge", b"id", b"a", b"b", b"[" * 2000, b"(" * 2000, b"{\"a\":" * 1500,
    b"a." * 2000, b"x" * 20000, b"a " * 5000, b"|||" * 2000, b"\t" * 3000, b"\n" * 3000,
)  # fmt: skip
LARGEST = 1 << 17
_NUMBER = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?")


def mutated(seeds: Sequence[bytes], rng: random.Random) -> bytes:
    """One new input from kept ones."""
    data = rng.choice(seeds)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4, 8, 16))):
        data = rng.choice(_CHANGES)(data, seeds, rng)
    return data[:LARGEST]


def _span(data: bytes, rng: random.Random) -> tuple[int, int]:
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + rng.choice((0, 1, 1, 2, 4, 8, 16, 64, 256)))


def _flip(data: bytes, _seeds: Sequence[bytes], rng: random.Random) -> bytes:
    at = rng.randrange(len(data)) if data else 0
    return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]


def _cut(data: bytes, _seeds: Sequence[bytes], rng: random.Random) -> bytes:
    start, stop = _span(data, rng)
    return data[:start] + data[stop:]


def _end(data: bytes, _seeds: Sequence[bytes], rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _put(data: bytes, _seeds: Sequence[bytes], rng: random.Random) -> bytes:
    start, stop = _span(data, rng)
    return data[:start] + rng.choice(TOKENS) + data[rng.choice((start, stop)) :]


def _repeat(data: bytes, _seeds: Sequence[bytes], rng: random.Random) -> bytes:
    start, stop = _span(data, rng)
    return data[:start] + data[start:stop] * rng.choice((2, 2, 3, 10, 100)) + data[stop:]


def _cross(data: bytes, seeds: Sequence[bytes], rng: random.Random) -> bytes:
    start, _ = _span(data, rng)
    other = rng.choice(seeds)
    return data[:start] + other[rng.randrange(len(other) + 1) :]


def _number(data: bytes, _seeds: Sequence[bytes], rng: random.Random) -> bytes:
    """A number replaced by another one, which is what counts and ids are."""
    found = list(_NUMBER.finditer(data))
    if not found:
        return data
    match = rng.choice(found)
    return data[: match.start()] + rng.choice(TOKENS[42:60]) + data[match.end() :]


def _lines(data: bytes, _seeds: Sequence[bytes], rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    change = rng.randrange(3)
    if change == 0:
        rng.shuffle(lines)
    elif change == 1:
        lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines))
    else:
        del lines[rng.randrange(len(lines))]
    return b"\n".join(lines)


_CHANGES = (_flip, _cut, _end, _put, _put, _put, _repeat, _cross, _number, _number, _lines)
