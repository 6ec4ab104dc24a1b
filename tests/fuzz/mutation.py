"""A mutation fuzzer in a page: kept inputs are changed, cut, repeated, crossed, and filled with what breaks readers."""

import random
import re
from collections.abc import Sequence

# Pieces that formats have, and pieces that they should not have.
PIECES = rb"""\0 \n \r\n \t \x20 " ' \\ ||| = : , ; - _ # % * ( ) [ ] { } < > </ /> & &amp; <!-- <![CDATA[ <!DOCTYPE
\xff \xc3 \xed\xa0\x80 \xef\xbb\xbf \xe2\x80\xa8 \xc2\x85 \xc2\xa0 \xf0\x9f\x98\x80 \xcc\x81 \xe2\x80\xae \x1b[2J
../ /dev/zero \\ud800 \\u0000 \\x00 system segment score rank judge id a b"""
NUMBERS = b"""0 1 -1 00 1e400 -0.0 1e-400 nan inf -Infinity null true 0x10 1_0 4294967296 9223372036854775807
9223372036854775808 999999999999999999 1000000000000000000000""".split()
NUMBERS += [b"9" * 400, b"9" * 5000]
LONG = [piece * times for piece, times in ((b"[", 2000), (b"(", 2000), (b'{"a":', 1500), (b"a.", 2000), (b"x", 20000))]
LONG += [piece * times for piece, times in ((b"a ", 5000), (b"|||", 2000), (b"\t", 3000), (b"\n", 3000))]
TOKENS = [piece.decode("unicode_escape").encode("latin-1") for piece in PIECES.split()] + NUMBERS * 2 + LONG
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
    return data[: match.start()] + rng.choice(NUMBERS) + data[match.end() :]


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
