"""A small translation task: sentences of an invented language, and what people might write for them in English.

A sentence says who did what, where and when. The invented language has no articles, puts adjectives after nouns and a
particle after objects. Two genres, after section 3.2 of Chiang et al. (2008): news is easy, its translations agree
with each other and have few words for a word of the source, whose style is formal; the web has misspelled words and
fillers, and its translations are longer and differ. The generator knows which source word each English word came from,
as a hand-aligned corpus would.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

# Each line is a thing to say, and the ways to say it; the first is the usual one.
PEOPLE = """minister|secretary; president|leader; company|firm; court|tribunal; police|officers; bank|lender
army|military; union|association; newspaper|paper; committee|panel; mayor|city head; parliament|assembly
ministry|department"""
THINGS = """plan|proposal; agreement|deal; law|bill; report|study; budget|spending plan; project|scheme; election|vote
decision|ruling; visit|trip; attack|assault; talks|negotiations; price|cost; border|frontier; factory|plant; bridge"""
FOLKS = """friend|buddy|pal; neighbor|guy next door; boss|manager; cousin|relative; teacher|tutor; girl|young lady
kid|child|little one; waiter|server; driver|person at the wheel; fan|supporter; singer|vocalist; guest|visitor"""
STUFF = """phone|mobile; cake|dessert; game|match; picture|photo; ticket|pass; song|tune|track; dog|puppy; shirt|top
movie|film|flick; bike|bicycle; coffee|cup of coffee; blog|site|page; joke|funny story; hat|cap; sofa|couch"""
ACTS = """announced|made public; approved|passed; rejected|turned down; signed|put a name to; criticized|condemned
discussed|debated; opened|inaugurated; supported|backed; delayed|put off; visited|toured"""
DEEDS = """bought|picked up|went and got; lost|misplaced|could not find; loved|really liked|was crazy about
found|came across|ended up finding; broke|messed up|managed to break; shared|sent around|passed on to everyone
posted|put up|put online; hated|could not stand|really did not like; borrowed|took for a while"""
KINDS = (
    """new|recent; large|big; national|state; foreign|overseas; important|major; public|common; economic|financial"""
)
MOODS = """funny|hilarious|really amusing; crazy|insane|totally mad; cute|lovely|so very sweet; cheap|low cost
weird|strange|kind of odd; awesome|great|really good; ugly|awful|not so pretty"""
TIMES = """on monday; on friday; yesterday; last week; this year; in june; on sunday"""
MOMENTS = """yesterday|the other day; last night|yesterday evening; today|just today; once|one time|at some point"""
PLACES = """in the capital; in geneva; in the south; at the summit; in the province; abroad|in other countries"""
SPOTS = """at home|at my place; at school|over at the school; downtown|in the middle of town; online|on the internet"""
FILLERS = """well|you know; honestly|to be honest|to tell you the truth; like|sort of|kind of; so|so anyway|and then"""

SYLLABLES = [first + second for first in "bdfgklmnprstvz" for second in "aeiou"]
PARTICLE, FORMAL = "ka", "no"  # after objects; in formal style after the agent; English has neither


@dataclass(frozen=True)
class Pair:
    """A source sentence, translations of it, and for each word of the first one the source word it came from or -1."""

    source: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    links: tuple[int, ...]


@dataclass(frozen=True)
class Genre:
    """What is talked about, and how."""

    name: str
    slots: dict[str, list[list[str]]]
    usual: float  # how often a translator takes the usual wording
    misspelled: float  # share of source words
    filled: float  # how often there is a filler
    formal: bool


def _lexicon(text: str) -> list[list[str]]:
    return [entry.strip().split("|") for line in text.splitlines() for entry in line.split(";")]


NEWS = Genre(
    "news",
    dict(
        zip(
            ("who", "what", "did", "kind", "when", "where"),
            map(_lexicon, (PEOPLE, THINGS, ACTS, KINDS, TIMES, PLACES)),
            strict=True,
        )
    ),
    usual=0.7,
    misspelled=0.03,
    filled=0.0,
    formal=True,
)
WEB = Genre(
    "web",
    dict(
        zip(
            ("who", "what", "did", "kind", "when", "where"),
            map(_lexicon, (FOLKS, STUFF, DEEDS, MOODS, MOMENTS, SPOTS)),
            strict=True,
        )
    ),
    usual=0.3,
    misspelled=0.12,
    filled=0.6,
    formal=False,
)
GENRES = (NEWS, WEB)


class Speaker:
    """Says things in both languages; everything is drawn from one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        everything = [entry for genre in GENRES for slot in genre.slots.values() for entry in slot]
        words = random.Random(0).sample([a + b for a in SYLLABLES for b in SYLLABLES], len(everything) + 4)
        self.foreign = {entry[0]: word for entry, word in zip([*everything, *_lexicon(FILLERS)], words, strict=False)}

    def pair(self, genre: Genre, references: int) -> Pair:
        """One sentence, sometimes two clauses, with so many translations."""
        meanings = [self._clause(genre) for _ in range(1 + (self.random.random() < 0.4))]
        filler = self.random.choice(_lexicon(FILLERS)) if self.random.random() < genre.filled else None
        source = [self.foreign[filler[0]]] if filler else []
        for number, clause in enumerate(meanings):
            source += ["mo"] * (number > 0) + [word for _, words in clause for word in words]
        written = [self._english(genre, meanings, filler) for _ in range(references)]
        noisy = [self._misspelled(word, genre.misspelled) for word in source]
        texts = tuple(tuple(word for word, _ in one) for one in written)
        return Pair(tuple(noisy), texts, tuple(link for _, link in written[0]))

    def _clause(self, genre: Genre) -> list[tuple[list[list[str]], list[str]]]:
        """The parts of a clause in source order: what each says, and its source words."""

        def pick(slot: str) -> list[str]:
            # Some things are said far more often than others, so that some words of the test are hardly ever seen.
            choices = genre.slots[slot]
            return choices[int(len(choices) * self.random.random() ** 2)]

        def noun_phrase(slot: str, adjective: float) -> tuple[list[list[str]], list[str]]:
            noun = pick(slot)
            said = [noun, *([pick("kind")] if self.random.random() < adjective else [])]
            return said, [self.foreign[one[0]] for one in said]

        def alone(slot: str) -> tuple[list[list[str]], list[str]]:
            said = pick(slot)
            return [said], [self.foreign[said[0]]]

        what, words = noun_phrase("what", 0.6)
        who, names = noun_phrase("who", 0.4)
        clause = [(who, names + [FORMAL] * genre.formal), alone("did"), (what, [*words, PARTICLE])]
        if self.random.random() < 0.5:
            clause.insert(0, alone("when"))
        if self.random.random() < 0.5:
            clause.append(alone("where"))
        return clause

    def _english(
        self, genre: Genre, meanings: list[list[tuple[list[list[str]], list[str]]]], filler: list[str] | None
    ) -> list[tuple[str, int]]:
        """Words, and the place of the source word each came from (-1: from none)."""
        text: list[tuple[str, int]] = []
        at = 0
        if filler:
            text += [(word, 0) for word in self._worded(filler, 0.3).split()]
            at = 1
        for number, clause in enumerate(meanings):
            if number:
                text.append(("and", at))
                at += 1
            for said, words in clause:
                wordings = [(self._worded(one, genre.usual), at + i) for i, one in enumerate(said)]
                if said[0] in genre.slots["who"] + genre.slots["what"]:
                    article = self.random.choice(("the", "the", "a") if genre.formal else ("the", "a", "my"))
                    vowel = wordings[-1][0][0] in "aeiou"
                    text.append(("an" if article == "a" and vowel else article, -1))
                for wording, link in reversed(wordings):
                    text += [(word, link) for word in wording.split()]
                at += len(words)
        return [*text, (".", -1)]

    def _worded(self, ways: list[str], usual: float) -> str:
        return ways[0] if self.random.random() < usual else self.random.choice(ways)

    def _misspelled(self, word: str, share: float) -> str:
        if self.random.random() >= share:
            return word
        place = self.random.randrange(len(word))
        return word[:place] + self.random.choice("xwqj") + word[place + 1 :]


def corpus(seed: int, news: int, web: int, references: int) -> dict[str, list[Pair]]:
    """So many sentences of each genre."""
    speaker = Speaker(seed)
    return {
        genre.name: [speaker.pair(genre, references) for _ in range(count)]
        for genre, count in zip(GENRES, (news, web), strict=True)
    }


if __name__ == "__main__":
    for name, pairs in corpus(1, 3, 3, 3).items():
        for pair in pairs:
            print(name, " ".join(pair.source), *(" ".join(one) for one in pair.references), sep="\n  ")
