"""Tokenizers outside tarocco: MeCab and SentencePiece models as in sacrebleu, functions, packages."""

import io
import pickle
import sqlite3
import sys
from importlib.metadata import EntryPoint

import pytest
from sacrebleu.metrics.bleu import BLEU, _get_tokenizer

import tarocco
from tarocco import datasets
from tarocco.core.errors import InputError, MissingExtra, PluginError, UnknownName
from tarocco.encode import tokenizer_plugins
from tarocco.encode.batch import Encoding
from tarocco.encode.tokenizers import tokenizer

LINES = {
    "ja-mecab": ["私は東京で猫を飼っています。", "すもももももももものうち", " 3.5 km, OK? ", "", "・・・"],
    "ko-mecab": ["나는 서울에서 고양이를 키웁니다.", "아버지가방에들어가신다", " 3.5 km, OK? ", "", "..."],
}


@pytest.mark.parametrize("name", LINES)
def test_mecab(name):
    pytest.importorskip("MeCab" if name == "ja-mecab" else "mecab_ko")
    lines, peer = LINES[name], _get_tokenizer(name)()
    assert [tokenizer(name)(line).split() for line in lines] == [peer(line).split() for line in lines]
    assert tokenizer(name).signature == peer.signature()
    references = [lines[0][3:], lines[1] + lines[0], "3.5 km OK", "a", lines[4]]
    found = tarocco.score(lines, references, metrics="BLEU-4:orders=all", tokenize=name).scores[0]
    expected = BLEU(tokenize=name, force=True).corpus_score(lines, [references]).score
    assert 100 * found.score == pytest.approx(expected, rel=1e-12)
    assert f"|tok:{peer.signature()}|" in found.signature


def test_a_missing_library_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "MeCab", None)
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    tokenizer_plugins._load.cache_clear()
    with pytest.raises(MissingExtra, match=r'ja-mecab needs MeCab: pip install "tarocco\[ja\]"'):
        tokenizer("ja-mecab")
    with pytest.raises(MissingExtra, match=r'pip install "tarocco\[spm\]"'):
        tokenizer("spm:any.model")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A SentencePiece model, trained on the bundled references."""
    spm = pytest.importorskip("sentencepiece")
    written = io.BytesIO()
    lines = [line for references in datasets.load("demo").references for line in references]
    spm.SentencePieceTrainer.train(sentence_iterator=iter(lines), model_writer=written, vocab_size=300, minloglevel=2)
    folder = tmp_path_factory.mktemp("cache") / "models"
    folder.mkdir()
    (folder / "flores200sacrebleuspm").write_bytes(written.getvalue())
    return folder / "flores200sacrebleuspm"


def test_sentencepiece(model, monkeypatch):
    """sacrebleu reads the same file from its cache folder."""
    from sacrebleu.tokenizers import tokenizer_spm

    monkeypatch.setenv("SACREBLEU", str(model.parent.parent))
    monkeypatch.setattr(tokenizer_spm, "SACREBLEU_DIR", str(model.parent.parent))
    tokenizer_plugins._load.cache_clear()
    peer = tokenizer_spm.TokenizerSPM("flores200")
    lines = [*datasets.load("demo").systems["literal"], "", "  ", "中 é"]
    for name in ("flores200", f"spm:{model}"):
        assert [tokenizer(name)(line).split() for line in lines] == [peer(line).split() for line in lines]
    found = tarocco.score(["the cat"], ["the cats"], tokenize="flores200").scores[0]
    assert "|tok:flores200|" in found.signature
    named = tarocco.score(["the cat"], ["the cats"], tokenize=f"spm:{model}").scores[0]
    assert (named.score, "|tok:spm:flores200sacrebleuspm@" in named.signature) == (found.score, True)


def test_models_that_cannot_be_read(model, tmp_path, monkeypatch):
    monkeypatch.setenv("SACREBLEU", str(tmp_path))
    tokenizer_plugins._load.cache_clear()
    with pytest.raises(
        InputError, match=r"flores101 needs a SentencePiece model that sacrebleu downloads to .*-tok flores101"
    ):
        tokenizer("flores101")
    with pytest.raises(InputError, match=r"none.model: cannot read the SentencePiece model"):
        tokenizer(f"spm:{tmp_path / 'none.model'}")
    (tmp_path / "text.model").write_text("not a model")
    with pytest.raises(InputError, match=r"text.model: expected a SentencePiece model, found another file"):
        tokenizer(f"spm:{tmp_path / 'text.model'}")


def split_at_hyphens(text):
    return text.split("-")


def test_a_function_is_a_tokenizer(tmp_path):
    """It is named in the signature; without a version, its numbers are not stored."""
    found = tarocco.score(
        ["a-b c-d"], ["a-b c"], metrics="WER", tokenize=split_at_hyphens, store=tmp_path / "store"
    ).scores[0]
    assert found.score == 1 / 2  # the words are a, "b c" and d; a and "b c"
    assert "|tok:split_at_hyphens@?|" in found.signature
    with sqlite3.connect(tmp_path / "store") as database:
        assert database.execute("select count(*) from blocks").fetchone() == (0,)
    as_string = tarocco.score(["a-b c-d"], ["a-b c"], metrics="WER", tokenize=lambda text: text.replace("-", " "))
    assert as_string.scores[0].score == 1 / 3
    assert tarocco.score(["a"], ["a"], tokenize=tokenizer("intl")).scores[0].signature.split("|")[3] == "tok:intl"


def test_functions_with_the_same_name_are_different_tokenizers():
    def words(text):
        return text.split()

    first = Encoding(tarocco.Text(tokenize=words).tokenize)

    def words(text):
        return list(text)

    second = Encoding(tarocco.Text(tokenize=words).tokenize)
    assert [encoding.words("ab c") for encoding in (first, second)] == [["ab", "c"], ["a", "b", "\U000f0020", "c"]]
    assert (
        first.tokenize == Encoding(tarocco.Text(tokenize=first.tokenizer.function).tokenize).tokenize != second.tokenize
    )


def test_another_process_gets_the_function(monkeypatch):
    packed = pickle.dumps(Encoding(tarocco.Text(tokenize=split_at_hyphens).tokenize))
    monkeypatch.setattr(tokenizer_plugins, "_registered", {})
    with pytest.raises(UnknownName):
        Encoding("split_at_hyphens")
    assert pickle.loads(packed).words("a-b") == ["a", "b"]


def test_a_package_provides_a_tokenizer(monkeypatch):
    entries = [
        EntryPoint("hyphens", f"{__name__}:split_at_hyphens", tokenizer_plugins.ENTRY_POINTS),
        EntryPoint("broken", "no.such.module:split", tokenizer_plugins.ENTRY_POINTS),
    ]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: entries)
    monkeypatch.setitem(sys.modules, __name__, sys.modules.get(__name__) or __import__(__name__))
    tokenizer_plugins._installed.cache_clear()
    tokenizer_plugins._load.cache_clear()
    try:
        assert tokenizer("hyphens")("a-b").split() == ["a", "b"]
        with pytest.raises(PluginError, match=r'"broken" \(no.such.module:split\) cannot be loaded: No module named'):
            tokenizer("broken")("a")
        with pytest.raises(UnknownName, match='did you mean "zh"'):
            tokenizer("zhh")
    finally:
        tokenizer_plugins._installed.cache_clear()
        tokenizer_plugins._load.cache_clear()
