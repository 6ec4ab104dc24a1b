"""METEOR: F-mean of words aligned by spelling, stem and WordNet, with a penalty for fragmented alignments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter, InputError
from tarocco.encode.batch import Batch, Encoding
from tarocco.encode.vocabulary import Ragged
from tarocco.kernels import kernel, meteor_chunks, meteor_matching
from tarocco.metrics.base import Agreement, Example, Floats, OnePassMetric, parameter
from tarocco.metrics.names import Value
from tarocco.metrics.ngram.counts import share
from tarocco.metrics.text_pairs import TextPairs

_link_words = kernel(meteor_matching, "link_words")
_link_successors = kernel(meteor_matching, "link_successors")
_find_largest_matching = kernel(meteor_matching, "find_largest_matching")
_maximize_successors = kernel(meteor_chunks, "maximize_successors")
_extend_matching = kernel(meteor_matching, "extend_matching")
_minimize_chunks = kernel(meteor_chunks, "minimize_chunks")

STAGES = ("exact", "stem", "wnstm", "wnsyn")

_MOST_WORDS = (1 << 15) - 1  # of a text: the value of a matching must fit into 64 bits
_MOST_LINKS = 1 << 24  # of a pair of texts: 256 MiB
_MOST_STATES = 1 << 12  # of a search, at a time
_MOST_FOLLOWERS = 1 << 12  # possible followers in a pair; longer texts have other limits
_MOST_CONFLICTS = 1 << 16  # between followers
_MOST_SETS = 1 << 14  # sets of followers tried for one part of a pair
_STEPS = 1 << 20  # of a search, approximately: hundredths of a second, or tenths if it finds nothing


class Alignments:
    """The alignments of a batch; each kind of alignment is computed once, on first use."""

    def __init__(self, batch: Batch) -> None:
        self.pairs = TextPairs(batch)
        self._counts: dict[tuple[tuple[str, ...], str, bool], NDArray[np.intp]] = {}

    def counts(self, stages: tuple[str, ...], stemmer: str, jointly: bool) -> NDArray[np.intp]:
        """Return [matches, chunks, whether the search was cut off] of each pair.

        A joint alignment matches all stages at once, with the most matches and then the fewest chunks. Otherwise each
        stage aligns the words that earlier stages left, with the most matches, then the fewest crossings, then the
        fewest chunks, and then prefers to match early words of the candidate with early words of the reference.
        """
        kind = (stages, stemmer, jointly)
        if kind not in self._counts:
            keys = self.keys(stages, stemmer)
            self._counts[kind] = align(self.pairs, [merge_stages(keys)] if jointly else keys, crossings=not jointly)
        return self._counts[kind]

    def keys(self, stages: tuple[str, ...], stemmer: str) -> list[Ragged]:
        """Return the keys of each word of the vocabulary at each stage; words that share a key match."""
        keys = [self._keys(stage, stemmer) for stage in stages]
        if stages[0] == "exact":  # a key of only one word adds nothing to exact matches
            keys[1:] = [keep_shared_keys(stage) for stage in keys[1:]]
        return keys

    def _keys(self, stage: str, stemmer: str) -> Ragged:
        vocabulary = self.pairs.batch.vocabulary
        if stage == "exact":
            return _one_key_each(np.arange(len(vocabulary), dtype=np.int32))
        if stage == "stem":
            return _one_key_each(vocabulary.stem_ids(stemmer))
        from tarocco.encode.wordnet import wordnet  # a table of 4 MB

        ids = wordnet().lemma_ids(vocabulary) if stage == "wnstm" else wordnet().synset_ids(vocabulary)
        return Ragged(np.unique(ids.values, return_inverse=True)[1].astype(np.int32), ids.offsets)


def _one_key_each(keys: NDArray[np.int32]) -> Ragged:
    return Ragged(keys, np.arange(len(keys) + 1))


def _count_keys(keys: Ragged) -> int:
    return int(keys.values.max(initial=-1)) + 1


def keep_shared_keys(keys: Ragged) -> Ragged:
    """Return only the keys that several words have."""
    several = np.bincount(keys.values, minlength=1)[keys.values] > 1
    n_before = np.concatenate([np.zeros(1, np.intp), np.cumsum(several)])
    return Ragged(keys.values[several], n_before[keys.offsets])


def merge_stages(stages: Sequence[Ragged]) -> Ragged:
    """Return the keys of all stages, renumbered so that stages do not share keys."""
    firsts = np.cumsum([0, *(_count_keys(keys) for keys in stages)])
    values = [keys.values + first for keys, first in zip(stages, firsts, strict=False)]
    owners = np.concatenate([np.repeat(np.arange(len(keys)), keys.lengths) for keys in stages])
    order = np.argsort(owners, kind="stable")
    offsets = np.sum([keys.offsets for keys in stages], axis=0)
    return Ragged(np.concatenate(values)[order].astype(np.int32), offsets)


def align(pairs: TextPairs, stages: Sequence[Ragged], crossings: bool) -> NDArray[np.intp]:
    """Return [matches, chunks, whether the search was cut off] of each pair, aligned stage by stage."""
    return align_words(pairs, stages, crossings)[0]


def align_words(
    pairs: TextPairs, stages: Sequence[Ragged], crossings: bool
) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """Do the same, and also return the matched reference word of each candidate word of each pair, or -1.

    Without `crossings`, the returned matching may have more chunks than counted if the search improved on it.
    """
    longest = int(pairs.candidate_lengths.max(initial=0)), int(pairs.reference_lengths.max(initial=0))
    if max(longest) > _MOST_WORDS:
        raise InputError(f"METEOR accepts texts of at most {_MOST_WORDS} words, found one of {max(longest)}")
    starts = np.zeros(len(pairs) + 1, np.intp)
    np.cumsum(pairs.candidate_lengths, out=starts[1:])
    lengths = pairs.reference_lengths.astype(np.intp)
    partners = np.full(starts[-1], -1, np.int32)
    out, limited = np.zeros((len(pairs), 3), np.intp), np.zeros(len(pairs), np.intp)
    workspace = _allocate_search(*longest, crossings)
    for keys in stages:
        firsts, linked = _linked(pairs, keys, starts, partners, longest[1])
        hopes = np.empty(len(partners) + len(pairs), np.int32)
        _link_successors(starts, firsts, linked, hopes)
        spare = np.empty(len(partners), np.uint8)
        reference_links = np.empty((5, longest[1]), np.int32)
        queue = np.empty(longest[0], np.int32)
        _find_largest_matching(starts, lengths, firsts, linked, hopes, queue, reference_links, partners, spare)
        most = np.zeros((len(pairs), 3), np.int32)
        texts = starts, lengths, firsts, linked
        if not crossings:  # this settles most pairs without a search
            fixed = np.empty(len(partners), np.int32)
            _maximize_successors(*texts, hopes, partners, _STEPS, *_allocate_followers(max(longest)), fixed, most)
            _extend_matching(*texts, queue, reference_links, fixed, partners, most)
        settings = crossings, _MOST_STATES, _STEPS
        _minimize_chunks(*texts, hopes, spare, *settings, reference_links, *workspace, partners, most, out)
        limited |= out[:, 2]
    out[:, 2] = limited
    return out, partners


def _linked(
    pairs: TextPairs, keys: Ragged, starts: NDArray[np.intp], partners: NDArray[np.int32], longest: int
) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """Return where the links of each word begin, and the links, with columns that the search fills in."""
    batch = pairs.batch
    ends = np.concatenate([np.zeros(1, np.intp), np.cumsum(keys.lengths[batch.references.values])])
    most = int(np.diff(ends[batch.references.offsets]).max(initial=0))
    workspace = np.zeros((2, _count_keys(keys)), np.int32), np.empty((2, most), np.int32), np.empty(longest, np.intp)
    texts = (*batch.arrays, keys.values, keys.offsets, starts, partners)
    counts, firsts = np.zeros(len(partners), np.intp), np.zeros(len(partners) + 1, np.intp)
    _link_words(*texts, *workspace, counts, firsts, np.empty((4, 0), np.int32))
    np.cumsum(counts, out=firsts[1:])
    of_pairs = np.diff(firsts[starts])
    if of_pairs.max(initial=0) > _MOST_LINKS:
        pair = int(of_pairs.argmax())
        raise InputError(
            f"METEOR: in a candidate of {pairs.candidate_lengths[pair]} words and its reference of "
            f"{pairs.reference_lengths[pair]} there are {of_pairs[pair]} pairs of words that match, "
            f"more than {_MOST_LINKS}"
        )
    links = np.empty((4, firsts[-1]), np.int32)
    if links.size:
        workspace[0].fill(0)
        _link_words(*texts, *workspace, counts, firsts, links)
    return firsts, links


def _allocate_search(longest: int, longest_reference: int, crossings: bool) -> tuple[NDArray[np.generic], ...]:
    """Return the workspace of a search in texts of this length; untouched memory costs nothing."""
    capacity, width = 4 * _MOST_STATES, (longest_reference + 63) // 64
    sets = 4 * min(_MOST_STATES * width, max(_STEPS >> 4, 8 * width))
    trace = min(longest * _MOST_STATES, max(_STEPS, 8 * longest)) if crossings else 0
    return (
        np.empty((3, capacity), np.int64),
        np.empty((10, capacity), np.int32),
        np.empty((2, sets), np.uint64),
        np.zeros((2, 1 << (2 * capacity - 1).bit_length()), np.int64),
        np.empty((2, trace), np.int32),
        np.zeros(2, np.int64),
    )


def _allocate_followers(longest: int) -> tuple[NDArray[np.generic], ...]:
    """Return the workspace of kernels/meteor_chunks.py, which gives up if it is too small."""
    words = max(_MOST_SETS, _MOST_FOLLOWERS // 64 + 1)  # room for at least one set
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


_DEFAULTS: dict[str, dict[str, Value]] = {
    "1.5": {"alpha": 0.81, "beta": 0.83, "gamma": 0.28, "stemmer": "english"},
    "2005": {"alpha": 0.9, "beta": 3.0, "gamma": 0.5, "stemmer": "porter"},
}


@dataclass(frozen=True)
class Meteor(OnePassMetric):
    """The F-mean of aligned words, reduced by a penalty for fragmentation.

        METEOR = Fmean (1 - gamma (chunks / m)^beta)
        Fmean = P R / (alpha P + (1 - alpha) R), P = m / |c|, R = m / |r|

    where m words are aligned one to one, and a chunk is a maximal run of words aligned in the same order.

    References
    ----------
    Banerjee and Lavie (2005), METEOR: An Automatic Metric for MT Evaluation with Improved Correlation with Human
    Judgments. Lavie and Agarwal (2007), METEOR: An Automatic Metric for MT Evaluation with High Levels of Correlation
    with Human Judgments. Denkowski and Lavie (2014), Meteor Universal.
    """

    module: str = parameter("wnsyn", "the last stage of matching", choices=STAGES, in_stem=True)
    stages: str = parameter(
        None,
        "how words may match, in this order and joined with +: exact words, stems, base forms in WordNet, synonyms",
        kind=str,
        depends="exact+stem+wnstm+wnsyn up to the stage in the name",
    )
    variant: str = parameter(
        "1.5",
        "the alignment: of METEOR 1.5, all stages at once with the fewest chunks; or of 2005, stage by stage with the "
        "fewest crossings",
        choices=tuple(_DEFAULTS),
    )
    alpha: float = parameter(
        None, "the weight of recall, from 0 to 1", kind=float, depends="0.81, or 0.9 for variant=2005"
    )
    beta: float = parameter(None, "the exponent of the penalty", kind=float, depends="0.83, or 3 for variant=2005")
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
        "F-mean of words aligned by spelling, stem or WordNet synonyms, with a penalty for many chunks."
    )
    formula: ClassVar[str] = (
        "m words are matched one to one, in as few chunks (runs in the same order) as possible\n"
        "P = m / |c|, R = m / |r|, Fmean = P R / (alpha P + (1 - alpha) R)\n"
        "METEOR = Fmean (1 - gamma (chunks / m)^beta), with the best reference; an exact copy has no penalty\n"
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
        (
            "MTR-wnsyn",
            "METEOR-wnsyn, as is METEOR; likewise MTR-exact, MTR-stem, MTR-wnstm. These are the names of IQmt.",
        ),
    )
    example: ClassVar[Example] = Example(
        name="METEOR-wnsyn:alpha=0.5:beta=1:gamma=0.5",
        candidates=("the cars began to stop here",),
        references=(("here the automobile started to stop",),),
        score=1 - 0.5 * 2 / 6,
        why="all 6 words match, cars with automobile and began with started as synonyms, so P = R = 1; 2 chunks: the "
        "cars began to stop, and here",
    )
    notes: ClassVar[str] = """
        Text is lowercased; punctuation marks are words if the tokenizer splits them off. We compute the best alignment,
        whereas METEOR 1.5 takes the best of a beam of 40, so ours may have fewer chunks. Finding it can be hard: a
        search with more than 4096 partial alignments, or fewer in long texts, continues with the most promising ones,
        as METEOR 1.5 always does. Sentences do not reach that limit: with METEOR-exact none of 175736 pairs of an
        output and a reference did (WMT19, English-German), not even with every output repeated; with METEOR-wnsyn none
        of 98553 did (E2E NLG challenge), and 22 with every output repeated. A third of texts of 700 words reach it,
        texts with very few distinct words can, and with variant=2005 texts of 50 words and more. In texts of thousands
        of words the search is skipped. All matches have the same weight, and function words count like others. METEOR
        1.5 has weights for both, a paraphrase table and its own tokenizer and defaults, with which its scores differ.
        Of references with equal scores it takes the first; we take the shortest, then the one with more matches, so
        that their order does not matter. variant=2005 is the metric of the first paper: stage by stage, each with the
        most matches, then the fewest crossings (among all matches so far), then the fewest chunks, then the earliest
        words. At wnstm, words match if they share a base form of any part of speech; at wnsyn, if their base forms
        share a synset of WordNet 3.0. Stage exact is for every language; the other stages are for English. NLTK's
        METEOR matches greedily, penalizes exact copies and has the defaults alpha 0.9, beta 3 and gamma 0.5, so its
        scores differ. An exact copy counts no chunks, in the corpus score, too. An empty candidate scores 0, and so
        does every candidate against an empty reference, even an empty one.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "METEOR 1.5",
            "14 digits of precision, recall and score of segments, and of the corpus, with weights 1, delta 0.5 and "
            "the same alpha, beta and gamma; its modules exact, stem and synonym are stages=exact+stem+wnsyn; its "
            "tables of synonyms may differ from WordNet 3.0 for other words",
            "tests/golden/test_meteor.py::test_meteor_1_5",
        ),
    )

    @classmethod
    def read_stem(cls, stem: str) -> Mapping[str, str] | None:
        match = re.fullmatch(cls.pattern, stem, re.IGNORECASE | re.ASCII)
        return match and {"module": (match["module"] or "wnsyn").lower()}

    def __post_init__(self) -> None:
        for name in ("stages", "alpha", "beta", "gamma", "stemmer"):
            if getattr(self, name) is None and self.variant in _DEFAULTS and self.module in STAGES:
                object.__setattr__(self, name, self.default(name))
        super().__post_init__()
        places = [STAGES.index(stage) if stage in STAGES else -1 for stage in self.stages.split("+")]
        if places != sorted(set(places)) or places[0] < 0 or STAGES[places[-1]] != self.module:
            raise BadParameter(
                f"METEOR-{self.module}: stages are some of {', '.join(STAGES)}, in this order, joined with + and "
                f'ending in {self.module}, not "{self.stages}"'
            )
        for name, maximum in (("alpha", 1.0), ("beta", 100.0), ("gamma", 1.0)):
            if not 0 <= getattr(self, name) <= maximum:
                raise BadParameter(f"METEOR: {name} is a number from 0 to {maximum:g}, not {getattr(self, name):g}")

    def default(self, parameter: str) -> Value | None:
        if parameter == "stages":
            return "+".join(STAGES[: STAGES.index(self.module) + 1])
        return _DEFAULTS[self.variant].get(parameter) or super().default(parameter)

    @property
    def stem(self) -> str:
        return f"METEOR-{self.module}"

    def reads(self, encoding: Encoding) -> Encoding:
        return Encoding(encoding.tokenize, lowercase=True)

    @classmethod
    def measure(cls, metrics: Sequence[Any], batch: Batch, context: Any) -> Alignments:
        return Alignments(batch)

    def columns(self, measured: Alignments) -> Floats:
        """Return [matches, length of the candidate, length of the reference, chunks (0 for an exact copy)]."""
        stages, pairs = tuple(self.stages.split("+")), measured.pairs
        matches, chunks, _ = measured.counts(stages, self.stemmer, self.variant == "1.5").T
        copies = (chunks == 1) & (matches == pairs.candidate_lengths) & (matches == pairs.reference_lengths)
        lengths = pairs.candidate_lengths, pairs.reference_lengths
        rows = np.column_stack([matches, *lengths, np.where(copies, 0, chunks)]).astype(np.float64)
        return rows[pairs.least(-self.score(rows), rows[:, 2], -rows[:, 0], rows[:, 3])]

    def score(self, sums: Floats) -> Floats:
        matches, candidate, reference, _ = np.moveaxis(sums, -1, 0)
        # P R / (alpha P + (1 - alpha) R), multiplied out
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
