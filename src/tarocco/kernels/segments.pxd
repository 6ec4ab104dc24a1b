cdef class Texts:
    cdef const int[::1] words
    cdef const Py_ssize_t[::1] bounds
    cdef const Py_ssize_t[::1] rows
    cdef const Py_ssize_t[::1] groups
