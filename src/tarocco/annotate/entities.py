"""Quantities, percentages, sums of money, dates and times that a model missed, found by rule.

Labels are those of OntoNotes, as spaCy's models have them: PERCENT, MONEY, QUANTITY, DATE, TIME, ORDINAL, CARDINAL.
What the model found stays as it is; rules look only at the words between, and at numbers that it found without the
unit, the currency or the period behind them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from tarocco.annotate.role_words import word_set
from tarocco.annotate.sentence import Span

_NUMBER = re.compile(r"[+-]?\d[\d.,]*|\d+/\d+")
_YEAR = re.compile(r"(1[5-9]|20)\d\d")
_CLOCK = re.compile(r"\d{1,2}[:.]\d\d([ap]\.?m\.?)?|\d{1,2}[ap]\.?m\.?")
_DATE = re.compile(r"\d{1,4}([/.-])\d{1,2}\1\d{1,4}")
_ORDINAL = re.compile(r"\d+(st|nd|rd|th)")
_DAY = re.compile(r"[0-3]?\d(st|nd|rd|th)?")
_SPELLED = word_set(
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion
    trillion hundreds thousands millions billions dozen dozens"""
)
_MONTHS = word_set(
    """january february march april may june july august september october november december jan feb mar apr jun jul
    aug sep sept oct nov dec jan. feb. mar. apr. jun. jul. aug. sep. sept. oct. nov. dec."""
)
_DAYS = word_set("""monday tuesday wednesday thursday friday saturday sunday today yesterday tomorrow tonight""")
_PERIODS = word_set("day days week weeks month months year years decade decades century centuries")
_HOURS = word_set("hour hours minute minutes second seconds a.m. p.m. am pm o'clock")
_PERCENT = frozenset(("%", "percent", "pct", "percentage"))
_CURRENCIES = frozenset(("$", "€", "£", "¥", "us$", "usd", "eur", "gbp", "rs", "rs."))
_COINS = word_set("""dollar dollars euro euros pound pounds cent cents yen rupee rupees franc francs peso pesos""")
_UNITS = word_set(
    """km kilometer kilometers kilometre kilometres m meter meters metre metres cm mm mile miles yard yards foot feet
    inch inches kg kilogram kilograms kilo kilos g gram grams ton tons tonne tonnes pound lb lbs ounce ounces oz
    liter liters litre litres gallon gallons acre acres hectare hectares mph km/h knots degrees degree °c °f celsius
    fahrenheit watt watts kw mw gw volts mb gb tb °"""
)
_SCALES = frozenset(("c", "f", "celsius", "fahrenheit", "centigrade"))  # behind degrees


def with_found_by_rule(words: Sequence[str], tags: Sequence[str], found: Sequence[Span]) -> tuple[Span, ...]:
    """A model's entities and those that it missed, from left to right."""
    entities: list[Span] = []
    start = 0
    starts = [span.start for span in found[1:]] + [len(words)]
    for span, following in zip((*found, None), (*starts, len(words)), strict=False):
        if span is not None and span.label == "CARDINAL":
            span = _with_its_unit(words[:following], tags, span)
        end = len(words) if span is None else span.start
        before = words[:end]  # nothing is found beyond the next entity
        while start < end:
            entity = _entity_at(before, tags, start)
            if entity is not None:
                entities.append(entity)
            start = start + 1 if entity is None else entity.end
        if span is not None:
            entities.append(span)
            start = span.end
    return tuple(entities)


def _with_its_unit(words: Sequence[str], tags: Sequence[str], number: Span) -> Span:
    """A number that the model found, and its unit behind it if the model did not see that one: "20" of "20 ° C"."""
    if number.end == len(words):
        return number
    whole = _entity_at(words, tags, number.start)
    return number if whole is None or whole.label == number.label or whole.end <= number.end else whole


def _entity_at(words: Sequence[str], tags: Sequence[str], start: int) -> Span | None:
    """The entity that begins with a word, if one does."""
    word, tag = words[start].lower(), tags[start]
    if tag != "CD" and tag[:1] not in ("N", "$", "J", "S", "X", "R") and not word[:1].isdigit():
        return None  # most words are none of it
    size = len(words)

    def run(at: int, fits: Callable[[int], bool]) -> int:
        while at < size and fits(at):
            at += 1
        return at

    def number(at: int) -> bool:
        text = words[at].lower()
        return _NUMBER.fullmatch(text) is not None or (text in _SPELLED and tags[at] in ("CD", "NNS"))

    def is_in(at: int, names: frozenset[str]) -> bool:
        return at < size and words[at].lower() in names

    if word in _CURRENCIES and (end := run(start + 1, number)) > start + 1:
        return Span("MONEY", start, end)
    if word in _DAYS and (tag.startswith("NN") or tag == "RB"):
        return Span("DATE", start, start + 1)
    if word in _MONTHS and tag == "NNP":
        end = run(start + 1, lambda at: at < start + 4 and _is_day_or_year(words, at))
        return Span("DATE", start, end if words[end - 1] != "," else end - 1)
    if _DATE.fullmatch(word):
        return Span("DATE", start, start + 1)
    if _DAY.fullmatch(word) and is_in(start + 1, _MONTHS) and tags[start + 1] == "NNP":
        end = start + 2
        return Span("DATE", start, end + (end < size and _YEAR.fullmatch(words[end]) is not None))
    if _CLOCK.fullmatch(word) and ":" in word + ("" if word[-1:].isdigit() else ":"):
        return Span("TIME", start, start + 1 + is_in(start + 1, _HOURS))
    if _ORDINAL.fullmatch(word):
        return Span("ORDINAL", start, start + 1)
    if not number(start) or tag not in ("CD", "JJ", "NN", "NNS", "NNP"):
        return None
    end = run(start, number)
    if is_in(end, _PERCENT):
        return Span("PERCENT", start, end + 1)
    for label, names in (("MONEY", _COINS | _CURRENCIES), ("QUANTITY", _UNITS), ("DATE", _PERIODS), ("TIME", _HOURS)):
        if is_in(end, names):
            degrees = label == "QUANTITY" and words[end].lower() in ("°", "degree", "degrees")
            return Span(label, start, end + 1 + (degrees and is_in(end + 1, _SCALES)))
    if end == start + 1 and _YEAR.fullmatch(word):
        return Span("DATE", start, end)
    return Span("CARDINAL", start, end)


def _is_day_or_year(words: Sequence[str], at: int) -> bool:
    word = words[at].lower()
    return _DAY.fullmatch(word) is not None or _YEAR.fullmatch(word) is not None or word == ","
