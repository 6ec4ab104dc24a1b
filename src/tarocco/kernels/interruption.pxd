cdef extern from "Python.h":
    unsigned long PyThread_get_thread_ident() nogil

cdef bint is_interrupted() noexcept nogil
