# Several lanes of bits are one value of the C compiler's vector types: four lanes of 64 bits, or eight of 32. Cython treats
# them as integers; the C compiler turns each operator into instructions for all lanes.
cdef extern from *:
    """
    typedef unsigned long long lanes __attribute__((vector_size(32), aligned(8)));
    typedef unsigned int narrow_lanes __attribute__((vector_size(32), aligned(8)));
    typedef unsigned int half_lanes __attribute__((vector_size(16), aligned(8)));

    #define load_lanes(address) (*(const lanes *)(address))
    #define store_lanes(address, value) (*(lanes *)(address) = (lanes)(value))

    static inline narrow_lanes load_narrow(const void *first, const void *second) {
        half_lanes a = *(const half_lanes *)first, b = *(const half_lanes *)second;
    #if defined(__clang__) || __GNUC__ >= 12
        return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
    #else
        return (narrow_lanes){a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]};
    #endif
    }

    /* One word of a candidate: `places` is the mask of the word; `up` and `down` are the rows of the column
       that are larger and smaller than the row above. */
    #define distance_step(places, up, down) do { \
        __typeof__(up) m_ = (places), d_ = (((m_ & up) + up) ^ up) | m_ | down; \
        __typeof__(up) right_ = down | ~(d_ | up), left_ = d_ & up; \
        right_ = (right_ << 1) | 1; \
        up = (left_ << 1) | ~(d_ | right_); \
        down = right_ & d_; \
    } while (0)

    /* `same` are the rows that are not larger than the row above. */
    #define subsequence_step(places, same) do { \
        __typeof__(same) u_ = same & (places); \
        same = (same + u_) | (same - u_); \
    } while (0)

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
    ctypedef unsigned int narrow_lanes
    lanes load_lanes(const unsigned long long *) nogil
    narrow_lanes load_narrow(const unsigned long long *, const unsigned long long *) nogil
    void store_lanes(unsigned long long *, unsigned long long) nogil
    void distance_step(unsigned long long, unsigned long long, unsigned long long) nogil
    void subsequence_step(unsigned long long, unsigned long long) nogil
    int count_ones(unsigned long long) nogil
    int processor_has_avx2() nogil

cdef class Masks:
    cdef bint subsequences  # compute longest common subsequences, not edit distances
    cdef int[::1] numbers  # the row of masks of each word; 0: not in a reference
    cdef unsigned long long[:, ::1] masks
    cdef Py_ssize_t[::1] lengths  # of the references
    cdef bint in_lanes  # all references have at most 64 words: one block each, padded to a multiple of four
    cdef bint narrow  # all references have at most 32 words: two of them share a block
    cdef int[:, ::1] mapped  # rows of masks of the words of up to four candidates
    cdef Py_ssize_t[::1] sizes  # their lengths
    # In lanes, columns[candidate, 0:4] are the last columns of four references as bits that say "larger than the row
    # above", and columns[candidate, 4:8] as bits that say "smaller"; otherwise rows 0 and 1 hold these for candidate 0.
    cdef unsigned long long[:, ::1] columns

cdef Py_ssize_t compute_distance(Masks m, Py_ssize_t reference_length, Py_ssize_t first_block) noexcept nogil
cdef Py_ssize_t compute_subsequence(Masks m, Py_ssize_t reference_length, Py_ssize_t first_block) noexcept nogil
