/* Words into terms, and what is added up of terms: the inner loops of a focused crawl, in C.
 *
 * terms_python.py is the reference in Python and explains each rule; tests hold the two equal.
 * Rows of doubles, one for each term, belong to the caller. Numbers of terms that come from outside are measured
 * against the rows before they are followed.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t i32;

/* ---- Porter's stemmer (1980); tests hold it equal to `words.stem` -------------------------------------- */

#define LONGEST 40 /* letters of a word; what is longer is a key or a line without spaces */

/* A word being stemmed, and for each letter whether it is a vowel. Room for two letters more. */
typedef struct {
    u8 s[LONGEST * 4 + 8];
    u8 vowel[LONGEST * 4 + 8];
    int n;
} Word;

static void shape(Word *w) {
    int before = 0; /* whether the letter before is a consonant */
    for (int i = 0; i < w->n; i++) {
        u8 c = w->s[i];
        int vowel = c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u' || (c == 'y' && before);
        w->vowel[i] = (u8)vowel;
        before = !vowel;
    }
}

/* The shape of a word's beginning is the beginning of its shape, so one shape serves all questions. */
static int measure(const Word *w, int n) {
    int m = 0;
    for (int i = 1; i < n; i++) m += w->vowel[i - 1] && !w->vowel[i];
    return m;
}

static int has_vowel(const Word *w, int n) {
    for (int i = 0; i < n; i++)
        if (w->vowel[i]) return 1;
    return 0;
}

static int ends(const Word *w, const char *ending, int size) {
    return w->n >= size && memcmp(w->s + w->n - size, ending, (size_t)size) == 0;
}
#define ENDS(w, ending) ends(w, ending, (int)sizeof(ending) - 1)

static int is_short(const Word *w, int n) {
    if (n < 3) return 0;
    u8 last = w->s[n - 1];
    return !w->vowel[n - 3] && w->vowel[n - 2] && !w->vowel[n - 1] && last != 'w' && last != 'x' && last != 'y';
}

static void put(Word *w, int base, const char *ending) {
    int size = (int)strlen(ending);
    memcpy(w->s + base, ending, (size_t)size);
    w->n = base + size;
    shape(w);
}

static void plural(Word *w) {
    if (ENDS(w, "sses") || ENDS(w, "ies")) w->n -= 2;
    else if (ENDS(w, "s") && !ENDS(w, "ss")) w->n -= 1;
}

/* What is left of a verb without its -ed or -ing, made a word again. */
static void mend(Word *w) {
    if (ENDS(w, "at") || ENDS(w, "bl") || ENDS(w, "iz")) {
        put(w, w->n, "e");
        return;
    }
    int n = w->n;
    u8 last = n ? w->s[n - 1] : 0;
    if (n > 1 && last == w->s[n - 2] && !w->vowel[n - 1] && !w->vowel[n - 2] && last != 'l' && last != 's' &&
        last != 'z')
        w->n--;
    else if (measure(w, n) == 1 && is_short(w, n))
        put(w, n, "e");
}

static void past(Word *w) {
    if (ENDS(w, "eed")) {
        if (measure(w, w->n - 3) > 0) w->n--;
        return;
    }
    int size = ENDS(w, "ed") ? 2 : ENDS(w, "ing") ? 3 : 0;
    if (size && has_vowel(w, w->n - size)) {
        w->n -= size;
        mend(w);
    }
}

typedef struct {
    const char *from, *to;
} Rule;

/* Each step's endings, longest first: the first that fits is the only one tried. */
static const Rule STEP2[] = {
    {"ational", "ate"}, {"ization", "ize"}, {"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"},
    {"tional", "tion"}, {"biliti", "ble"}, {"entli", "ent"}, {"ousli", "ous"}, {"ation", "ate"}, {"alism", "al"},
    {"aliti", "al"}, {"iviti", "ive"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"}, {"abli", "able"},
    {"alli", "al"}, {"ator", "ate"}, {"eli", "e"}, {NULL, NULL},
};
static const Rule STEP3[] = {
    {"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ness", ""}, {"ful", ""},
    {NULL, NULL},
};
static const Rule STEP4[] = {
    {"ement", ""}, {"ance", ""}, {"ence", ""}, {"able", ""}, {"ible", ""}, {"ment", ""}, {"ant", ""}, {"ent", ""},
    {"ion", ""}, {"ism", ""}, {"ate", ""}, {"iti", ""}, {"ous", ""}, {"ive", ""}, {"ize", ""}, {"al", ""}, {"er", ""},
    {"ic", ""}, {"ou", ""}, {NULL, NULL},
};

static void replace(Word *w, const Rule *rules, int least) {
    for (; rules->from; rules++) {
        int size = (int)strlen(rules->from), base = w->n - size;
        if (base < 1 || !ends(w, rules->from, size)) continue;
        if (strcmp(rules->from, "ion") == 0 && w->s[base - 1] != 's' && w->s[base - 1] != 't') return;
        if (measure(w, base) > least) put(w, base, rules->to);
        return;
    }
}

static void tidy(Word *w) {
    if (ENDS(w, "e")) {
        int m = measure(w, w->n - 1);
        if (m > 1 || (m == 1 && !is_short(w, w->n - 1))) w->n--;
    }
    if (ENDS(w, "ll") && measure(w, w->n) > 1) w->n--;
}

/* Stem a word of small letters a-z in place. */
static void stem_word(Word *w) {
    if (w->n < 3) return;
    shape(w);
    plural(w);
    past(w);
    if (ENDS(w, "y") && has_vowel(w, w->n - 1)) put(w, w->n - 1, "i");
    replace(w, STEP2, 0);
    replace(w, STEP3, 0);
    replace(w, STEP4, 1);
    tidy(w);
}

/* ---- the lexicon ------------------------------------------------------------------------------------- */

#define REMEMBERED 200000 /* words kept; beyond this we begin anew */
#define FULL 400000       /* terms; beyond this new words have none, until some are forgotten */
#define NOTHING (-1)      /* a word that has no term */
#define STOP (-2)
#define ANCHOR_TERMS 50 /* of one link */

/* Secrets of this process: who does not know them cannot write a page whose words all fall on one place. The
 * last two are odd. */
static u64 SECRET[3];

static int fill_secrets(void) {
    static const char *const names[] = {"start", "first", "second"};
    for (int i = 0; i < 3; i++) {
        PyObject *name = PyUnicode_FromString(names[i]); /* strings are hashed with a secret of Python's */
        if (!name) return -1;
        SECRET[i] = (u64)PyObject_Hash(name) * 0x9e3779b97f4a7c15u | (i > 0);
        Py_DECREF(name);
    }
    return 0;
}

/* With two multiplications no difference of two words passes through as it is, whatever the secrets are. */
static inline u64 mixed(u64 h) {
    h *= SECRET[1];
    h ^= h >> 32;
    return h * SECRET[2];
}

/* The first eight bytes stand in the entry itself: most words have no more, and need no second look. */
typedef struct {
    u64 start;
    u32 hash, from, length;
    i32 value;
} Entry;

/* Strings to numbers by open addressing; an empty place has no hash. */
typedef struct {
    Entry *entries;
    size_t room, count;
    u8 *bytes;
    size_t used, size;
} Table;

/* A string to be looked up. */
typedef struct {
    const u8 *s;
    size_t n;
    u64 start;
    u32 hash;
} Key;

static inline u64 some_bytes(const u8 *s, size_t n) {
    u64 found = 0;
    for (size_t i = 0; i < n; i++) found |= (u64)s[i] << (8 * i);
    return found;
}

/* `room` bytes may be read from s, of which n are the string. */
static inline Key key_of(const u8 *s, size_t n, size_t room) {
    Key key = {s, n, 0, 0};
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (room >= 8) {
        memcpy(&key.start, s, 8);
        if (n < 8) key.start &= ((u64)1 << (8 * n)) - 1;
    } else
#endif
        key.start = some_bytes(s, n < 8 ? n : 8);
    u64 h = mixed(key.start ^ n ^ SECRET[0]);
    for (size_t at = 8; at < n; at += 8) h = mixed(h ^ h >> 32 ^ some_bytes(s + at, n - at < 8 ? n - at : 8));
    key.hash = (u32)(h >> 32);
    if (!key.hash) key.hash = 1;
    return key;
}

static inline Key key(const void *s, size_t n) { return key_of(s, n, n); }

static inline Entry *find(const Table *table, const Key *key) {
    size_t mask = table->room - 1, at = key->hash & mask;
    for (;; at = (at + 1) & mask) {
        Entry *entry = table->entries + at;
        if (!entry->hash) return entry;
        if (entry->hash != key->hash || entry->start != key->start || entry->length != key->n) continue;
        if (key->n <= 8 || memcmp(table->bytes + entry->from, key->s, key->n) == 0) return entry;
    }
}

static int enlarge(Table *table) {
    size_t room = table->room ? table->room * 2 : 1024;
    Entry *entries = PyMem_Calloc(room, sizeof(Entry));
    if (!entries) return PyErr_NoMemory(), -1;
    for (size_t i = 0; i < table->room; i++) {
        Entry old = table->entries[i];
        if (!old.hash) continue;
        size_t at = old.hash & (room - 1);
        while (entries[at].hash) at = (at + 1) & (room - 1);
        entries[at] = old;
    }
    PyMem_Free(table->entries);
    table->entries = entries;
    table->room = room;
    return 0;
}

static int add(Table *table, const Key *key, i32 value) {
    size_t n = key->n;
    if (2 * (table->count + 1) > table->room && enlarge(table) < 0) return -1;
    if (table->size - table->used < n) {
        size_t size = table->size * 2 + n + 4096;
        u8 *bytes = size < UINT32_MAX ? PyMem_Realloc(table->bytes, size) : NULL;
        if (!bytes) return PyErr_NoMemory(), -1;
        table->bytes = bytes;
        table->size = size;
    }
    if (n) memcpy(table->bytes + table->used, key->s, n);
    *find(table, key) = (Entry){key->start, key->hash, (u32)table->used, (u32)n, value};
    table->used += n;
    table->count++;
    return 0;
}

static void drop(Table *table) {
    PyMem_Free(table->entries);
    PyMem_Free(table->bytes);
    memset(table, 0, sizeof *table);
}

/* Words to numbers, a word being its bytes if it has at most eight, and else 56 bits of its hash: no bytes are
 * kept, so that the table stays small. Among a hundred thousand long words two have the same hash once in
 * some ten million crawls, and then count as one. */
typedef struct {
    u64 key; /* 0 for an empty place */
    i32 value;
} Known;

typedef struct {
    Known *entries;
    size_t room, count;
} Words;

static inline u64 word_key(const u8 *s, size_t n, size_t room) {
    u64 found;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (room >= 8 && n <= 8) {
        memcpy(&found, s, 8);
        return n < 8 ? found & (((u64)1 << (8 * n)) - 1) : found;
    }
#endif
    if (n <= 8) return some_bytes(s, n);
    found = SECRET[0] ^ n;
    for (size_t at = 0; at < n; at += 8) {
        found = mixed(found ^ some_bytes(s + at, n - at < 8 ? n - at : 8));
        found ^= found >> 32;
    }
    return found | (u64)0xff << 56; /* which ends no word in UTF-8 */
}

static inline size_t word_slot(u64 key, size_t room) {
    return (size_t)(mixed(key ^ SECRET[0]) >> 32) & (room - 1);
}

static inline Known *find_word(const Words *words, u64 key) {
    size_t at = word_slot(key, words->room);
    while (words->entries[at].key && words->entries[at].key != key) at = (at + 1) & (words->room - 1);
    return words->entries + at;
}

static int add_word(Words *words, u64 key, i32 value) {
    if (4 * (words->count + 1) > 3 * words->room) {
        Words more = {NULL, words->room ? words->room * 2 : 1024, words->count};
        more.entries = PyMem_Calloc(more.room, sizeof(Known));
        if (!more.entries) return PyErr_NoMemory(), -1;
        for (size_t i = 0; i < words->room; i++)
            if (words->entries[i].key) *find_word(&more, words->entries[i].key) = words->entries[i];
        PyMem_Free(words->entries);
        *words = more;
    }
    *find_word(words, key) = (Known){key, value};
    words->count++;
    return 0;
}

static void drop_words(Words *words) {
    PyMem_Free(words->entries);
    memset(words, 0, sizeof *words);
}

typedef struct {
    u64 start; /* its first eight bytes as a number, the first byte weighing most */
    u32 from, length;
} Place;

static u64 in_order(const u8 *s, size_t n) {
    u64 found = 0;
    for (size_t i = 0; i < 8; i++) found = found << 8 | (i < n ? s[i] : 0);
    return found;
}

typedef struct {
    PyObject_HEAD
    Words words;
    Table terms, stops, plumbing;
    Place *places; /* of each term in the bytes of the terms */
    size_t room;
    u32 *counts; /* all 0 between calls */
    size_t counting;
} Lexicon;

/* The number of a term; NOTHING for a new one when there are `most`, or with an error set. */
static i32 term_number(Lexicon *self, const u8 *s, size_t n, size_t most) {
    Key term = key(s, n);
    if (self->terms.room) {
        Entry *entry = find(&self->terms, &term);
        if (entry->hash) return entry->value;
    }
    size_t number = self->terms.count;
    if (number >= most) return NOTHING;
    if (number == self->room) {
        size_t room = self->room * 2 + 1024;
        Place *places = room < INT32_MAX ? PyMem_Realloc(self->places, room * sizeof(Place)) : NULL;
        if (!places) return PyErr_NoMemory(), NOTHING;
        self->places = places;
        self->room = room;
    }
    if (add(&self->terms, &term, (i32)number) < 0) return NOTHING;
    self->places[number] = (Place){in_order(s, n), (u32)(self->terms.used - n), (u32)n};
    return (i32)number;
}

static int is_in(const Table *table, const u8 *s, size_t n) {
    Key word = key(s, n);
    return table->count && find(table, &word)->hash != 0;
}

/* The number of the term of a word never met; an error may be set. */
static i32 new_word(Lexicon *self, const u8 *s, size_t n) {
    if (is_in(&self->stops, s, n)) return NOTHING;
    if (n >= 2 && s[n - 1] == 's' && s[n - 2] == '\'') {
        n -= 2;
        if (is_in(&self->stops, s, n)) return NOTHING;
    }
    size_t letters = 0;
    int plain = 1;
    for (size_t i = 0; i < n; i++) {
        letters += (s[i] & 0xc0) != 0x80;
        plain &= s[i] >= 'a' && s[i] <= 'z';
    }
    if (letters < 2 || letters > LONGEST) return NOTHING;
    if (!plain) return term_number(self, s, n, FULL);
    Word w;
    memcpy(w.s, s, n);
    w.n = (int)n;
    stem_word(&w);
    return term_number(self, w.s, (size_t)w.n, FULL);
}

/* The number of a word's term. */
static inline i32 number_by(Lexicon *self, u64 key, const u8 *s, size_t n) {
    if (self->words.room) {
        Known *known = find_word(&self->words, key);
        if (known->key) return known->value;
    }
    i32 number = new_word(self, s, n);
    if (number == NOTHING && PyErr_Occurred()) return NOTHING;
    if (self->words.count >= REMEMBERED) drop_words(&self->words);
    return key && add_word(&self->words, key, number) < 0 ? NOTHING : number;
}

/* Some words or marks in their order. They are found first and looked up then, so that the places in the
 * table are on their way from memory while the next words are still being found. */
#define BATCH 64

typedef struct {
    const u8 *s;
    u64 key;
    u32 n;
} Token;

/* The end of the word that begins at s. */
static inline const u8 *word_end(const u8 *s, const u8 *end) {
#if defined(__GNUC__) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    while (end - s >= 8) { /* eight bytes at once: the lowest that is a space becomes the lowest bit that is set */
        u64 eight;
        memcpy(&eight, s, 8);
        eight ^= 0x2020202020202020u;
        u64 found = (eight - 0x0101010101010101u) & ~eight & 0x8080808080808080u;
        if (found) return s + (__builtin_ctzll(found) >> 3);
        s += 8;
    }
#endif
    while (s < end && *s != ' ') s++;
    return s;
}

static size_t next_tokens(const Lexicon *self, const u8 **from, const u8 *end, Token *tokens) {
    const u8 *s = *from;
    size_t count = 0;
    while (s < end && count < BATCH) {
        const u8 *start = s;
        s = word_end(s, end);
        if (s > start) {
            size_t n = (size_t)(s - start);
            u64 key = word_key(start, n, (size_t)(end - start));
            tokens[count++] = (Token){start, key, n < UINT32_MAX ? (u32)n : UINT32_MAX};
#if defined(__GNUC__)
            if (self->words.room) __builtin_prefetch(self->words.entries + word_slot(key, self->words.room));
#endif
        }
        s++;
    }
    *from = s;
    return count;
}

/* ---- numbers to be given back ------------------------------------------------------------------------ */

typedef struct {
    i32 *v;
    size_t count, room;
} Ints;

static int push(Ints *list, i32 value) {
    if (list->count == list->room) {
        size_t room = list->room * 2 + 256;
        i32 *v = PyMem_Realloc(list->v, room * sizeof(i32));
        if (!v) return PyErr_NoMemory(), -1;
        list->v = v;
        list->room = room;
    }
    list->v[list->count++] = value;
    return 0;
}

static PyObject *given(const void *v, size_t bytes) { return PyBytes_FromStringAndSize(v, (Py_ssize_t)bytes); }

/* The terms of words with spaces between them, after those in the list. */
static int push_terms(Lexicon *self, const u8 *s, const u8 *end, Ints *list) {
    Token tokens[BATCH];
    while (s < end) {
        size_t count = next_tokens(self, &s, end, tokens);
        for (size_t i = 0; i < count; i++) {
            i32 number = number_by(self, tokens[i].key, tokens[i].s, tokens[i].n);
            if ((number < 0 && PyErr_Occurred()) || (number >= 0 && push(list, number) < 0)) return -1;
        }
    }
    return 0;
}

static PyObject *lexicon_ids(Lexicon *self, PyObject *args) {
    const u8 *s;
    Py_ssize_t n;
    Ints list = {0};
    if (!PyArg_ParseTuple(args, "y#", &s, &n)) return NULL;
    PyObject *result = push_terms(self, s, s + n, &list) < 0 ? NULL : given(list.v, list.count * sizeof(i32));
    PyMem_Free(list.v);
    return result;
}

/* Read a text with marks. The terms of the page, then those that pictures are called; and for each link where
 * it begins and ends in the first, and where its own terms begin and end in both. */
static PyObject *lexicon_read(Lexicon *self, PyObject *args) {
    const u8 *s, *end;
    Py_ssize_t n;
    Ints page = {0}, called = {0}, spans = {0};
    Token tokens[BATCH];
    PyObject *result = NULL;
    i32 first = 0;
    size_t alt = 0;
    int silent = 0, failed = 0;
    if (!PyArg_ParseTuple(args, "y#", &s, &n)) return NULL;
    for (end = s + n; s < end && !failed;) {
        size_t some = next_tokens(self, &s, end, tokens);
        for (size_t i = 0; i < some && !failed; i++) {
            u64 key = tokens[i].key;
            if (key == 1) {
                first = (i32)page.count;
                alt = called.count;
            } else if (key == 2) {
                i32 last = (i32)page.count, most = last - first < ANCHOR_TERMS ? last : first + ANCHOR_TERMS;
                i32 from = silent ? -1 - (i32)alt : first, to = silent ? -1 - (i32)called.count : most;
                failed = push(&spans, first) < 0 || push(&spans, last) < 0 || push(&spans, from) < 0 ||
                         push(&spans, to) < 0;
                silent = 0;
            } else if (key == 3) {
                silent = 1;
            } else {
                i32 number = number_by(self, key, tokens[i].s, tokens[i].n);
                failed = (number < 0 && PyErr_Occurred()) || (number >= 0 && push(silent ? &called : &page, number) < 0);
            }
        }
    }
    size_t count = page.count;
    for (size_t i = 0; i < spans.count; i++) /* what pictures are called stands after the page */
        if (spans.v[i] < 0) spans.v[i] = (i32)count - 1 - spans.v[i];
    for (size_t i = 0; i < called.count && !failed; i++) failed = push(&page, called.v[i]) < 0;
    if (!failed) {
        PyObject *terms = given(page.v, page.count * sizeof(i32)), *links = given(spans.v, spans.count * sizeof(i32));
        if (terms && links) result = Py_BuildValue("(OnO)", terms, (Py_ssize_t)count, links);
        Py_XDECREF(terms);
        Py_XDECREF(links);
    }
    PyMem_Free(page.v);
    PyMem_Free(called.v);
    PyMem_Free(spans.v);
    return result;
}

/* The terms of an address in plain ASCII; None for another. */
static PyObject *lexicon_address(Lexicon *self, PyObject *args) {
    PyObject *url;
    Py_ssize_t n;
    Ints list = {0};
    u8 word[256];
    size_t length = 0;
    int apostrophe = 0, failed = 0;
    if (!PyArg_ParseTuple(args, "U", &url)) return NULL;
    const char *s = PyUnicode_AsUTF8AndSize(url, &n);
    if (!s) {
        PyErr_Clear(); /* half a surrogate pair */
        Py_RETURN_NONE;
    }
    for (Py_ssize_t i = 0; i < n; i++)
        if (s[i] == '%' || (u8)s[i] > 127) Py_RETURN_NONE;
    for (Py_ssize_t i = 0; i <= n && !failed; i++) {
        u8 c = i < n ? (u8)s[i] : 0, small = (u8)(c | 32);
        int letter = small >= 'a' && small <= 'z', hump = letter && c < 'a' && length && s[i - 1] >= 'a' && s[i - 1] <= 'z';
        int next = i + 1 < n ? (u8)(s[i + 1] | 32) : 0;
        if (length && (!letter || hump) && !(c == '\'' && !apostrophe && next >= 'a' && next <= 'z')) {
            i32 number = is_in(&self->plumbing, word, length) ? NOTHING : number_by(self, word_key(word, length, length), word, length);
            failed = (number < 0 && PyErr_Occurred()) || (number >= 0 && push(&list, number) < 0);
            length = 0;
            apostrophe = 0;
        }
        if (letter || (length && c == '\'')) {
            apostrophe |= !letter;
            if (length < sizeof word) word[length++] = letter ? small : c;
        }
    }
    PyObject *result = failed ? NULL : given(list.v, list.count * sizeof(i32));
    PyMem_Free(list.v);
    return result;
}

/* The terms of a text, each once in the order met, and how often each stands there. */
static PyObject *lexicon_count(Lexicon *self, PyObject *args) {
    const i32 *ids;
    Py_ssize_t n, most = -1;
    Ints found = {0}, often = {0};
    PyObject *result = NULL, *one = NULL, *two = NULL;
    int failed = 0;
    if (!PyArg_ParseTuple(args, "y#|n", &ids, &n, &most)) return NULL;
    n /= (Py_ssize_t)sizeof(i32);
    if (most >= 0 && most < n) n = most;
    if (self->counting < self->terms.count) {
        u32 *counts = PyMem_Realloc(self->counts, self->room * sizeof(u32));
        if (!counts) return PyErr_NoMemory();
        memset(counts + self->counting, 0, (self->room - self->counting) * sizeof(u32));
        self->counts = counts;
        self->counting = self->room;
    }
    for (Py_ssize_t i = 0; i < n && !failed; i++) {
        if (ids[i] < 0 || (size_t)ids[i] >= self->terms.count) continue;
        if (!self->counts[ids[i]]) failed = push(&found, ids[i]) < 0;
        self->counts[ids[i]]++;
    }
    for (size_t i = 0; i < found.count; i++) {
        if (!failed) failed = push(&often, (i32)self->counts[found.v[i]]) < 0;
        self->counts[found.v[i]] = 0;
    }
    if (!failed) one = given(found.v, found.count * sizeof(i32)), two = given(often.v, often.count * sizeof(i32));
    if (one && two) result = PyTuple_Pack(2, one, two);
    Py_XDECREF(one);
    Py_XDECREF(two);
    PyMem_Free(found.v);
    PyMem_Free(often.v);
    return result;
}

/* ---- rows -------------------------------------------------------------------------------------------- */

/* What is known of each term, in one row, as what is asked of a term is asked together: terms_python.py says what. */
enum { IDF, MATCH, OPINION, NAMED, NAMED_TOTAL, WORDS, FOLLOWED, FOLLOWED_TOTAL, WIDTH };

typedef struct {
    Py_buffer view;
    double *v;
    size_t n; /* rows, or numbers if they are no rows */
} Rows;

static int open_numbers(PyObject *from, Rows *rows, int writable) {
    memset(rows, 0, sizeof *rows);
    if (PyObject_GetBuffer(from, &rows->view, writable ? PyBUF_WRITABLE : PyBUF_SIMPLE) < 0) return -1;
    rows->v = rows->view.buf;
    rows->n = (size_t)rows->view.len / sizeof(double);
    if (!rows->n || (uintptr_t)rows->v % sizeof(double) == 0) return 0;
    PyBuffer_Release(&rows->view);
    return PyErr_SetString(PyExc_ValueError, "a column begins within a number"), -1;
}

static int open_rows(PyObject *from, Rows *rows, int writable) {
    if (open_numbers(from, rows, writable) < 0) return -1;
    rows->n /= WIDTH;
    return 0;
}

static void close_rows(Rows *rows) {
    if (rows->view.obj) PyBuffer_Release(&rows->view);
}

static int is_column(int column) {
    if (column >= 0 && column < WIDTH) return 1;
    PyErr_SetString(PyExc_ValueError, "there is no such column");
    return 0;
}

#define HAS(rows, id) ((id) >= 0 && (size_t)(id) < (rows).n)
#define AT(rows, id, column) (HAS(rows, id) ? (rows).v[WIDTH * (size_t)(id) + (size_t)(column)] : 0.0)

static double sigmoid(double z) { return z > -700 ? 1 / (1 + exp(-z)) : 0.0; }

/* 1 + ln(n), up to 99 of a term. */
static double DAMPED[100];

/* The logarithm of mentions, up to 20 of them and then no more. */
static double OFTEN[256];

static void fill_tables(void) {
    for (int n = 0; n < 100; n++) DAMPED[n] = 1 + log(n > 1 ? n : 1);
    for (int n = 0; n < 256; n++) OFTEN[n] = fmin(log(n > 1 ? n : 1), 3.0) / 3;
}

/* What a term weighs in the topic, times its idf; of each match its keyword's place, its factor and weight. */
static inline double hit_of(const Rows *rows, const Rows *matches, i32 id, double idf) {
    double match = AT(*rows, id, MATCH);
    if (!(match >= 1 && 3 * match <= (double)matches->n)) return 0.0;
    const double *row = matches->v + 3 * ((size_t)match - 1);
    return idf * row[1] * row[2];
}

typedef struct {
    double weight;
    u64 start; /* of its name, as a number that is larger later in the alphabet */
    i32 id;
} Heavy;

/* Heavier first; of two that weigh the same, the one later in the alphabet. */
static int before(const Lexicon *self, const Heavy *a, const Heavy *b) {
    if (a->weight != b->weight) return a->weight > b->weight;
    if (a->start != b->start) return a->start > b->start;
    if (a->id == b->id) return 0;
    Place one = self->places[a->id], two = self->places[b->id];
    const u8 *bytes = self->terms.bytes;
    int order = memcmp(bytes + one.from, bytes + two.from, one.length < two.length ? one.length : two.length);
    return order ? order > 0 : one.length > two.length;
}

/* Sift down in a heap whose root is the last in the order above. */
static void sift(const Lexicon *self, Heavy *heap, size_t at, size_t n) {
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= n) return;
        if (child + 1 < n && before(self, heap + child, heap + child + 1)) child++;
        if (!before(self, heap + at, heap + child)) return;
        Heavy swap = heap[at];
        heap[at] = heap[child];
        heap[child] = swap;
        at = child;
    }
}

/* Bring the first `most` in the order above to the front, in that order. */
static size_t choose(const Lexicon *self, Heavy *all, size_t n, size_t most) {
    if (most > n) most = n;
    for (size_t i = most / 2; i-- > 0;) sift(self, all, i, most);
    for (size_t i = most; i < n; i++)
        if (most && before(self, all + i, all)) {
            all[0] = all[i];
            sift(self, all, 0, most);
        }
    for (size_t i = most; i-- > 1;) {
        Heavy swap = all[0];
        all[0] = all[i];
        all[i] = swap;
        sift(self, all, 0, i);
    }
    return most;
}

/* The heaviest terms of a text as a vector of length 1, in their order if all are taken; then the squares of
 * all weights, and what they hit of the topic. */
static PyObject *lexicon_weigh(Lexicon *self, PyObject *args) {
    const i32 *ids, *often;
    Py_ssize_t n, m, most;
    PyObject *from, *matches, *result = NULL;
    Rows rows, match;
    double squares = 0.0, hits = 0.0, norm = 0.0;
    if (!PyArg_ParseTuple(args, "y#y#OOn", &ids, &n, &often, &m, &from, &matches, &most)) return NULL;
    if (n != m || most < 0) return PyErr_SetString(PyExc_ValueError, "as many counts as terms are needed"), NULL;
    size_t count = (size_t)n / sizeof(i32);
    if (open_rows(from, &rows, 0) < 0) return NULL;
    if (open_numbers(matches, &match, 0) < 0) return close_rows(&rows), NULL;
    Heavy *all = PyMem_Malloc((count + 1) * sizeof(Heavy));
    i32 *told = PyMem_Malloc((count + 1) * sizeof(i32));
    double *values = PyMem_Malloc((count + 1) * sizeof(double));
    if (all && told && values) {
        for (size_t i = 0; i < count; i++) {
            double damped = DAMPED[often[i] < 0 ? 0 : often[i] > 99 ? 99 : often[i]];
            i32 id = ids[i] >= 0 && (size_t)ids[i] < self->terms.count ? ids[i] : 0;
            double idf = AT(rows, ids[i], IDF), weight = damped * idf;
            all[i] = (Heavy){weight, self->terms.count ? self->places[id].start : 0, id};
            squares += weight * weight;
            hits += damped * hit_of(&rows, &match, ids[i], idf);
        }
        size_t kept = count > (size_t)most ? choose(self, all, count, (size_t)most) : count;
        for (size_t i = 0; i < kept; i++) norm += all[i].weight * all[i].weight;
        norm = norm > 0 ? sqrt(norm) : 1.0;
        for (size_t i = 0; i < kept; i++) told[i] = all[i].id, values[i] = all[i].weight / norm;
        PyObject *one = given(told, kept * sizeof(i32)), *two = given(values, kept * sizeof(double));
        if (one && two) result = Py_BuildValue("(OOdd)", one, two, squares, hits);
        Py_XDECREF(one);
        Py_XDECREF(two);
    } else {
        PyErr_NoMemory();
    }
    PyMem_Free(all);
    PyMem_Free(told);
    PyMem_Free(values);
    close_rows(&rows);
    close_rows(&match);
    return result;
}

/* The terms of a vector that say most by a column, strongest first: their numbers and what they say. */
static PyObject *lexicon_strongest(Lexicon *self, PyObject *args) {
    const i32 *ids;
    const double *values;
    Py_ssize_t n, m, most;
    PyObject *from, *result = NULL;
    int column;
    Rows rows;
    if (!PyArg_ParseTuple(args, "y#y#Oin", &ids, &n, &values, &m, &from, &column, &most)) return NULL;
    if (n * 2 != m || most < 0) return PyErr_SetString(PyExc_ValueError, "as many values as terms are needed"), NULL;
    if (!is_column(column) || open_rows(from, &rows, 0) < 0) return NULL;
    size_t count = (size_t)n / sizeof(i32), some = 0;
    Heavy *all = PyMem_Malloc((count + 1) * sizeof(Heavy));
    if (!all) PyErr_NoMemory();
    for (size_t i = 0; all && i < count; i++) {
        double said = AT(rows, ids[i], column) * values[i];
        if (said != 0.0 && ids[i] >= 0 && (size_t)ids[i] < self->terms.count) all[some++] = (Heavy){fabs(said), self->places[ids[i]].start, ids[i]};
    }
    if (all) {
        size_t kept = choose(self, all, some, (size_t)most);
        result = PyList_New(0);
        for (size_t i = 0; result && i < kept; i++) {
            double said = AT(rows, all[i].id, column) < 0 ? -all[i].weight : all[i].weight;
            PyObject *pair = Py_BuildValue("(id)", (int)all[i].id, said);
            if (!pair || PyList_Append(result, pair) < 0) Py_CLEAR(result);
            Py_XDECREF(pair);
        }
    }
    PyMem_Free(all);
    close_rows(&rows);
    return result;
}

static PyObject *lexicon_term(Lexicon *self, PyObject *args) {
    Py_ssize_t number;
    if (!PyArg_ParseTuple(args, "n", &number)) return NULL;
    if (number < 0 || (size_t)number >= self->terms.count) return PyErr_SetString(PyExc_IndexError, "no such term"), NULL;
    Place place = self->places[number];
    return PyUnicode_DecodeUTF8((const char *)self->terms.bytes + place.from, place.length, "replace");
}

static PyObject *lexicon_number(Lexicon *self, PyObject *args) {
    const char *s;
    Py_ssize_t n;
    if (!PyArg_ParseTuple(args, "s#", &s, &n)) return NULL;
    i32 number = term_number(self, (const u8 *)s, (size_t)n, INT32_MAX);
    return PyErr_Occurred() ? NULL : PyLong_FromLong(number);
}

/* Take terms from rows of a term, a space and a number; the numbers as doubles. */
static PyObject *lexicon_learn(Lexicon *self, PyObject *args) {
    const char *s;
    Py_ssize_t n;
    if (!PyArg_ParseTuple(args, "y#", &s, &n)) return NULL;
    const char *end = s + n;
    size_t count = 0;
    double *values = PyMem_Malloc(((size_t)n / 4 + 1) * sizeof(double)); /* no row has fewer signs */
    if (!values) return PyErr_NoMemory();
    while (s < end && !PyErr_Occurred()) {
        const char *stop = memchr(s, '\n', (size_t)(end - s)), *gap = stop ? memchr(s, ' ', (size_t)(stop - s)) : NULL;
        if (!gap || gap == s || gap + 1 == stop) {
            PyErr_SetString(PyExc_ValueError, "a row is a term, a space and a number");
            break;
        }
        const char *after = gap + 1;
        double value = 0.0;
        for (; after < stop && *after >= '0' && *after <= '9'; after++) value = value * 10 + (*after - '0');
        if (after < stop) value = PyOS_string_to_double(gap + 1, (char **)&after, NULL); /* no whole number */
        values[count] = value;
        if (!PyErr_Occurred() && (after != stop || term_number(self, (const u8 *)s, (size_t)(gap - s), INT32_MAX) != (i32)count))
            PyErr_SetString(PyExc_ValueError, "a term stands in two rows, or has no number");
        count++;
        s = stop + 1;
    }
    PyObject *result = PyErr_Occurred() ? NULL : given(values, count * sizeof(double));
    PyMem_Free(values);
    return result;
}

/* Write how telling the terms from a number on are into their rows: ln(1 + N/n); those without n are rare. */
static PyObject *lexicon_tell(Lexicon *self, PyObject *args) {
    const double *known;
    Py_ssize_t from, n;
    PyObject *all;
    double total;
    Rows rows;
    if (!PyArg_ParseTuple(args, "Ony#d", &all, &from, &known, &n, &total)) return NULL;
    if (open_rows(all, &rows, 1) < 0) return NULL;
    n /= (Py_ssize_t)sizeof(double);
    for (size_t i = from < 0 ? 0 : (size_t)from; i < self->terms.count && i < rows.n; i++) {
        double met = i < (size_t)n && known[i] > 0.5 ? known[i] : 0.5;
        rows.v[WIDTH * i + IDF] = log(1 + total / met);
    }
    close_rows(&rows);
    Py_RETURN_NONE;
}

/* The terms of which the columns from OPINION on say something, or that are named in `more`: their numbers, their
 * names with a line each, and what each of these columns says of all of them, as floats. */
static PyObject *lexicon_pack(Lexicon *self, PyObject *args) {
    const i32 *more;
    Py_ssize_t n;
    PyObject *from, *result = NULL, *numbers = NULL, *names = NULL, *values = NULL;
    Rows rows;
    if (!PyArg_ParseTuple(args, "Oy#", &from, &more, &n)) return NULL;
    if (open_rows(from, &rows, 0) < 0) return NULL;
    size_t total = self->terms.count, kept = 0, size = 0;
    u8 *used = PyMem_Calloc(total + 1, 1);
    i32 *ids = PyMem_Malloc((total + 1) * sizeof(i32));
    if (used && ids) {
        for (Py_ssize_t i = 0; i < n / (Py_ssize_t)sizeof(i32); i++)
            if (more[i] >= 0 && (size_t)more[i] < total) used[more[i]] = 1;
        for (size_t i = 0; i < total && i < rows.n; i++)
            for (int c = OPINION; c < WIDTH; c++) used[i] |= rows.v[WIDTH * i + (size_t)c] != 0.0;
        for (size_t i = 0; i < total; i++)
            if (used[i]) ids[kept++] = (i32)i, size += self->places[i].length + 1;
        numbers = given(ids, kept * sizeof(i32));
        names = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
        values = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(kept * (WIDTH - OPINION) * sizeof(float)));
    } else {
        PyErr_NoMemory();
    }
    if (numbers && names && values) {
        char *to = PyBytes_AsString(names);
        float *said = (float *)(void *)PyBytes_AsString(values);
        for (size_t i = 0; i < kept; i++) {
            Place place = self->places[ids[i]];
            memcpy(to, self->terms.bytes + place.from, place.length);
            to += place.length;
            *to++ = '\n';
        }
        for (int c = OPINION; c < WIDTH; c++)
            for (size_t i = 0; i < kept; i++) *said++ = (float)AT(rows, ids[i], c);
        result = PyTuple_Pack(3, numbers, names, values);
    }
    Py_XDECREF(numbers);
    Py_XDECREF(names);
    Py_XDECREF(values);
    PyMem_Free(used);
    PyMem_Free(ids);
    close_rows(&rows);
    return result;
}

/* ---- adding up --------------------------------------------------------------------------------------- */

static PyObject *dot(PyObject *module, PyObject *args) {
    const i32 *ids;
    const double *values;
    Py_ssize_t n, m;
    PyObject *from;
    int column;
    Rows rows;
    double sum;
    (void)module;
    if (!PyArg_ParseTuple(args, "y#y#Oid", &ids, &n, &values, &m, &from, &column, &sum)) return NULL;
    if (n * 2 != m) return PyErr_SetString(PyExc_ValueError, "as many values as terms are needed"), NULL;
    if (!is_column(column) || open_rows(from, &rows, 0) < 0) return NULL;
    for (Py_ssize_t i = 0; i < n / (Py_ssize_t)sizeof(i32); i++) sum += AT(rows, ids[i], column) * values[i];
    close_rows(&rows);
    return PyFloat_FromDouble(sum);
}

/* Add the same to a column at each of some terms. */
static PyObject *raise_all(PyObject *module, PyObject *args) {
    const i32 *ids;
    Py_ssize_t n;
    PyObject *from;
    int column;
    Rows rows;
    double gain;
    (void)module;
    if (!PyArg_ParseTuple(args, "y#Oid", &ids, &n, &from, &column, &gain)) return NULL;
    if (!is_column(column) || open_rows(from, &rows, 1) < 0) return NULL;
    for (Py_ssize_t i = 0; i < n / (Py_ssize_t)sizeof(i32); i++)
        if (HAS(rows, ids[i])) rows.v[WIDTH * (size_t)ids[i] + (size_t)column] += gain;
    close_rows(&rows);
    Py_RETURN_NONE;
}

/* Set a column to 0. */
static PyObject *clear(PyObject *module, PyObject *args) {
    PyObject *from;
    int column;
    Rows rows;
    (void)module;
    if (!PyArg_ParseTuple(args, "Oi", &from, &column)) return NULL;
    if (!is_column(column) || open_rows(from, &rows, 1) < 0) return NULL;
    for (size_t i = 0; i < rows.n; i++) rows.v[WIDTH * i + (size_t)column] = 0.0;
    close_rows(&rows);
    Py_RETURN_NONE;
}

/* Logistic regression over a column by some rounds of steps; the new bias. An example is its vector, whether it is
 * relevant, and two factors of its steps. */
static PyObject *fit(PyObject *module, PyObject *args) {
    PyObject *examples, *from;
    int column, rounds;
    double bias, size;
    Rows rows;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!idOid", &PyList_Type, &examples, &rounds, &size, &from, &column, &bias)) return NULL;
    if (!is_column(column) || open_rows(from, &rows, 1) < 0) return NULL;
    for (int turn = 0; turn < rounds && !PyErr_Occurred(); turn++) {
        for (Py_ssize_t i = 0; i < PyList_Size(examples); i++) {
            const i32 *ids;
            const double *values;
            Py_ssize_t n, m;
            double relevant, weight, share, odds = bias;
            if (!PyArg_ParseTuple(PyList_GetItem(examples, i), "y#y#ddd", &ids, &n, &values, &m, &relevant, &weight, &share))
                break;
            if (n * 2 != m) {
                PyErr_SetString(PyExc_ValueError, "as many values as terms are needed");
                break;
            }
            n /= (Py_ssize_t)sizeof(i32);
            for (Py_ssize_t k = 0; k < n; k++) odds += AT(rows, ids[k], column) * values[k];
            double error = relevant - sigmoid(odds);
            if (fabs(error) < 0.01) continue;
            double gain = size / (1 + 0.1 * turn) * weight * error * share;
            for (Py_ssize_t k = 0; k < n; k++)
                if (HAS(rows, ids[k])) rows.v[WIDTH * (size_t)ids[k] + (size_t)column] += values[k] * gain;
            bias += 0.1 * gain;
        }
    }
    close_rows(&rows);
    return PyErr_Occurred() ? NULL : PyFloat_FromDouble(bias);
}

/* A page as one vector of blocks: its text, then title, address and anchors, each of a length by its weight. The place of
 * a term is its number in the text, and a number from NAMES_FROM on in the others. `usual` has a limit of the idf of each
 * term in the text, `named` its three idfs in the others, both as floats; the last are for all other terms. */
#define BLOCKS 4
#define NAMES_FROM (1 << 19)
static PyObject *blocks(PyObject *module, PyObject *args) {
    const i32 *part[BLOCKS];
    const double *values;
    const char *limits, *idfs;
    Py_ssize_t n[BLOCKS], m, limited, named;
    PyObject *from[2], *result = NULL;
    Rows rows, weights;
    (void)module;
    if (!PyArg_ParseTuple(args, "y#y#(y#y#y#)Oy#y#O", &part[0], &n[0], &values, &m, &part[1], &n[1], &part[2], &n[2],
                          &part[3], &n[3], &from[0], &limits, &limited, &idfs, &named, &from[1]))
        return NULL;
    if (n[0] * 2 != m) return PyErr_SetString(PyExc_ValueError, "as many values as terms are needed"), NULL;
    if (open_rows(from[0], &rows, 0) < 0) return NULL;
    if (open_numbers(from[1], &weights, 0) < 0) goto done;
    limited /= (Py_ssize_t)sizeof(float), named /= (Py_ssize_t)(3 * sizeof(float));
    if (limited < 1 || named < 1 || weights.n != BLOCKS) {
        PyErr_SetString(PyExc_ValueError, "these are not the usual numbers of terms");
        goto done;
    }
    size_t all = 0, size = 0;
    for (int b = 0; b < BLOCKS; b++) all += (size_t)(n[b] /= (Py_ssize_t)sizeof(i32));
    int64_t *places = PyMem_Malloc((all + 1) * sizeof *places);
    double *found = PyMem_Malloc((all + 1) * sizeof *found);
    for (int b = 0; places && found && b < BLOCKS; b++) {
        double squares = 0.0;
        size_t start = size;
        for (Py_ssize_t i = 0; i < n[b]; i++) {
            i32 id = part[b][i];
            float usual;
            if (id < 0 || id >= NAMES_FROM) continue;
            if (b == 0) memcpy(&usual, limits + sizeof usual * (size_t)(id < limited ? id : limited - 1), sizeof usual);
            else memcpy(&usual, idfs + sizeof usual * (size_t)(3 * (id < named ? id : named - 1) + b - 1), sizeof usual);
            double x = usual;
            if (b == 0) {
                double idf = AT(rows, id, IDF), share = x / (idf > 1e-9 ? idf : 1e-9);
                x = values[i] * (share < 1.0 ? share : 1.0);
            }
            squares += x * x;
            places[size] = b == 0 ? id : NAMES_FROM + 3 * (int64_t)id + b - 1;
            found[size++] = x;
        }
        double length = sqrt(squares / weights.v[b]);
        for (size_t i = start; i < size && length != 0.0; i++) found[i] /= length;
    }
    if (places && found) {
        PyObject *at = given(places, size * sizeof *places), *worth = given(found, size * sizeof *found);
        if (at && worth) result = PyTuple_Pack(2, at, worth);
        Py_XDECREF(at);
        Py_XDECREF(worth);
    } else
        PyErr_NoMemory();
    PyMem_Free(places);
    PyMem_Free(found);
done:
    close_rows(&rows);
    close_rows(&weights);
    return result;
}

/* How many words a text has, then how often each of some words is among them. */
static PyObject *spoken(PyObject *module, PyObject *args) {
    const u8 *text;
    Py_ssize_t size;
    PyObject *words;
    (void)module;
    if (!PyArg_ParseTuple(args, "y#O!", &text, &size, &PyTuple_Type, &words)) return NULL;
    Py_ssize_t count = PyTuple_Size(words), total = 0;
    struct { const char *s; size_t n; long often; } sought[64];
    if (count > 64) return PyErr_SetString(PyExc_ValueError, "these are too many words"), NULL;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *word = PyTuple_GetItem(words, i);
        if (!PyBytes_Check(word)) return PyErr_SetString(PyExc_TypeError, "words are bytes"), NULL;
        sought[i].s = PyBytes_AsString(word), sought[i].n = (size_t)PyBytes_Size(word), sought[i].often = 0;
    }
#define SPACE(c) ((c) == ' ' || ((c) >= 9 && (c) <= 13))
    for (const u8 *s = text, *end = text + size; s < end;) {
        while (s < end && SPACE(*s)) s++;
        const u8 *start = s;
        while (s < end && !SPACE(*s)) s++;
        if (s == start) continue;
        total++;
        for (Py_ssize_t i = 0; i < count; i++)
            if (sought[i].n == (size_t)(s - start) && !memcmp(sought[i].s, start, sought[i].n)) sought[i].often++;
    }
    PyObject *result = PyList_New(1 + count);
    for (Py_ssize_t i = -1; result && i < count; i++) {
        PyObject *number = PyLong_FromSsize_t(i < 0 ? total : sought[i].often);
        if (!number || PyList_SetItem(result, i + 1, number) < 0) Py_CLEAR(result);
    }
    return result;
}

/* ---- the links of a page ----------------------------------------------------------------------------- */

/* Numbers in the order of terms_python.py. */
enum { NORM, NAMED_USUAL, NAMED_PRIOR, FOLLOWED_USUAL, FOLLOWED_PRIOR, RELEVANCE, COSINE, LEVEL, BIAS, NUMBERS };
#define FEATURES 17
#define BODY 13
#define HEAD 2
#define TEXT (HEAD + BODY * 4)
#define MOST 255
#define LONGEST_TEXT 1500

typedef struct {
    Lexicon *lexicon;
    Rows rows, numbers, weights, matches;
    double *covered;                  /* best factor of each place, all 0 between calls */
} Bench;

/* What some terms say: cosine, coverage, and the page judge's opinion. */
static void tell(Bench *bench, const i32 *ids, size_t n, double told[3]) {
    double squares = 0.0, hits = 0.0, judged = 0.0, covers = 0.0;
    const Rows *rows = &bench->rows;
    const double *matches = bench->matches.v;
    size_t most = bench->matches.n / 3;
    told[0] = told[1] = told[2] = 0.0;
    for (size_t i = 0; i < n; i++) {
        double idf = AT(*rows, ids[i], IDF), opinion = AT(*rows, ids[i], OPINION);
        squares += idf * idf;
        hits += hit_of(rows, &bench->matches, ids[i], idf);
        if (opinion != 0.0) judged += idf * opinion;
    }
    if (squares == 0.0) return;
    if (hits != 0.0) {
        for (int turn = 0; turn < 2; turn++) /* the best factor of each place, then each once */
            for (size_t i = 0; i < n; i++) {
                double match = AT(*rows, ids[i], MATCH);
                if (!(match >= 1 && match <= (double)most)) continue;
                const double *row = matches + 3 * ((size_t)match - 1);
                if (!(row[0] >= 0 && row[0] < (double)most)) continue;
                size_t place = (size_t)row[0];
                if (turn == 0) {
                    if (row[1] > bench->covered[place]) bench->covered[place] = row[1];
                } else if (bench->covered[place] != 0.0) {
                    double part = bench->covered[place] * row[2];
                    covers += part * part;
                    bench->covered[place] = 0.0;
                }
            }
    }
    double length = sqrt(squares), norm = bench->numbers.v[NORM];
    told[0] = hits / length / norm;
    told[1] = sqrt(covers) / norm;
    told[2] = tanh(judged / length / 2);
}

/* How the pages turned out that had these terms, as Records.of. */
static double record(const Rows *rows, int met, int totals, const i32 *ids, size_t n, double usual, double prior) {
    double total = 0.0;
    int known = 0;
    for (size_t i = 0; i < n; i++) {
        double times = AT(*rows, ids[i], met);
        if (times <= 0.0) continue;
        double share = (AT(*rows, ids[i], totals) + prior * usual) / (times + prior);
        double odds = log(share * (1 - usual) / (usual * (1 - share)));
        if (odds != 0.0) total += odds, known++;
    }
    return known ? tanh(total / known / 2) : 0.0;
}

#define MANY (LONGEST_TEXT / 2 + 1) /* terms of one link; its text holds no more, with a space between them */

/* The evidence of a link by its packed bytes, and the numbers of its terms; how many there are. */
static size_t evidence_of(Bench *bench, const u8 *known, size_t size, double host, double section, double x[FEATURES],
                          i32 ids[MANY]) {
    float v[BODY];
    size_t n = 0;
    memcpy(v, known + HEAD, sizeof v);
    for (const u8 *s = known + TEXT, *end = known + size; s < end && n < MANY; s++) {
        const u8 *start = s;
        while (s < end && *s != ' ') s++;
        if (s == start) continue;
        size_t length = (size_t)(s - start);
        const Table *terms = &bench->lexicon->terms;
        Key term = key_of(start, length, (size_t)(end - start));
        Entry *entry = terms->room ? find(terms, &term) : NULL;
        ids[n++] = entry && entry->hash ? entry->value : NOTHING;
    }
    const double *numbers = bench->numbers.v;
    const Rows *rows = &bench->rows;
    double often = OFTEN[known[0]], mean = 2 * (double)v[9] - 1;
    const double found[FEATURES] = {
        v[0], v[3], v[11], v[6], v[1], v[4], v[2], v[5], v[8], mean, 2 * (double)v[10] - 1, often * mean, often, host,
        section, record(rows, NAMED, NAMED_TOTAL, ids, n, numbers[NAMED_USUAL], numbers[NAMED_PRIOR]),
        record(rows, FOLLOWED, FOLLOWED_TOTAL, ids, n, numbers[FOLLOWED_USUAL], numbers[FOLLOWED_PRIOR]),
    };
    memcpy(x, found, sizeof found);
    return n;
}

/* The log-odds of a link by its evidence and its terms. */
static double odds_by(const Bench *bench, const double x[FEATURES], const i32 *ids, size_t n) {
    double odds = bench->numbers.v[BIAS];
    for (int i = 0; i < FEATURES; i++) odds += bench->weights.v[i] * x[i];
    if (n) {
        double sum = 0.0;
        for (size_t i = 0; i < n; i++) sum += AT(bench->rows, ids[i], WORDS);
        odds += sum / sqrt((double)n);
    }
    return odds;
}

/* The same by its packed bytes. */
static double odds_of(Bench *bench, const u8 *known, size_t size, double host, double section) {
    i32 ids[MANY];
    double x[FEATURES];
    size_t n = evidence_of(bench, known, size, host, section, x, ids);
    return odds_by(bench, x, ids, n);
}

/* One more mention of a link known already: anchors keep the best, surroundings and parents their mean. */
static void again(Bench *bench, u8 *known, const double told[3], const double around[3]) {
    float v[BODY];
    double relevance = bench->numbers.v[RELEVANCE], cosine = bench->numbers.v[COSINE];
    int n = known[0] < MOST ? known[0] + 1 : MOST;
    known[0] = (u8)n;
    memcpy(v, known + HEAD, sizeof v);
    for (int i = 0; i < 3; i++) {
        if (told[i] > (double)v[3 + i]) v[3 + i] = (float)told[i];
        v[6 + i] = (float)((double)v[6 + i] + (around[i] - (double)v[6 + i]) / n);
    }
    v[9] = (float)((double)v[9] + (relevance - (double)v[9]) / n);
    v[10] = (float)((double)v[10] > relevance ? (double)v[10] : relevance);
    v[11] = (float)((double)v[11] + (cosine - (double)v[11]) / n);
    v[12] = (float)((double)v[12] > cosine ? (double)v[12] : cosine);
    memcpy(known + HEAD, v, sizeof v);
}

/* The first mention: what address, anchor and surroundings say, and the terms of the first two. */
static size_t first_mention(Bench *bench, u8 *known, PyObject *address, const i32 *anchor, size_t n, const double told[3],
                          const double around[3]) {
    double own_told[3];
    float v[BODY];
    i32 seen[MANY];
    size_t count = 0, size = TEXT, own = (size_t)PyBytes_Size(address) / sizeof(i32);
    const i32 *words = (const i32 *)(const void *)PyBytes_AsString(address);
    tell(bench, words, own, own_told);
    for (int i = 0; i < 3; i++) v[i] = (float)own_told[i], v[3 + i] = (float)told[i], v[6 + i] = (float)around[i];
    v[9] = v[10] = (float)bench->numbers.v[RELEVANCE];
    v[11] = v[12] = (float)bench->numbers.v[COSINE];
    known[0] = 1;
    known[1] = 0;
    memcpy(known + HEAD, v, sizeof v);
    for (size_t i = 0; i < own + n && count < MANY; i++) {
        i32 id = i < own ? words[i] : anchor[i - own];
        size_t at = 0;
        while (at < count && seen[at] != id) at++;
        if (at < count || id < 0 || (size_t)id >= bench->lexicon->terms.count) continue;
        Place place = bench->lexicon->places[id];
        if (size + (count > 0) + place.length > TEXT + LONGEST_TEXT) break;
        if (count) known[size++] = ' ';
        memcpy(known + size, bench->lexicon->terms.bytes + place.from, place.length);
        size += place.length;
        seen[count++] = id;
    }
    return size;
}

/* `more` are the numbers, the weights and the matches. */
static int open_bench(Bench *bench, Lexicon *lexicon, PyObject *rows, PyObject *more) {
    memset(bench, 0, sizeof *bench);
    bench->lexicon = lexicon;
    if (!PyTuple_Check(more) || PyTuple_Size(more) != 3) return PyErr_SetString(PyExc_TypeError, "three are needed"), -1;
    if (open_rows(rows, &bench->rows, 0) < 0) return -1;
    if (open_numbers(PyTuple_GetItem(more, 0), &bench->numbers, 0) < 0) return -1;
    if (open_numbers(PyTuple_GetItem(more, 1), &bench->weights, 0) < 0) return -1;
    if (open_numbers(PyTuple_GetItem(more, 2), &bench->matches, 0) < 0) return -1;
    bench->covered = PyMem_Calloc(bench->matches.n / 3 + 1, sizeof(double));
    if (!bench->covered) PyErr_NoMemory();
    else if (bench->numbers.n != NUMBERS || bench->weights.n != FEATURES)
        PyErr_SetString(PyExc_ValueError, "these are not the numbers of a judge");
    return PyErr_Occurred() ? -1 : 0;
}

static void close_bench(Bench *bench) {
    PyMem_Free(bench->covered);
    close_rows(&bench->rows);
    close_rows(&bench->numbers);
    close_rows(&bench->weights);
    close_rows(&bench->matches);
}

static int is_known(PyObject *known) { return PyBytes_Check(known) && PyBytes_Size(known) >= TEXT; }

/* The score of a link that waits. */
static PyObject *lexicon_score(Lexicon *self, PyObject *args) {
    PyObject *known, *rows, *more, *result = NULL;
    double host, section;
    Bench bench;
    if (!PyArg_ParseTuple(args, "OddOO", &known, &host, &section, &rows, &more)) return NULL;
    if (!is_known(known)) return PyErr_SetString(PyExc_ValueError, "these are not the bytes of a link"), NULL;
    if (open_bench(&bench, self, rows, more) == 0)
        result = PyFloat_FromDouble(
            sigmoid(odds_of(&bench, (const u8 *)PyBytes_AsString(known), (size_t)PyBytes_Size(known), host, section)));
    close_bench(&bench);
    return result;
}

/* Where the pages of an address are recorded: its host with the first folder, as guide.section_of. */
static PyObject *section_of(PyObject *url) {
    Py_ssize_t size = PyUnicode_GetLength(url), from = 8;
    if (size < 0) return NULL;
    PyObject *start = PyUnicode_Substring(url, 0, 4);
    if (!start) return NULL;
    int web = PyUnicode_CompareWithASCIIString(start, "http") == 0;
    Py_DECREF(start);
    if (!web) {
        for (from = 0; from + 1 < size; from++)
            if (PyUnicode_ReadChar(url, from) == '/' && PyUnicode_ReadChar(url, from + 1) == '/') break;
        from = from + 1 < size ? from + 2 : 1;
    }
    Py_ssize_t first = from < size ? PyUnicode_FindChar(url, '/', from, size, 1) : -1;
    if (first < 0) return PyErr_Occurred() ? NULL : Py_NewRef(url);
    Py_ssize_t second = PyUnicode_FindChar(url, '/', first + 1, size, 1);
    return second > 0 ? PyUnicode_Substring(url, 0, second) : PyUnicode_Substring(url, 0, first + 1);
}

/* The log-odds of the best parent's other links beyond the usual, as siblings.sibling_odds. */
static double sibling_odds(PyObject *parents, PyObject *records, PyObject *url, double usual, double prior) {
    PyObject *pages = PyDict_GetItemWithError(parents, url);
    if (!pages) return 0.0;
    if (!PyTuple_Check(pages)) return PyErr_SetString(PyExc_TypeError, "parents are tuples"), 0.0;
    double best = -1.0;
    for (Py_ssize_t i = 0; i < PyTuple_Size(pages); i++) {
        double total, n;
        PyObject *record = PyDict_GetItemWithError(records, PyTuple_GetItem(pages, i));
        if (!record && PyErr_Occurred()) return 0.0;
        if (!record) continue;
        if (!PyTuple_Check(record)) return PyErr_SetString(PyExc_TypeError, "records are tuples"), 0.0;
        if (!PyArg_ParseTuple(record, "dd", &total, &n)) return 0.0;
        double rate = (total + prior * usual) / (n + prior);
        if (rate > best) best = rate;
    }
    return best < 0 ? 0.0 : log(best * (1 - usual) / ((1 - best) * usual));
}

/* Some links that wait with their scores now. */
static PyObject *lexicon_rescore(Lexicon *self, PyObject *args) {
    PyObject *pending, *urls, *pasts, *parents, *records, *rows, *more, *result = NULL;
    double usual, prior;
    Bench bench;
    if (!PyArg_ParseTuple(args, "O!O!O!(O!O!dd)OO", &PyDict_Type, &pending, &PyList_Type, &urls, &PyDict_Type, &pasts,
                          &PyDict_Type, &parents, &PyDict_Type, &records, &usual, &prior, &rows, &more))
        return NULL;
    if (open_bench(&bench, self, rows, more) == 0) result = PyList_New(0);
    for (Py_ssize_t i = 0; result && i < PyList_Size(urls); i++) {
        PyObject *url = PyList_GetItem(urls, i), *one = NULL;
        double host, section;
        PyObject *known = PyDict_GetItemWithError(pending, url);
        if (!known && !PyErr_Occurred()) continue;
        if (!known || !is_known(known) || !PyUnicode_Check(url)) {
            if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "these are not the bytes of a link");
            Py_CLEAR(result);
            break;
        }
        Py_INCREF(url);
        Py_INCREF(known); /* what is asked for a folder may change the dict */
        PyObject *folder = section_of(url), *past = folder ? PyDict_GetItemWithError(pasts, folder) : NULL;
        if (past) Py_INCREF(past);
        else if (folder && !PyErr_Occurred()) past = PyObject_GetItem(pasts, folder); /* works it out */
        if (past && PyTuple_Check(past) && PyArg_ParseTuple(past, "dd", &host, &section)) {
            const u8 *bytes = (const u8 *)PyBytes_AsString(known);
            double odds = odds_of(&bench, bytes, (size_t)PyBytes_Size(known), host, section);
            odds += sibling_odds(parents, records, url, usual, prior);
            if (!PyErr_Occurred()) one = Py_BuildValue("(Od)", url, sigmoid(odds));
        } else if (past && !PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "a past is two numbers");
        if (!one || PyList_Append(result, one) < 0) Py_CLEAR(result);
        Py_XDECREF(one);
        Py_XDECREF(past);
        Py_XDECREF(folder);
        Py_DECREF(known);
        Py_DECREF(url);
    }
    close_bench(&bench);
    return result;
}

/* All evidence of a link that waits, in the order of the weights. */
static PyObject *lexicon_evidence(Lexicon *self, PyObject *args) {
    PyObject *known, *rows, *more, *result = NULL;
    double host, section, x[FEATURES];
    i32 ids[MANY];
    Bench bench;
    if (!PyArg_ParseTuple(args, "OddOO", &known, &host, &section, &rows, &more)) return NULL;
    if (!is_known(known)) return PyErr_SetString(PyExc_ValueError, "these are not the bytes of a link"), NULL;
    if (open_bench(&bench, self, rows, more) == 0) {
        const u8 *s = (const u8 *)PyBytes_AsString(known);
        evidence_of(&bench, s, (size_t)PyBytes_Size(known), host, section, x, ids);
        result = PyTuple_New(FEATURES);
        for (int i = 0; result && i < FEATURES; i++) {
            PyObject *value = PyFloat_FromDouble(x[i]);
            if (!value || PyTuple_SetItem(result, i, value) < 0) Py_CLEAR(result);
        }
    }
    close_bench(&bench);
    return result;
}

#define AROUND 20

/* One link: what is known of it after this mention goes into `pending`; its score and level. */
static PyObject *see(Bench *bench, PyObject *pending, PyObject *link, const i32 *ids, size_t total, size_t page) {
    PyObject *url, *address;
    int first, last, from, to;
    double host, section;
    double told[3], near[3];
    i32 around[2 * AROUND];
    u8 known[TEXT + LONGEST_TEXT + 8];
    size_t size, n = 0;
    if (!PyArg_ParseTuple(link, "OiiiiddO", &url, &first, &last, &from, &to, &host, &section, &address)) return NULL;
    if (first < 0 || last < first || (size_t)last > page || from < 0 || to < from || (size_t)to > total)
        return PyErr_SetString(PyExc_ValueError, "a link stands outside of its page"), NULL;
    for (int i = first > AROUND ? first - AROUND : 0; i < first; i++) around[n++] = ids[i];
    for (size_t i = (size_t)last; i < page && i < (size_t)last + AROUND; i++) around[n++] = ids[i];
    tell(bench, ids + from, (size_t)(to - from), told);
    tell(bench, around, n, near);
    PyObject *old = PyDict_GetItemWithError(pending, url);
    if (!old && PyErr_Occurred()) return NULL;
    int level = MOST, before = old && is_known(old) && (size_t)PyBytes_Size(old) <= sizeof known;
    if (before) {
        size = (size_t)PyBytes_Size(old);
        memcpy(known, PyBytes_AsString(old), size);
        level = known[1];
        again(bench, known, told, near);
    } else {
        if (!PyBytes_Check(address)) return PyErr_SetString(PyExc_TypeError, "an address is needed"), NULL;
        size = first_mention(bench, known, address, ids + from, (size_t)(to - from), told, near);
    }
    double score = sigmoid(odds_of(bench, known, size, host, section));
    int now = score > 0.5 ? 0 : (int)bench->numbers.v[LEVEL] + 1;
    if (!before || now < level) level = now;
    known[1] = (u8)(level < MOST ? level : MOST);
    PyObject *bytes = given(known, size);
    int failed = !bytes || PyDict_SetItem(pending, url, bytes) < 0;
    Py_XDECREF(bytes);
    return failed ? NULL : Py_BuildValue("(Odi)", url, score, level);
}

/* All links of a page. */
static PyObject *lexicon_add_mentions(Lexicon *self, PyObject *args) {
    const i32 *ids;
    Py_ssize_t n, page;
    PyObject *pending, *links, *rows, *more, *result = NULL;
    Bench bench;
    if (!PyArg_ParseTuple(args, "O!O!y#nOO", &PyDict_Type, &pending, &PyList_Type, &links, &ids, &n, &page, &rows,
                          &more))
        return NULL;
    size_t total = (size_t)n / sizeof(i32);
    if (page < 0 || (size_t)page > total) return PyErr_SetString(PyExc_ValueError, "a page is longer than itself"), NULL;
    if (open_bench(&bench, self, rows, more) == 0) result = PyList_New(0);
    for (Py_ssize_t i = 0; result && i < PyList_Size(links); i++) {
        PyObject *link = PyList_GetItem(links, i);
        Py_INCREF(link);
        PyObject *told = see(&bench, pending, link, ids, total, (size_t)page);
        Py_DECREF(link);
        if (!told || PyList_Append(result, told) < 0) Py_CLEAR(result);
        Py_XDECREF(told);
    }
    close_bench(&bench);
    return result;
}

/* ---- the module -------------------------------------------------------------------------------------- */

static int fill(Table *table, PyObject *words) {
    for (Py_ssize_t i = 0; i < PyList_Size(words); i++) {
        Py_ssize_t n;
        const char *s = PyUnicode_AsUTF8AndSize(PyList_GetItem(words, i), &n);
        if (!s) return -1;
        Key word = key(s, (size_t)n);
        if (!is_in(table, word.s, word.n) && add(table, &word, STOP) < 0) return -1;
    }
    return 0;
}

static int lexicon_init(PyObject *self, PyObject *args, PyObject *kwargs) {
    PyObject *stops, *plumbing;
    Lexicon *lexicon = (Lexicon *)self;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "O!O!", &PyList_Type, &stops, &PyList_Type, &plumbing)) return -1;
    return fill(&lexicon->stops, stops) < 0 || fill(&lexicon->plumbing, plumbing) < 0 ? -1 : 0;
}

static void lexicon_dealloc(PyObject *self) {
    Lexicon *lexicon = (Lexicon *)self;
    PyTypeObject *type = Py_TYPE(self);
    drop_words(&lexicon->words);
    drop(&lexicon->terms);
    drop(&lexicon->stops);
    drop(&lexicon->plumbing);
    PyMem_Free(lexicon->places);
    PyMem_Free(lexicon->counts);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static Py_ssize_t lexicon_length(PyObject *self) { return (Py_ssize_t)((Lexicon *)self)->terms.count; }

static PyObject *stem(PyObject *module, PyObject *args) {
    const char *s;
    Py_ssize_t n;
    Word w;
    (void)module;
    if (!PyArg_ParseTuple(args, "s#", &s, &n)) return NULL;
    int plain = n >= 3 && n <= LONGEST;
    for (Py_ssize_t i = 0; plain && i < n; i++) plain = s[i] >= 'a' && s[i] <= 'z';
    if (!plain) return PyUnicode_FromStringAndSize(s, n);
    memcpy(w.s, s, (size_t)n);
    w.n = (int)n;
    stem_word(&w);
    return PyUnicode_FromStringAndSize((const char *)w.s, w.n);
}

#define METHOD(name) {#name, (PyCFunction)(void (*)(void))lexicon_##name, METH_VARARGS, NULL}

static PyMethodDef LEXICON_METHODS[] = {
    METHOD(ids), METHOD(read), METHOD(address), METHOD(count), METHOD(weigh), METHOD(strongest), METHOD(term),
    METHOD(number), METHOD(learn), METHOD(tell), METHOD(pack), METHOD(score), METHOD(evidence),
    METHOD(add_mentions), METHOD(rescore), {NULL, NULL, 0, NULL},
};

static PyType_Slot LEXICON_SLOTS[] = {
    {Py_tp_doc, "terms_python.Lexicon in C."},
    {Py_tp_new, PyType_GenericNew},
    {Py_tp_init, lexicon_init},
    {Py_tp_dealloc, lexicon_dealloc},
    {Py_tp_methods, LEXICON_METHODS},
    {Py_sq_length, lexicon_length},
    {0, NULL},
};

static PyType_Spec LEXICON_SPEC = {"fieldmouse.focus._terms.Lexicon", sizeof(Lexicon), 0, Py_TPFLAGS_DEFAULT,
                                   LEXICON_SLOTS};

static PyMethodDef METHODS[] = {
    {"dot", dot, METH_VARARGS, "dot(ids, values, rows, column, start) -> sum"},
    {"raise_all", raise_all, METH_VARARGS, "raise_all(ids, rows, column, gain)"},
    {"clear", clear, METH_VARARGS, "clear(rows, column)"},
    {"fit", fit, METH_VARARGS, "fit(examples, rounds, size, rows, column, bias) -> bias"},
    {"blocks", blocks, METH_VARARGS, "blocks(ids, values, names, rows, usual, named, weights) -> places, values"},
    {"spoken", spoken, METH_VARARGS, "spoken(text, words) -> number of words, then of each of these"},
    {"stem", stem, METH_VARARGS, "stem(word) -> its stem"},
    {NULL, NULL, 0, NULL},
};

static int execute(PyObject *module) {
    fill_tables();
    if (fill_secrets() < 0) return -1;
    PyObject *type = PyType_FromSpec(&LEXICON_SPEC);
    if (!type) return -1;
    int failed = PyModule_AddObjectRef(module, "Lexicon", type);
    Py_DECREF(type);
    return failed;
}

static PyModuleDef_Slot SLOTS[] = {{Py_mod_exec, execute}, {0, NULL}};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_terms", "terms_python.py in C.", 0, METHODS, SLOTS, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__terms(void) { return PyModuleDef_Init(&MODULE); }
