cdef extern from *:
    """
    #define count_ones __builtin_popcountll
    """
    int count_ones(unsigned long long) nogil
