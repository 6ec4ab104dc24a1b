"""N-best files read the slow way: {id: [(line, text), ...]} in the order of the file."""

import json
import re

SPACE = " \t\r\x0b\x0c"


def lines_of(content):
    """(number, line) of each line; one carriage return before its end is no part of it."""
    lines = content.removeprefix(b"\xef\xbb\xbf").decode().split("\n")
    if lines[-1] == "":
        lines.pop()
    return [(number, line.removesuffix("\r")) for number, line in enumerate(lines, start=1)]


def collected(rows):
    lists = {}
    for which, line, text in rows:
        lists.setdefault(which, []).append((line, text))
    return lists


def bars(content):
    rows = []
    for number, line in lines_of(content):
        if line.strip(SPACE):
            which, text = line.split("|||")[:2]
            rows.append((int(which.strip(SPACE)), number, text.strip(SPACE)))
    return collected(rows)


def tabs(content):
    rows = []
    for number, line in lines_of(content):
        if line.strip(SPACE):
            which, text = line.split("\t")
            rows.append((int(which), number, text))
    return collected(rows)


def fairseq(content):
    lines = lines_of(content)
    letter = "D" if any(line.startswith("D-") for _, line in lines) else "H"
    rows = []
    for number, line in lines:
        found = re.fullmatch(rf"{letter}-([0-9]+)\t[^\t]*\t(.*)", line, re.DOTALL)
        if found:
            rows.append((int(found[1]), number, found[2]))
    return collected(rows)


def json_lines(content):
    rows = []
    for number, line in lines_of(content):
        if line.strip():
            record = json.loads(line)
            texts = [one["text"] if isinstance(one, dict) else one for one in record["candidates"]]
            rows += [(record["id"], number, text) for text in texts]
    return collected(rows)


def flat(content, size):
    return collected(((number - 1) // size, number, line) for number, line in lines_of(content))
