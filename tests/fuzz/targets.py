"""What is fuzzed: for each target a function of a file's bytes, which may raise TaroccoError and nothing else."""

import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tarocco.core.errors import TaroccoError

SEEDS = Path(__file__).parent / "seeds"
WORDS = "the cat sat on a mat"
TEXTS = ("The captain left .", "He slept ( well ) .")


class Target(NamedTuple):
    """A function of a file, and how the file is called."""

    run: Callable[[str], object]
    file: str
    weight: int = 1  # of its share of time


class Bench:
    """A folder in which files are written for targets to read; in memory where there is such a place."""

    def __init__(self) -> None:
        where = os.environ.get("TAROCCO_FUZZ_FOLDER") or ("/dev/shm" if os.path.isdir("/dev/shm") else None)
        self.stack = ExitStack()
        self.folder = self.stack.enter_context(tempfile.TemporaryDirectory(prefix="tarocco-fuzz-", dir=where))
        for name, text in {"ref.txt": "the cat sat\na dog\n", "sys.txt": "the cat\na dog sat\n"}.items():
            Path(self.folder, name).write_text(text)
        key = "case\tmachine\tsegment\tplace\treference\tmetrics\n1-bcdf\tA\t1\t1\t1\tBLEU-4\n2-bcdf\tB\t2\t1\t1\tTER\n"
        Path(self.folder, "sheet.key.tsv").write_text(key)
        Path(self.folder, "human-scores").mkdir()

    def __enter__(self) -> "Bench":
        return self

    def __exit__(self, *_error: object) -> None:
        self.stack.close()

    def path(self, name: str) -> str:
        return os.path.join(self.folder, TARGETS[name].file)

    def try_one(self, name: str, data: bytes) -> str | None:
        """What the target says of this file: the sentence of its error, None where it read it; other errors pass."""
        path = self.path(name)
        with open(path, "wb") as file:
            file.write(data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                TARGETS[name].run(path)
            except TaroccoError as error:
                return str(error)
        return None


def seeds_of(name: str) -> list[bytes]:
    """The kept inputs of a target: files that we wrote, and what once was a crash."""
    return [path.read_bytes() for path in sorted((SEEDS / name).iterdir()) if path.is_file()]


# --- texts ---------------------------------------------------------------------------------------------------------


def lines(path: str) -> None:
    from tarocco.io.text import read_lines, read_tab_separated

    segments = read_lines(path)
    assert len(list(segments)) == len(segments)
    segments.lowercased()
    _ = segments.blank
    read_tab_separated(path, 3)
    read_tab_separated(path)


def markup(path: str) -> None:
    from tarocco.io.test_set import build_test_set, read_references, read_source, read_systems

    found = [[], []]
    for place, read in enumerate((read_references, read_systems)):
        with suppress(TaroccoError):
            found[place] = read(path)
    build_test_set(*found)
    read_source(path)


def compressed(path: str) -> None:
    from tarocco.io.files import read_bytes
    from tarocco.io.text import read_blocks

    assert read_bytes(path).count(b"\n") <= sum(block.size for block in read_blocks(path))


# --- tables --------------------------------------------------------------------------------------------------------


def human(path: str) -> None:
    from tarocco.io.scores.human import read_human

    for how in ({}, {"systems": ["a", "b"], "n_segments": 3, "shared_only": True, "as_rankings": True}):
        try:
            read_human(path, **how)
        except TaroccoError:
            if how:
                raise


def external(path: str) -> None:
    from tarocco.io.scores.external import ExternalFile, read_candidate_scores, read_external

    for read in (read_candidate_scores, lambda file: read_external(file, ["a", "b"], 3, ["ref1", "ref2"])):
        with suppress(TaroccoError):
            read(ExternalFile("M", path))
    read_external(ExternalFile("M", path, "score"), ["a"], 2)


def score_file(path: str) -> None:
    from tarocco.io.scores.mt_metrics_eval import read_score_file

    read_score_file(path)


def sheet(path: str) -> None:
    from tarocco.meta.orange.blind_sheet import check_sheet, read_judgments

    with suppress(TaroccoError):
        check_sheet(path)
    str(read_judgments(path))


def weights(path: str) -> None:
    from tarocco.io.graphs.formats import read_feature_weights
    from tarocco.io.graphs.openfst import read_symbols
    from tarocco.io.nbest.features import read_weights

    for read in (read_weights, read_symbols):
        with suppress(TaroccoError):
            read(path)
    read_feature_weights(path)


# --- lists and lattices --------------------------------------------------------------------------------------------


def nbest(path: str) -> None:
    from tarocco.io.graphs.formats import detect_kind
    from tarocco.io.nbest.features import parse_features, parse_scores
    from tarocco.io.nbest.lists import NBestFile

    for asked in ({"num_candidates": 2}, {"segments": 3}, {}):
        try:
            for one in islice(NBestFile(path, **asked), 50):
                assert len(list(one.candidates)) == len(one.candidates)
                for read in (parse_scores, parse_features):
                    with suppress(TaroccoError):
                        read(one)
        except TaroccoError:
            pass
    _same_in_byte_ranges(path)
    detect_kind(path)


def _same_in_byte_ranges(path: str) -> None:
    """Check that byte ranges give the same lists and the same errors as the whole file."""
    from unittest.mock import patch

    from tarocco.io.nbest import byte_ranges
    from tarocco.io.nbest.lists import ByteRangeLists, NBestFile, no_lists_error

    def in_one_go(file: NBestFile) -> Iterator[object]:
        return iter(file)

    def cut(file: NBestFile) -> Iterator[object]:
        found = file.cut()
        line, before = 1, None
        for byte_range in found or ():
            assert byte_range.is_here
            reading = ByteRangeLists(found, byte_range, line, before)
            for one in reading:
                before = one.segment
                yield one
            line += reading.lines
        if before is None:
            raise no_lists_error(path)

    def told(lists: Iterator[object]) -> list[object]:
        found = []
        try:
            found.extend((one.segment, list(one.candidates), one.where(0), one.where(-1)) for one in islice(lists, 200))
        except TaroccoError as error:
            found.append(str(error))
        return found

    with patch.object(byte_ranges, "MIN_SIZE", 64), patch.object(byte_ranges, "MAX_SIZE", 64):
        for file in (NBestFile(path, 3), NBestFile(path)):
            with suppress(TaroccoError):
                if file.cut() is None:
                    return
            found, expected = told(cut(file)), told(in_one_go(file))
            # Bytes are checked some at a time: of two errors, either may be the one that is told.
            if "UTF-8 text is wanted" not in f"{found[-1:]}{expected[-1:]}":
                assert found == expected


def rerank(path: str) -> None:
    from tarocco.decode.tuning.tune import rerank as reranked

    reranked(path, {"lm": 0.5, "w": [1, -1]}).lines()


def _lattices(format: str | None) -> Callable[[str], None]:
    def read(path: str) -> None:
        from tarocco.io.graphs.formats import read_lattices

        for one in islice(read_lattices(path, format=format), 20):
            if not one.empty:
                one.text(one.best().steps)

    return read


def oracles(path: str) -> None:
    from tarocco import oracle

    oracle(path, [WORDS, WORDS, "a b c"], metric="GRR-2")
    oracle(path, [WORDS, WORDS, "a b c"], metric="BLEU-4", k=2)


# --- analyses ------------------------------------------------------------------------------------------------------


def parses(path: str) -> None:
    from tarocco.annotate.cache import pack_sentence, unpack_sentence
    from tarocco.annotate.derivation import choose_derivation
    from tarocco.annotate.parses import LAYERS, format_sentences, read_annotations, read_parses

    with suppress(TaroccoError):
        read_parses([(TEXTS, [path])])
    with suppress(TaroccoError):
        read_annotations(path, TEXTS)
    sentences = read_annotations(path)
    for sentence in sentences:
        assert unpack_sentence(pack_sentence(sentence)) == sentence
    for format in LAYERS:
        format_sentences(sentences, format)
    list(map(choose_derivation(sentences), sentences))


def packed_sentence(path: str) -> None:
    from tarocco.annotate.cache import unpack_sentence

    unpack_sentence(Path(path).read_bytes())


# --- configurations ------------------------------------------------------------------------------------------------


def experiment(path: str) -> None:
    from tarocco.io.experiment import read_experiment
    from tarocco.metrics.registry import named

    read_experiment(path, named)


def metric_names(path: str) -> None:
    from tarocco.metrics.registry import metrics

    names = Path(path).read_text("utf-8", "surrogateescape").split("\n")
    for one in metrics(names[:5]):
        str(one)


def iq_scores(path: str) -> None:
    from tarocco.iqmt.tree import read_scores

    read_scores(Path(path), "S0", "R0", ("BLEU-4", "BLEU"))


def iq_config(path: str) -> None:
    from tarocco.iqmt.configs import format_eval, read_eval

    config = read_eval(path)
    for kind in ("metrics", "systems", "references"):
        with suppress(TaroccoError):
            config.members(kind, None)
    for key in ("ref", "system"):
        with suppress(TaroccoError):
            config.paths(key)
    format_eval("n", "o", {}, ["S0"], ["R0"], ["BLEU-4"], 3, path)
    config.segments("segs", 10)


def iq_setup(path: str) -> None:
    from tarocco.iqmt.configs import read_setup

    read_setup(path)


def store(path: str) -> None:
    from tarocco.annotate.cache import unpack_sentence
    from tarocco.store import Store
    from tarocco.store.blocks import get_annotations
    from tarocco.store.maintenance import list_series, problems, read_rows, summarize

    with Store(path, readonly=True) as opened:
        summarize(opened)
        for entry in list_series(opened):
            for _first, numbers in read_rows(opened, entry):
                assert numbers.ndim == 2
        problems(opened)
        for data in get_annotations(opened, [b"key"]).values():
            unpack_sentence(data)


def report(path: str) -> None:
    from tarocco.render.page.figures import figures_of
    from tarocco.render.page.payload import json_of, read_report
    from tarocco.render.page.tables import tables_of
    from tarocco.render.tables import latex, separated

    payload = read_report(path)
    json_of(payload)
    for figure in islice(figures_of(payload), 3):
        figure.chart.to_dict()
    for table in tables_of(payload):
        latex(table.table)
        separated(table.records, ",")


# --- kernels -------------------------------------------------------------------------------------------------------


def _texts(path: str) -> list[str]:
    return Path(path).read_bytes()[:600].decode("utf-8", "surrogateescape").split("\n")[:12]


def encoding(path: str) -> None:
    from tarocco.core.test_set import Segments
    from tarocco.encode.batch import Encoding
    from tarocco.encode.tokenizers import NAMES, tokenizer
    from tarocco.encode.vocabulary import Vocabulary

    texts = [text.encode("utf-8", "replace").decode() for text in _texts(path)]
    segments = Segments.from_strings(texts)
    for name in NAMES:
        for text in texts[:3]:
            tokenizer(name)(text)
        for lowercase in (False, True):
            Encoding(name, lowercase).encode([segments], Vocabulary())


METRICS = """BLEU-4 BLEUS-4 BLEU-SBP BLEUi-2 NIST-5 WER PER CDER TER GRR-3 ROUGE-1 ROUGE-L ROUGE-W ROUGE-S4 ROUGE-SU
ROUGE-L:compat=1.5.5 GTM-2 GTM-2:search=exact chrF chrF:words=2 METEOR-exact METEOR-wnsyn MAXSIM""".split()  # noqa: SIM905


@cache
def _warm() -> None:
    """Read WordNet, and whatever else is read once."""
    from tarocco import score

    score(["a cat"], [("the cats",)], metrics=METRICS)


def statistics(path: str) -> None:
    """Ragged texts of any bytes as candidates and references, under every family."""
    from tarocco import score
    from tarocco.metrics.registry import metric

    _warm()
    texts = _texts(path)
    if len(texts) > 2:
        candidates, references = texts[:-1], [tuple(texts[i + 1 :][:3]) for i in range(len(texts) - 1)]
        which = sum(map(len, texts)) % len(METRICS)
        chosen = [metric(name) for name in (METRICS + METRICS)[which : which + 4]]
        for one in score(candidates, references, metrics=chosen).scores:
            assert np.isfinite(one.score) or np.isnan(one.score)


def trials(path: str) -> None:
    """N-best lists of any texts through ORANGE, MBR and QARLA."""
    from tarocco import mbr, orange, queen

    texts = _texts(path)
    if len(texts) > 3:
        lists, references = [texts[:2], texts[2:]], [texts[:2], texts[1:3]]
        for work in (
            lambda: orange(lists, references, metrics=["BLEUS-4", "WER"]),
            lambda: mbr(lists, metrics="chrF"),
            lambda: queen({"a": texts[:2], "b": texts[1:3]}, references, metrics=["ROUGE-L", "PER"]),
        ):
            with suppress(TaroccoError):
                work()


TARGETS = {
    "lines": Target(lines, "text.txt"),
    "sgml": Target(markup, "set.sgm", 2),
    "xml": Target(markup, "set.xml", 2),
    "gz": Target(compressed, "text.gz"),
    "xz": Target(compressed, "text.xz"),
    "zst": Target(compressed, "text.zst"),
    "human_tsv": Target(human, "human.tsv", 2),
    "human_csv": Target(human, "human.csv"),
    "human_jsonl": Target(human, "human.jsonl"),
    "external_tsv": Target(external, "scores.tsv"),
    "external_jsonl": Target(external, "scores.jsonl", 2),
    "score_file": Target(score_file, "human-scores/en-de.da.seg.score"),
    "sheet": Target(sheet, "sheet.tsv"),
    "weights_ini": Target(weights, "moses.ini"),
    "weights_json": Target(weights, "weights.json"),
    "nbest": Target(nbest, "nbest.txt", 3),
    "nbest_jsonl": Target(nbest, "nbest.jsonl", 2),
    "rerank": Target(rerank, "reranked.txt"),
    "lattices": Target(_lattices(None), "lattices.txt"),
    "plf": Target(_lattices("plf"), "a.plf", 2),
    "slf": Target(_lattices("slf"), "a.slf", 2),
    "openfst": Target(_lattices("openfst"), "a.fst", 2),
    "searchgraph": Target(_lattices("moses-searchgraph"), "a.graph", 2),
    "hypergraph": Target(_lattices("moses-hypergraph"), "a.hyper", 2),
    "cdec": Target(_lattices("cdec"), "a.json", 2),
    "oracles": Target(oracles, "searched.txt"),
    "conllu": Target(parses, "a.conllu", 2),
    "trees": Target(parses, "a.trees", 2),
    "props": Target(parses, "a.props", 2),
    "packed_sentence": Target(packed_sentence, "sentence.bin"),
    "experiment": Target(experiment, "experiment.toml", 2),
    "metric_names": Target(metric_names, "names.txt", 2),
    "iq_scores": Target(iq_scores, "BLEU-4.xml", 2),
    "iq_config": Target(iq_config, "IQeval.config", 2),
    "iq_setup": Target(iq_setup, "IQsetup.config"),
    "store": Target(store, "kept.db", 2),
    "report": Target(report, "report.json"),
    "encoding": Target(encoding, "words.txt", 2),
    "statistics": Target(statistics, "ragged.txt", 3),
    "trials": Target(trials, "lists.txt", 2),
}
