"""N-best lists: streams of lists, file formats, features, and byte ranges that workers read on their own."""
