"""Metrics, one family per file. A metric turns a batch into statistics, and sums of statistics into scores.

base         the base classes: parameters, names, statistics, score, capabilities
names        the grammar of metric names and signatures
registry     from names to metrics; plug-ins
batches      several metrics on one batch: shared encodings, contexts and measurements
comparison   pairs of candidates and references, and what they have in common
ngram/       BLEU-n, BLEUS-n, BLEU-SBP, BLEUi-n, BLEU-NLTK; NIST-n, NISTi-n; chrF, chrF++
edit/        WER, PER, CDER, 1-WER, 1-PER, GRR-k; CER, MER, WIL, WIP; TER; GTM-e
rouge        ROUGE-N, ROUGE-L, ROUGE-Lsum, ROUGE-W-a, ROUGE-S-d, ROUGE-SU-d
meteor       METEOR
maxsim       MAXSIM
linguistic/  metrics over lemmas, tags, chunks, dependencies, constituents, entities and roles
external     scores computed by other tools, as metrics
"""
