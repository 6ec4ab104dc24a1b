# The next eight bytes of a text as one number, the first byte lowest, and how many of them come before the first space.
cdef extern from *:
    """
    static inline unsigned long long load_eight(const unsigned char *bytes) {
        unsigned long long value;
        memcpy(&value, bytes, 8);
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        value = __builtin_bswap64(value);
    #endif
        return value;
    }

    static inline int count_before_space(unsigned long long value) {
        unsigned long long different = value ^ 0x2020202020202020ULL;
        unsigned long long zeros = (different - 0x0101010101010101ULL) & ~different & 0x8080808080808080ULL;
        return zeros ? __builtin_ctzll(zeros) >> 3 : 8;
    }
    """
    unsigned long long load_eight(const unsigned char *) nogil
    int count_before_space(unsigned long long) nogil
