/* MinHash sketches of texts; part of _scan.c, which includes this file. dedup/text_sketch.py is the same in Python. */

#define BINS 120
#define SHINGLE 3
#define MIN_SHINGLES 20
#define SKETCH_WORDS 5000

typedef struct {
    const u8 *s;
    size_t length;
} Part;

typedef struct {
    Part *s;
    size_t count, room;
    size_t bytes;
} Parts;

static int add_part(Parts *to, const u8 *s, size_t n) {
    if (to->count == to->room) {
        size_t room = to->room * 2 + 512;
        Part *more = PyMem_Realloc(to->s, room * sizeof(Part));
        if (!more) return PyErr_NoMemory(), -1;
        to->s = more;
        to->room = room;
    }
    to->s[to->count++] = (Part){s, n};
    to->bytes += n;
    return 0;
}

/* What a character of two or three bytes is that stands at s: 1 a letter or digit, 0 none, -1 unknown here; its size. */
static int odd_letter(const u8 *s, size_t n, size_t *size) {
    *size = 2;
    if (n > 1 && s[0] == 0xc2) return s[1] && strchr("\xaa\xb2\xb3\xb5\xb9\xba\xbc\xbd\xbe", s[1]) ? 1 : 0; /* signs */
    if (n > 1 && s[0] == 0xc3) return s[1] == 0x97 || s[1] == 0xb7 ? 0 : 1; /* Latin letters, but times and division */
    if (n > 1 && (s[0] == 0xc4 || s[0] == 0xc5 || s[0] == 0xd0 || s[0] == 0xd1)) return 1; /* more of them, and Cyrillic ones */
    *size = 3;
    return n > 2 && s[0] == 0xe2 && (s[1] == 0x80 || (s[1] == 0x81 && s[2] <= 0xaf)) ? 0 : -1; /* dashes, quotes, spaces */
}

/* The words of a part with common letters and signs outside ASCII. 1: done; 0: not as simple; -1: failed. */
static int add_plain_parts(Parts *to, const u8 *s, size_t n) {
    size_t size, start = 0;
    for (size_t i = 0; i < n; i += size)
        if (s[i] < 128) size = 1;
        else if (odd_letter(s + i, n - i, &size) < 0) return 0;
    for (size_t i = 0; i <= n; i += size) {
        size = 1;
        if (i < n && (s[i] < 128 || odd_letter(s + i, n - i, &size) == 1)) continue;
        if (i > start && add_part(to, s + start, i - start) < 0) return -1;
        start = i + size;
    }
    return 1;
}

/* The words of a part that is not ASCII, as `find` tells them; `kept` holds them. */
static int add_odd_part(Parts *to, const u8 *s, size_t n, PyObject *find, PyObject *kept) {
    int simple = add_plain_parts(to, s, n);
    if (simple) return simple < 0 ? -1 : 0;
    PyObject *words = PyObject_CallFunction(find, "y#", (const char *)s, (Py_ssize_t)n);
    int failed = !words || !PyList_Check(words) || PyList_Append(kept, words) < 0;
    for (Py_ssize_t i = 0; !failed && i < PyList_Size(words); i++) {
        char *word;
        Py_ssize_t size;
        failed = PyBytes_AsStringAndSize(PyList_GetItem(words, i), &word, &size) < 0 ||
                 add_part(to, (const u8 *)word, (size_t)size) < 0;
    }
    Py_XDECREF(words);
    return failed ? -1 : 0;
}

static int is_word_byte(u8 c) { return c > 127 || IS(c, ALPHA) || (c >= '0' && c <= '9') || c == '_'; }

static int find_parts(Parts *to, const u8 *s, size_t n, PyObject *find, PyObject *kept) {
    for (const u8 *end = s + n; s < end;) {
        while (s < end && !is_word_byte(*s)) s++;
        const u8 *start = s;
        u8 all = 0;
        while (s < end && is_word_byte(*s)) all |= *s++;
        if (s == start) break;
        size_t length = (size_t)(s - start);
        if ((all < 128 ? add_part(to, start, length) : add_odd_part(to, start, length, find, kept)) < 0) return -1;
    }
    return 0;
}

/* Words without spaces between them are read in pairs of characters. */
static int as_pairs(Parts *to, u8 **joined) {
    size_t characters = 0, n = 0;
    for (size_t i = 0; i < to->count; i++)
        for (size_t k = 0; k < to->s[i].length; k++) characters += (to->s[i].s[k] & 0xc0) != 0x80;
    if (characters <= 20 * to->count) {
        if (to->count > SKETCH_WORDS) to->count = SKETCH_WORDS;
        return 0;
    }
    u8 *all = *joined = PyMem_Malloc(to->bytes + 1);
    if (!all) return PyErr_NoMemory(), -1;
    for (size_t i = 0; i < to->count; i++) {
        memcpy(all + n, to->s[i].s, to->s[i].length);
        n += to->s[i].length;
    }
    to->count = 0;
    size_t most = characters < SKETCH_WORDS ? characters : SKETCH_WORDS, before = 0;
    for (size_t at = 0, seen = 0; at < n && seen < most; seen++) {
        size_t next = at + 1;
        while (next < n && (all[next] & 0xc0) == 0x80) next++;
        if (seen && add_part(to, all + before, next - before) < 0) return -1;
        before = at;
        at = next;
    }
    return 0;
}

typedef struct {
    u64 lowest[BINS], first[MIN_SHINGLES];
    u8 filled[BINS];
    size_t different; /* shingles, up to MIN_SHINGLES */
} Bins;

static void add_shingle(Bins *bins, u64 value) {
    size_t bin = value % BINS;
    if (!bins->filled[bin] || value < bins->lowest[bin]) bins->lowest[bin] = value;
    bins->filled[bin] = 1;
    if (bins->different >= MIN_SHINGLES) return;
    for (size_t i = 0; i < bins->different; i++)
        if (bins->first[i] == value) return;
    bins->first[bins->different++] = value;
}

static int add_shingles(Bins *bins, const Parts *parts, PyObject *hash) {
    size_t room = 4096;
    u8 *text = PyMem_Malloc(room);
    for (size_t i = 0; text && i + SHINGLE <= parts->count; i++) {
        size_t n = 0, needed = SHINGLE;
        u64 value;
        for (size_t k = i; k < i + SHINGLE; k++) needed += parts->s[k].length;
        if (needed > room) {
            u8 *more = PyMem_Realloc(text, room = needed);
            if (!more) break;
            text = more;
        }
        for (size_t k = i; k < i + SHINGLE; k++) {
            if (k > i) text[n++] = ' ';
            memcpy(text + n, parts->s[k].s, parts->s[k].length);
            n += parts->s[k].length;
        }
        if (xxh3_any(text, n, hash, &value) < 0) break;
        add_shingle(bins, value);
        if (i + SHINGLE == parts->count) return PyMem_Free(text), 0;
    }
    PyMem_Free(text);
    if (parts->count < SHINGLE) return 0;
    return PyErr_Occurred() ? -1 : (PyErr_NoMemory(), -1);
}

/* The values of the bins; an empty one borrows that of the next full one. */
static PyObject *put_bins(const Bins *bins) {
    u8 out[2 * BINS];
    u64 value = 0, steps = 0;
    if (bins->different < MIN_SHINGLES) return PyBytes_FromStringAndSize("", 0);
    for (size_t i = 0; i < BINS; i++)
        if (bins->filled[i]) {
            value = bins->lowest[i] >> 8;
            break;
        }
    for (size_t place = 2 * BINS; place-- > 0;) {
        size_t bin = place % BINS;
        steps++;
        if (bins->filled[bin]) value = bins->lowest[bin] >> 8, steps = 0;
        u64 mixed = (value * 0x9E3779B97F4A7C15ULL + steps * 0xC2B2AE3D27D4EB4FULL) >> 13;
        if (place < BINS) out[2 * place] = (u8)mixed, out[2 * place + 1] = (u8)(mixed >> 8);
    }
    return PyBytes_FromStringAndSize((const char *)out, sizeof out);
}

static PyObject *sketch(PyObject *self, PyObject *args) {
    const u8 *s;
    Py_ssize_t n;
    PyObject *find, *hash, *result = NULL;
    u8 *joined = NULL;
    Parts parts = {0};
    Bins bins;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#OO", &s, &n, &find, &hash)) return NULL;
    PyObject *kept = PyList_New(0);
    if (!kept) return NULL;
    memset(&bins, 0, sizeof bins);
    if (find_parts(&parts, s, (size_t)n, find, kept) == 0 && as_pairs(&parts, &joined) == 0 &&
        add_shingles(&bins, &parts, hash) == 0)
        result = put_bins(&bins);
    Py_DECREF(kept);
    PyMem_Free(parts.s);
    PyMem_Free(joined);
    return result;
}
