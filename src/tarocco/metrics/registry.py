"""From names to metrics.

Built-in families are found by the beginning of the name, and imported on first use. Plug-ins are registered by the
entry point group `tarocco.metrics` of an installed package or, in a running program, by the decorator
`tarocco.metric_plugin`. Every metric must have a formula, a paper or origin, and a worked example.
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
from tarocco.metrics.base import Metric
from tarocco.metrics.names import describe_bad_parameter, parse_name

# Beginning of the name (a regular expression), module in tarocco.metrics, families.
BUILT_IN = (
    ("BLEU-NLTK", "ngram.nltk_bleu", ("BleuNltk",)),
    ("BLEU", "ngram.bleu", ("Bleu", "BleuSbp", "BleuIndividual")),
    ("NIST", "ngram.nist", ("Nist", "NistIndividual")),
    ("m?WER|m?PER|1-|WRR|CDER", "edit.rates", ("Wer", "OneMinusWer", "Per", "OneMinusPer", "Cder")),
    ("CER|MER|WI[LP]", "edit.recognition", ("Cer", "Mer", "Wil", "Wip")),
    ("TER", "edit.ter", ("Ter",)),
    (r"(\d+-)?GRR", "edit.rates", ("Grr",)),
    (r"(ROUGE|RG)-?[\dL]", "rouge", ("RougeN", "RougeL", "RougeLsum")),
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

# Names of groups of metrics. Lexical metrics compare words or characters and work for any language, so METEOR is
# included without its English stems and synonyms.
GROUPS = {
    "lexical": (
        *(f"BLEU-{n}" for n in range(1, 5)),
        *(f"NIST-{n}" for n in range(1, 6)),
        *("WER", "PER", "CDER", "TER", "GRR-4", "GTM-1", "GTM-2", "GTM-3", "METEOR-exact"),
        *("ROUGE-1", "ROUGE-2", "ROUGE-3", "ROUGE-4", "ROUGE-L", "ROUGE-W-1.2", "ROUGE-S*", "ROUGE-SU*"),
        *("chrF", "chrF++"),
    )
}

# Learned metrics whose names resemble built-in ones; users import their scores.
LEARNED = (
    "comet",
    "xcomet",
    "cometkiwi",
    "bleurt",
    "bertscore",
    "bartscore",
    "metricx",
    "yisi",
    "unite",
    "prism",
)

REQUIRED = ("title", "summary", "formula", "paper", "pattern", "names", "example")


class PluginWarning(UserWarning):
    """An installed metric cannot be used."""


PluginClass = TypeVar("PluginClass", bound=type[Metric])

_plugins: dict[str, type[Metric]] = {}


def metric(name: str | Metric) -> Metric:
    """Return the metric of that name, such as `metric("BLEU-4:smooth=none")`; a metric is returned unchanged.

    Raises UnknownName, which suggests similar names, or BadParameter.
    """
    if isinstance(name, Metric):
        return name
    if not isinstance(name, str):
        raise BadParameter(f"a metric is a name such as BLEU-4 or a tarocco.Metric, not {name!r}")
    parsed = parse_name(name)
    for beginning, file, classes in BUILT_IN:
        if re.match(beginning, parsed.stem, re.IGNORECASE | re.ASCII):
            for family in _built_in(file, classes):
                member = family.from_name(parsed)
                if member is not None:
                    return member
    for family in plugins():
        member = family.from_name(parsed)
        if member is not None:
            return member
    if ":" in parsed.stem:
        raise BadParameter(describe_bad_parameter(name, parsed.stem.partition(":")[2]))
    raise UnknownName(_unknown_name(parsed.stem))


def metrics(names: Iterable[str | Metric]) -> list[Metric]:
    """Return the metrics of several names or groups, in order; all wrong names are reported at once."""
    members: list[Metric] = []
    problems: list[TaroccoError] = []
    for name in chain.from_iterable(map(_expand_group, names)):
        try:
            members.append(metric(name))
        except (UnknownName, BadParameter) as error:
            problems.append(error)
    if problems:
        raise type(problems[0])("; ".join(map(str, problems)))
    repeated = [str(member) for i, member in enumerate(members) if member in members[:i]]
    if repeated:
        raise BadParameter(f"metrics listed twice: {', '.join(repeated)}")
    return members


def _expand_group(name: str | Metric) -> Iterable[str | Metric]:
    """Return the names of a group, or the name itself."""
    return GROUPS.get(name, (name,)) if isinstance(name, str) else (name,)


def named(name: str) -> Metric | str:
    """Return the metric of a name in an experiment file, or the name of a group."""
    return name if name in GROUPS else metric(name)


def families() -> list[type[Metric]]:
    """Return all families: built-in ones, then plug-ins."""
    return [*built_in_families(), *plugins()]


def built_in_families() -> list[type[Metric]]:
    """Return the families that come with tarocco."""
    return [family for _, file, classes in BUILT_IN for family in _built_in(file, classes)]


def plugins() -> list[type[Metric]]:
    """Return the families of plug-ins: installed ones, then those registered in this program."""
    return [*_installed(), *_plugins.values()]


def release_of(member: Metric) -> str | None:
    """Return the release with the code of a metric: tarocco's or a package's; None if a running program defines it.

    It is part of the keys of stored numbers, so another release never reads them.
    """
    try:
        if metric(str(member)) != member:  # it has a parameter that its name does not show
            return None
    except TaroccoError:
        return None
    if type(member).__module__.startswith("tarocco.metrics."):
        return f"tarocco {__version__}"
    return _installed().get(type(member))


def metric_plugin(family: PluginClass) -> PluginClass:
    """Register a metric in a running program; used as a class decorator.

    The class derives from `tarocco.Metric`, is a frozen dataclass, and has the attributes that `tarocco metrics`
    prints. `tarocco.testing.check_metric` tests it. A class replaces an earlier one of the same module and name, as
    when a cell of a notebook runs again; PluginError is raised if another class has its title.
    """
    other = _plugins.get(check_family(family).title, family)
    if _full_name(other) != _full_name(family):
        raise PluginError(f'{family.__name__}: the title "{family.title}" belongs to the plug-in {_full_name(other)}')
    _plugins[family.title] = family
    return family


def _full_name(family: type[Metric]) -> str:
    return f"{family.__module__}.{family.__qualname__}"


def check_family(family: PluginClass) -> PluginClass:
    """Return the family if it is complete; otherwise PluginError says what is missing."""
    name = getattr(family, "__name__", str(family))
    if not (isinstance(family, type) and issubclass(family, Metric)):
        raise PluginError(f"{name}: a metric is a class that derives from tarocco.Metric")
    unread = [key for key, value in vars(family).items() if isinstance(value, dataclasses.Field)]
    if unread:  # @dataclass replaces these by their defaults
        raise PluginError(
            f"{name}: to have parameters ({', '.join(unread)}), the class must be made with @dataclass(frozen=True); "
            "@metric_plugin goes above @dataclass"
        )
    loose = [field.name for field in dataclasses.fields(family) if "in_stem" not in field.metadata]
    if loose:
        raise PluginError(f"{name}: fields must be made with tarocco.parameter, but {', '.join(loose)} is not")
    missing = [attribute for attribute in REQUIRED if not getattr(family, attribute, None)]
    if missing:
        raise PluginError(f"{name}: a metric needs {', '.join(missing)}")
    if isabstract(family):
        raise PluginError(f"{name}: a metric needs {', '.join(sorted(family.__abstractmethods__))}")
    try:
        re.compile(family.pattern)
    except re.error as error:
        raise PluginError(f'{name}: the pattern "{family.pattern}" is not a regular expression ({error})') from None
    for member in (*family.names, family.example.name):
        parsed = parse_name(member)
        if any(built_in.read_stem(parsed.stem) is not None for built_in in built_in_families()):
            raise PluginError(f'{name}: the name "{member}" belongs to a built-in metric')
        read = family.from_name(parsed)
        if read is None:
            raise PluginError(f'{name}: its name "{member}" does not match its pattern "{family.pattern}"')
        if family.from_name(parse_name(str(read))) != read:
            advice = "define the property stem" if family.stem is Metric.stem else "correct the property stem"
            raise PluginError(f'{name}: "{member}" reads back as "{read}": {advice}')
    return family


@cache
def _built_in(file: str, classes: tuple[str, ...]) -> tuple[type[Metric], ...]:
    module = import_module(f"tarocco.metrics.{file}")
    return tuple(getattr(module, name) for name in classes)


@cache
def _installed() -> dict[type[Metric], str]:
    """Return the metrics of installed packages, and the package and release of each."""
    from importlib.metadata import entry_points  # takes 20 ms, and is needed only for names that are not built in

    families: dict[type[Metric], str] = {}
    for entry in entry_points(group="tarocco.metrics"):
        try:
            family = check_family(entry.load())
            release = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
            families[family] = f"{release} {_source_digest(family)}"
        except (Exception, SystemExit) as error:  # third-party code: no exception may disable built-in metrics
            package = entry.dist.name if entry.dist else entry.value
            reason = f"it calls sys.exit({error.code!r})" if isinstance(error, SystemExit) else error
            warnings.warn(f'the metric "{entry.name}" of {package} is left out: {reason}', PluginWarning, stacklevel=2)
    return families


def _source_digest(family: type[Metric]) -> str:
    """Return a checksum of the file that defines a metric, because a plug-in may change without a new version."""
    import sys
    import zlib
    from pathlib import Path

    file = getattr(sys.modules[family.__module__], "__file__", None)
    return f"{zlib.crc32(Path(file).read_bytes()):08x}" if file else ""


def _unknown_name(stem: str) -> str:
    if "," in stem or " " in stem:
        return f'"{stem}" is not a metric: separate several metrics by spaces, as separate arguments'
    from difflib import get_close_matches

    known = {name.lower(): name for family in families() for name in (*family.names, family.title)}
    near = [known[name] for name in get_close_matches(stem.lower(), known, n=3, cutoff=0.5)]
    if near and not stem.lower().startswith(LEARNED):
        hint = f"did you mean {' or '.join(near)}?"
    else:
        hint = f"`tarocco metrics` lists all metrics; --scores {stem}=FILE reads external scores"
    return f'there is no metric "{stem}" ({hint})'
