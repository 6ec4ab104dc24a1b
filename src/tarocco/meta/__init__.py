"""Evaluates the metrics themselves.

significance/  is the difference between two systems significant?
correlation/   do metrics agree with people?
orange/        do metrics rank human translations above machine ones in n-best lists (ORANGE)?
qarla/         QUEEN, KING and JACK, and the search for the best set of metrics
audit/         can a metric be gamed?
references/    how many references are enough?
"""
