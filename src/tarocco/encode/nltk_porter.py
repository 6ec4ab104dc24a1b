"""Porter's stemmer (1980) with the extensions of NLTK's PorterStemmer, which rouge-score uses.

The extensions are a few irregular words, short words in -ies and -ied, -y after any consonant, -alli before other
endings, -fulli and -logi, and short stems of a vowel and a consonant that keep their e.
"""

from __future__ import annotations

_IRREGULAR = {
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    **{form: form.removesuffix("s") for form in ("innings", "outings", "cannings")},
    **{form: form for form in ("sky", "news", "inning", "outing", "canning", "howe", "proceed", "exceed", "succeed")},
}


def _endings(text: str) -> tuple[tuple[str, str], ...]:
    """Return endings and their replacements; of several that fit a word, the first one counts."""
    pairs = (entry.partition(">") for entry in text.split())
    return tuple((ending, replacement) for ending, _, replacement in pairs)


_PLURALS = _endings("sses>ss ies>i ss>ss s")
_STEP_2 = _endings(
    "ational>ate tional>tion enci>ence anci>ance izer>ize bli>ble alli>al entli>ent eli>e ousli>ous ization>ize "
    "ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous aliti>al iviti>ive biliti>ble fulli>ful"
)
_STEP_3 = _endings("icate>ic ative alize>al iciti>ic ical>ic ful ness")
_STEP_4 = _endings("al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize")


def stem_like_nltk(word: str) -> str:
    """Return the stem of a word in lower case; words of one or two letters are their own stems."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2:
        return word
    word = _remove_plural(word)
    word = _remove_ed_and_ing(word)
    if word.endswith("y") and len(word) > 2 and _is_consonant(word[:-1]):
        word = word[:-1] + "i"
    word = _step_2(word)
    word = _replace_ending(word, _STEP_3, least=1)
    word = _replace_ending(word, _STEP_4, least=2)
    return _remove_final_letters(word)


def _pattern(stem: str) -> str:
    """Return c for each consonant and v for each vowel; y is a vowel after a consonant."""
    pattern = ""
    for letter in stem:
        vowel = letter in "aeiou" or (letter == "y" and pattern.endswith("c"))
        pattern += "v" if vowel else "c"
    return pattern


def _measure(stem: str) -> int:
    """Return Porter's m: how often consonants follow vowels."""
    return _pattern(stem).count("vc")


def _is_consonant(stem: str) -> bool:
    """Return whether the last letter is a consonant."""
    return _pattern(stem).endswith("c")


def _ends_short(stem: str) -> bool:
    """Return whether a stem ends in consonant, vowel, consonant other than w, x, y, or consists of the last two."""
    pattern = _pattern(stem)
    return pattern == "vc" or (pattern.endswith("cvc") and stem[-1] not in "wxy")


def _replace_ending(word: str, endings: tuple[tuple[str, str], ...], least: int) -> str:
    """Replace the first ending that fits, if the rest has at least this measure."""
    for ending, replacement in endings:
        if word.endswith(ending):
            stem = word[: len(word) - len(ending)]
            holds = _measure(stem) >= least and (ending != "ion" or stem[-1] in "st")
            return stem + replacement if holds else word
    return word


def _remove_plural(word: str) -> str:
    if len(word) == 4 and word.endswith("ies"):
        return word[:-1]
    return _replace_ending(word, _PLURALS, least=0)


def _remove_ed_and_ing(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    for ending in ("ed", "ing"):
        stem = word.removesuffix(ending)
        if stem != word and "v" in _pattern(stem):
            return _restore_end(stem)
    return word


def _restore_end(stem: str) -> str:
    """Return what a stem was before -ed or -ing: conflat(ed) conflate, hopp(ing) hop, fil(ing) file."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if len(stem) >= 2 and stem[-1] == stem[-2] and _is_consonant(stem):
        return stem if stem[-1] in "lsz" else stem[:-1]
    return stem + "e" if _measure(stem) == 1 and _ends_short(stem) else stem


def _step_2(word: str) -> str:
    while word.endswith("alli") and _measure(word[:-4]):
        word = word[:-2]
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) else word
    return _replace_ending(word, _STEP_2, least=1)


def _remove_final_letters(word: str) -> str:
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _ends_short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
