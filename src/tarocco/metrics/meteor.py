"""METEOR: words aligned one to one, by spelling, stem and WordNet; their F-mean, less for alignments in many pieces."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tarocco.encode.batch import Batch, Encoding
from tarocco.errors import BadParameter
from tarocco.metrics.aligned import STAGES, Alignments
from tarocco.metrics.base import Agreement, Example, Floats, OnePass, parameter
from tarocco.metrics.counts import share
from tarocco.naming import Value

# alpha, beta, gamma and the stemmer of each variant.
_OF_VARIANT: dict[str, dict[str, Value]] = {
    "1.5": {"alpha": 0.81, "beta": 0.83, "gamma": 0.28, "stemmer": "english"},
    "2005": {"alpha": 0.9, "beta": 3.0, "gamma": 0.5, "stemmer": "porter"},
}


@dataclass(frozen=True)
class Meteor(OnePass):
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
