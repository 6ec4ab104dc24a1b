"""Lattices and forests: readers and writers of PLF, SLF, OpenFst, Moses and cdec files."""
