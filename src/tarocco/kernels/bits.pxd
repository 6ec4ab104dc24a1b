# Four 64-bit lanes as one value of the C compiler's own vector type: Cython takes it for an integer and writes the
# operators, the C compiler turns them into instructions for all four lanes, as wide as the processor family has them.
cdef extern from *:
    """
    typedef unsigned long long lanes __attribute__((vector_size(32), aligned(8)));

    #define count_ones __builtin_popcountll

    static int processor_has_avx2(void) {
    #if defined(__x86_64__)
        return __builtin_cpu_supports("avx2");
    #else
        return 0;
    #endif
    }
    """
    ctypedef unsigned long long lanes
    int count_ones(unsigned long long) nogil
    int processor_has_avx2() nogil
