cdef Py_ssize_t split_segment(
    const unsigned char[::1] text,
    Py_ssize_t start,
    Py_ssize_t end,
    const unsigned char[::1] classes,
    bint padded,
    bint trimmed,
    bint entities,
    unsigned char[::1] out,
    Py_ssize_t length,
) noexcept nogil
