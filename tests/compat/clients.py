"""How public programs call other packages, rewritten in their style: each function takes the package to call.

The same function runs with the package itself and with tarocco's module; the tests compare what it returns.
"""

import inspect
from itertools import pairwise

HYPOTHESES = [
    "the cat sat on the mat .",
    "a dog barked loudly at the old postman, who ran away",
    "It's 3.5% more than last year's 1,000 units",
    "she will arrive tomorrow",
    "",
]
REFERENCES = [
    ["the cat is sitting on the mat .", "a cat sat on a mat ."],
    ["the dog barked at the postman who ran off", "a dog was barking loudly at the old mailman, who fled"],
    ["It's 3.5 % more than last year's 1000 units", "That is 3.5% above the 1,000 units of last year"],
    ["she arrives tomorrow", "tomorrow she will arrive"],
    ["nothing was said", "silence"],
]

# --- sacrebleu -------------------------------------------------------------------------------------------------------


def fairseq_translation(sacrebleu):
    """As the translation task of fairseq: BLEU of the epoch from logged counts, with the parameters that exist."""
    compute = sacrebleu.BLEU.compute_bleu
    accepted = inspect.getfullargspec(compute).args
    smooth = {"smooth_method": "exp"} if "smooth_method" in accepted else {"smooth": "exp"}
    streams = list(zip(*REFERENCES, strict=True))
    logged = sacrebleu.corpus_bleu(HYPOTHESES, streams, tokenize="none")
    bleu = compute(
        correct=logged.counts, total=logged.totals, sys_len=int(logged.sys_len), ref_len=int(logged.ref_len), **smooth
    )
    return round(bleu.score, 2), [*logged.counts, *logged.totals], str(bleu)


def hugging_face_translation(sacrebleu):
    """As the run_translation example of transformers with evaluate's metric: lists by sentence, transposed."""
    predictions = [text.strip() for text in HYPOTHESES]
    labels = [[text.strip() for text in references] for references in REFERENCES]
    transposed = [[references[i] for references in labels] for i in range(len(labels[0]))]
    output = sacrebleu.corpus_bleu(predictions, transposed, smooth_method="exp", use_effective_order=False)
    return {
        "score": output.score,
        "counts": output.counts,
        "totals": output.totals,
        "precisions": output.precisions,
        "bp": output.bp,
        "sys_len": output.sys_len,
        "ref_len": output.ref_len,
    }


def shared_task_report(sacrebleu):
    """As the scripts of shared tasks on translation: three metrics with signatures, and an interval."""
    streams = list(zip(*REFERENCES, strict=True))
    lines = []
    for metric in (sacrebleu.BLEU(lowercase=True), sacrebleu.CHRF(word_order=2), sacrebleu.TER(normalized=True)):
        score = metric.corpus_score(HYPOTHESES, streams, n_bootstrap=40)
        signature = metric.get_signature()
        lines += [score.format(width=3, signature=str(signature)), signature.format(short=True), repr(score)]
    return lines


def sentence_filter(sacrebleu):
    """As corpus filters and minimum Bayes risk decoders: the scores of single sentences, and details of the best."""
    from_class = sacrebleu.metrics.BLEU(effective_order=True, tokenize="intl", max_ngram_order=3)
    rows = []
    for hypothesis, references in zip(HYPOTHESES, REFERENCES, strict=True):
        scores = [
            sacrebleu.sentence_bleu(hypothesis, references, smooth_method="floor", smooth_value=0.01),
            sacrebleu.sentence_chrf(hypothesis, references[:1], remove_whitespace=False),
            sacrebleu.sentence_ter(hypothesis, references),
            from_class.sentence_score(hypothesis, references),
        ]
        rows.append([score.score for score in scores])
        rows.append([scores[0].bp, scores[0].precisions, scores[2].num_edits, scores[2].ref_length, str(scores[1])])
    return rows


# --- rouge_score -----------------------------------------------------------------------------------------------------


def evaluate_rouge(rouge_score):
    """As evaluate's metric and the run_summarization example: stems, and the median of the resamples."""
    kinds = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
    scorer = rouge_score.rouge_scorer.RougeScorer(rouge_types=kinds, use_stemmer=True)
    aggregator = rouge_score.scoring.BootstrapAggregator(n_samples=50)
    for prediction, references in zip(HYPOTHESES, REFERENCES, strict=True):
        aggregator.add_scores(scorer.score_multi(references, prediction))
    result = aggregator.aggregate()
    return {kind: [tuple(result[kind].low), result[kind].mid.fmeasure, tuple(result[kind].high)] for kind in kinds}


def evaluation_harness(rouge_score):
    """As a harness for language models: newlines between sentences, scores in percent."""
    scorer = rouge_score.rouge_scorer.RougeScorer(["rouge1", "rougeLsum"])
    rows = []
    for prediction, references in zip(HYPOTHESES, REFERENCES, strict=True):
        scores = scorer.score(". ".join(references).replace(". ", ".\n"), prediction.replace(", ", "\n"))
        rows.append({kind: score.fmeasure * 100 for kind, score in scores.items()})
    return rows


def reward_function(rouge_score):
    """As rewards in reinforcement learning: F of ROUGE-L, one pair per call."""
    scorer = rouge_score.rouge_scorer.RougeScorer(["rougeL"], use_stemmer=True)
    pairs = zip(HYPOTHESES, REFERENCES, strict=True)
    return [
        scorer.score(target=references[0], prediction=prediction)["rougeL"].fmeasure for prediction, references in pairs
    ]


def custom_tokenizer(rouge_score):
    """As evaluations of other scripts than Latin: a tokenizer of the client."""

    class Characters(rouge_score.tokenizers.Tokenizer):
        def tokenize(self, text):
            return list(text.replace(" ", ""))

    scorer = rouge_score.rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL"], tokenizer=Characters())
    score = scorer.score("猫は マットの 上に いた", "猫が マットに いた")
    return {kind: (value.precision, value.recall, value.fmeasure) for kind, value in score.items()}


# --- jiwer -----------------------------------------------------------------------------------------------------------

SPOKEN = ["he said <unk> hello  world", "I can't believe it's true [laugh]", "seven\u00a0oh nine", ""]
HEARD = ["he said hello word", "I cannot believe it is true", "seven or nine", "noise"]


def whisper_evaluation(jiwer):
    """As notebooks that evaluate Whisper: error rates of normalized lists, in percent."""
    references, hypotheses = ([text.lower() for text in side] for side in (SPOKEN[:3], HEARD[:3]))
    return [
        f"{jiwer.wer(references, hypotheses) * 100:.2f}",
        jiwer.cer(references, hypotheses),
        [jiwer.wer(*pair) for pair in zip(references, hypotheses, strict=True)],
    ]


def evaluate_wer(jiwer):
    """As evaluate's metric: the counts of each pair, added up."""
    incorrect = total = 0
    for prediction, reference in zip(HEARD, SPOKEN, strict=True):
        measures = jiwer.process_words(reference, prediction)
        incorrect += measures.substitutions + measures.deletions + measures.insertions
        total += measures.substitutions + measures.deletions + measures.hits
    return incorrect / total


def recipe_with_transforms(jiwer):
    """As speech recipes: a pipeline of transforms on both sides."""
    pipeline = jiwer.Compose(
        [
            jiwer.ToLowerCase(),
            jiwer.ExpandCommonEnglishContractions(),
            jiwer.RemoveKaldiNonWords(),
            jiwer.SubstituteWords({"cannot": "can not"}),
            jiwer.RemovePunctuation(),
            jiwer.RemoveMultipleSpaces(),
            jiwer.Strip(),
            jiwer.transforms.ReduceToListOfListOfWords(),
        ]
    )
    measures = (jiwer.wer, jiwer.mer, jiwer.wil, jiwer.wip)
    return [measure(SPOKEN, HEARD, reference_transform=pipeline, hypothesis_transform=pipeline) for measure in measures]


def error_analysis(jiwer):
    """As error analyses: alignments as text, the most frequent errors, and chunks."""
    words, characters = jiwer.process_words(SPOKEN, HEARD), jiwer.process_characters(SPOKEN, HEARD)
    chunks = [(c.type, c.ref_start_idx, c.ref_end_idx, c.hyp_start_idx, c.hyp_end_idx) for c in words.alignments[0]]
    tables = [
        jiwer.visualize_alignment(words, line_width=40),
        jiwer.visualize_alignment(characters, show_measures=False),
    ]
    return [*tables, jiwer.visualize_error_counts(words, top_k=3), chunks, words.references, characters.cer]


# --- NLTK ------------------------------------------------------------------------------------------------------------


def _split():
    return [text.split() for text in HYPOTHESES], [[text.split() for text in texts] for texts in REFERENCES]


def captioning(bleu_score):
    """As tutorials on captions: BLEU-1 to BLEU-4 of a corpus by weights."""
    hypotheses, references = _split()
    weights = [(1.0,), (0.5, 0.5), (1 / 3, 1 / 3, 1 / 3), (0.25, 0.25, 0.25, 0.25)]
    return [bleu_score.corpus_bleu(references, hypotheses, weights=of_order) for of_order in weights]


def smoothed_sentences(bleu_score):
    """As dialog and code generation: smoothed BLEU of sentences."""
    hypotheses, references = _split()
    smoothing = bleu_score.SmoothingFunction(epsilon=0.05)
    methods = [getattr(smoothing, f"method{n}") for n in (1, 2, 3, 4, 5, 7)]
    return [
        bleu_score.sentence_bleu(texts, hypothesis, smoothing_function=method)
        for texts, hypothesis in zip(references, hypotheses, strict=True)
        for method in methods
    ]


def self_bleu(bleu_score):
    """As studies of diversity: each text against the others, short ones reweighed."""
    texts, smoothing = _split()[0][:4], bleu_score.SmoothingFunction().method1
    return [
        bleu_score.sentence_bleu([*texts[:i], *texts[i + 1 :]], text, smoothing_function=smoothing, auto_reweigh=True)
        for i, text in enumerate(texts)
    ]


def code_search(bleu_score):
    """As metrics for code: parts of BLEU, of tokens that are numbers or tuples, with a smoothing of the client."""
    tokens = [("name", "x"), ("op", "="), 1, ("op", "+"), 2, "\n"]
    other = [("name", "x"), ("op", "="), 2, ("op", "+"), 2, "\n"]
    pairs = [list(pairwise(tokens)), list(pairwise(other))]

    def smooth(p_n, *_, **__):
        return [(p.numerator + 1) / (p.denominator + 1) for p in p_n]

    precision = bleu_score.modified_precision([other], tokens, 2)
    return [
        (precision.numerator, precision.denominator),
        bleu_score.brevity_penalty(bleu_score.closest_ref_length([tokens, other[:3]], 5), 5),
        bleu_score.sentence_bleu([other], tokens, [(0.5, 0.5), (0.2,) * 5], smoothing_function=smooth),
        bleu_score.corpus_bleu([[pairs[1]]], [pairs[0]], smoothing_function=smooth),
    ]
