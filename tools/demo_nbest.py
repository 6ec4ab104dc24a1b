"""Make the n-best lists of the bundled test set, in Moses' format, from phrases with alternatives.

A candidate takes one alternative of each phrase; sometimes two neighboring phrases are swapped, one is left out or one
is repeated. The score is the weighted sum of the features TM (the cost of the alternatives, higher for later ones), D
(swaps), E (phrases left out or repeated) and WP (words). The index of the segment seeds the generator.
"""

import itertools
import random
import re

SEED = 20000
FEWEST, MOST = 30, 60

WEIGHTS = {"TM": 1.0, "D": 0.8, "E": 1.5, "WP": 0.1}
HUNDREDTHS = {feature: round(100 * weight) for feature, weight in WEIGHTS.items()}
STEP = 50  # hundredths of TM from one alternative to the next, plus less than as much again by chance

CHANCE_OF_FIRST = 0.55  # of each alternative, if no earlier one was chosen
CHANCE_OF_SWAP, CHANCE_OF_DROP, CHANCE_OF_DOUBLE = 0.20, 0.12, 0.06

ENDS = (".", "?", "!")
BREAKS = (*ENDS, ";", ":")  # phrases do not move across these, and these stay if their phrase is dropped
ABBREVIATIONS = ("a.m.", "p.m.", "Mr.", "Mrs.", "Ms.", "Dr.", "No.", "etc.")


def candidates(index, phrases, references):
    """Return the lines of one segment's list, best first."""
    generator = random.Random(SEED + index)  # use only random(), which is the same in all versions of Python
    size = FEWEST + int(generator.random() * (MOST - FEWEST + 1))
    costs = [[STEP * at + int(generator.random() * STEP) * (at > 0) for at in range(len(slot))] for slot in phrases]
    names = names_in(phrases, references)
    scored = {}

    def add(choice, swap=None, drop=None, double=None):
        text = say(phrases, names, choice, swap, drop, double)
        edits = (drop is not None) + (double is not None)
        spent = sum(slot[taken] for at, (slot, taken) in enumerate(zip(costs, choice, strict=True)) if at != drop)
        features = {"D": -int(swap is not None), "E": -edits, "WP": -len(text.split())}
        score = -spent + sum(HUNDREDTHS[feature] * value for feature, value in features.items())
        if text not in scored or score > scored[text][0]:
            listed = " ".join(f"{feature}= {value}" for feature, value in features.items())
            scored[text] = score, f"TM= {in_full(-spent)} {listed}"

    add([0] * len(phrases))
    while len(scored) < size:
        add(*draw(phrases, generator))
    ranked = sorted(scored.items(), key=lambda item: (-item[1][0], item[0]))
    return [f"{index} ||| {text} ||| {listed} ||| {in_full(score)}" for text, (score, listed) in ranked]


def draw(phrases, generator):
    """Draw an alternative of each phrase, and the phrases to swap with the next, to drop and to repeat (or None)."""

    def perhaps(chance, among):
        happens, where = generator.random() < chance, generator.random()
        return among[int(where * len(among))] if happens and among else None

    choice = []
    for slot in phrases:
        taken = 0
        while taken < len(slot) - 1 and generator.random() >= CHANCE_OF_FIRST:
            taken += 1
        choice.append(taken)
    movable = [at for at in range(len(phrases) - 1) if split(phrases[at][choice[at]])[1] not in BREAKS]
    swap = perhaps(CHANCE_OF_SWAP, movable)
    drop = perhaps(CHANCE_OF_DROP, range(len(phrases)))
    double = perhaps(CHANCE_OF_DOUBLE, range(len(phrases)))
    return choice, swap, drop, double if double != drop else None


def say(phrases, names, choice, swap=None, drop=None, double=None):
    """Return the chosen phrases as a sentence; punctuation does not move with phrases."""
    parts = [split(slot[taken] or keep_end(slot[0])) for slot, taken in zip(phrases, choice, strict=True)]
    words = [[] if at == drop else [text] * (1 + (at == double)) for at, (text, _) in enumerate(parts)]
    if swap is not None:
        words[swap], words[swap + 1] = words[swap + 1], words[swap]
    sentence = ""
    for here, (_, mark) in zip(words, parts, strict=True):
        spoken = [text for text in here if text]
        for text in spoken:
            starts = not sentence or (sentence.endswith(ENDS) and not sentence.endswith(ABBREVIATIONS))
            sentence += (" " if sentence else "") + with_initial(text, starts, names)
        if spoken or mark in BREAKS:
            sentence = punctuate(sentence, mark)
    return punctuate(sentence, split(phrases[-1][0])[1] or ".")


def split(phrase):
    """Split a phrase from its final punctuation mark; the period of an abbreviation does not count."""
    if phrase.endswith(ABBREVIATIONS) or not phrase.endswith((*BREAKS, ",")):
        return phrase, ""
    return phrase[:-1], phrase[-1]


def keep_end(first_alternative):
    """Return the final punctuation of a phrase, for an empty alternative at the end of a sentence."""
    mark = split(first_alternative)[1]
    return mark if mark in BREAKS else ""


def punctuate(sentence, mark):
    if not sentence or not mark:
        return sentence
    if mark == "." and sentence.endswith(ABBREVIATIONS):
        return sentence
    return (sentence if sentence.endswith(ABBREVIATIONS) else sentence.rstrip(",;:.?!")) + mark


def with_initial(text, starts, names):
    """Capitalize at the start of a sentence; elsewhere use lowercase, except for names."""
    if starts:
        return text[:1].upper() + text[1:]
    return text if first_word(text) in names else text[:1].lower() + text[1:]


def first_word(text):
    return re.match(r"\W*([\w'.-]*)", text)[1]


def names_in(phrases, references):
    """Return the words with a capital inside a sentence: names, weekdays, I."""
    names = {"I", "I'm", "I've", "I'd", "I'll"}
    for reference in references:
        for before, word in itertools.pairwise(reference.split()):
            if word[:1].isupper() and not before.endswith((*BREAKS, '"')):
                names.add(first_word(word).removesuffix("'s").rstrip("."))
    for before, slot in itertools.pairwise(phrases):
        if not before[0].endswith(BREAKS):
            names.update(first_word(text) for text in slot if text[:1].isupper())
    return names


def chains(phrases):
    """Yield all sentences that the alternatives can form without edits."""
    for chain in itertools.product(*phrases):
        yield " ".join(text for text in chain if text)


def in_full(hundredths):
    return f"{hundredths / 100:.2f}"
