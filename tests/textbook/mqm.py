"""MQM scores as Freitag et al. (2021) weight errors, one error after the other, in exact fractions."""

from fractions import Fraction


def weight(category, severity, source_errors=True):
    if not source_errors and category.startswith("Source"):
        return Fraction(0)
    if severity == "Major":
        return Fraction(25) if category == "Non-translation!" else Fraction(5)
    if severity == "Minor":
        return Fraction(1, 10) if category == "Fluency/Punctuation" else Fraction(1)
    return Fraction(0)


def segment_score(errors, source_errors=True):
    """The mean over raters of what the errors that each one marked weigh; errors are (rater, category, severity)."""
    by_rater = {}
    for rater, category, severity in errors:
        by_rater[rater] = by_rater.get(rater, Fraction(0)) + weight(category, severity, source_errors)
    return sum(by_rater.values()) / len(by_rater)
