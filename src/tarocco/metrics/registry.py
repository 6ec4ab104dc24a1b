"""From names to metrics.

Built-in families are found by how their names begin, and imported when first asked for. Anybody's metrics join by the
entry point group `tarocco.metrics` of an installed package, or, in a running program, by the decorator
`tarocco.metric_plugin`. A metric is let in only with its formula, its paper or origin, and an example worked by hand.
"""

from __future__ import annotations

import dataclasses
import re
import warnings
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from inspect import isabstract
from itertools import chain
from typing import TypeVar

from tarocco._version import __version__
from tarocco.core.errors import BadParameter, PluginError, TaroccoError, UnknownName
from tarocco.core.names import describe_bad_parameter, parse_name
from tarocco.metrics.base import Metric

# How names begin, which file of tarocco.metrics they belong to, and its families.
BUILT_IN = (
    ("BLEU", "ngram.bleu", ("Bleu", "BleuSbp", "BleuIndividual")),
    ("NIST", "ngram.nist", ("Nist", "NistIndividual")),
    ("m?WER|m?PER|1-|WRR|CDER", "edit.error_rates", ("Wer", "OneMinusWer", "Per", "OneMinusPer", "Cder")),
    ("TER", "edit.ter", ("Ter",)),
    (r"(\d+-)?GRR", "edit.grr", ("Grr",)),
    (r"(ROUGE|RG)-?[\dL]", "rouge", ("RougeN", "RougeL")),
    ("(ROUGE|RG)-?W", "rouge", ("RougeW",)),
    ("(ROUGE|RG)-?S", "rouge", ("RougeS", "RougeSU")),
    ("GTM", "edit.gtm", ("Gtm",)),
    ("chrF", "ngram.chrf", ("ChrF",)),
    ("METEOR|MTR", "meteor", ("Meteor",)),
    ("MAXSIM", "maxsim", ("MaxSim",)),
    ("SP-O", "linguistic.shallow", ("ShallowOverlap",)),
    ("SP-NIST", "linguistic.shallow", ("ShallowNist", "ShallowNistIndividual")),
    ("DP-", "linguistic.dependencies", ("DependencyOverlap", "HeadWordChains")),
    ("CP-", "linguistic.constituents", ("ConstituentOverlap", "Subtrees")),
    ("NE-", "linguistic.entities", ("EntityOverlap", "EntityMatching")),
    ("SR-", "linguistic.roles", ("RoleOverlap", "RoleMatching")),
)

# Names for many metrics at once. The lexical ones compare words or characters and know no language, so that they can be
# asked for whatever the language is: METEOR's stems and synonyms are English.
GROUPS = {
    "lexical": (
        *(f"BLEU-{n}" for n in range(1, 5)),
        *(f"NIST-{n}" for n in range(1, 6)),
        *("WER", "PER", "CDER", "TER", "GRR-4", "GTM-1", "GTM-2", "GTM-3", "METEOR-exact"),
        *("ROUGE-1", "ROUGE-2", "ROUGE-3", "ROUGE-4", "ROUGE-L", "ROUGE-W-1.2", "ROUGE-S*", "ROUGE-SU*"),
        *("chrF", "chrF++"),
    )
}

# Metrics that others compute, whose names are near to some of ours.
ELSEWHERE = ("comet", "xcomet", "cometkiwi", "bleurt", "bertscore", "bartscore", "metricx", "yisi", "unite", "prism")

REQUIRED = ("title", "summary", "formula", "paper", "pattern", "names", "example")


class PluginLeftOut(UserWarning):
    """An installed metric that cannot be used."""


PluginClass = TypeVar("PluginClass", bound=type[Metric])

_plugins: dict[str, type[Metric]] = {}


def metric(name: str | Metric) -> Metric:
    """The metric of that name: `metric("BLEU-4:smooth=none")`. A metric is returned as it is.

    Raises UnknownName, with names that are near, or BadParameter.
    """
    if isinstance(name, Metric):
        return name
    if not isinstance(name, str):
        raise BadParameter(f"a metric is a name such as BLEU-4 or a tarocco.Metric, not {name!r}")
    parsed = parse_name(name)
    for beginning, file, classes in BUILT_IN:
        if re.match(beginning, parsed.stem, re.IGNORECASE | re.ASCII):
            for family in _built_in(file, classes):
                found = family.from_name(parsed)
                if found is not None:
                    return found
    for family in plugins():
        found = family.from_name(parsed)
        if found is not None:
            return found
    if ":" in parsed.stem:
        raise BadParameter(describe_bad_parameter(name, parsed.stem.partition(":")[2]))
    raise UnknownName(_not_found(parsed.stem))


def metrics(names: Iterable[str | Metric]) -> list[Metric]:
    """The metrics of several names, or of groups of them, in order; all names that are wrong are reported at once."""
    found: list[Metric] = []
    problems: list[TaroccoError] = []
    for name in chain.from_iterable(map(_each, names)):
        try:
            found.append(metric(name))
        except (UnknownName, BadParameter) as error:
            problems.append(error)
    if problems:
        raise type(problems[0])("; ".join(map(str, problems)))
    repeated = [str(one) for i, one in enumerate(found) if one in found[:i]]
    if repeated:
        raise BadParameter(f"asked for twice: {', '.join(repeated)}")
    return found


def _each(name: str | Metric) -> Iterable[str | Metric]:
    """The names that a group stands for, or the name itself."""
    return GROUPS.get(name, (name,)) if isinstance(name, str) else (name,)


def named(name: str) -> Metric | str:
    """What an experiment file may name: a metric, or a group of them."""
    return name if name in GROUPS else metric(name)


def families() -> list[type[Metric]]:
    """Every family there is: built-in ones, then plug-ins."""
    return [*built_in_families(), *plugins()]


def built_in_families() -> list[type[Metric]]:
    """The families that come with tarocco."""
    return [family for _, file, classes in BUILT_IN for family in _built_in(file, classes)]


def plugins() -> list[type[Metric]]:
    """The families of others: installed ones, then those registered in this program."""
    return [*_installed(), *_plugins.values()]


def release_of(one: Metric) -> str | None:
    """Which release has the code of a metric: tarocco's or a package's; None for what a running program defines.

    Numbers are stored under it, so that another release never reads them.
    """
    try:
        if metric(str(one)) != one:  # made in Python with something that its name does not say
            return None
    except TaroccoError:
        return None
    if type(one).__module__.startswith("tarocco.metrics."):
        return f"tarocco {__version__}"
    return _installed().get(type(one))


def metric_plugin(family: PluginClass) -> PluginClass:
    """Register a metric of your own; use it as a class decorator.

    The class derives from `tarocco.Metric`, is a frozen dataclass, and has all that `tarocco metrics` prints.
    """
    _plugins[check(family).title] = family
    return family


def check(family: PluginClass) -> PluginClass:
    """Make sure that a family has what every metric has; PluginError says what is missing."""
    name = getattr(family, "__name__", str(family))
    if not (isinstance(family, type) and issubclass(family, Metric)):
        raise PluginError(f"{name}: a metric is a class that derives from tarocco.Metric")
    loose = [field.name for field in dataclasses.fields(family) if "in_stem" not in field.metadata]
    loose += [key for key, value in vars(family).items() if isinstance(value, dataclasses.Field)]
    if loose:
        raise PluginError(
            f"{name}: the class is made with @dataclass(frozen=True) and its fields with tarocco.parameter, "
            f"but {', '.join(loose)} is not"
        )
    missing = [attribute for attribute in REQUIRED if not getattr(family, attribute, None)]
    if missing:
        raise PluginError(f"{name}: a metric needs {', '.join(missing)}")
    if isabstract(family):
        raise PluginError(f"{name}: a metric needs {', '.join(sorted(family.__abstractmethods__))}")
    try:
        re.compile(family.pattern)
    except re.error as error:
        raise PluginError(f'{name}: the pattern "{family.pattern}" is no regular expression ({error})') from None
    for one in (*family.names, family.example.name):
        parsed = parse_name(one)
        if any(built_in.read_stem(parsed.stem) is not None for built_in in built_in_families()):
            raise PluginError(f'{name}: the name "{one}" belongs to a built-in metric')
        if family.from_name(parsed) is None:
            raise PluginError(f'{name}: its own name "{one}" does not match its pattern "{family.pattern}"')
    return family


@cache
def _built_in(file: str, classes: tuple[str, ...]) -> tuple[type[Metric], ...]:
    module = import_module(f"tarocco.metrics.{file}")
    return tuple(getattr(module, name) for name in classes)


@cache
def _installed() -> dict[type[Metric], str]:
    """The metrics of installed packages, and which release of which package each is from."""
    from importlib.metadata import entry_points  # 20 ms, and only wanted for names that are not built in

    families: dict[type[Metric], str] = {}
    for entry in entry_points(group="tarocco.metrics"):
        try:
            family = check(entry.load())
            release = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
            families[family] = f"{release} {_source_digest(family)}"
        except Exception as error:  # somebody else's code: whatever it raises must not take our metrics away
            package = entry.dist.name if entry.dist else entry.value
            warnings.warn(f'the metric "{entry.name}" of {package} is left out: {error}', PluginLeftOut, stacklevel=2)
    return families


def _source_digest(family: type[Metric]) -> str:
    """Eight digits of the file that defines a metric: a plug-in that is being written changes without a new version."""
    import sys
    import zlib
    from pathlib import Path

    file = getattr(sys.modules[family.__module__], "__file__", None)
    return f"{zlib.crc32(Path(file).read_bytes()):08x}" if file else ""


def _not_found(stem: str) -> str:
    if "," in stem or " " in stem:
        return f'"{stem}" is no metric: several are separated by spaces, each an argument of its own'
    from difflib import get_close_matches

    known = {name.lower(): name for family in families() for name in (*family.names, family.title)}
    near = [known[name] for name in get_close_matches(stem.lower(), known, n=3, cutoff=0.5)]
    if near and not stem.lower().startswith(ELSEWHERE):
        hint = f"did you mean {' or '.join(near)}?"
    else:
        hint = f"`tarocco metrics` lists what there is; scores made elsewhere come in with --scores {stem}=FILE"
    return f'there is no metric "{stem}" ({hint})'
