"""Build the bundled test set, src/tarocco/data/demo, from the texts in tools/demo.

    python tools/make_demo_data.py            # write the files, and check them against frozen.sha256
    python tools/make_demo_data.py --freeze   # ... and update frozen.sha256, for a new edition of the texts
    python tools/make_demo_data.py --into DIR # write into another folder

Each genre is a file tools/demo/GENRE.toml with twelve segments: a source sentence, four references, the outputs of six
imagined systems, the errors of each output ("type/severity: words"), and for eight segments the phrases of an n-best
list. All input is checked first, and all mistakes are reported together. The same input gives the same bytes with any
version of Python. The data card, src/tarocco/data/demo/README.md, describes the files.
"""

import argparse
import hashlib
import re
import sys
import tomllib
from pathlib import Path

from demo_nbest import candidates, chains

HERE = Path(__file__).parent
DEMO = HERE.parent / "src" / "tarocco" / "data" / "demo"

GENRES = ("news", "travel", "reviews", "instructions", "letters")
SYSTEMS = ("careful", "middling", "mirror", "literal", "brief", "verbose")
ADEQUACY_ERRORS = ("missing", "wrong", "added")
FLUENCY_ERRORS = ("order", "agreement")
POINTS = {"minor": 1, "major": 2}

SEGMENTS_A_GENRE = 12
LISTS_A_GENRE = 8
REFERENCES = 4
WORDS_ALLOWED = {"source": (7, 28), "reference": (10, 28), "system": (4, 60)}
PHRASES_ALLOWED = (5, 9)
ALTERNATIVES_ALLOWED = (2, 5)

EXPERIMENT = f"""\
# The bundled test set as an experiment: tarocco score demo.toml
name = "demo"
caveats = [
  "The texts of the demo were written by language models, and its grades follow rules: no person judged anything.",
]
source = "source.txt"
references = ["ref1.txt", "ref2.txt", "ref3.txt", "ref4.txt"]
systems = [{", ".join(f'"{system}.txt"' for system in SYSTEMS)}]
metrics = ["BLEU-4", "BLEU-SBP", "NIST-5", "ROUGE-S-4", "GRR-4", "chrF"]
groups = "documents.txt"
nbest = "nbest.txt"
human = "grades.tsv:adequacy"
"""


def read(folder):
    """Return all segments in the order of genres, each with its genre and its place ("news 3") for messages."""
    segments = []
    for genre in GENRES:
        with (folder / f"{genre}.toml").open("rb") as file:
            found = tomllib.load(file)["segment"]
        segments += [{**segment, "genre": genre, "place": f"{genre} {at}"} for at, segment in enumerate(found, 1)]
    return segments


# Checking


def mistakes(segments):
    """Return all mistakes in the segments, one sentence each."""
    return [
        *mistakes_in_counts(segments),
        *mistakes_in_repetition(segments),
        *(
            f"{segment['place']}: {mistake}"
            for segment in segments
            for check in (mistakes_in_shape, mistakes_in_text, mistakes_in_errors, mistakes_in_phrases)
            for mistake in check(segment)
        ),
    ]


def mistakes_in_counts(segments):
    for genre in GENRES:
        here = [segment for segment in segments if segment["genre"] == genre]
        if len(here) != SEGMENTS_A_GENRE:
            yield f"{genre}: {len(here)} segments, expected {SEGMENTS_A_GENRE}"
        lists = sum("nbest" in segment for segment in here)
        if lists != LISTS_A_GENRE:
            yield f"{genre}: {lists} segments with phrases, expected {LISTS_A_GENRE}"


def mistakes_in_repetition(segments):
    """Yield texts that occur twice, in one segment or in two."""
    seen = {}
    for segment in segments:
        for role, text in texts(segment):
            here = f"{segment['place']}, {role}"
            if (first := seen.setdefault(text.casefold(), here)) != here:
                yield f"{here} is the same text as {first}: {text!r}"


def texts(segment):
    yield "source", segment["source"]
    for number, reference in enumerate(segment["references"], 1):
        yield f"reference {number}", reference
    yield from segment["systems"].items()


def mistakes_in_shape(segment):
    if len(segment["references"]) != REFERENCES:
        yield f"{len(segment['references'])} references, expected {REFERENCES}"
    for table in ("systems", "errors"):
        if set(segment[table]) != set(SYSTEMS):
            yield f"{table} are of {', '.join(segment[table])}, expected {', '.join(SYSTEMS)}"
    if unknown := set(segment) - {"source", "references", "systems", "errors", "nbest", "genre", "place"}:
        yield f"unknown keys {', '.join(sorted(unknown))}"


def mistakes_in_text(segment):
    for role, text in texts(segment):
        least, most = WORDS_ALLOWED["system" if role in SYSTEMS else role.split()[0]]
        words = len(text.split())
        if not least <= words <= most:
            yield f"{role} has {words} words, expected {least} to {most}"
        if text != " ".join(text.split()):
            yield f"{role} has a tab, a line break or superfluous spaces"
        if not re.search(r"""[.?!]["“”']?$""", text):
            yield f"{role} does not end like a sentence: {text!r}"


def mistakes_in_errors(segment):
    for system, notes in segment["errors"].items():
        for note in notes:
            parts = re.fullmatch(r"(\w+)/(\w+): (\S.*)", note)
            if not parts:
                yield f'{system}: {note!r} is not of the form "type/severity: words"'
                continue
            kind, severity, words = parts.groups()
            if kind not in ADEQUACY_ERRORS + FLUENCY_ERRORS:
                yield f"{system}: unknown type of error in {note!r}"
            if severity not in POINTS:
                yield f"{system}: unknown severity in {note!r}"
            where = "the first reference" if kind == "missing" else "the output"
            if words not in (segment["references"][0] if kind == "missing" else segment["systems"][system]):
                yield f"{system}: the words of {note!r} are not in {where}"
        if len(set(notes)) != len(notes):
            yield f"{system}: the same error twice"


def mistakes_in_phrases(segment):
    phrases = segment.get("nbest", {}).get("phrases", [])
    if phrases and not PHRASES_ALLOWED[0] <= len(phrases) <= PHRASES_ALLOWED[1]:
        yield f"{len(phrases)} phrases, expected {PHRASES_ALLOWED[0]} to {PHRASES_ALLOWED[1]}"
    for at, alternatives in enumerate(phrases, 1):
        if not ALTERNATIVES_ALLOWED[0] <= len(alternatives) <= ALTERNATIVES_ALLOWED[1]:
            expected = " to ".join(map(str, ALTERNATIVES_ALLOWED))
            yield f"phrase {at} has {len(alternatives)} alternatives, expected {expected}"
        if len(set(alternatives)) != len(alternatives):
            yield f"phrase {at} has the same alternative twice"
        if any(text != " ".join(text.split()) or "|" in text for text in alternatives):
            yield f"phrase {at} has superfluous spaces or a bar"
    if phrases and not phrases[-1][0].endswith((".", "?", "!")):
        yield "the last phrase does not end like a sentence"


# Building


def errors_of(segment, system):
    """Return (type, severity, words) of each error."""
    return [re.fullmatch(r"(\w+)/(\w+): (.*)", note).groups() for note in segment["errors"][system]]


def grade(errors, kinds):
    """Return a grade from 5 down to 1: a minor error costs one point, a major error two."""
    return max(1, 5 - sum(POINTS[severity] for kind, severity, _ in errors if kind in kinds))


def build(segments):
    """Return the contents of the files by name."""
    files = {"source.txt": [segment["source"] for segment in segments]}
    for number in range(REFERENCES):
        files[f"ref{number + 1}.txt"] = [segment["references"][number] for segment in segments]
    for system in SYSTEMS:
        files[f"{system}.txt"] = [segment["systems"][system] for segment in segments]
    files["documents.txt"] = [segment["genre"] for segment in segments]
    files["errors.tsv"] = ["system\tsegment\ttype\tseverity\twords"]
    files["grades.tsv"] = ["system\tsegment\tadequacy\tfluency"]
    for system in SYSTEMS:
        for number, segment in enumerate(segments, 1):
            errors = errors_of(segment, system)
            files["errors.tsv"] += ["\t".join((system, str(number), *error)) for error in errors]
            grades = grade(errors, ADEQUACY_ERRORS), grade(errors, FLUENCY_ERRORS)
            files["grades.tsv"].append("\t".join(map(str, (system, number, *grades))))
    files["nbest.txt"] = [
        line
        for index, segment in enumerate(segments)
        if "nbest" in segment
        for line in candidates(index, segment["nbest"]["phrases"], segment["references"])
    ]
    return {name: "".join(f"{line}\n" for line in lines) for name, lines in files.items()} | {"demo.toml": EXPERIMENT}


def checksums(files):
    """Return checksums for `sha256sum -c`. demo.toml holds settings, not texts, so it may change and is left out."""
    frozen = {name: text for name, text in sorted(files.items()) if name != "demo.toml"}
    return "".join(f"{hashlib.sha256(text.encode()).hexdigest()}  {name}\n" for name, text in frozen.items())


def summary(segments):
    lists = [segment for segment in segments if "nbest" in segment]
    reachable = sum(not set(segment["references"]).isdisjoint(chains(segment["nbest"]["phrases"])) for segment in lists)
    return f"{len(segments)} segments; {len(lists)} lists, of which {reachable} can produce a reference"


def main():
    parser = argparse.ArgumentParser(description="Build the bundled test set from tools/demo.")
    parser.add_argument("--into", type=Path, default=DEMO, help="the folder to write (src/tarocco/data/demo)")
    parser.add_argument("--freeze", action="store_true", help="update frozen.sha256")
    options = parser.parse_args()

    segments = read(HERE / "demo")
    if found := mistakes(segments):
        sys.exit("\n".join(found) + f"\n{len(found)} mistakes; nothing was written.")
    files = build(segments)
    options.into.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (options.into / name).write_text(text, "utf-8", newline="\n")
    print(summary(segments))

    frozen = DEMO / "frozen.sha256"
    if options.freeze:
        frozen.write_text(checksums(files), "utf-8", newline="\n")
    elif frozen.read_text("utf-8") != checksums(files):
        sys.exit(
            "The texts differ from the frozen ones. For a new edition, use --freeze and explain it in the CHANGELOG."
        )


if __name__ == "__main__":
    main()
