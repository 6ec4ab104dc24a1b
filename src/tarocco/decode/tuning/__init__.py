"""Minimum error rate training and reranking."""
