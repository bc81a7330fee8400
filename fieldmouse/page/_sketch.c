/* MinHash sketches of texts; part of _scan.c, which includes this file. dedup/text_sketch.py is the same in Python. */

#define BINS 120
#define SHINGLE 3
#define MIN_SHINGLES 20
#define SKETCH_WORDS 5000

typedef struct {
    const u8 *s;
    size_t length;
} Part;

/* The words of a text, one after the other with a space behind each. */
typedef struct {
    u32 *starts;
    size_t count, room;
    u8 *text;
    size_t length, characters; /* bytes, and characters of the words */
} WordList;

static int add_word(WordList *to, const u8 *s, size_t n) {
    if (to->count == to->room) {
        size_t room = to->room * 2 + 512;
        u32 *more = PyMem_Realloc(to->starts, (room + 1) * sizeof(u32));
        if (!more) return PyErr_NoMemory(), -1;
        to->starts = more;
        to->room = room;
    }
    to->starts[to->count++] = (u32)to->length;
    memcpy(to->text + to->length, s, n);
    to->length += n;
    to->text[to->length++] = ' ';
    for (size_t i = 0; i < n; i++) to->characters += (s[i] & 0xc0) != 0x80;
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
static int add_plain_words(WordList *to, const u8 *s, size_t n) {
    size_t size, start = 0;
    for (size_t i = 0; i < n; i += size)
        if (s[i] < 128) size = 1;
        else if (odd_letter(s + i, n - i, &size) < 0) return 0;
    for (size_t i = 0; i <= n; i += size) {
        size = 1;
        if (i < n && (s[i] < 128 || odd_letter(s + i, n - i, &size) == 1)) continue;
        if (i > start && add_word(to, s + start, i - start) < 0) return -1;
        start = i + size;
    }
    return 1;
}

/* The words of a part that is not ASCII, as `find` tells them. */
static int add_odd_words(WordList *to, const u8 *s, size_t n, PyObject *find) {
    int simple = add_plain_words(to, s, n);
    if (simple) return simple < 0 ? -1 : 0;
    PyObject *words = PyObject_CallFunction(find, "y#", (const char *)s, (Py_ssize_t)n);
    int failed = !words || !PyList_Check(words);
    for (Py_ssize_t i = 0; !failed && i < PyList_Size(words); i++) {
        char *word;
        Py_ssize_t size;
        failed = PyBytes_AsStringAndSize(PyList_GetItem(words, i), &word, &size) < 0;
        if (!failed && (size_t)size > n) {
            PyErr_SetString(PyExc_ValueError, "a word is longer than what it was found in");
            failed = 1;
        }
        n -= failed ? 0 : (size_t)size; /* so there is room for all of them */
        failed = failed || add_word(to, (const u8 *)word, (size_t)size) < 0;
    }
    Py_XDECREF(words);
    return failed ? -1 : 0;
}

static int is_word_byte(u8 c) { return c > 127 || IS(c, ALPHA) || (c >= '0' && c <= '9') || c == '_'; }

static int find_words_of(WordList *to, const u8 *s, size_t n, PyObject *find) {
    for (const u8 *end = s + n; s < end;) {
        while (s < end && !is_word_byte(*s)) s++;
        const u8 *start = s;
        u8 all = 0;
        while (s < end && is_word_byte(*s)) all |= *s++;
        if (s == start) break;
        size_t length = (size_t)(s - start);
        if ((all < 128 ? add_word(to, start, length) : add_odd_words(to, start, length, find)) < 0) return -1;
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

/* Three words, or pairs of characters, with a space between them. */
static int add_shingles(Bins *bins, const WordList *words, PyObject *hash) {
    size_t count = words->count < SKETCH_WORDS ? words->count : SKETCH_WORDS;
    for (size_t i = 0; i + SHINGLE <= count; i++) {
        size_t start = words->starts[i], end = i + SHINGLE < words->count ? words->starts[i + SHINGLE] : words->length;
        u64 value;
        if (xxh3_any(words->text + start, end - 1 - start, hash, &value) < 0) return -1;
        add_shingle(bins, value);
    }
    return 0;
}

/* Words without spaces between them are read in pairs of characters. */
static int add_pairs(Bins *bins, const WordList *words, PyObject *hash) {
    WordList pairs = {0};
    size_t n = 0, before = 0, most = words->characters < SKETCH_WORDS ? words->characters : SKETCH_WORDS;
    u8 *all = PyMem_Malloc(words->length + 1);
    pairs.text = PyMem_Malloc(3 * words->length + 1); /* each character twice, and a space behind each pair */
    int failed = !all || !pairs.text;
    if (failed) PyErr_NoMemory();
    for (size_t i = 0; !failed && i < words->count; i++) {
        size_t start = words->starts[i], end = (i + 1 < words->count ? words->starts[i + 1] : words->length) - 1;
        memcpy(all + n, words->text + start, end - start);
        n += end - start;
    }
    for (size_t at = 0, seen = 0; !failed && at < n && seen < most; seen++) {
        size_t next = at + 1;
        while (next < n && (all[next] & 0xc0) == 0x80) next++;
        if (seen) failed = add_word(&pairs, all + before, next - before) < 0;
        before = at;
        at = next;
    }
    if (!failed) failed = add_shingles(bins, &pairs, hash) < 0;
    PyMem_Free(all);
    PyMem_Free(pairs.text);
    PyMem_Free(pairs.starts);
    return failed ? -1 : 0;
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
    WordList words = {0};
    Bins bins;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#OO", &s, &n, &find, &hash)) return NULL;
    if (n > UINT32_MAX / 4) return PyErr_SetString(PyExc_OverflowError, "the text is too long for a sketch"), NULL;
    words.text = PyMem_Malloc((size_t)n + 2); /* between two words there is a byte at least */
    if (!words.text) return PyErr_NoMemory();
    memset(&bins, 0, sizeof bins);
    if (find_words_of(&words, s, (size_t)n, find) == 0 &&
        (words.characters > 20 * words.count ? add_pairs : add_shingles)(&bins, &words, hash) == 0)
        result = put_bins(&bins);
    PyMem_Free(words.text);
    PyMem_Free(words.starts);
    return result;
}
