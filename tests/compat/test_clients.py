"""Programs written for other packages return the same with tarocco's modules, to the last bit."""

import warnings
from importlib import import_module

import numpy as np
import pytest
from compat import clients

CLIENTS = {
    "sacrebleu": ("fairseq_translation", "hugging_face_translation", "shared_task_report", "sentence_filter"),
    "rouge_score": ("evaluate_rouge", "evaluation_harness", "reward_function", "custom_tokenizer"),
    "jiwer": ("whisper_evaluation", "evaluate_wer", "recipe_with_transforms", "error_analysis"),
    "nltk_bleu": ("captioning", "smoothed_sentences", "self_bleu", "code_search"),
}
PARTS = {"sacrebleu": ("metrics",), "rouge_score": ("rouge_scorer", "scoring", "tokenizers")}


def original(module):
    """The package that a module of tarocco stands for."""
    if module == "nltk_bleu":
        return import_module("nltk.translate.bleu_score")
    for part in PARTS.get(module, ()):
        import_module(f"{module}.{part}")
    return import_module(module)


@pytest.mark.parametrize(("module", "client"), [(name, client) for name in CLIENTS for client in CLIENTS[name]])
def test_a_client_returns_the_same(module, client):
    results = []
    for package in (original(module), import_module(f"tarocco.compat.{module}")):
        np.random.seed(7)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # NLTK warns about scores of 0
            results.append(getattr(clients, client)(package))
    assert results[0] == results[1]
    assert results[0] not in ([], {}, None)
