"""The tokenizers as chains of substitutions, as the evaluation scripts define them."""

import re
import unicodedata


def _mteval(text):
    text = re.sub(r"([{-~[-` -&(-+:-@/])", r" \1 ", text)
    text = re.sub(r"([^0-9])([.,])", r"\1 \2 ", text)
    text = re.sub(r"([.,])([^0-9])", r" \1 \2", text)
    text = re.sub(r"([0-9])(-)", r"\1 \2 ", text)
    return text.split()


def v13a(text):
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, character in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
        text = text.replace(entity, character)
    return _mteval(f" {text} ")


def chinese(text, is_chinese):
    return _mteval("".join(f" {c} " if is_chinese(c) else c for c in text.strip()))


def _is(kind):
    return lambda character: unicodedata.category(character)[0] == kind


def international(text):
    """Two passes over pairs of neighbors that must not overlap, then symbols."""
    number, punctuation, symbol = _is("N"), _is("P"), _is("S")
    text = _pairs(text.rstrip(), lambda a, b: not number(a) and punctuation(b), lambda a, b: f"{a} {b} ")
    text = _pairs(text, lambda a, b: punctuation(a) and not number(b), lambda a, b: f" {a} {b}")
    return "".join(f" {c} " if symbol(c) else c for c in text).split()


def _pairs(text, matches, replacement):
    out, i = [], 0
    while i < len(text):
        if i + 1 < len(text) and matches(text[i], text[i + 1]):
            out.append(replacement(text[i], text[i + 1]))
            i += 2
        else:
            out.append(text[i])
            i += 1
    return "".join(out)


def characters(text):
    return [c for c in text if not c.isspace()]


def none(text):
    return text.split()


def jiwer(text):
    """Runs of whitespace become a space, and the text is split at spaces; a single other space does not split."""
    joined, run = [], ""
    for character in text + "x":
        if character.isspace():
            run += character
        else:
            joined.append(" " if len(run) > 1 else run)
            joined.append(character)
            run = ""
    return [word for word in "".join(joined)[:-1].strip().split(" ") if word]


def rouge(text):
    """Runs of ASCII letters and digits."""
    return re.findall("[A-Za-z0-9]+", text)
