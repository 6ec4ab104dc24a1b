"""METEOR: words aligned one to one, by spelling, stem and WordNet; their F-mean, less for alignments in many pieces."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter, InputError
from tarocco.core.names import Value
from tarocco.encode.batch import Batch, Encoding
from tarocco.encode.vocabulary import Ragged
from tarocco.kernels import kernel, meteor_chunks, meteor_matching
from tarocco.metrics.base import Agreement, Example, Floats, OnePassMetric, parameter
from tarocco.metrics.comparison import TextPairs
from tarocco.metrics.ngram.counts import share

_link = kernel(meteor_matching, "link_words")
_follow = kernel(meteor_matching, "link_successors")
_augment = kernel(meteor_matching, "find_largest_matching")
_settle = kernel(meteor_chunks, "maximize_successors")
_extend = kernel(meteor_matching, "extend_matching")
_choose = kernel(meteor_chunks, "minimize_chunks")

STAGES = ("exact", "stem", "wnstm", "wnsyn")

_MOST_WORDS = (1 << 15) - 1  # of a text: what a matching is worth is one number of 64 bits
_MOST_LINKS = 1 << 24  # of a pair of texts: 256 MiB
_MOST_STATES = 1 << 12  # of a search, at a time
_MOST_FOLLOWERS = 1 << 12  # that are possible in a pair; there are other limits for texts with more
_MOST_CONFLICTS = 1 << 16  # of those with each other
_MOST_SETS = 1 << 14  # of followers, tried for one part of a pair
_STEPS = 1 << 20  # of a search, about: some hundredths of a second; a hopeless one may take some tenths


class Alignments:
    """What is known of a batch; each way to align is tried once, when it is first asked for."""

    def __init__(self, batch: Batch) -> None:
        self.pairs = TextPairs(batch)
        self._counted: dict[tuple[tuple[str, ...], str, bool], NDArray[np.intp]] = {}

    def counts(self, stages: tuple[str, ...], stemmer: str, jointly: bool) -> NDArray[np.intp]:
        """[matches, chunks, whether a better alignment could have been missed] of each pair.

        Jointly: all stages at once, most matches, then fewest chunks. Otherwise stage after stage, each on the words
        that are left, with the most matches, then the fewest crossings, then the fewest chunks, then the one that
        matches the first word of the candidate, then the second and so on, with the earliest words of the reference.
        """
        asked = (stages, stemmer, jointly)
        if asked not in self._counted:
            keys = self.keys(stages, stemmer)
            self._counted[asked] = align(self.pairs, [together(keys)] if jointly else keys, crossings=not jointly)
        return self._counted[asked]

    def keys(self, stages: tuple[str, ...], stemmer: str) -> list[Ragged]:
        """The keys of each word of the vocabulary at each stage, as far as others have them."""
        keys = [self._keys(stage, stemmer) for stage in stages]
        if stages[0] == "exact":  # a key that one word has adds nothing to that
            keys[1:] = [shared_keys(one) for one in keys[1:]]
        return keys

    def _keys(self, stage: str, stemmer: str) -> Ragged:
        vocabulary = self.pairs.batch.vocabulary
        if stage == "exact":
            return _one_each(np.arange(len(vocabulary), dtype=np.int32))
        if stage == "stem":
            return _one_each(vocabulary.stem_ids(stemmer))
        from tarocco.encode.wordnet import wordnet  # a table of 4 MB

        found = wordnet().lemma_ids(vocabulary) if stage == "wnstm" else wordnet().synset_ids(vocabulary)
        return Ragged(np.unique(found.values, return_inverse=True)[1].astype(np.int32), found.offsets)


def _one_each(keys: NDArray[np.int32]) -> Ragged:
    return Ragged(keys, np.arange(len(keys) + 1))


def _size(keys: Ragged) -> int:
    """How many keys there are."""
    return int(keys.values.max(initial=-1)) + 1


def shared_keys(keys: Ragged) -> Ragged:
    """Only the keys that several words have."""
    several = np.bincount(keys.values, minlength=1)[keys.values] > 1
    kept = np.concatenate([np.zeros(1, np.intp), np.cumsum(several)])
    return Ragged(keys.values[several], kept[keys.offsets])


def together(stages: Sequence[Ragged]) -> Ragged:
    """The keys of all stages, each stage with numbers of its own."""
    firsts = np.cumsum([0, *(_size(keys) for keys in stages)])
    values = [keys.values + first for keys, first in zip(stages, firsts, strict=False)]
    owners = np.concatenate([np.repeat(np.arange(len(keys)), keys.lengths) for keys in stages])
    order = np.argsort(owners, kind="stable")
    offsets = np.sum([keys.offsets for keys in stages], axis=0)
    return Ragged(np.concatenate(values)[order].astype(np.int32), offsets)


def align(pairs: TextPairs, stages: Sequence[Ragged], crossings: bool) -> NDArray[np.intp]:
    """[matches, chunks, whether states were left out] of each pair, stage after stage; keys are those of the words."""
    return align_words(pairs, stages, crossings)[0]


def align_words(
    pairs: TextPairs, stages: Sequence[Ragged], crossings: bool
) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """The same, and for each word of each pair's candidate the word of the reference that it is matched with, or -1.

    Without crossings these are the words of a matching with as many matches, which has more chunks where a search found
    something better.
    """
    longest = int(pairs.candidate_lengths.max(initial=0)), int(pairs.reference_lengths.max(initial=0))
    if max(longest) > _MOST_WORDS:
        raise InputError(f"METEOR takes texts of at most {_MOST_WORDS} words; here is one of {max(longest)}")
    starts = np.zeros(len(pairs) + 1, np.intp)
    np.cumsum(pairs.candidate_lengths, out=starts[1:])
    lengths = pairs.reference_lengths.astype(np.intp)
    partners = np.full(starts[-1], -1, np.int32)
    out, limited = np.zeros((len(pairs), 3), np.intp), np.zeros(len(pairs), np.intp)
    rooms = _rooms(*longest, crossings)
    for keys in stages:
        firsts, linked = _linked(pairs, keys, starts, partners, longest[1])
        hopes = np.empty(len(partners) + len(pairs), np.int32)
        _follow(starts, firsts, linked, hopes)
        spare = np.empty(len(partners), np.uint8)
        there = np.empty((5, longest[1]), np.int32)
        queue = np.empty(longest[0], np.int32)
        _augment(starts, lengths, firsts, linked, hopes, queue, there, partners, spare)
        most = np.zeros((len(pairs), 3), np.int32)
        texts = starts, lengths, firsts, linked
        if not crossings:  # most pairs are settled by that, and there is nothing to search
            fixed = np.empty(len(partners), np.int32)
            _settle(*texts, hopes, partners, _STEPS, *_rooms_of_parts(max(longest)), fixed, most)
            _extend(*texts, queue, there, fixed, partners, most)
        settings = crossings, _MOST_STATES, _STEPS
        _choose(*texts, hopes, spare, *settings, there, *rooms, partners, most, out)
        limited |= out[:, 2]
    out[:, 2] = limited
    return out, partners


def _linked(
    pairs: TextPairs, keys: Ragged, starts: NDArray[np.intp], partners: NDArray[np.int32], longest: int
) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """Where the links of each word begin, and the links, with room for what else is to be known of them."""
    batch = pairs.batch
    ends = np.concatenate([np.zeros(1, np.intp), np.cumsum(keys.lengths[batch.references.values])])
    most = int(np.diff(ends[batch.references.offsets]).max(initial=0))
    rooms = np.zeros((2, _size(keys)), np.int32), np.empty((2, most), np.int32), np.empty(longest, np.intp)
    texts = (*batch.arrays, keys.values, keys.offsets, starts, partners)
    counts, firsts = np.zeros(len(partners), np.intp), np.zeros(len(partners) + 1, np.intp)
    _link(*texts, *rooms, counts, firsts, np.empty((4, 0), np.int32))
    np.cumsum(counts, out=firsts[1:])
    of_pairs = np.diff(firsts[starts])
    if of_pairs.max(initial=0) > _MOST_LINKS:
        pair = int(of_pairs.argmax())
        raise InputError(
            f"METEOR: in a candidate of {pairs.candidate_lengths[pair]} words and its reference of "
            f"{pairs.reference_lengths[pair]} there are {of_pairs[pair]} pairs of words that match; "
            f"it takes at most {_MOST_LINKS}"
        )
    found = np.empty((4, firsts[-1]), np.int32)
    if found.size:
        rooms[0].fill(0)
        _link(*texts, *rooms, counts, firsts, found)
    return firsts, found


def _rooms(longest: int, longest_reference: int, crossings: bool) -> tuple[NDArray[np.generic], ...]:
    """Work space of a search for texts of this length; what is not touched costs nothing."""
    room, width = 4 * _MOST_STATES, (longest_reference + 63) // 64
    sets = 4 * min(_MOST_STATES * width, max(_STEPS >> 4, 8 * width))
    trace = min(longest * _MOST_STATES, max(_STEPS, 8 * longest)) if crossings else 0
    return (
        np.empty((3, room), np.int64),
        np.empty((10, room), np.int32),
        np.empty((2, sets), np.uint64),
        np.zeros((2, 1 << (2 * room - 1).bit_length()), np.int64),
        np.empty((2, trace), np.int32),
        np.zeros(2, np.int64),
    )


def _rooms_of_parts(longest: int) -> tuple[NDArray[np.generic], ...]:
    """Work space of kernels/meteor_chunks.py, which gives up where this is too little."""
    words = max(_MOST_SETS, _MOST_FOLLOWERS // 64 + 1)  # one set at least
    return (
        np.empty((2, longest + 2), np.int32),
        np.empty((12, _MOST_FOLLOWERS + 1), np.int32),
        np.empty(_MOST_CONFLICTS, np.int32),
        np.empty(_MOST_FOLLOWERS + 1, np.int32),
        np.empty(_MOST_CONFLICTS, np.uint64),
        np.empty((3, _MOST_SETS), np.int32),
        np.empty((2, words), np.uint64),
        np.zeros((2, 1 << (2 * _MOST_SETS - 1).bit_length()), np.int64),
        np.zeros(1, np.int64),
    )


# alpha, beta, gamma and the stemmer of each variant.
_OF_VARIANT: dict[str, dict[str, Value]] = {
    "1.5": {"alpha": 0.81, "beta": 0.83, "gamma": 0.28, "stemmer": "english"},
    "2005": {"alpha": 0.9, "beta": 3.0, "gamma": 0.5, "stemmer": "porter"},
}


@dataclass(frozen=True)
class Meteor(OnePassMetric):
    """The F-mean of the words that an alignment matches, less a penalty for the chunks that they are in."""

    module: str = parameter("wnsyn", "the last stage of matching", choices=STAGES, in_stem=True)
    stages: str = parameter(
        None,
        "how words may match, in this order, with + between: the words, their stems, their base forms in WordNet, "
        "synonyms",
        kind=str,
        depends="exact+stem+wnstm+wnsyn up to the stage that the name has",
    )
    variant: str = parameter(
        "1.5",
        "align as METEOR 1.5, all stages at once with the fewest chunks; or as in 2005, stage after stage with the "
        "fewest crossings",
        choices=tuple(_OF_VARIANT),
    )
    alpha: float = parameter(
        None, "how much recall counts, from 0 to 1", kind=float, depends="0.81, or 0.9 for variant=2005"
    )
    beta: float = parameter(None, "the penalty's exponent", kind=float, depends="0.83, or 3 for variant=2005")
    gamma: float = parameter(
        None, "the largest penalty, from 0 to 1", kind=float, depends="0.28, or 0.5 for variant=2005"
    )
    stemmer: str = parameter(
        None,
        "Snowball's English stemmer or Porter's",
        choices=("english", "porter"),
        kind=str,
        depends="english, or porter for variant=2005",
    )

    title: ClassVar[str] = "METEOR"
    summary: ClassVar[str] = (
        "Words aligned one to one, by spelling, stem or WordNet's synonyms; fewer chunks are better."
    )
    formula: ClassVar[str] = (
        "m words are matched one to one, in as few chunks (stretches in the same order) as can be\n"
        "P = m / |c|, R = m / |r|, Fmean = P R / (alpha P + (1 - alpha) R)\n"
        "METEOR = Fmean (1 - gamma (chunks / m)^beta), of the best reference; an exact copy has no penalty\n"
        "corpus: m, chunks, |c| and |r| summed over the segments"
    )
    paper: ClassVar[str] = (
        "Banerjee and Lavie (2005), METEOR: An Automatic Metric for MT Evaluation with Improved Correlation with Human "
        "Judgments, ACL workshop on evaluation measures; Lavie and Agarwal (2007), WMT (the default alpha, beta and "
        "gamma); Denkowski and Lavie (2014), Meteor Universal, WMT (METEOR 1.5)."
    )
    pattern: ClassVar[str] = r"(?:METEOR|MTR)(?:-(?P<module>exact|stem|wnstm|wnsyn))?"
    names: ClassVar[tuple[str, ...]] = (
        *("METEOR-wnsyn", "METEOR-wnstm", "METEOR-stem", "METEOR-exact"),
        *("METEOR-wnsyn:stages=exact+stem+wnsyn", "METEOR-stem:alpha=0.8"),
        *(f"METEOR-{module}:variant=2005" for module in ("wnstm", "stem", "exact")),
    )
    also: ClassVar[tuple[tuple[str, str], ...]] = (
        ("MTR-wnsyn", "METEOR-wnsyn, and so is METEOR; MTR-exact, MTR-stem, MTR-wnstm alike. IQmt has these names."),
    )
    example: ClassVar[Example] = Example(
        name="METEOR-wnsyn:alpha=0.5:beta=1:gamma=0.5",
        candidates=("the cars began to stop here",),
        references=(("here the automobile started to stop",),),
        score=1 - 0.5 * 2 / 6,
        why="all 6 words match, cars with automobile and began with started as synonyms, so P = R = 1; 2 chunks: the "
        "cars began to stop, here",
    )
    notes: ClassVar[str] = """
        Text is lower-cased; punctuation marks are words if the tokenizer splits them off. The alignment is the best
        one, not the best of a beam of 40 as in METEOR 1.5, so that ours can have fewer chunks. Finding it can be very
        hard: where a search has more than 4096 partial alignments to follow, or fewer in long texts, it goes on with
        the most promising ones, as METEOR 1.5 always does. Sentences do not come to that: with METEOR-exact none of
        175736 pairs of an output and a reference did (WMT19, English-German), nor did any with every output written
        twice; with METEOR-wnsyn none of 98553 did (E2E NLG challenge), and 22 with every output written twice. A third
        of texts of 700 words does, texts made of very few different words can, and with variant=2005 those of 50 words
        and more. In texts of thousands of words the alignment found before any search has to do. All matches weigh the
        same, and function words count like others. METEOR 1.5 has weights for both, tables of paraphrases and a
        tokenizer of its own, and with those it gives other scores; its own defaults are not ours. It takes the first of
        references with equal scores; we take the shortest, then the one with more matches, so that their order does not
        matter. variant=2005 is the metric of the first paper: stage after stage, each with the most matches, then the
        fewest crossings (among all matches so far), then the fewest chunks, then the earliest words. At wnstm words
        match that have a base form in common, of whatever part of speech; at wnsyn words whose base forms share a
        synset of WordNet 3.0. Only exact is for every language; the other stages are for English. NLTK's METEOR matches
        greedily, penalizes exact copies and takes alpha 0.9, beta 3 and gamma 0.5 by default, so that its scores are
        other ones. An exact copy has no chunks, in the corpus either. An empty candidate scores 0, and so does every
        candidate of an empty reference, an empty one too.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "METEOR 1.5",
            "14 digits of precision, recall and score of segments, and of the corpus, with weights 1, delta 0.5 and "
            "the same alpha, beta and gamma; its modules exact, stem and synonym are stages=exact+stem+wnsyn, but "
            "its tables of synonyms may differ from WordNet 3.0 elsewhere",
            "tests/golden/test_meteor.py::test_meteor_1_5",
        ),
    )

    @classmethod
    def read_stem(cls, stem: str) -> Mapping[str, str] | None:
        match = re.fullmatch(cls.pattern, stem, re.IGNORECASE | re.ASCII)
        return match and {"module": (match["module"] or "wnsyn").lower()}

    def __post_init__(self) -> None:
        for name in ("stages", "alpha", "beta", "gamma", "stemmer"):
            if getattr(self, name) is None and self.variant in _OF_VARIANT and self.module in STAGES:
                object.__setattr__(self, name, self.default(name))
        super().__post_init__()
        places = [STAGES.index(stage) if stage in STAGES else -1 for stage in self.stages.split("+")]
        if places != sorted(set(places)) or places[0] < 0 or STAGES[places[-1]] != self.module:
            raise BadParameter(
                f"METEOR-{self.module}: stages is some of {', '.join(STAGES)}, in this order with + between and "
                f'{self.module} at the end, not "{self.stages}"'
            )
        for name, most in (("alpha", 1.0), ("beta", 100.0), ("gamma", 1.0)):
            if not 0 <= getattr(self, name) <= most:
                raise BadParameter(f"METEOR: {name} is a number from 0 to {most:g}, not {getattr(self, name):g}")

    def default(self, parameter: str) -> Value | None:
        if parameter == "stages":
            return "+".join(STAGES[: STAGES.index(self.module) + 1])
        return _OF_VARIANT[self.variant].get(parameter) or super().default(parameter)

    @property
    def stem(self) -> str:
        return f"METEOR-{self.module}"

    def reads(self, asked: Encoding) -> Encoding:
        return Encoding(asked.tokenize, lowercase=True)

    @classmethod
    def measure(cls, metrics: Sequence[Any], batch: Batch, context: Any) -> Alignments:
        return Alignments(batch)

    def columns(self, measured: Alignments) -> Floats:
        """[matches, length of the candidate, length of the reference, chunks: none for an exact copy]"""
        stages, pairs = tuple(self.stages.split("+")), measured.pairs
        matches, chunks, _ = measured.counts(stages, self.stemmer, self.variant == "1.5").T
        copies = (chunks == 1) & (matches == pairs.candidate_lengths) & (matches == pairs.reference_lengths)
        lengths = pairs.candidate_lengths, pairs.reference_lengths
        rows = np.column_stack([matches, *lengths, np.where(copies, 0, chunks)]).astype(np.float64)
        return rows[pairs.least(-self.score(rows), rows[:, 2], -rows[:, 0], rows[:, 3])]

    def score(self, sums: Floats) -> Floats:
        matches, candidate, reference, _ = np.moveaxis(sums, -1, 0)
        # P R / (alpha P + (1 - alpha) R), without fractions
        mean = share(matches, candidate + self.alpha * (reference - candidate))
        return mean * (1.0 - self._penalty(sums))

    def _penalty(self, sums: Floats) -> Floats:
        matches, chunks = sums[..., 0], sums[..., 3]
        return np.where(chunks > 0, self.gamma * share(chunks, matches) ** self.beta, 0.0)

    def details(self, sums: Floats) -> dict[str, Any]:
        matches, candidate, reference, chunks = sums.tolist()
        return {
            "precision": matches / candidate if candidate else 0.0,
            "recall": matches / reference if reference else 0.0,
            "penalty": float(self._penalty(sums)) if matches else 0.0,
            "matches": matches,
            "chunks": chunks,
            "candidate_length": candidate,
            "reference_length": reference,
        }
