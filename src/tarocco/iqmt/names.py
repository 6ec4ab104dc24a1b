"""The metrics of IQmt under its names, and which of ours each is: the tools and options that the manual tells.

BLEU and NIST are those of mteval-v11b (shortest reference, no smoothing), ROUGE is ROUGE-1.5.5 with stems (-m), METEOR
is the first one (0.9, 3, 0.5; stage after stage), GTM has its references joined. Text is read as mteval-v11b reads it:
its tokenizer is the one that is called 13a here, and without its option -c text is in lower case. ROUGE and METEOR have
rules of their own for that, and the linguistic metrics have an analyzer, with the labels of the manual.
"""

from __future__ import annotations

from collections.abc import Iterable

from tarocco.core.errors import InputError, TaroccoError
from tarocco.encode.batch import Encoding
from tarocco.io.tables import suggest_names
from tarocco.metrics.base import Metric
from tarocco.metrics.registry import metric as find_metric

READING = Encoding("13a", lowercase=True, analyzer="spacy+iqmt")

_V11B = "smooth=none:length=shortest"
_ROUGE = "stemmer=porter:compat=1.5.5"

# By what stands behind "do" in IQsetup.config, which is how sets are called, too: metrics_BLEU.
FAMILIES: dict[str, dict[str, str]] = {
    "BLEU": {
        **{f"BLEU-{n}": f"BLEU-{n}:{_V11B}" for n in (1, 2, 3, 4)},
        **{f"BLEUi-{n}": f"BLEUi-{n}" for n in (2, 3, 4)},
    },
    "NIST": {
        **{f"NIST-{n}": f"NIST-{n}" for n in (1, 2, 3, 4, 5)},
        **{f"NISTi-{n}": f"NISTi-{n}" for n in (2, 3, 4, 5)},
    },
    "GTM": {f"GTM-{e}": f"GTM-{e}:references=joined" for e in (1, 2, 3)},
    "METEOR": {f"MTR-{last}": f"METEOR-{last}:variant=2005" for last in ("exact", "stem", "wnstm", "wnsyn")},
    "ROUGE": {
        **{f"RG-{which}": f"ROUGE-{which}:{_ROUGE}" for which in ("1", "2", "3", "4", "L", "W-1.2")},
        "RG-Ss": f"ROUGE-S*:{_ROUGE}",
        "RG-SUs": f"ROUGE-SU*:{_ROUGE}",
    },
    # The manual's authors used these two, but could not release them.
    "WER": {"1-WER": "1-WER"},
    "PER": {"1-PER": "1-PER"},
    # Linguistic metrics: what is computed if no names are given. Any name of the family may be.
    "SP": {name: name for name in ("SP-Op-*", "SP-Oc-*", "SP-NISTl-5", "SP-NISTp-5", "SP-NISTc-5", "SP-NISTiob-5")},
    "DP": {name: name for name in ("DP-HWCw-4", "DP-HWCc-4", "DP-HWCr-4", "DP-Ol-*", "DP-Oc-*", "DP-Or-*")},
    "CP": {name: name for name in ("CP-STM-9", "CP-Op-*", "CP-Oc-*")},
    "NE": {name: name for name in ("NE-Oe-*", "NE-Oe-**", "NE-Me-*")},
    "SR": {name: name for name in ("SR-Or-*", "SR-Mr-*", "SR-Or", "SR-Orv-*", "SR-Mrv-*", "SR-Orv")},
}
LINGUISTIC = ("SP", "DP", "CP", "NE", "SR")
ALSO = {"RG-S*": "RG-Ss", "RG-SU*": "RG-SUs"}  # as IQsetup.config has them, and as files and sets are called


def written(name: str) -> str:
    """A metric's name as files and sets have it."""
    return ALSO.get(name, name)


def member(family: str, name: str) -> str:
    """The written name of a metric of a family; InputError if the family has no such metric."""
    found = written(name)
    if found not in FAMILIES[family] and (family not in LINGUISTIC or computed(found) is None):
        raise InputError(f'do{family} has no metric "{name}" ({suggest_names(name, FAMILIES[family])})')
    return found


def family_of(name: str) -> str | None:
    """The family that a metric is computed with; None where it is a user's own."""
    for family, members in FAMILIES.items():
        if written(name) in members or (family in LINGUISTIC and name.startswith(f"{family}-")):
            return family
    return None


def computed(name: str) -> Metric | None:
    """The metric that IQsetup computes under that name; None where it is a user's own, which comes as XML files."""
    family = family_of(name)
    if family is None:
        return None
    try:
        return find_metric(FAMILIES[family].get(written(name), name))
    except TaroccoError:  # SP-MINE may be anybody's
        return None


def by_family(names: Iterable[str]) -> dict[str, list[str]]:
    """Names that are computed, family by family, each in the order given."""
    grouped: dict[str, list[str]] = {}
    for name in names:
        if computed(name) is not None:
            grouped.setdefault(str(family_of(name)), []).append(name)
    return grouped
