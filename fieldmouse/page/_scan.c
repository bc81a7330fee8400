/* The tokenizer and the walk over its index, in C, because every page of a crawl goes through them.
 *
 * reference_scanner.py is the same in Python and says why each rule is there; a test holds the two equal on hostile
 * input. Nothing here remembers anything between calls. Input is never trusted: an index is measured
 * against its own header and against the page before it is followed, and every loop moves forward, so
 * time and memory are linear in the size of the page.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

/* ---- the grammar ------------------------------------------------------------------------------------ */

#define SPACE 1    /* white space of HTML */
#define NAME_END 2 /* ends the name of a tag */
#define ATTR_END 4 /* ends the name of an attribute */
#define BLANK 8    /* white space of Python's bytes.split, one more than SPACE */
#define ALPHA 16
#define VALUE_END 32 /* ends a value without quotes */

#define WHITE (SPACE | NAME_END | ATTR_END | BLANK | VALUE_END)

static const u8 SORT[256] = {
    ['\t'] = WHITE, ['\n'] = WHITE, ['\f'] = WHITE, ['\r'] = WHITE, [' '] = WHITE, ['\v'] = BLANK,
    ['/'] = NAME_END | ATTR_END, ['>'] = NAME_END | ATTR_END | VALUE_END, ['='] = ATTR_END,
    ['a'] = ALPHA, ['b'] = ALPHA, ['c'] = ALPHA, ['d'] = ALPHA, ['e'] = ALPHA, ['f'] = ALPHA, ['g'] = ALPHA,
    ['h'] = ALPHA, ['i'] = ALPHA, ['j'] = ALPHA, ['k'] = ALPHA, ['l'] = ALPHA, ['m'] = ALPHA, ['n'] = ALPHA,
    ['o'] = ALPHA, ['p'] = ALPHA, ['q'] = ALPHA, ['r'] = ALPHA, ['s'] = ALPHA, ['t'] = ALPHA, ['u'] = ALPHA,
    ['v'] = ALPHA, ['w'] = ALPHA, ['x'] = ALPHA, ['y'] = ALPHA, ['z'] = ALPHA, ['A'] = ALPHA, ['B'] = ALPHA,
    ['C'] = ALPHA, ['D'] = ALPHA, ['E'] = ALPHA, ['F'] = ALPHA, ['G'] = ALPHA, ['H'] = ALPHA, ['I'] = ALPHA,
    ['J'] = ALPHA, ['K'] = ALPHA, ['L'] = ALPHA, ['M'] = ALPHA, ['N'] = ALPHA, ['O'] = ALPHA, ['P'] = ALPHA,
    ['Q'] = ALPHA, ['R'] = ALPHA, ['S'] = ALPHA, ['T'] = ALPHA, ['U'] = ALPHA, ['V'] = ALPHA, ['W'] = ALPHA,
    ['X'] = ALPHA, ['Y'] = ALPHA, ['Z'] = ALPHA,
};

/* Turns white space into a space by exclusive or. */
static const u8 TO_SPACE[256] = {
    ['\t'] = '\t' ^ ' ', ['\n'] = '\n' ^ ' ', ['\v'] = '\v' ^ ' ', ['\f'] = '\f' ^ ' ', ['\r'] = '\r' ^ ' ',
};

#define IS(c, sort) (SORT[(u8)(c)] & (sort))

static inline u8 lower(u8 c) { return (u8)(c >= 'A' && c <= 'Z' ? c + 32 : c); }

/* Whether a span equals a lower-case word, without regard to case. */
static int same(const u8 *s, size_t length, const char *word, size_t size) {
    if (length != size) return 0;
    for (size_t i = 0; i < size; i++)
        if (lower(s[i]) != (u8)word[i]) return 0;
    return 1;
}
#define SAME(s, length, word) same(s, length, word, sizeof(word) - 1)

/* The elements that mean something here; everything else is OTHER and separates words. */
enum kind {
    OTHER, INLINE, ANCHOR, AREA, FRAME, LINK, BASE, META, HTML, IMAGE, TEMPLATE, FOREIGN_SVG, FOREIGN_MATH, PLAINTEXT,
    TITLE, TEXTAREA, XMP, /* raw text that is seen */
    SCRIPT, STYLE, IFRAME, NOEMBED, NOFRAMES /* raw text that is not */
};
#define IS_RAW(kind) ((kind) >= TITLE)
#define IS_HIDDEN(kind) ((kind) >= SCRIPT)
#define IS_INLINE(kind) ((kind) == INLINE || (kind) == ANCHOR || (kind) == IMAGE)

static const char *const RAW_NAME[] = {"title", "textarea", "xmp", "script", "style", "iframe", "noembed", "noframes"};

#define K1(a) ((u64)(a))
#define K2(a, b) (K1(a) | (u64)(b) << 8)
#define K3(a, b, c) (K2(a, b) | (u64)(c) << 16)
#define K4(a, b, c, d) (K3(a, b, c) | (u64)(d) << 24)
#define K5(a, b, c, d, e) (K4(a, b, c, d) | (u64)(e) << 32)
#define K6(a, b, c, d, e, f) (K5(a, b, c, d, e) | (u64)(f) << 40)
#define K7(a, b, c, d, e, f, g) (K6(a, b, c, d, e, f) | (u64)(g) << 48)
#define K8(a, b, c, d, e, f, g, h) (K7(a, b, c, d, e, f, g) | (u64)(h) << 56)

static enum kind kind_of(const u8 *name, size_t length) {
    if (length > 8) return SAME(name, length, "plaintext") ? PLAINTEXT : OTHER;
    u64 key = 0;
    for (size_t i = 0; i < length; i++) {
        u8 c = lower(name[i]);
        if (c == 0) return OTHER; /* or "a" and "a\0" would be one key */
        key |= (u64)c << (8 * i);
    }
    switch (key) {
    case K1('a'): return ANCHOR;
    case K4('a', 'r', 'e', 'a'): return AREA;
    case K5('f', 'r', 'a', 'm', 'e'): return FRAME;
    case K4('l', 'i', 'n', 'k'): return LINK;
    case K4('b', 'a', 's', 'e'): return BASE;
    case K4('m', 'e', 't', 'a'): return META;
    case K4('h', 't', 'm', 'l'): return HTML;
    case K3('i', 'm', 'g'): return IMAGE;
    case K8('t', 'e', 'm', 'p', 'l', 'a', 't', 'e'): return TEMPLATE;
    case K3('s', 'v', 'g'): return FOREIGN_SVG;
    case K4('m', 'a', 't', 'h'): return FOREIGN_MATH;
    case K5('t', 'i', 't', 'l', 'e'): return TITLE;
    case K8('t', 'e', 'x', 't', 'a', 'r', 'e', 'a'): return TEXTAREA;
    case K3('x', 'm', 'p'): return XMP;
    case K6('s', 'c', 'r', 'i', 'p', 't'): return SCRIPT;
    case K5('s', 't', 'y', 'l', 'e'): return STYLE;
    case K6('i', 'f', 'r', 'a', 'm', 'e'): return IFRAME;
    case K7('n', 'o', 'e', 'm', 'b', 'e', 'd'): return NOEMBED;
    case K8('n', 'o', 'f', 'r', 'a', 'm', 'e', 's'): return NOFRAMES;
    case K4('a', 'b', 'b', 'r'):
    case K7('a', 'c', 'r', 'o', 'n', 'y', 'm'):
    case K1('b'):
    case K3('b', 'd', 'i'):
    case K3('b', 'd', 'o'):
    case K3('b', 'i', 'g'):
    case K4('c', 'i', 't', 'e'):
    case K4('c', 'o', 'd', 'e'):
    case K4('d', 'a', 't', 'a'):
    case K3('d', 'e', 'l'):
    case K3('d', 'f', 'n'):
    case K2('e', 'm'):
    case K4('f', 'o', 'n', 't'):
    case K1('i'):
    case K3('i', 'n', 's'):
    case K3('k', 'b', 'd'):
    case K5('l', 'a', 'b', 'e', 'l'):
    case K4('m', 'a', 'r', 'k'):
    case K4('n', 'o', 'b', 'r'):
    case K1('q'):
    case K2('r', 'b'):
    case K2('r', 'p'):
    case K2('r', 't'):
    case K4('r', 'u', 'b', 'y'):
    case K1('s'):
    case K4('s', 'a', 'm', 'p'):
    case K5('s', 'm', 'a', 'l', 'l'):
    case K4('s', 'p', 'a', 'n'):
    case K6('s', 't', 'r', 'i', 'k', 'e'):
    case K6('s', 't', 'r', 'o', 'n', 'g'):
    case K3('s', 'u', 'b'):
    case K3('s', 'u', 'p'):
    case K4('t', 'i', 'm', 'e'):
    case K2('t', 't'):
    case K1('u'):
    case K3('v', 'a', 'r'):
    case K3('w', 'b', 'r'): return INLINE;
    default: return OTHER;
    }
}

typedef struct {
    const u8 *name, *value;
    size_t name_length, length;
    int slash; /* whether the last byte before `>` was a solidus outside values */
} Attr;

/* Read the next attribute from *at. 1: there is one; 0: *at is the closing `>`; -1: the text ended first. */
static inline int next_attr(const u8 *b, size_t *at, size_t n, Attr *attr) {
    size_t p = *at;
    attr->slash = 0;
    while (p < n && (IS(b[p], SPACE) || b[p] == '/')) attr->slash = b[p++] == '/';
    if (p >= n) return *at = n, -1;
    if (b[p] == '>') return *at = p, 0;
    size_t start = p++; /* even `=` may begin a name */
    while (p < n && !IS(b[p], ATTR_END)) p++;
    attr->name = b + start;
    attr->name_length = p - start;
    attr->value = b + p;
    attr->length = 0;
    size_t q = p;
    while (q < n && IS(b[q], SPACE)) q++;
    if (q < n && b[q] == '=') {
        p = q + 1;
        while (p < n && IS(b[p], SPACE)) p++;
        if (p >= n) return *at = n, -1;
        if (b[p] == '"' || b[p] == '\'') {
            const u8 *end = memchr(b + p + 1, b[p], n - p - 1);
            if (!end) return *at = n, -1;
            attr->value = b + p + 1;
            attr->length = (size_t)(end - attr->value);
            p = (size_t)(end - b) + 1;
        } else {
            attr->value = b + p;
            while (p < n && !IS(b[p], VALUE_END)) p++;
            attr->length = (size_t)(b + p - attr->value);
        }
    }
    *at = p;
    return 1;
}

/* The index of the first `>` from `from`, or n. */
static size_t next_gt(const u8 *b, size_t from, size_t n) {
    const u8 *end = from < n ? memchr(b + from, '>', n - from) : NULL;
    return end ? (size_t)(end - b) : n;
}

/* The index of the `>` that closes the comment whose text begins at s, or n. */
static size_t comment_end(const u8 *b, size_t s, size_t n) {
    if (s < n && b[s] == '>') return s;
    if (s + 1 < n && b[s] == '-' && b[s + 1] == '>') return s + 1;
    for (size_t g = next_gt(b, s, n); g < n; g = next_gt(b, g + 1, n)) {
        if (g >= s + 2 && b[g - 1] == '-' && b[g - 2] == '-') return g;
        if (g >= s + 3 && b[g - 1] == '!' && b[g - 2] == '-' && b[g - 3] == '-') return g;
    }
    return n;
}

static size_t cdata_end(const u8 *b, size_t s, size_t n) {
    for (size_t g = next_gt(b, s, n); g < n; g = next_gt(b, g + 1, n))
        if (g >= s + 2 && b[g - 1] == ']' && b[g - 2] == ']') return g;
    return n;
}

/* Whether at p stands this word and then something that ends a tag's name. */
static int word_at(const u8 *b, size_t p, size_t n, const char *word, size_t size) {
    return n - p > size && same(b + p, size, word, size) && IS(b[p + size], NAME_END);
}

/* Where the end tag of a raw text element begins, or n. */
static size_t raw_end(const u8 *b, size_t p, size_t n, enum kind kind) {
    const char *name = RAW_NAME[kind - TITLE];
    size_t size = strlen(name);
    while (p < n) {
        const u8 *lt = memchr(b + p, '<', n - p);
        if (!lt) return n;
        p = (size_t)(lt - b) + 1;
        if (p < n && b[p] == '/' && word_at(b, p + 1, n, name, size)) return p - 1;
    }
    return n;
}

/* The same for a script, where `<!-- <script>` hides an end tag. */
static size_t script_end(const u8 *b, size_t p, size_t n) {
    enum { PLAIN, ESCAPED, DOUBLE } state = PLAIN;
    while (p < n) {
        if (state == PLAIN) {
            const u8 *lt = memchr(b + p, '<', n - p);
            if (!lt) return n;
            p = (size_t)(lt - b);
        }
        if (b[p] == '-' && state != PLAIN && n - p > 2 && b[p + 1] == '-' && b[p + 2] == '>') {
            state = PLAIN;
            p += 3;
        } else if (b[p] != '<' || p + 1 >= n) {
            p++;
        } else if (b[p + 1] == '/' && word_at(b, p + 2, n, "script", 6)) {
            if (state != DOUBLE) return p;
            state = ESCAPED;
            p += 8;
        } else if (state == PLAIN && n - p > 3 && memcmp(b + p, "<!--", 4) == 0) {
            state = ESCAPED;
            p += 2; /* the dashes may belong to `-->` as well */
        } else if (state == ESCAPED && word_at(b, p + 1, n, "script", 6)) {
            state = DOUBLE;
            p += 7;
        } else {
            p++;
        }
    }
    return n;
}

/* ---- the index -------------------------------------------------------------------------------------- */

#define MAX_COUNT 524287u
#define MAX_FIELD 65535u
#define RECORD 13 /* bytes of a wide record */

typedef struct {
    u32 offset, length;
    u32 name;
    u8 name_length;
} Quad;

typedef struct {
    Quad *quads;
    size_t count, room;
} Quads;

static int push(Quads *list, size_t offset, size_t length, u32 name, size_t name_length) {
    if (list->count == list->room) {
        size_t room = list->room * 2 + 64;
        Quad *more = PyMem_Realloc(list->quads, room * sizeof(Quad));
        if (!more) return -1;
        list->quads = more;
        list->room = room;
    }
    list->quads[list->count++] =
        (Quad){(u32)offset, (u32)length, name, (u8)(name_length < 15 ? name_length : 15)};
    return 0;
}

/* Find the tags of a page. Returns -1 when memory runs out. */
static int find_tags(const u8 *b, size_t n, Quads *list) {
    int foreign = 0;
    size_t p = 0;
    while (p < n) {
        const u8 *lt = memchr(b + p, '<', n - p);
        if (!lt) break;
        size_t o = (size_t)(lt - b), end;
        if (o + 1 >= n) break;
        u8 c = b[o + 1];
        int closing = c == '/';
        if (closing) {
            if (o + 2 >= n) break;
            c = b[o + 2];
            if (c == '>') {
                p = o + 3;
                continue;
            }
        } else if (!IS(c, ALPHA) && c != '!' && c != '?') {
            p = o + 1;
            continue;
        }
        if (!IS(c, ALPHA)) {
            if (!closing && n - o > 3 && memcmp(b + o, "<!--", 4) == 0) end = comment_end(b, o + 4, n);
            else if (foreign && !closing && n - o > 8 && memcmp(b + o, "<![CDATA[", 9) == 0)
                end = cdata_end(b, o + 9, n);
            else end = next_gt(b, o + 2, n);
            if (end == n) end = n - 1;
            if (push(list, o, end - o, 1, 0) < 0) return -1;
            p = end + 1;
            continue;
        }
        size_t name = o + 1 + (size_t)closing, at = name + 1;
        while (at < n && !IS(b[at], NAME_END)) at++;
        size_t name_length = at - name;
        Attr attr = {0};
        int more = 1;
        while ((more = next_attr(b, &at, n, &attr)) > 0) {}
        end = more == 0 ? at : n - 1;
        if (push(list, o, end - o, 1 + (u32)closing, name_length) < 0) return -1;
        p = end + 1;
        enum kind kind = kind_of(b + name, name_length);
        if (kind == FOREIGN_SVG || kind == FOREIGN_MATH) foreign = !closing && !attr.slash;
        if (closing || (foreign && attr.slash)) continue;
        if (kind == PLAINTEXT) break;
        if (kind == SCRIPT) p = script_end(b, p, n);
        else if (IS_RAW(kind)) p = raw_end(b, p, n, kind);
    }
    return 0;
}

static unsigned width_of(u32 value) {
    unsigned width = 1;
    while (value >>= 1) width++;
    return width;
}

static void put32(u8 *to, u32 value) {
    for (int i = 0; i < 4; i++) to[i] = (u8)(value >> (8 * i));
}

static u32 get32(const u8 *from) {
    return (u32)from[0] | (u32)from[1] << 8 | (u32)from[2] << 16 | (u32)from[3] << 24;
}

typedef struct {
    u8 *to;
    u64 bits;
    unsigned held;
} Sink;

static inline void put(Sink *sink, u32 value, unsigned width) {
    sink->bits |= (u64)value << sink->held;
    sink->held += width;
    if (sink->held >= 32) {
        put32(sink->to, (u32)sink->bits);
        sink->to += 4;
        sink->bits >>= 32;
        sink->held -= 32;
    }
}

static PyObject *pack_wide(const Quads *list) {
    PyObject *data = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(list->count * RECORD));
    if (!data) return NULL;
    u8 *to = (u8 *)PyBytes_AsString(data);
    for (size_t i = 0; i < list->count; i++, to += RECORD) {
        const Quad *q = list->quads + i;
        put32(to, q->offset);
        put32(to + 4, q->length);
        put32(to + 8, q->name);
        to[12] = q->name_length;
    }
    return data;
}

static PyObject *pack_bits(const Quads *list, u32 offset, u32 length, u32 name) {
    unsigned wo = width_of(offset), wl = width_of(length), wd = width_of(name);
    u64 bits = (u64)list->count * (wo + wl + wd + 4);
    PyObject *data = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(4 + (bits + 31) / 32 * 4));
    if (!data) return NULL;
    Sink sink = {(u8 *)PyBytes_AsString(data), 0, 0};
    put(&sink, (wo - 1) | (wl - 1) << 5 | (wd - 1) << 9 | (u32)list->count << 13, 32);
    for (size_t i = 0; i < list->count; i++) {
        const Quad *q = list->quads + i;
        put(&sink, q->offset, wo);
        put(&sink, q->length, wl);
        put(&sink, q->name | (u32)q->name_length << wd, wd + 4);
    }
    if (sink.held) put32(sink.to, (u32)sink.bits);
    return data;
}

static PyObject *scan(PyObject *self, PyObject *args) {
    const u8 *b;
    Py_ssize_t size;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#", &b, &size)) return NULL;
    size_t n = (u64)size > UINT32_MAX ? UINT32_MAX : (size_t)size;
    Quads list = {NULL, 0, n / 24 + 16};
    list.quads = PyMem_Malloc(list.room * sizeof(Quad));
    if (!list.quads || find_tags(b, n, &list) < 0) {
        PyMem_Free(list.quads);
        return PyErr_NoMemory();
    }
    u32 length = 0, name = 0, offset = list.count ? list.quads[list.count - 1].offset : 0;
    for (size_t i = 0; i < list.count; i++) {
        if (list.quads[i].length > length) length = list.quads[i].length;
        name |= list.quads[i].name;
    }
    int wide = list.count > MAX_COUNT || length > MAX_FIELD;
    PyObject *data = wide ? pack_wide(&list) : pack_bits(&list, offset, length, name);
    PyMem_Free(list.quads);
    if (!data) return NULL;
    return Py_BuildValue("(NN)", data, PyBool_FromLong(wide));
}

/* Reads quadruples in order out of either form. */
typedef struct {
    const u8 *from;
    size_t count;
    unsigned wo, wl, wd;
    u64 bits;
    unsigned held;
    int wide;
} Source;

/* Returns -1 when the data is not as long as its header says. */
static int open_index(Source *source, const u8 *data, size_t size, int wide) {
    memset(source, 0, sizeof *source);
    source->wide = wide;
    source->from = data;
    if (wide) {
        source->count = size / RECORD;
        return size % RECORD ? -1 : 0;
    }
    if (size < 4) return -1;
    u32 head = get32(data);
    source->wo = (head & 31) + 1;
    source->wl = (head >> 5 & 15) + 1;
    source->wd = (head >> 9 & 15) + 1;
    source->count = head >> 13;
    source->from += 4;
    u64 bits = (u64)source->count * (source->wo + source->wl + source->wd + 4);
    return (u64)size == 4 + (bits + 31) / 32 * 4 ? 0 : -1;
}

static inline u32 get(Source *source, unsigned width) {
    if (source->held < width) {
        source->bits |= (u64)get32(source->from) << source->held;
        source->from += 4;
        source->held += 32;
    }
    u32 value = (u32)(source->bits & (((u64)1 << width) - 1));
    source->bits >>= width;
    source->held -= width;
    return value;
}

static inline Quad next_quad(Source *source) {
    Quad quad;
    if (source->wide) {
        quad = (Quad){get32(source->from), get32(source->from + 4), get32(source->from + 8), source->from[12]};
        source->from += RECORD;
    } else {
        quad.offset = get(source, source->wo);
        quad.length = get(source, source->wl);
        quad.name = get(source, source->wd);
        quad.name_length = (u8)get(source, 4);
    }
    return quad;
}

/* A tuple of values, which are given up; of a named one without its Python-level constructor, which costs more than all the rest. */
static PyObject *make(PyTypeObject *type, PyObject **values, Py_ssize_t n) {
    PyObject *made = type == &PyTuple_Type ? PyTuple_New(n) : PyType_GenericAlloc(type, n);
    for (Py_ssize_t i = 0; i < n; i++) {
        if (!values[i]) Py_CLEAR(made);
        if (!made) break;
        PyTuple_SetItem(made, i, values[i]);
        values[i] = NULL;
    }
    for (Py_ssize_t i = 0; i < n; i++) Py_XDECREF(values[i]);
    return made;
}

static int is_tuple_type(PyObject *type) {
    if (PyType_Check(type) && PyType_IsSubtype((PyTypeObject *)type, &PyTuple_Type)) return 1;
    PyErr_SetString(PyExc_TypeError, "a named tuple type is needed");
    return 0;
}

static PyObject *unpack(PyObject *self, PyObject *args) {
    const u8 *data;
    Py_ssize_t size;
    int wide;
    PyObject *type;
    Source source;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#pO", &data, &size, &wide, &type) || !is_tuple_type(type)) return NULL;
    if (open_index(&source, data, (size_t)size, wide) < 0) {
        PyErr_SetString(PyExc_ValueError, "the tag index is not as long as its header says");
        return NULL;
    }
    PyObject *tags = PyList_New((Py_ssize_t)source.count);
    for (size_t i = 0; tags && i < source.count; i++) {
        Quad q = next_quad(&source);
        PyObject *values[] = {PyLong_FromUnsignedLong(q.offset), PyLong_FromUnsignedLong(q.length),
                              PyLong_FromUnsignedLong(q.name), PyLong_FromUnsignedLong(q.name_length)};
        PyObject *tag = make((PyTypeObject *)type, values, 4);
        if (!tag || PyList_SetItem(tags, (Py_ssize_t)i, tag) < 0) Py_CLEAR(tags);
    }
    return tags;
}

/* ---- the index in columns ---------------------------------------------------------------------------- */

static u8 *put_varint(u8 *to, u32 number) {
    for (; number > 0x7f; number >>= 7) *to++ = (u8)(number | 0x80);
    *to++ = (u8)number;
    return to;
}

/* The number at *at, which moves behind it; -1 if there is none of at most 32 bits. */
static int64_t get_varint(const u8 **at, const u8 *end) {
    u64 number = 0;
    for (unsigned shift = 0; *at < end && shift < 35; shift += 7) {
        u8 c = *(*at)++;
        number |= (u64)(c & 0x7f) << shift;
        if (c < 0x80) return number > UINT32_MAX ? -1 : (int64_t)number;
    }
    return -1;
}

/* Whether `from_columns` would make the same widths and no other bits. */
static int is_canonical(const Source *source, const u8 *data, size_t size, u32 offset, u32 length, u32 name) {
    if (source->wide) return 1;
    if (source->wo != width_of(offset) || source->wl != width_of(length) || source->wd != width_of(name)) return 0;
    unsigned used = (unsigned)((u64)source->count * (source->wo + source->wl + source->wd + 4) % 32);
    return !used || get32(data + size - 4) >> used == 0;
}

static PyObject *to_columns(PyObject *self, PyObject *args) {
    const u8 *data;
    Py_ssize_t size;
    int wide, good = 1;
    Source source;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#p", &data, &size, &wide)) return NULL;
    if (open_index(&source, data, (size_t)size, wide) < 0) Py_RETURN_NONE;
    Source again = source;
    u8 *columns = PyMem_Malloc(11 * source.count + 5), *to, *names = columns + 10 * source.count + 5;
    if (!columns) return PyErr_NoMemory();
    to = put_varint(columns, (u32)source.count);
    u64 end = 0;
    u32 offset = 0, length = 0, name = 0;
    for (size_t i = 0; good && i < source.count; i++) {
        Quad q = next_quad(&again);
        good = q.offset >= end && (q.name == 1 || q.name == 2) && q.name_length <= 15;
        if (good) to = put_varint(to, (u32)(q.offset - end));
        end = (u64)q.offset + q.length + 1;
        good &= end <= (u64)UINT32_MAX + 1;
        offset = q.offset;
        if (q.length > length) length = q.length;
        if (q.name > name) name = q.name;
        names[i] = (u8)(q.name_length | (q.name - 1) << 4);
    }
    good = good && is_canonical(&source, data, (size_t)size, offset, length, name);
    for (size_t i = 0; good && i < source.count; i++) to = put_varint(to, next_quad(&source).length);
    if (good) memmove(to, names, source.count);
    PyObject *result = good ? PyBytes_FromStringAndSize((const char *)columns, to - columns + (Py_ssize_t)source.count)
                            : Py_NewRef(Py_None);
    PyMem_Free(columns);
    return result;
}

/* Read columns into a list of tags; 0 when they are damaged, -1 without memory. */
static int read_columns(const u8 *at, size_t size, int wide, Quads *list, u32 *longest) {
    const u8 *end = at + size;
    int64_t count = get_varint(&at, end);
    if (count < 0 || (u64)count > size || (!wide && count > MAX_COUNT)) return 0;
    list->quads = PyMem_Malloc(((size_t)count + 1) * sizeof(Quad));
    if (!list->quads) return -1;
    list->count = list->room = (size_t)count;
    for (size_t i = 0; i < list->count; i++) {
        int64_t gap = get_varint(&at, end);
        if (gap < 0) return 0;
        list->quads[i].offset = (u32)gap;
    }
    u64 place = 0;
    for (size_t i = 0; i < list->count; i++) {
        int64_t length = get_varint(&at, end);
        if (length < 0 || (!wide && length > MAX_FIELD)) return 0;
        place += list->quads[i].offset;
        list->quads[i].offset = (u32)place;
        list->quads[i].length = (u32)length;
        place += (u64)length + 1;
        if (place > (u64)UINT32_MAX + 1) return 0;
        if (length > *longest) *longest = (u32)length;
    }
    if ((size_t)(end - at) != list->count) return 0;
    for (size_t i = 0; i < list->count; i++) {
        if (at[i] > 31) return 0;
        list->quads[i].name = 1 + (at[i] >> 4);
        list->quads[i].name_length = at[i] & 15;
    }
    return 1;
}

static PyObject *from_columns(PyObject *self, PyObject *args) {
    const u8 *columns;
    Py_ssize_t size;
    int wide;
    Quads list = {0};
    u32 length = 0, name = 0;
    PyObject *data = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#p", &columns, &size, &wide)) return NULL;
    int done = read_columns(columns, (size_t)size, wide, &list, &length);
    if (done == 0) PyErr_SetString(PyExc_ValueError, "the columns of a tag index are damaged");
    if (done < 0) PyErr_NoMemory();
    for (size_t i = 0; done == 1 && i < list.count; i++) name |= list.quads[i].name;
    if (done == 1)
        data = wide ? pack_wide(&list) : pack_bits(&list, list.count ? list.quads[list.count - 1].offset : 0, length, name);
    PyMem_Free(list.quads);
    return data;
}

/* ---- what a page says, read along its index --------------------------------------------------------- */

typedef struct {
    const u8 *s;
    size_t length;
} Span;

#define GIVEN(span) ((span).s != NULL)

typedef struct {
    Span href, src, rel, type, content, name, equiv, lang, xml_lang;
} Wanted;

static void take(Span *slot, const Attr *attr) {
    if (!slot->s) *slot = (Span){attr->value, attr->length}; /* the first of equal names wins */
}

/* Collect the attributes that matter; 0 when the tag never ends. */
static int wanted(const u8 *b, size_t at, size_t n, Wanted *found) {
    Attr attr = {0};
    int more;
    memset(found, 0, sizeof *found);
    while ((more = next_attr(b, &at, n, &attr)) > 0) {
        const u8 *s = attr.name;
        size_t length = attr.name_length;
        if (length == 4) {
            if (SAME(s, length, "href")) take(&found->href, &attr);
            else if (SAME(s, length, "type")) take(&found->type, &attr);
            else if (SAME(s, length, "name")) take(&found->name, &attr);
            else if (SAME(s, length, "lang")) take(&found->lang, &attr);
        } else if (length == 3) {
            if (SAME(s, length, "rel")) take(&found->rel, &attr);
            else if (SAME(s, length, "src")) take(&found->src, &attr);
        } else if (SAME(s, length, "content")) take(&found->content, &attr);
        else if (SAME(s, length, "http-equiv")) take(&found->equiv, &attr);
        else if (SAME(s, length, "xml:lang")) take(&found->xml_lang, &attr);
    }
    return more == 0;
}

static Span trim(Span span) {
    while (span.length && span.s[0] <= ' ') span.s++, span.length--;
    while (span.length && span.s[span.length - 1] <= ' ') span.length--;
    return span;
}

static int has_token(Span span, const char *word, size_t size) {
    const u8 *s = span.s, *end = span.s + span.length;
    if (!s) return 0;
    while (s < end) {
        while (s < end && IS(*s, BLANK)) s++;
        const u8 *start = s;
        while (s < end && !IS(*s, BLANK)) s++;
        if (same(start, (size_t)(s - start), word, size)) return 1;
    }
    return 0;
}
#define HAS(span, word) has_token(span, word, sizeof(word) - 1)

enum word { WORD_A, WORD_AREA, WORD_FRAME, WORD_CANONICAL, WORD_ALTERNATE, WORD_NEXT, WORDS, NO_WORD };
static const char *const WORD[WORDS] = {"a", "area", "frame", "canonical", "alternate", "next"};

/* Collects while walking; every object is owned here until the end. */
typedef struct {
    PyTypeObject *type;
    PyObject *hrefs, *odd, *mails, *heads;
    PyObject *words[WORDS];
    Span agent;
    int leaving; /* links that cannot lead to another host are only counted */
    u8 *text, *dense; /* visible text with white space collapsed, and with none */
    size_t text_length, dense_length;
    unsigned apart; /* 1 when the text is empty or ends with a space */
    Py_ssize_t links, images, title_from, title_to;
} Walk;

static int append_number(PyObject *list, Py_ssize_t value) {
    PyObject *number = PyLong_FromSsize_t(value);
    int failed = !number || PyList_Append(list, number) < 0;
    Py_XDECREF(number);
    return failed ? -1 : 0;
}

static int append_owned(PyObject *list, PyObject *item) {
    int failed = !item || PyList_Append(list, item) < 0;
    Py_XDECREF(item);
    return failed ? -1 : 0;
}

/* Plain values are ASCII without references; the others are left as bytes for Python to decode. */
static int is_plain(Span span) {
    u8 all = 0;
    for (size_t i = 0; i < span.length; i++) {
        if (span.s[i] == '&' || span.s[i] == 0) return 0;
        all |= span.s[i];
    }
    return all < 128;
}

/* Whether an address may have a host: it has a scheme, two slashes, or what browsers read as such. */
static int may_leave(Span span) {
    for (size_t i = 0; i < span.length; i++) {
        u8 c = span.s[i];
        if (c == ':' || c == '\\' || c == '\t' || c == '\n' || c == '\r') return 1;
        if (c == '/' && i + 1 < span.length && span.s[i + 1] == '/') return 1;
    }
    return 0;
}

static int add_href(Walk *walk, enum word kind, Span value, Span rel, size_t tag) {
    value = trim(value);
    if (!value.length) return 0;
    int plain = is_plain(value);
    if (walk->leaving && plain && kind <= WORD_AREA && !may_leave(value)) {
        walk->links++;
        return 0;
    }
    Py_ssize_t place = PyList_Size(walk->hrefs);
    if (!plain && append_number(walk->odd, place) < 0) return -1;
    if (value.length > 7 && SAME(value.s, 7, "mailto:") && append_number(walk->mails, place) < 0) return -1;
    if (!walk->words[kind]) walk->words[kind] = PyUnicode_InternFromString(WORD[kind]);
    PyObject *word = walk->words[kind];
    const char *s = (const char *)value.s;
    PyObject *text = plain ? PyUnicode_FromStringAndSize(s, (Py_ssize_t)value.length)
                           : PyBytes_FromStringAndSize(s, (Py_ssize_t)value.length);
    PyObject *values[] = {Py_XNewRef(word), text, PyBool_FromLong(HAS(rel, "nofollow")), PyLong_FromSize_t(tag)};
    return append_owned(walk->hrefs, make(walk->type, values, 4));
}

static int add_head(Walk *walk, const char *kind, size_t tag, Span a, Span b, Span c) {
    return append_owned(walk->heads,
                        Py_BuildValue("(sny#y#y#)", kind, (Py_ssize_t)tag, GIVEN(a) ? (const char *)a.s : "",
                                      (Py_ssize_t)a.length, GIVEN(b) ? (const char *)b.s : "", (Py_ssize_t)b.length,
                                      GIVEN(c) ? (const char *)c.s : "", (Py_ssize_t)c.length));
}

/* Other forms of a page are worth a visit; feeds and style sheets are not pages. */
static int is_page_type(Span type) {
    type = trim(type);
    return !type.length || SAME(type.s, type.length, "text/html") || SAME(type.s, type.length, "application/xhtml+xml");
}

static enum word link_kind(const Wanted *found) {
    if (HAS(found->rel, "canonical")) return WORD_CANONICAL;
    if (HAS(found->rel, "alternate"))
        return HAS(found->rel, "stylesheet") || !is_page_type(found->type) ? NO_WORD : WORD_ALTERNATE;
    if (HAS(found->rel, "next") || HAS(found->rel, "prev") || HAS(found->rel, "previous")) return WORD_NEXT;
    return NO_WORD;
}

static int is_robots(const Walk *walk, Span name) {
    name = trim(name);
    if (SAME(name.s, name.length, "robots")) return 1;
    return name.length && same(name.s, name.length, (const char *)walk->agent.s, walk->agent.length);
}

static int add_meta(Walk *walk, size_t tag, const Wanted *found) {
    if (!GIVEN(found->content) || (!found->equiv.length && !(GIVEN(found->name) && is_robots(walk, found->name))))
        return 0;
    return add_head(walk, "meta", tag, found->equiv, found->name, found->content);
}

/* One start tag that may hold an address or a fact. */
static int visit(Walk *walk, enum kind kind, size_t tag, const u8 *b, size_t at, size_t n) {
    Wanted found;
    Span none = {NULL, 0};
    if (!wanted(b, at, n, &found)) return 0;
    switch (kind) {
    case ANCHOR:
    case AREA: {
        Py_ssize_t before = PyList_Size(walk->hrefs);
        int failed = add_href(walk, kind == AREA ? WORD_AREA : WORD_A, found.href, found.rel, tag);
        walk->links += PyList_Size(walk->hrefs) - before;
        return failed;
    }
    case FRAME:
    case IFRAME: return add_href(walk, WORD_FRAME, found.src, none, tag);
    case LINK: {
        enum word word = link_kind(&found);
        return word != NO_WORD ? add_href(walk, word, found.href, found.rel, tag) : 0;
    }
    case BASE: return GIVEN(found.href) ? add_head(walk, "base", tag, found.href, none, none) : 0;
    case HTML: {
        Span lang = GIVEN(found.lang) ? found.lang : found.xml_lang;
        return GIVEN(lang) ? add_head(walk, "html", tag, lang, none, none) : 0;
    }
    case META: return add_meta(walk, tag, &found);
    case IMAGE: walk->images++; return 0;
    default: return 0;
    }
}

/* Copy visible text, white space as one space. Without branches: text is too lively to predict. */
static void add_text(Walk *walk, const u8 *s, const u8 *end) {
    u8 *to = walk->text + walk->text_length, *dense = walk->dense + walk->dense_length;
    unsigned apart = walk->apart;
    for (; s < end; s++) {
        unsigned blank = IS(*s, BLANK) / BLANK;
        *dense = *to = *s ^ TO_SPACE[*s];
        dense += 1 ^ blank;
        to += 1 ^ (blank & apart);
        apart = blank;
    }
    walk->apart = apart;
    walk->text_length = (size_t)(to - walk->text);
    walk->dense_length = (size_t)(dense - walk->dense);
}

static void part_words(Walk *walk) {
    if (!walk->apart) walk->text[walk->text_length++] = ' ';
    walk->apart = 1;
}

/* Whether there may be a tag of this index in the page. */
static int fits(const Quad *q, const u8 *b, size_t n) {
    if ((size_t)q->offset + q->length >= n || b[q->offset] != '<' || q->name < 1 || q->name > 2) return 0;
    return (u64)q->name + q->name_length <= (u64)q->length + 1;
}

/* Walk the page along its index. 1: done; 0: the index does not fit these bytes; -1: an error is set. */
static int walk_page(Walk *walk, const u8 *b, size_t n, Source *source) {
    size_t p = 0, templates = 0;
    int hidden = 0, svg = 0, in_title = 0;
    for (size_t i = 0; i < source->count; i++) {
        Quad q = next_quad(source);
        size_t o = q.offset, end = o + q.length;
        if (o < p || !fits(&q, b, n)) return 0;
        if (in_title) walk->title_to = (Py_ssize_t)o;
        in_title = 0;
        if (!hidden && !templates) add_text(walk, b + p, b + o);
        hidden = 0;
        p = end + 1;
        if (!q.name_length) continue;
        size_t at = o + q.name + q.name_length;
        enum kind kind = kind_of(b + o + q.name, q.name_length);
        int start = q.name == 1;
        if (!IS_INLINE(kind)) part_words(walk);
        if (kind == TEMPLATE) {
            if (start) templates++;
            else if (templates) templates--;
        } else if (kind == FOREIGN_SVG) {
            svg = start;
        } else if (start && kind == TITLE && !svg && walk->title_from < 0) {
            walk->title_from = (Py_ssize_t)p;
            walk->title_to = (Py_ssize_t)n;
            in_title = 1;
        } else if (start && kind > INLINE) {
            hidden = IS_HIDDEN(kind);
            if (visit(walk, kind, i, b, at, end + 1) < 0) return -1;
        }
    }
    if (!hidden && !templates) add_text(walk, b + p, b + n);
    if (walk->apart && walk->text_length) walk->text_length--;
    return 1;
}

static PyObject *pick(PyObject *self, PyObject *args) {
    const u8 *b, *data, *agent;
    Py_ssize_t n, size, agent_length;
    int wide, done = -1;
    PyObject *type, *result = NULL;
    Source source;
    Walk walk = {0};
    (void)self;
    if (!PyArg_ParseTuple(args, "y#y#py#O|p", &b, &n, &data, &size, &wide, &agent, &agent_length, &type,
                          &walk.leaving))
        return NULL;
    if (!is_tuple_type(type)) return NULL;
    if (open_index(&source, data, (size_t)size, wide) < 0) Py_RETURN_NONE;
    walk.type = (PyTypeObject *)type;
    walk.agent = (Span){agent, (size_t)agent_length};
    walk.title_from = walk.title_to = -1;
    walk.apart = 1;
    walk.hrefs = PyList_New(0);
    walk.odd = PyList_New(0);
    walk.mails = PyList_New(0);
    walk.heads = PyList_New(0);
    walk.text = PyMem_Malloc(2 * ((size_t)n + 1));
    walk.dense = walk.text ? walk.text + n + 1 : NULL;
    if (!walk.text) PyErr_NoMemory();
    else if (walk.hrefs && walk.odd && walk.mails && walk.heads) done = walk_page(&walk, b, (size_t)n, &source);
    if (done == 0) {
        result = Py_None;
        Py_INCREF(result);
    } else if (done == 1) {
        result = Py_BuildValue("(OOOOnnnny#y#)", walk.hrefs, walk.odd, walk.mails, walk.heads, walk.title_from,
                               walk.title_to, walk.links, walk.images, (const char *)walk.text,
                               (Py_ssize_t)walk.text_length, (const char *)walk.dense, (Py_ssize_t)walk.dense_length);
    }
    PyMem_Free(walk.text);
    for (int i = 0; i < WORDS; i++) Py_XDECREF(walk.words[i]);
    Py_XDECREF(walk.hrefs);
    Py_XDECREF(walk.odd);
    Py_XDECREF(walk.mails);
    Py_XDECREF(walk.heads);
    return result;
}

/* Whether a word of small letters begins at s. */
static int begins(const u8 *s, const u8 *end, const char *word) {
    for (; *word; s++, word++)
        if (s >= end || lower(*s) != (u8)*word) return 0;
    return 1;
}

/* Whether a start tag may state something in itself: microdata, JSON-LD, a date or an author. */
static int states(const u8 *s, const u8 *end) {
    static const char *const WORDS_OF[] = {"itemprop", "itemscope", "author", "published", "/ld"};
    for (; s + 2 < end; s++) {
        u8 second = s[1] | 32; /* few letters stand second in these words */
        if (second != 't' && second != 'u' && second != 'l') continue;
        for (size_t i = 0; i < sizeof WORDS_OF / sizeof *WORDS_OF; i++)
            if (begins(s, end, WORDS_OF[i])) return 1;
    }
    return 0;
}

/* Which of some words stand in a text. `table` has one more than the first word of each pair of letters, and 0 for pairs
 * with which none begins; words with the same pair stand together. */
#define MOST_WORDS 64

static PyObject *words_in(PyObject *self, PyObject *args) {
    const u8 *b, *table;
    Py_ssize_t n, size;
    PyObject *words;
    Span all[MOST_WORDS];
    char found[MOST_WORDS] = {0};
    (void)self;
    if (!PyArg_ParseTuple(args, "y#y#O!", &b, &n, &table, &size, &PyTuple_Type, &words)) return NULL;
    size_t count = (size_t)PyTuple_Size(words);
    if (size != 65536 || count > MOST_WORDS) return PyErr_SetString(PyExc_ValueError, "too many words"), NULL;
    for (size_t i = 0; i < count; i++) {
        char *s;
        Py_ssize_t length;
        if (PyBytes_AsStringAndSize(PyTuple_GetItem(words, (Py_ssize_t)i), &s, &length) < 0) return NULL;
        if (length < 2) return PyErr_SetString(PyExc_ValueError, "a word has two letters or more"), NULL;
        all[i] = (Span){(const u8 *)s, (size_t)length};
    }
    for (Py_ssize_t i = 0; i + 1 < n; i++) {
        size_t word = table[b[i] << 8 | b[i + 1]];
        if (!word) continue;
        for (word--; word < count && all[word].s[0] == b[i] && all[word].s[1] == b[i + 1]; word++)
            if (all[word].length <= (size_t)(n - i) && !memcmp(all[word].s, b + i, all[word].length)) found[word] = 1;
    }
    return PyBytes_FromStringAndSize(found, (Py_ssize_t)count);
}

/* The start tags that say something about the whole page, as they are written: meta, link and base; and whether
 * another one may state something. */
static PyObject *head_tags(PyObject *self, PyObject *args) {
    const u8 *b, *data;
    Py_ssize_t n, size;
    int wide, stated = 0;
    size_t p = 0;
    Source source;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#y#p", &b, &n, &data, &size, &wide)) return NULL;
    if (open_index(&source, data, (size_t)size, wide) < 0) Py_RETURN_NONE;
    PyObject *found = PyList_New(0);
    for (size_t i = 0; found && i < source.count; i++) {
        Quad q = next_quad(&source);
        if (q.offset < p || !fits(&q, b, (size_t)n)) {
            Py_DECREF(found);
            Py_RETURN_NONE;
        }
        p = (size_t)q.offset + q.length + 1;
        if (q.name != 1) continue;
        enum kind kind = kind_of(b + q.offset + 1, q.name_length);
        if (kind != META && kind != LINK && kind != BASE) {
            const u8 *name = b + q.offset + 1;
            stated = stated || SAME(name, q.name_length, "time") || states(name + q.name_length, b + p);
            continue;
        }
        stated = stated || (kind == LINK && states(b + q.offset + 5, b + p));
        PyObject *tag = PyBytes_FromStringAndSize((const char *)b + q.offset, (Py_ssize_t)q.length + 1);
        if (append_owned(found, tag) < 0) Py_CLEAR(found);
    }
    return found ? Py_BuildValue("(NN)", found, PyBool_FromLong(stated)) : NULL;
}

/* ---- the words of a page, for whoever counts them ---------------------------------------------------- */

/* cutting.py is the same in Python. Words stand in small letters with one space between them; \1 and \2 around
 * an anchor, \3 before what its pictures are called when it has no words of its own. */
#define MAX_ALTS 8

typedef struct {
    u32 key; /* its bytes */
    PyObject *told;
} Answer;

#define ANSWERS 64

typedef struct {
    u8 *s;
    size_t length, room;
    Answer answers[ANSWERS];
    int inside; /* a word is open */
    enum { NONE, PENDING, USED } apostrophe;
    int bytewise; /* each byte that is no ASCII stands for itself, and not for a part of UTF-8 */
    PyObject *small; /* what a rare part of a text is in small letters, as UTF-8, signs being spaces */
} Cutter;

/* For each byte its small letter, 0 for a sign, 1 for what is looked at more closely. */
static u8 SMALL[256];

static void fill_small(void) {
    for (int c = 0; c < 256; c++)
        SMALL[c] = (u8)(c > 127 || c == '&' || c == '\'' ? 1 : IS(c, ALPHA) ? lower((u8)c) : 0);
}

static int make_room(Cutter *cut, size_t more) {
    if (cut->room - cut->length >= more) return 0;
    size_t room = cut->room * 2 + more + 1024;
    u8 *s = PyMem_Realloc(cut->s, room);
    if (!s) return PyErr_NoMemory(), -1;
    cut->s = s;
    cut->room = room;
    return 0;
}

static inline void end_word(Cutter *cut) {
    if (cut->inside) cut->s[cut->length++] = ' ';
    cut->inside = 0;
    cut->apostrophe = NONE;
}

static inline void put_letter(Cutter *cut, u8 c) {
    if (cut->apostrophe == PENDING) {
        cut->s[cut->length++] = '\'';
        cut->apostrophe = USED;
    }
    cut->s[cut->length++] = c;
    cut->inside = 1;
}

static inline void put_apostrophe(Cutter *cut) {
    if (cut->inside && cut->apostrophe == NONE) cut->apostrophe = PENDING;
    else end_word(cut);
}

/* How long the reference is that begins at s, 0 for a lone ampersand. */
static size_t reference(const u8 *s, const u8 *end) {
    const u8 *p = s + 1;
    if (p < end && *p == '#') {
        int hex = p + 1 < end && (p[1] | 32) == 'x';
        const u8 *first = p += 1 + hex;
        while (p < end && ((*p >= '0' && *p <= '9') || (hex && (*p | 32) >= 'a' && (*p | 32) <= 'f'))) p++;
        if (p == first) return 0;
    } else {
        while (p < end && p - s <= 32 && (IS(*p, ALPHA) || (*p >= '0' && *p <= '9'))) p++;
        if (p == s + 1) return 0;
    }
    if (p < end && *p == ';') p++;
    return (size_t)(p - s);
}

/* How many bytes of UTF-8 begin at s; a byte that is none stands alone. */
static size_t character(const u8 *s, const u8 *end) {
    size_t n = *s >= 0xf0 && *s <= 0xf4 ? 4 : *s >= 0xe0 && *s < 0xf0 ? 3 : *s >= 0xc2 && *s < 0xe0 ? 2 : 1;
    if ((size_t)(end - s) < n) return 1;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 1;
    return n;
}

/* What a rare part is in small letters; the last answers are kept, as a page says the same again and again. */
static PyObject *small_of(Cutter *cut, const u8 *s, size_t n) {
    u32 key = 0;
    for (size_t i = 0; i < n && i < 4; i++) key = key << 8 | s[i];
    Answer *kept = cut->answers + (key * 2654435761u >> 26);
    if (n <= 4 && kept->told && kept->key == key) return kept->told;
    PyObject *told = PyObject_CallFunction(cut->small, "y#", (const char *)s, (Py_ssize_t)n);
    if (!told) return NULL;
    Py_XDECREF(kept->told);
    kept->told = told;
    kept->key = n <= 4 ? key : 0; /* no part begins with a zero */
    return told;
}

static int put_rare(Cutter *cut, const u8 *s, size_t n, size_t more) {
    char *part;
    Py_ssize_t size;
    PyObject *told = small_of(cut, s, n);
    if (!told || PyBytes_AsStringAndSize(told, &part, &size) < 0) return -1;
    if (make_room(cut, 2 * (size_t)size + more + 8) < 0) return -1;
    for (Py_ssize_t i = 0; i < size; i++) {
        if (part[i] == ' ') end_word(cut);
        else if (part[i] == '\'') put_apostrophe(cut);
        else put_letter(cut, (u8)part[i]);
    }
    return 0;
}

static int put_text(Cutter *cut, const u8 *s, const u8 *end) {
    if (make_room(cut, 2 * (size_t)(end - s) + 8) < 0) return -1;
    while (s < end) {
        u8 c = SMALL[*s];
        if (c > 1) { /* a run of letters, without a look at the cutter for each */
            put_letter(cut, c);
            u8 *to = cut->s + cut->length;
            while (++s < end && (c = SMALL[*s]) > 1) *to++ = c;
            cut->length = (size_t)(to - cut->s);
        } else if (c == 0) {
            end_word(cut);
            while (++s < end && SMALL[*s] == 0) {}
        } else if (*s == '\'') {
            put_apostrophe(cut);
            s++;
        } else {
            size_t n = *s == '&' ? reference(s, end) : cut->bytewise ? 1 : character(s, end);
            if (n && put_rare(cut, s, n, 2 * (size_t)(end - s - (Py_ssize_t)n) + 8) < 0) return -1;
            if (!n) end_word(cut);
            s += n ? n : 1;
        }
    }
    return 0;
}

static int put_mark(Cutter *cut, u8 mark) {
    if (make_room(cut, 8) < 0) return -1;
    end_word(cut);
    cut->s[cut->length++] = mark;
    cut->s[cut->length++] = ' ';
    return 0;
}

static Span alt_of(const u8 *b, size_t at, size_t n) {
    Attr attr = {0};
    Span found = {NULL, 0};
    int more;
    while ((more = next_attr(b, &at, n, &attr)) > 0)
        if (SAME(attr.name, attr.name_length, "alt")) take(&found, &attr);
    return more == 0 ? found : (Span){NULL, 0};
}

typedef struct {
    Span alts[MAX_ALTS];
    size_t count, from; /* where in the text its words begin */
    int open;
} Anchor;

static int open_anchor(Cutter *cut, Anchor *anchor) {
    if (put_mark(cut, 1) < 0) return -1;
    anchor->open = 1;
    anchor->count = 0;
    anchor->from = cut->length;
    return 0;
}

static int close_anchor(Cutter *cut, Anchor *anchor) {
    if (!anchor->open) return 0;
    anchor->open = 0;
    if (cut->length == anchor->from && anchor->count) {
        if (put_mark(cut, 3) < 0) return -1;
        for (size_t i = 0; i < anchor->count; i++) {
            if (put_text(cut, anchor->alts[i].s, anchor->alts[i].s + anchor->alts[i].length) < 0) return -1;
            end_word(cut);
        }
    }
    return put_mark(cut, 2);
}

/* Walk the page along its index; links are numbers of tags in their order. As walk_page for the results. */
static int cut_page(Cutter *cut, const u8 *b, size_t n, Source *source, PyObject *links) {
    size_t p = 0, templates = 0;
    Py_ssize_t turn = 0, count = PyList_Size(links);
    int hidden = 0;
    Anchor anchor = {0};
    size_t next = count > 0 ? PyLong_AsSize_t(PyList_GetItem(links, 0)) : (size_t)-1;
    if (PyErr_Occurred()) return -1;
    for (size_t i = 0; i < source->count; i++) {
        Quad q = next_quad(source);
        size_t o = q.offset, end = o + q.length;
        if (o < p || !fits(&q, b, n)) return 0;
        if (!hidden && !templates && put_text(cut, b + p, b + o) < 0) return -1;
        hidden = 0;
        p = end + 1;
        if (!q.name_length) continue;
        size_t at = o + q.name + q.name_length;
        enum kind kind = kind_of(b + o + q.name, q.name_length);
        int start = q.name == 1;
        if (!IS_INLINE(kind)) end_word(cut);
        if (kind == TEMPLATE) {
            if (start) templates++;
            else if (templates) templates--;
        } else if (start && kind > INLINE) {
            hidden = IS_HIDDEN(kind);
        }
        if (kind == IMAGE && start && anchor.open && anchor.count < MAX_ALTS) {
            Span alt = alt_of(b, at, end + 1);
            if (alt.length) anchor.alts[anchor.count++] = alt;
        } else if (kind == ANCHOR && close_anchor(cut, &anchor) < 0) {
            return -1;
        }
        if (i != next) continue;
        if (close_anchor(cut, &anchor) < 0 || open_anchor(cut, &anchor) < 0) return -1;
        if (kind != ANCHOR) {
            Span alt = alt_of(b, at, end + 1);
            if (alt.length) anchor.alts[anchor.count++] = alt;
            if (close_anchor(cut, &anchor) < 0) return -1;
        }
        next = ++turn < count ? PyLong_AsSize_t(PyList_GetItem(links, turn)) : (size_t)-1;
        if (next == (size_t)-1 && PyErr_Occurred()) return -1;
    }
    if (!hidden && !templates && put_text(cut, b + p, b + n) < 0) return -1;
    if (make_room(cut, 8) < 0) return -1;
    end_word(cut);
    return close_anchor(cut, &anchor) < 0 ? -1 : 1;
}

static PyObject *cut(PyObject *self, PyObject *args) {
    const u8 *b, *data;
    Py_ssize_t n, size;
    int wide, done = -1;
    PyObject *links, *result = NULL;
    Source source;
    Cutter cutter = {0};
    (void)self;
    if (!PyArg_ParseTuple(args, "y#y#pO!pO", &b, &n, &data, &size, &wide, &PyList_Type, &links, &cutter.bytewise,
                          &cutter.small))
        return NULL;
    if (open_index(&source, data, (size_t)size, wide) < 0) Py_RETURN_NONE;
    if (make_room(&cutter, (size_t)n / 2 + 64) == 0) done = cut_page(&cutter, b, (size_t)n, &source, links);
    if (done == 1) result = PyBytes_FromStringAndSize((const char *)cutter.s, (Py_ssize_t)cutter.length);
    else if (done == 0) {
        result = Py_None;
        Py_INCREF(result);
    }
    PyMem_Free(cutter.s);
    for (int i = 0; i < ANSWERS; i++) Py_XDECREF(cutter.answers[i].told);
    return result;
}

/* ---- the attributes of one tag ----------------------------------------------------------------------- */

/* Put an attribute into the table, if there is none of that name yet. */
static int add_attribute(PyObject *found, const Attr *attr) {
    /* A new object: those of one letter that have a content belong to all of Python. */
    PyObject *name = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)attr->name_length);
    if (!name) return -1;
    char *s = PyBytes_AsString(name);
    for (size_t i = 0; i < attr->name_length; i++) s[i] = (char)lower(attr->name[i]);
    int failed = PyDict_Contains(found, name);
    if (failed == 0) {
        PyObject *value = PyBytes_FromStringAndSize((const char *)attr->value, (Py_ssize_t)attr->length);
        failed = value ? PyDict_SetItem(found, name, value) : -1;
        Py_XDECREF(value);
    }
    Py_DECREF(name);
    return failed < 0 ? -1 : 0;
}

static PyObject *attributes(PyObject *self, PyObject *args) {
    const u8 *b;
    Py_ssize_t n;
    size_t at = 0;
    Attr attr;
    int more = 1;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#", &b, &n)) return NULL;
    PyObject *found = PyDict_New();
    while (found && (more = next_attr(b, &at, (size_t)n, &attr)) == 1)
        if (add_attribute(found, &attr) < 0) Py_CLEAR(found);
    if (!found || more == 0) return found;
    Py_DECREF(found);
    Py_RETURN_NONE;
}

/* ---- what a tag is known by -------------------------------------------------------------------------- */

/* tag_key of templates/tokens.py. By name, and of equal names the one written first. */
static int in_order(const void *a, const void *b) {
    const Attr *one = a, *two = b;
    size_t n = one->name_length < two->name_length ? one->name_length : two->name_length;
    for (size_t i = 0; i < n; i++)
        if (lower(one->name[i]) != lower(two->name[i])) return lower(one->name[i]) < lower(two->name[i]) ? -1 : 1;
    if (one->name_length != two->name_length) return one->name_length < two->name_length ? -1 : 1;
    return one->name < two->name ? -1 : one->name > two->name;
}

static int same_name(const Attr *a, const Attr *b) {
    if (a->name_length != b->name_length) return 0;
    for (size_t i = 0; i < a->name_length; i++)
        if (lower(a->name[i]) != lower(b->name[i])) return 0;
    return 1;
}

#define CALLED(attr, word) SAME((attr)->name, (attr)->name_length, word)
#define BEGINS(attr, word) ((attr)->name_length >= sizeof(word) - 1 && SAME((attr)->name, sizeof(word) - 1, word))

static int holds(const Attr *attr, const char *word, size_t size) {
    for (size_t i = 0; i + size <= attr->name_length; i++)
        if (same(attr->name + i, size, word, size)) return 1;
    return 0;
}
#define HOLDS(attr, word) holds(attr, word, sizeof(word) - 1)

/* Whether a value looks as if it were drawn: long, of letters, digits and a few signs, with a digit. */
static int looks_drawn(const u8 *s, size_t n, int digit) {
    if (n < 20 || !digit) return 0;
    for (size_t i = 0; i < n; i++)
        if (!IS(s[i], ALPHA) && !(s[i] >= '0' && s[i] <= '9') && !memchr("+/=_-", s[i], 5)) return 0;
    return 1;
}

/* Whether an attribute changes at each request. */
static int is_volatile(const Attr *attr) {
    int digit = 0;
    if (HOLDS(attr, "nonce") || HOLDS(attr, "csrf") || HOLDS(attr, "token") || HOLDS(attr, "integrity") ||
        HOLDS(attr, "timestamp") || HOLDS(attr, "viewstate"))
        return 1;
    for (size_t i = 0; i < attr->length && !digit; i++) digit = attr->value[i] >= '0' && attr->value[i] <= '9';
    if (CALLED(attr, "id") || CALLED(attr, "for") || CALLED(attr, "name") || CALLED(attr, "headers") ||
        CALLED(attr, "style") || BEGINS(attr, "data-") || BEGINS(attr, "aria-"))
        return digit;
    return looks_drawn(attr->value, attr->length, digit) && !CALLED(attr, "href") && !CALLED(attr, "src");
}

/* Words with one space between them; where they end. */
static u8 *put_words(u8 *to, const u8 *s, const u8 *end) {
    const u8 *start = to;
    while (s < end) {
        while (s < end && IS(*s, BLANK)) s++;
        if (s < end && to > start) *to++ = ' ';
        while (s < end && !IS(*s, BLANK)) *to++ = *s++;
    }
    return to;
}

/* The value of an attribute as it counts: an address without the way up to it, else words. */
static u8 *put_value(u8 *to, const Attr *attr) {
    const u8 *s = attr->value, *end = s + attr->length;
    if (!CALLED(attr, "href") && !CALLED(attr, "src") && !CALLED(attr, "action")) return put_words(to, s, end);
    for (;;) {
        const u8 *p = s;
        while (p < end && p - s < 2 && *p == '.') p++;
        if (p == s || p == end || *p != '/') break;
        s = p + 1;
    }
    if (end > s) memcpy(to, s, (size_t)(end - s));
    return to + (end - s);
}

/* All attributes from `at` on; NULL with or without an error set. */
static Attr *all_attributes(const u8 *b, size_t at, size_t n, size_t *count) {
    Attr attr, *all = NULL;
    size_t room = 0;
    int more;
    *count = 0;
    while ((more = next_attr(b, &at, n, &attr)) == 1) {
        if (*count == room) {
            room = room * 2 + 16;
            Attr *larger = PyMem_Realloc(all, room * sizeof(Attr));
            if (!larger) {
                PyErr_NoMemory();
                break;
            }
            all = larger;
        }
        all[(*count)++] = attr;
    }
    if (more != 0) {
        PyMem_Free(all);
        return NULL;
    }
    return all;
}

/* Name and steady attributes of a tag, in new memory; NULL with an error set. */
static u8 *make_tag_key(const u8 *b, size_t n, size_t *length) {
    size_t first = n > 1 && b[1] == '/' ? 2 : 1, place = first < n ? first : n, count = 0;
    while (place < n && !IS(b[place], NAME_END)) place++;
    int bare = first == 2 || place == n || (place + 1 == n && b[place] == '>');
    Attr *all = bare ? NULL : all_attributes(b, place, n, &count);
    u8 *key = !bare && PyErr_Occurred() ? NULL : PyMem_Malloc(n + 2 * count + 8), *to = key;
    if (!key) {
        PyMem_Free(all);
        return PyErr_Occurred() ? NULL : (u8 *)PyErr_NoMemory();
    }
    for (size_t i = 0; i < place; i++) *to++ = lower(b[i]);
    if (all && count > 1) qsort(all, count, sizeof(Attr), in_order);
    for (size_t i = 0; all && i < count; i++) {
        if ((i && same_name(all + i - 1, all + i)) || is_volatile(all + i)) continue;
        *to++ = 0;
        for (size_t k = 0; k < all[i].name_length; k++) *to++ = lower(all[i].name[k]);
        *to++ = 0;
        to = put_value(to, all + i);
    }
    PyMem_Free(all);
    *length = (size_t)(to - key);
    return key;
}

static PyObject *tag_key(PyObject *self, PyObject *args) {
    const u8 *b;
    Py_ssize_t n;
    size_t length = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#", &b, &n)) return NULL;
    u8 *key = make_tag_key(b, (size_t)n, &length);
    PyObject *result = key ? PyBytes_FromStringAndSize((const char *)key, (Py_ssize_t)length) : NULL;
    PyMem_Free(key);
    return result;
}

/* ---- a page as tokens -------------------------------------------------------------------------------- */

/* templates/tokens.py is the same in Python, and says what a token is. */
enum { START, END, TEXT, HIDDEN };

#define SHORT 48 /* bytes of a key; longer ones are kept as a digest */

typedef struct {
    PyObject *tags, *numbers; /* of tags as they are written, and of keys */
    PyObject *tag, *digest;   /* asked for a tag that is new, and for the digest of a long key */
    int closed;
    PyObject *starts, *keys, *begun;
    u8 *kinds, *key;
    size_t count;
} Tokens;

/* Whether all tags of an index stand in the page, one after the other. */
static int all_fit(Source source, const u8 *b, size_t n) {
    size_t p = 0;
    for (size_t i = 0; i < source.count; i++) {
        Quad q = next_quad(&source);
        if (q.offset < p || !fits(&q, b, n)) return 0;
        p = (size_t)q.offset + q.length + 1;
    }
    return 1;
}

static int put_token(Tokens *to, size_t start, u8 kind, PyObject *number) {
    to->kinds[to->count++] = kind;
    return number && append_number(to->starts, (Py_ssize_t)start) == 0 ? PyList_Append(to->keys, number) : -1;
}

/* The number of a key; a new reference. */
static PyObject *number_of(Tokens *to, PyObject *key) {
    PyObject *number = PyDict_GetItemWithError(to->numbers, key);
    if (number) return Py_NewRef(number);
    if (PyErr_Occurred()) return NULL;
    if (to->closed) return PyLong_FromLong(0);
    number = PyLong_FromSsize_t(PyDict_Size(to->numbers) + 1);
    if (number && PyDict_SetItem(to->numbers, key, number) < 0) Py_CLEAR(number);
    return number;
}

/* The key of a long text: the digest of what would be its key. */
static PyObject *digested(Tokens *to, PyObject *whole) {
    char *s;
    Py_ssize_t n;
    if (!whole) return NULL;
    PyObject *digest = PyObject_CallFunctionObjArgs(to->digest, whole, NULL), *key = NULL;
    Py_DECREF(whole);
    if (digest && PyBytes_AsStringAndSize(digest, &s, &n) == 0 && (key = PyBytes_FromStringAndSize(NULL, n + 1)) != NULL) {
        PyBytes_AsString(key)[0] = '#';
        memcpy(PyBytes_AsString(key) + 1, s, (size_t)n);
    }
    Py_XDECREF(digest);
    return key;
}

/* What stands from s to end: words with one space between them. White space alone goes with the token before. */
static int put_between(Tokens *to, const u8 *b, size_t from, size_t until, u8 kind) {
    u8 *key = to->key;
    key[0] = kind == HIDDEN ? '!' : ' ';
    size_t n = (size_t)(put_words(key + 1, b + from, b + until) - key);
    if (from == until || (n == 1 && from)) return 0;
    PyObject *made = PyBytes_FromStringAndSize((const char *)key, (Py_ssize_t)n);
    if (n > SHORT) made = digested(to, made);
    PyObject *number = made ? number_of(to, made) : NULL;
    int failed = put_token(to, from, kind, number);
    Py_XDECREF(made);
    Py_XDECREF(number);
    return failed;
}

static int put_tag(Tokens *to, const u8 *b, const Quad *q) {
    PyObject *raw = PyBytes_FromStringAndSize((const char *)b + q->offset, (Py_ssize_t)q->length + 1), *number = NULL;
    if (!raw) return -1;
    number = PyDict_GetItemWithError(to->tags, raw);
    if (number) Py_INCREF(number);
    else if (!PyErr_Occurred()) number = PyObject_CallFunctionObjArgs(to->tag, raw, NULL);
    int failed = put_token(to, q->offset, q->name == 1 ? START : END, number);
    if (!failed && q->name == 1) failed = PySet_Add(to->begun, raw);
    Py_XDECREF(number);
    Py_DECREF(raw);
    return failed;
}

static int cut_tokens(Tokens *to, const u8 *b, size_t n, Source *source) {
    size_t p = 0;
    u8 between = TEXT;
    for (size_t i = 0; i < source->count; i++) {
        Quad q = next_quad(source);
        if (put_between(to, b, p, q.offset, between) < 0) return -1;
        p = (size_t)q.offset + q.length + 1;
        between = TEXT;
        if (!q.name_length) {
            if (put_between(to, b, q.offset, p, HIDDEN) < 0) return -1;
            continue;
        }
        if (put_tag(to, b, &q) < 0) return -1;
        if (q.name == 1 && IS_HIDDEN(kind_of(b + q.offset + 1, q.name_length))) between = HIDDEN;
    }
    if (put_between(to, b, p, n, between) < 0) return -1;
    return append_number(to->starts, (Py_ssize_t)n);
}

static PyObject *tokens(PyObject *self, PyObject *args) {
    const u8 *b, *data;
    Py_ssize_t n, size;
    int wide;
    PyObject *result = NULL;
    Source source;
    Tokens to = {0};
    (void)self;
    if (!PyArg_ParseTuple(args, "y#y#pO!O!pOO", &b, &n, &data, &size, &wide, &PyDict_Type, &to.tags, &PyDict_Type,
                          &to.numbers, &to.closed, &to.tag, &to.digest))
        return NULL;
    if (open_index(&source, data, (size_t)size, wide) < 0 || !all_fit(source, b, (size_t)n)) Py_RETURN_NONE;
    to.starts = PyList_New(0), to.keys = PyList_New(0), to.begun = PySet_New(NULL);
    to.kinds = PyMem_Malloc(2 * source.count + 2), to.key = PyMem_Malloc((size_t)n + 2);
    if (!to.kinds || !to.key) PyErr_NoMemory();
    else if (to.starts && to.keys && to.begun && cut_tokens(&to, b, (size_t)n, &source) == 0) {
        PyObject *kinds = PyByteArray_FromStringAndSize((const char *)to.kinds, (Py_ssize_t)to.count);
        if (kinds) result = Py_BuildValue("(ONOO)", to.starts, kinds, to.keys, to.begun);
    }
    Py_XDECREF(to.starts);
    Py_XDECREF(to.keys);
    Py_XDECREF(to.begun);
    PyMem_Free(to.kinds);
    PyMem_Free(to.key);
    return result;
}

/* The different start tags of a page. */
static PyObject *begun(PyObject *self, PyObject *args) {
    const u8 *b, *data;
    Py_ssize_t n, size;
    int wide;
    Source source;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#y#p", &b, &n, &data, &size, &wide)) return NULL;
    if (open_index(&source, data, (size_t)size, wide) < 0 || !all_fit(source, b, (size_t)n)) Py_RETURN_NONE;
    PyObject *found = PySet_New(NULL);
    for (size_t i = 0; found && i < source.count; i++) {
        Quad q = next_quad(&source);
        if (q.name != 1 || !q.name_length) continue;
        PyObject *raw = PyBytes_FromStringAndSize((const char *)b + q.offset, (Py_ssize_t)q.length + 1);
        if (!raw || PySet_Add(found, raw) < 0) Py_CLEAR(found);
        Py_XDECREF(raw);
    }
    return found;
}

#include "_quoted.c"
#include "_headers.c"
#include "_xxh3.c"
#include "_align.c"
#include "_sketch.c"
#include "_blocks.c"
#include "_lower.c"
#include "_judge.c"
#include "_containers.c"
#include "_kinds.c"

static PyMethodDef METHODS[] = {
    {"scan", scan, METH_VARARGS, "scan(body) -> (data, wide)"},
    {"unpack", unpack, METH_VARARGS, "unpack(data, wide, Tag) -> list[Tag]"},
    {"to_columns", to_columns, METH_VARARGS, "to_columns(data, wide) -> the index in columns, or None"},
    {"from_columns", from_columns, METH_VARARGS, "from_columns(columns, wide) -> data"},
    {"pick", pick, METH_VARARGS, "pick(body, data, wide, agent, Href, leaving=False) -> what the page says, or None"},
    {"head_tags", head_tags, METH_VARARGS, "head_tags(body, data, wide) -> (its meta, link and base tags, whether others state something), or None"},
    {"words_in", words_in, METH_VARARGS, "words_in(body, table, words) -> for each word whether it stands there"},
    {"cut", cut, METH_VARARGS, "cut(body, data, wide, links, bytewise, small) -> its words in small letters, or None"},
    {"tokens", tokens, METH_VARARGS,
     "tokens(body, data, wide, tags, numbers, closed, tag, digest) -> (starts, kinds, keys, begun), or None"},
    {"quoted", quoted, METH_O, "quoted(text) -> the text as a string of JSON in UTF-8, or None"},
    {"base32", base32, METH_O, "base32(data) -> the text of base 32, of five bytes or several times as many"},
    {"header_lines", header_lines, METH_O, "header_lines(head) -> names and values after the first line, or None"},
    {"attributes", attributes, METH_VARARGS, "attributes(tail) -> those of a tag by name, or None"},
    {"tag_key", tag_key, METH_VARARGS, "tag_key(raw) -> name and steady attributes of a tag"},
    {"begun", begun, METH_VARARGS, "begun(body, data, wide) -> its different start tags, or None"},
    {"visible", visible, METH_VARARGS,
     "visible(body, data, wide, codec, text_of, value_of, reference, words, utf8, table) -> (title, its end, text)"},
    {"tag_hashes", tag_hashes, METH_VARARGS, "tag_hashes(body, data, wide, hash) -> those of its start tags, or None"},
    {"majority", majority, METH_VARARGS, "majority(pages, max_cells) -> tokens that most pages have, counts and origins"},
    {"runs", runs, METH_VARARGS, "runs(a, b, max_cells, CommonRun) -> those of a longest common subsequence"},
    {"matcher", matcher, METH_VARARGS, "matcher([(raws, kinds, tags, shape)], hash) -> for match"},
    {"match", match, METH_VARARGS,
     "match(matcher, body, data, wide, shape, near, same) -> (template, matched, starts, kinds, shared), or None"},
    {"own_texts", own_texts, METH_VARARGS, "own_texts(body, starts, kinds, shared, most) -> texts"},
    {"small_text", small_text, METH_VARARGS, "small_text(raw) -> text in small letters, references resolved, or None"},
    {"sketch", sketch, METH_VARARGS, "sketch(text, find, hash) -> the sketch of a text in small letters"},
    {"blocks", blocks, METH_VARARGS,
     "blocks(body, data, wide, codec, Element, TextBlock, text_of, value_of, reference, words, utf8, table) -> "
     "(elements, blocks)"},
    {"containers", containers, METH_VARARGS, "containers(elements, blocks, Row, Container) -> list[Container]"},
    {"kinds", kinds, METH_VARARGS, "kinds(elements, blocks, remarks) -> the fields of BlockKinds"},
    {"unshared", unshared, METH_VARARGS, "unshared(blocks, starts, shared) -> a byte for each block"},
    {"evidence", evidence, METH_VARARGS, "evidence(elements, blocks, title, find) -> rows of doubles"},
    {"judge", judge, METH_VARARGS,
     "judge(elements, blocks, title, find, values, bias, features, cuts, leaves, depth, base, least) -> a byte for each"},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot SLOTS[] = {{0, NULL}};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_scan", "plain.py, cutting.py and the cutting of templates/tokens.py in C.", 0, METHODS, SLOTS, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__scan(void) {
    fill_small();
    fill_names();
    fill_kinds();
    fill_logs();
    if (make_types() < 0) return NULL;
    return PyModuleDef_Init(&MODULE);
}
