"""Alignments as text, and counts of errors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tarocco.compat.jiwer.process import AlignmentChunk, CharacterOutput, WordOutput

__all__ = ["collect_error_counts", "visualize_alignment", "visualize_error_counts"]

Output = WordOutput | CharacterOutput
Columns = tuple[str, str, str]  # reference, hypothesis, mark

_MARKS = {"equal": " ", "substitute": "S", "delete": "D", "insert": "I"}
_LABELS = ("REF: ", "HYP: ", "     ")


def visualize_alignment(
    output: Output, show_measures: bool = True, skip_correct: bool = True, line_width: int | None = None
) -> str:
    """Return each pair of texts one above the other with a mark under each error, and the measures."""
    in_words = isinstance(output, WordOutput)
    parts = []
    pairs = zip(output.references, output.hypotheses, output.alignments, strict=True)
    for number, (reference, hypothesis, chunks) in enumerate(pairs, 1):
        if skip_correct and [chunk.type for chunk in chunks] in ([], ["equal"]):
            continue
        columns = list(_columns(reference, hypothesis, chunks))
        lines = "\n".join(_lines(columns, " " if in_words else "", line_width))
        parts.append(f"=== SENTENCE {number} ===\n\n{lines}\n\n")
    text = "".join(parts)
    return text + _summary(output) if show_measures else text[:-1]


def _columns(
    reference: Sequence[str], hypothesis: Sequence[str], chunks: Sequence[AlignmentChunk]
) -> Iterator[Columns]:
    """Yield the words of each step, padded to equal width; stars stand where a text has no word."""
    for chunk in chunks:
        above = reference[chunk.ref_start_idx : chunk.ref_end_idx]
        below = hypothesis[chunk.hyp_start_idx : chunk.hyp_end_idx]
        n = max(len(above), len(below))
        for one, other in zip(above or ["*"] * n, below or ["*"] * n, strict=True):
            width = max(len(one), len(other), 1)
            if one == "*":
                one = "*" * width
            elif other == "*":
                other = "*" * width
            yield one.rjust(width), other.rjust(width), _MARKS[chunk.type].rjust(width)


def _lines(columns: Sequence[Columns], space: str, line_width: int | None) -> Iterator[str]:
    """Yield blocks of three lines, no wider than `line_width` if possible."""
    rows = list(_LABELS)
    for column in columns:
        if line_width is not None and len(rows[0]) + len(column[0]) > line_width:
            yield from (_without(row, space) for row in rows)
            yield ""
            rows = list(_LABELS)
        rows = [row + cell + space for row, cell in zip(rows, column, strict=True)]
    yield from (_without(row, space) for row in rows)


def _without(row: str, space: str) -> str:
    return row[: len(row) - len(space)]


def _summary(output: Output) -> str:
    counts = ("substitutions", "deletions", "insertions", "hits")
    measures = ("mer", "wil", "wip", "wer") if isinstance(output, WordOutput) else ("cer",)
    return "\n".join(
        [
            "=== SUMMARY ===",
            f"number of sentences: {len(output.alignments)}",
            " ".join(f"{name}={getattr(output, name)}" for name in counts),
            "",
            *(f"{name}={getattr(output, name) * 100:.2f}%" for name in measures),
            "",
        ]
    )


def collect_error_counts(
    output: Output,
) -> tuple[dict[tuple[str, str], int], dict[str, int], dict[str, int]]:
    """Return how often runs of words were substituted (from, to), inserted and deleted."""
    substitutions: dict[tuple[str, str], int] = defaultdict(int)
    insertions: dict[str, int] = defaultdict(int)
    deletions: dict[str, int] = defaultdict(int)
    space = " " if isinstance(output, WordOutput) else ""
    for reference, hypothesis, chunks in zip(output.references, output.hypotheses, output.alignments, strict=True):
        for chunk in chunks:
            above = space.join(reference[chunk.ref_start_idx : chunk.ref_end_idx])
            below = space.join(hypothesis[chunk.hyp_start_idx : chunk.hyp_end_idx])
            if chunk.type == "substitute":
                substitutions[above, below] += 1
            elif chunk.type == "insert":
                insertions[below] += 1
            elif chunk.type == "delete":
                deletions[above] += 1
    return substitutions, insertions, deletions


def visualize_error_counts(
    output: Output,
    show_substitutions: bool = True,
    show_insertions: bool = True,
    show_deletions: bool = True,
    top_k: int | None = None,
) -> str:
    """Return the most frequent errors of each kind as text."""
    titles = ("SUBSTITUTIONS", "INSERTIONS", "DELETIONS")
    shown = (show_substitutions, show_insertions, show_deletions)
    counted: tuple[Mapping[Any, int], ...] = collect_error_counts(output)
    kinds = zip(titles, counted, shown, strict=True)
    return "\n".join(f"=== {title} ===\n{_most(counts, top_k)}" for title, counts, show in kinds if show).removesuffix(
        "\n"
    )


def _most(counts: Mapping[Any, int], top_k: int | None) -> str:
    if not counts:
        return "none"
    most = sorted(counts.items(), key=lambda entry: -entry[1])[:top_k]
    rows = [((key,) if isinstance(key, str) else key, count) for key, count in most]
    width = max((len(word) for words, _ in rows for word in words), default=0)
    return "".join(f"{' --> '.join(word.ljust(width) for word in words)} = {count}x\n" for words, count in rows)
