cdef extern from *:
    """
    #define count_ones __builtin_popcountll

    #if defined(__AVX2__)
    #include <immintrin.h>
    #elif defined(__SSE2__)
    #include <emmintrin.h>
    #endif

    /* Bit i of the result: whether one is not below several[i], or one of them is NaN. n is 1 to 64. */
    static inline unsigned long long not_below(double one, const double *several, int n) {
        unsigned long long bits = 0;
        int i = 0;
    #if defined(__AVX2__)
        const __m256d each = _mm256_set1_pd(one);
        if (n == 64) { /* unrolled, so that shifts are by constants */
            unsigned long long part[4] = {0, 0, 0, 0};
            #pragma GCC unroll 16
            for (int k = 0; k < 16; k++)
                part[k & 3] |= (unsigned long long)(unsigned)_mm256_movemask_pd(
                    _mm256_cmp_pd(each, _mm256_loadu_pd(several + 4 * k), _CMP_NLT_UQ)) << (4 * k);
            return (part[0] | part[1]) | (part[2] | part[3]);
        }
        for (; i + 8 <= n; i += 8) {
            unsigned low = _mm256_movemask_pd(_mm256_cmp_pd(each, _mm256_loadu_pd(several + i), _CMP_NLT_UQ));
            unsigned high = _mm256_movemask_pd(_mm256_cmp_pd(each, _mm256_loadu_pd(several + i + 4), _CMP_NLT_UQ));
            bits |= (unsigned long long)(low | high << 4) << i;
        }
    #elif defined(__SSE2__)
        const __m128d each = _mm_set1_pd(one);
        for (; i + 4 <= n; i += 4) {
            unsigned low = _mm_movemask_pd(_mm_cmpnlt_pd(each, _mm_loadu_pd(several + i)));
            unsigned high = _mm_movemask_pd(_mm_cmpnlt_pd(each, _mm_loadu_pd(several + i + 2)));
            bits |= (unsigned long long)(low | high << 2) << i;
        }
    #endif
        for (; i < n; i++)
            bits |= (unsigned long long)!(one < several[i]) << i;
        return bits;
    }

    /* Bit i: whether several[i] is NaN. */
    static unsigned long long unknown(const double *several, int n) {
        unsigned long long bits = 0;
        for (int i = 0; i < n; i++)
            bits |= (unsigned long long)(several[i] != several[i]) << i;
        return bits;
    }
    """
    int count_ones(unsigned long long) nogil
    unsigned long long not_below(double, const double *, int) nogil
    unsigned long long unknown(const double *, int) nogil
