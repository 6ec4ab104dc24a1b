"""Metrics, one family a file. A metric is statistics, then score.

base            what every metric is: parameters, a name, statistics(batch), score(sums)
counts          clipped n-gram counts, n-gram matches with each reference
pairing         candidates and each of their references, the best reference
comparison      what candidates and references have in common, measured once for the families below
bleu            BLEU-n, BLEUS-n, BLEU-SBP, BLEUi-n
nist            NIST-n, NISTi-n
edits           WER, PER, CDER, 1-WER, 1-PER
recognition     GRR-k
ter             TER
rouge           ROUGE-N, ROUGE-L, and what all of ROUGE has
rouge_weighted  ROUGE-W-a
rouge_skips     ROUGE-S-d, ROUGE-SU-d
gtm             GTM-e
chrf            chrF, chrF++
layers          what an analyzer says of sentences, as arrays
trees           constituency trees as arrays
paths           chains, paths and subtrees of trees, as numbers
elements        linguistic elements: which items stand in elements of which type
linguistic      what all metrics over linguistic elements have
shallow         SP-Op-t, SP-Oc-t, SP-Oiob-t
sequences       SP-NISTx-n, SP-NISTix-n
dependencies    DP-Ol-l, DP-Oc-t, DP-Or-t, DP-HWCx-l
constituents    CP-Op-t, CP-Oc-t, CP-STM-l
entities        NE-Oe-t, NE-Me-t
roles           SR-Or-t, SR-Mr-t and their verb-bound forms
seen            which types there are in given sentences
external        scores that were made elsewhere, as a metric
"""
