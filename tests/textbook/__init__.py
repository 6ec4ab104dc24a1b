"""Slow textbook versions of what the kernels compute, written from the papers. They import nothing from tarocco."""
