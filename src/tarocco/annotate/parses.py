"""From `--parses` to an analyzer: which file describes which text of a run.

`careful.conllu`, wherever it is, describes the text careful.txt; `TEXT=FILE` says so of any other. TEXT is the name of
a system or a reference, or a text file that has what the run has as something else, such as an n-best list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tarocco.errors import InputError
from tarocco.read.lines import read_lines
from tarocco.read.test_set import system_name

if TYPE_CHECKING:
    from tarocco.annotate.analyses import Analyses
    from tarocco.model import Segments, TestSet


REFERENCE = "reference "  # in front of its name, where a system has the same one


def analyzer_of_parses(entries: Sequence[str], texts: Mapping[str, Segments], note: Callable[[str], None]) -> str:
    """The name of an analyzer that knows what files say of texts, of every one of their segments."""
    from tarocco.annotate.analyses import Described, analyses_of_files
    from tarocco.annotate.analyzers import analyzer_name

    files: dict[str, list[str]] = {}
    of_no_use = []
    for entry in entries:
        text, file = _divided(entry, texts)
        if Path(file).is_dir():
            raise InputError(f"--parses {entry}: {file} is a directory; name its files, as {Path(file) / '*'} does")
        if not Path(file).is_file():
            raise InputError(f"--parses {entry}: there is no file {file}")
        if text is None:
            of_no_use.append(file)
        else:
            files.setdefault(text, []).append(file)
    if of_no_use:
        said = f"--parses: {', '.join(of_no_use)} {'has' if len(of_no_use) == 1 else 'have'} the name of no text here"
        note(said)
    order = [*(text for text in texts if text in files), *(text for text in files if text not in texts)]
    described = [
        Described(text, list(texts[text] if text in texts else read_lines(text)), files[text]) for text in order
    ]
    analyses = analyses_of_files(described)
    _check_complete(analyses, texts)
    name = analyzer_name(analyses)
    assert name is not None
    return name


def texts_of(test_set: TestSet) -> dict[str, Segments]:
    """Systems and references by name; a system and a reference of the same name are both there."""
    found = dict(test_set.systems)
    for name, segments in zip(test_set.reference_names, test_set.references, strict=False):
        found[name if name not in found else f"{REFERENCE}{name}"] = segments
    return found


def _divided(entry: str, texts: Mapping[str, Segments]) -> tuple[str | None, str]:
    """A text and the file that describes it; no text for a file that has the name of none."""
    from tarocco.annotate.files import text_name

    text, equals, file = entry.partition("=")
    if not equals or Path(entry).exists():
        return _meant(text_name(entry), texts), entry
    found = text if text in texts or Path(text).is_file() else _meant(text, texts)
    if found is None:
        raise InputError(f'--parses {entry}: there is no text "{text}"; there are {", ".join(texts)}')
    return found, file


def _meant(written: str, texts: Mapping[str, Segments]) -> str | None:
    """The text of the run that a path without its suffix means."""
    found = [name for name in texts if system_name(name.removeprefix(REFERENCE)) == system_name(written)]
    if len(found) > 1:  # texts of one name are called by their paths, if they are all systems or all references
        found = [name for name in found if Path(name).parent / system_name(name) == Path(written)] or found
    if len(found) > 1:
        raise InputError(f'--parses: "{written}" may be {" or ".join(found)}: write TEXT=FILE, with the path of TEXT')
    return found[0] if found else None


def _check_complete(analyses: Analyses, texts: Mapping[str, Segments]) -> None:
    """Before anything is computed: whether every segment has a parse."""
    from tarocco.annotate.analyses import begun

    for name, segments in texts.items():
        for number, text in enumerate(segments, 1):
            if text not in analyses:
                what = f'segment {number} of {name}, "{begun(text)}"'
                raise InputError(f"no file of --parses describes {what}: {name}.conllu is wanted, or {name}=FILE")
