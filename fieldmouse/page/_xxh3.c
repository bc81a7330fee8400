/* XXH3 of short inputs with 64 bits and no seed; part of _scan.c, which includes this file.
 *
 * Inputs of up to 64 bytes are nearly all there are here (a tag's name and classes, three words). For longer ones
 * the library is called. The constants are those of the algorithm's description.
 */

#define XXH_SHORT 64

static const u8 XXH_SECRET[72] = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c, 0xde, 0xd4,
    0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f, 0xcb, 0x79, 0xe6, 0x4e,
    0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21, 0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43,
    0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c, 0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb,
};

#define XXH_1 0x9E3779B185EBCA87ULL
#define XXH_2 0xC2B2AE3D27D4EB4FULL
#define XXH_3 0x165667B19E3779F9ULL

static u64 get64(const u8 *from) { return (u64)get32(from) | (u64)get32(from + 4) << 32; }

static u64 swap64(u64 value) {
#ifdef __GNUC__
    return __builtin_bswap64(value);
#else
    u64 turned = 0;
    for (int i = 0; i < 8; i++, value >>= 8) turned = turned << 8 | (value & 0xff);
    return turned;
#endif
}

/* Both halves of the product of two numbers, joined by exclusive or. */
static u64 fold(u64 a, u64 b) {
#ifdef __SIZEOF_INT128__
    unsigned __int128 product = (unsigned __int128)a * b;
    return (u64)product ^ (u64)(product >> 64);
#else
    u64 low = (a & 0xffffffff) * (b & 0xffffffff), mid_a = (a >> 32) * (b & 0xffffffff);
    u64 mid_b = (a & 0xffffffff) * (b >> 32), high = (a >> 32) * (b >> 32);
    u64 cross = (low >> 32) + (mid_a & 0xffffffff) + mid_b;
    return ((mid_a >> 32) + (cross >> 32) + high) ^ (cross << 32 | (low & 0xffffffff));
#endif
}

static u64 mix16(const u8 *s, const u8 *secret) {
    return fold(get64(s) ^ get64(secret), get64(s + 8) ^ get64(secret + 8));
}

static u64 avalanche(u64 h) {
    h = (h ^ h >> 37) * 0x165667919E3779F9ULL;
    return h ^ h >> 32;
}

static u64 turn(u64 h, int bits) { return h << bits | h >> (64 - bits); }

static u64 xxh3_up_to_16(const u8 *s, size_t n) {
    const u8 *k = XXH_SECRET;
    if (n > 8) {
        u64 low = get64(s) ^ (get64(k + 24) ^ get64(k + 32));
        u64 high = get64(s + n - 8) ^ (get64(k + 40) ^ get64(k + 48));
        return avalanche(n + swap64(low) + high + fold(low, high));
    }
    if (n >= 4) {
        u64 h = ((u64)get32(s) << 32) + get32(s + n - 4);
        h ^= get64(k + 8) ^ get64(k + 16);
        h ^= turn(h, 49) ^ turn(h, 24);
        h *= 0x9FB21C651E98DF25ULL;
        h ^= (h >> 35) + n;
        h *= 0x9FB21C651E98DF25ULL;
        return h ^ h >> 28;
    }
    u64 h = n ? ((u64)s[0] << 16 | (u64)s[n >> 1] << 24 | s[n - 1] | (u64)n << 8) ^ (get32(k) ^ get32(k + 4))
              : get64(k + 56) ^ get64(k + 64);
    h = (h ^ h >> 33) * XXH_2;
    h = (h ^ h >> 29) * XXH_3;
    return h ^ h >> 32;
}

/* The hash of up to XXH_SHORT bytes. */
static u64 xxh3(const u8 *s, size_t n) {
    const u8 *k = XXH_SECRET;
    if (n <= 16) return xxh3_up_to_16(s, n);
    u64 h = n * XXH_1;
    for (size_t i = 0; i <= (n - 1) / 32; i++) h += mix16(s + 16 * i, k + 32 * i) + mix16(s + n - 16 * (i + 1), k + 32 * i + 16);
    return avalanche(h);
}

/* The hash of any bytes: `hash` is the library's function. Whether it failed. */
static int xxh3_any(const u8 *s, size_t n, PyObject *hash, u64 *found) {
    if (n <= XXH_SHORT) return *found = xxh3(s, n), 0;
    PyObject *number = PyObject_CallFunction(hash, "y#", (const char *)s, (Py_ssize_t)n);
    if (!number) return -1;
    *found = PyLong_AsUnsignedLongLong(number);
    Py_DECREF(number);
    return PyErr_Occurred() ? -1 : 0;
}
