"""Find percentages, amounts of money, quantities, dates, times and numbers that a model missed.

Labels are those of OntoNotes, which spaCy's models use: PERCENT, MONEY, QUANTITY, DATE, TIME, ORDINAL, CARDINAL. The
entities of the model are left alone, except that a bare number may be extended by the unit, currency or period after
it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tarocco.annotate.lexicon import word_set
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
_SCALES = frozenset(("c", "f", "celsius", "fahrenheit", "centigrade"))  # after degrees
_AFTER_NUMBERS = (("MONEY", _COINS | _CURRENCIES), ("QUANTITY", _UNITS), ("DATE", _PERIODS), ("TIME", _HOURS))


def add_missed_entities(words: Sequence[str], tags: Sequence[str], entities: Sequence[Span]) -> tuple[Span, ...]:
    """Return the entities of a model together with those that it missed, from left to right."""
    spans: list[Span] = []
    start = 0
    next_starts = [*(span.start for span in entities[1:]), len(words)]
    for entity, next_start in zip((*entities, None), (*next_starts, len(words)), strict=False):
        if entity is not None and entity.label == "CARDINAL":
            entity = _extend_number(words[:next_start], tags, entity)
        end = len(words) if entity is None else entity.start
        between = words[:end]  # no span may reach into the next entity
        while start < end:
            span = _entity_at(between, tags, start)
            if span is not None:
                spans.append(span)
            start = start + 1 if span is None else span.end
        if entity is not None:
            spans.append(entity)
            start = entity.end
    return tuple(spans)


def _extend_number(words: Sequence[str], tags: Sequence[str], number: Span) -> Span:
    """Extend a number by the unit after it: "20" of "20 ° C"."""
    if number.end == len(words):
        return number
    extended = _entity_at(words, tags, number.start)
    if extended is None or extended.label == number.label or extended.end <= number.end:
        return number
    return extended


def _entity_at(words: Sequence[str], tags: Sequence[str], start: int) -> Span | None:
    """Return the entity that begins at a word, if there is one."""
    word, tag = words[start].lower(), tags[start]
    if tag != "CD" and tag[:1] not in ("N", "$", "J", "S", "X", "R") and not word[:1].isdigit():
        return None  # true of most words
    if word in _CURRENCIES and (end := _skip_numbers(words, tags, start + 1)) > start + 1:
        return Span("MONEY", start, end)
    return _date_at(words, tags, start) or _time_or_ordinal_at(words, start) or _number_at(words, tags, start)


def _date_at(words: Sequence[str], tags: Sequence[str], start: int) -> Span | None:
    """Return the date that begins at a word: "today", "May 3, 2004", "3/5/2004", "3 May 2004"."""
    word, tag, end = words[start].lower(), tags[start], start + 1
    if word in _DAYS and (tag.startswith("NN") or tag == "RB"):
        return Span("DATE", start, end)
    if word in _MONTHS and tag == "NNP":
        while end < min(start + 4, len(words)) and _is_day_or_year(words[end].lower()):
            end += 1
        return Span("DATE", start, end if words[end - 1] != "," else end - 1)
    if _DATE.fullmatch(word):
        return Span("DATE", start, end)
    if _DAY.fullmatch(word) and _is_in(words, end, _MONTHS) and tags[end] == "NNP":
        end += 1
        return Span("DATE", start, end + (end < len(words) and _YEAR.fullmatch(words[end]) is not None))
    return None


def _time_or_ordinal_at(words: Sequence[str], start: int) -> Span | None:
    word = words[start].lower()
    if _CLOCK.fullmatch(word) and ":" in word + ("" if word[-1:].isdigit() else ":"):
        return Span("TIME", start, start + 1 + _is_in(words, start + 1, _HOURS))
    return Span("ORDINAL", start, start + 1) if _ORDINAL.fullmatch(word) else None


def _number_at(words: Sequence[str], tags: Sequence[str], start: int) -> Span | None:
    """Return the number that begins at a word, with the unit that follows."""
    end = _skip_numbers(words, tags, start)
    if end == start or tags[start] not in ("CD", "JJ", "NN", "NNS", "NNP"):
        return None
    if _is_in(words, end, _PERCENT):
        return Span("PERCENT", start, end + 1)
    for label, names in _AFTER_NUMBERS:
        if _is_in(words, end, names):
            degrees = label == "QUANTITY" and words[end].lower() in ("°", "degree", "degrees")
            return Span(label, start, end + 1 + (degrees and _is_in(words, end + 1, _SCALES)))
    is_year = end == start + 1 and _YEAR.fullmatch(words[start].lower())
    return Span("DATE" if is_year else "CARDINAL", start, end)


def _skip_numbers(words: Sequence[str], tags: Sequence[str], start: int) -> int:
    """Return the index of the first word from `start` that is not a number."""
    for end in range(start, len(words)):
        text = words[end].lower()
        if not (_NUMBER.fullmatch(text) or (text in _SPELLED and tags[end] in ("CD", "NNS"))):
            return end
    return max(start, len(words))


def _is_in(words: Sequence[str], index: int, names: frozenset[str]) -> bool:
    return index < len(words) and words[index].lower() in names


def _is_day_or_year(word: str) -> bool:
    return _DAY.fullmatch(word) is not None or _YEAR.fullmatch(word) is not None or word == ","
