"""tarocco: which metric should I trust, and what does it say?

The public names are found here and imported when first used, so that `import tarocco` costs nothing.
"""

from __future__ import annotations

from tarocco._version import __version__

TYPE_CHECKING = False  # type checkers know the name; importing typing would cost every start 3 ms
if TYPE_CHECKING:
    from typing import Any

    from tarocco.annotate.files import read_annotations
    from tarocco.clusters import cluster
    from tarocco.encode.batch import Batch
    from tarocco.encode.tokenizers import tokenizer
    from tarocco.errors import TaroccoError
    from tarocco.explaining.explain import explain
    from tarocco.explaining.records import Element, ExplainResult, Explanation
    from tarocco.graphs import Best, Features, Forest, Lattice
    from tarocco.iqmt.exchange import read_iq, write_iq
    from tarocco.judge.agreed import CorrelateResult, Correlation
    from tarocco.judge.auditing import AuditResult, audit
    from tarocco.judge.comparing import CompareResult, compare
    from tarocco.judge.correlating import correlate
    from tarocco.judge.gaming import Finding, Outcome
    from tarocco.judge.leads import Lead
    from tarocco.judge.luck import Difference
    from tarocco.judge.optimal import OptimizeResult
    from tarocco.judge.optimizing import optimize
    from tarocco.judge.orange import orange
    from tarocco.judge.qarla import jack, king, queen
    from tarocco.judge.qarla_results import Jack, JackResult, King, KingResult, Queen, QueenResult, TestBed
    from tarocco.judge.reference_curves import Curve, ReferencesResult
    from tarocco.judge.references import references
    from tarocco.judge.verdict import Orange, OrangeResult
    from tarocco.metrics.base import Agreement, Example, Metric, parameter
    from tarocco.model import HumanScores
    from tarocco.present.lattices import write_lattices
    from tarocco.present.page.report import report
    from tarocco.present.plots.results import figure
    from tarocco.read.human import read_human
    from tarocco.read.lattices import read_lattices
    from tarocco.registry import metric, metric_plugin
    from tarocco.results import Interval, Result, Score
    from tarocco.scoring import score, score_nbest, statistics
    from tarocco.search.chosen import Choice, Gain, MbrResult
    from tarocco.search.found import OracleResult
    from tarocco.search.lattice_chosen import LatticeChoice, LatticeMbrResult
    from tarocco.search.lattice_mbr import lattice_mbr
    from tarocco.search.mbr import mbr
    from tarocco.search.oracles import oracle
    from tarocco.search.reranking import RerankResult, rerank
    from tarocco.search.tuned import Tuned, TuneResult, TuneStart
    from tarocco.search.tuning import tune
    from tarocco.store import Store
    from tarocco.trials.findings import Findings, MetricVerdict, Opinion, Step, Verdict
    from tarocco.trials.trial import trial

_HOMES = {
    "Agreement": "tarocco.metrics.base",
    "AuditResult": "tarocco.judge.auditing",
    "Batch": "tarocco.encode.batch",
    "Choice": "tarocco.search.chosen",
    "Best": "tarocco.graphs",
    "CompareResult": "tarocco.judge.comparing",
    "CorrelateResult": "tarocco.judge.agreed",
    "Correlation": "tarocco.judge.agreed",
    "Curve": "tarocco.judge.reference_curves",
    "Difference": "tarocco.judge.luck",
    "Element": "tarocco.explaining.records",
    "Example": "tarocco.metrics.base",
    "ExplainResult": "tarocco.explaining.records",
    "Explanation": "tarocco.explaining.records",
    "Finding": "tarocco.judge.gaming",
    "Findings": "tarocco.trials.findings",
    "Gain": "tarocco.search.chosen",
    "HumanScores": "tarocco.model",
    "Interval": "tarocco.results",
    "Jack": "tarocco.judge.qarla_results",
    "JackResult": "tarocco.judge.qarla_results",
    "King": "tarocco.judge.qarla_results",
    "KingResult": "tarocco.judge.qarla_results",
    "Features": "tarocco.graphs",
    "Forest": "tarocco.graphs",
    "Lattice": "tarocco.graphs",
    "LatticeChoice": "tarocco.search.lattice_chosen",
    "LatticeMbrResult": "tarocco.search.lattice_chosen",
    "Lead": "tarocco.judge.leads",
    "MbrResult": "tarocco.search.chosen",
    "Metric": "tarocco.metrics.base",
    "MetricVerdict": "tarocco.trials.findings",
    "Opinion": "tarocco.trials.findings",
    "OptimizeResult": "tarocco.judge.optimal",
    "Orange": "tarocco.judge.verdict",
    "OrangeResult": "tarocco.judge.verdict",
    "OracleResult": "tarocco.search.found",
    "Outcome": "tarocco.judge.gaming",
    "Queen": "tarocco.judge.qarla_results",
    "QueenResult": "tarocco.judge.qarla_results",
    "ReferencesResult": "tarocco.judge.reference_curves",
    "RerankResult": "tarocco.search.reranking",
    "Result": "tarocco.results",
    "Score": "tarocco.results",
    "Step": "tarocco.trials.findings",
    "Store": "tarocco.store",
    "TaroccoError": "tarocco.errors",
    "TestBed": "tarocco.judge.qarla_results",
    "TuneResult": "tarocco.search.tuned",
    "TuneStart": "tarocco.search.tuned",
    "Tuned": "tarocco.search.tuned",
    "Verdict": "tarocco.trials.findings",
    "audit": "tarocco.judge.auditing",
    "cluster": "tarocco.clusters",
    "compare": "tarocco.judge.comparing",
    "correlate": "tarocco.judge.correlating",
    "explain": "tarocco.explaining.explain",
    "figure": "tarocco.present.plots.results",
    "jack": "tarocco.judge.qarla",
    "king": "tarocco.judge.qarla",
    "lattice_mbr": "tarocco.search.lattice_mbr",
    "mbr": "tarocco.search.mbr",
    "metric": "tarocco.registry",
    "metric_plugin": "tarocco.registry",
    "optimize": "tarocco.judge.optimizing",
    "oracle": "tarocco.search.oracles",
    "orange": "tarocco.judge.orange",
    "parameter": "tarocco.metrics.base",
    "queen": "tarocco.judge.qarla",
    "read_annotations": "tarocco.annotate.files",
    "read_human": "tarocco.read.human",
    "read_iq": "tarocco.iqmt.exchange",
    "read_lattices": "tarocco.read.lattices",
    "references": "tarocco.judge.references",
    "report": "tarocco.present.page.report",
    "rerank": "tarocco.search.reranking",
    "score": "tarocco.scoring",
    "score_nbest": "tarocco.scoring",
    "statistics": "tarocco.scoring",
    "tokenizer": "tarocco.encode.tokenizers",
    "write_iq": "tarocco.iqmt.exchange",
    "write_lattices": "tarocco.present.lattices",
    "trial": "tarocco.trials.trial",
    "tune": "tarocco.search.tuning",
}

__all__ = [
    "Agreement",
    "AuditResult",
    "Batch",
    "Best",
    "Choice",
    "CompareResult",
    "CorrelateResult",
    "Correlation",
    "Curve",
    "Difference",
    "Element",
    "Example",
    "ExplainResult",
    "Explanation",
    "Features",
    "Finding",
    "Findings",
    "Forest",
    "Gain",
    "HumanScores",
    "Interval",
    "Jack",
    "JackResult",
    "King",
    "KingResult",
    "Lattice",
    "LatticeChoice",
    "LatticeMbrResult",
    "Lead",
    "MbrResult",
    "Metric",
    "MetricVerdict",
    "Opinion",
    "OptimizeResult",
    "OracleResult",
    "Orange",
    "OrangeResult",
    "Outcome",
    "Queen",
    "QueenResult",
    "ReferencesResult",
    "RerankResult",
    "Result",
    "Score",
    "Step",
    "Store",
    "TaroccoError",
    "TestBed",
    "TuneResult",
    "TuneStart",
    "Tuned",
    "Verdict",
    "__version__",
    "audit",
    "cluster",
    "compare",
    "correlate",
    "explain",
    "figure",
    "jack",
    "king",
    "lattice_mbr",
    "mbr",
    "metric",
    "metric_plugin",
    "optimize",
    "oracle",
    "orange",
    "parameter",
    "queen",
    "read_annotations",
    "read_human",
    "read_iq",
    "read_lattices",
    "references",
    "report",
    "rerank",
    "score",
    "score_nbest",
    "statistics",
    "tokenizer",
    "trial",
    "tune",
    "write_iq",
    "write_lattices",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES and name != "datasets":
        raise AttributeError(f"module 'tarocco' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOMES[name]), name) if name in _HOMES else import_module(f"tarocco.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
