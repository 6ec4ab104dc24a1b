"""Tables of scores: external metrics, human scores, rankings, MQM errors, mt-metrics-eval folders."""
