/* The evidence for main content, and scores; part of _scan.c, which includes this file.
 *
 * main_content.py is the same with numpy, and says what each column means. Sums of bytes are exact; logarithms may
 * differ in their last bit, so a test compares rows with a tolerance, and decisions exactly.
 */
#include <math.h>

enum { GOOD = 1 << 7, BAD = 1 << 8, REMARK = 1 << 9 };

#define COLUMNS 97
#define PROSE_POINTS 2
#define PROSE_BYTES 60
#define WINDOW 4
#define LEAST_FREE 25
#define FAR 40
#define TITLE_WORDS 40
#define LEVELS 6 /* elements around a block that are looked at */
#define GROUPS 8

static const double SHARES[] = {1, 2, 3, 6, 9};
#define SHARE_COUNT 5
#define BONUS 8.0
#define MORE 1.15
#define LESS 0.7

static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }

/* A name of up to eight letters as a number, 0 for others. */
static u64 short_name(const char *s, size_t n) {
    u64 found = 0;
    for (size_t i = 0; n <= 8 && i < n; i++) {
        if (!s[i]) return 0;
        found |= (u64)(u8)s[i] << 8 * i;
    }
    return found;
}

static int is_quotation(const char *s, size_t n) { return n == 10 && !memcmp(s, "blockquote", 10); }

/* Groups of elements by name, in the order of `_GROUPS`; GROUPS for others. */
static int group_of(const char *s, size_t n) {
    switch (short_name(s, n)) {
    case K1('p'): return 0;
    case K2('h', '1'): return 1;
    case K2('h', '2'):
    case K2('h', '3'):
    case K2('h', '4'):
    case K2('h', '5'):
    case K2('h', '6'): return 2;
    case K2('l', 'i'): return 3;
    case K2('t', 'd'):
    case K2('t', 'h'): return 4;
    case K3('d', 'i', 'v'):
    case K7('s', 'e', 'c', 't', 'i', 'o', 'n'):
    case K7('a', 'r', 't', 'i', 'c', 'l', 'e'): return 5;
    case K3('p', 'r', 'e'):
    case K4('c', 'o', 'd', 'e'): return 6;
    case K2('d', 't'):
    case K2('d', 'd'): return 7;
    }
    return is_quotation(s, n) ? 6 : GROUPS;
}

/* Whether the text of an element counts for its parent. */
static int is_inner(const char *s, size_t n) {
    switch (short_name(s, n)) {
    case K1('p'):
    case K3('p', 'r', 'e'):
    case K2('l', 'i'):
    case K2('h', '1'):
    case K2('h', '2'):
    case K2('h', '3'):
    case K2('t', 'd'):
    case K2('d', 'd'): return 1;
    }
    return is_quotation(s, n);
}

typedef struct {
    size_t parent;
    u64 name; /* a hash of it */
    long marks;
    int group, inner, h1;
    double size, linked, blocks; /* of the blocks in it, at any depth */
    double points, round, siblings;
    long steps;
    double level[3][3]; /* free, all and prose bytes of the blocks it is the next, second and third element around */
    double size_log, blocks_log, siblings_log, prose_logs[3];
} JudgedElement;

typedef struct {
    double size, linked, points, digits, inline_tags, free, prose, commas, title, repeats, basic[4];
    int stop, is_prose, in_top;
    long marks;
    size_t up[LEVELS];
    double depth;
} JudgedBlock;

typedef struct {
    JudgedElement *elements;
    JudgedBlock *blocks;
    size_t element_count, count;
    double size, free, prose; /* of all blocks */
} Judged;

/* The fields of a block, in the order of `TextBlock`. */
enum { N_TEXT, N_ELEMENT, N_MARKS, N_SPANS, N_LINKED, N_WORDS, N_LINKED_WORDS, N_INLINE, N_POINTS, N_DIGITS, N_SIZE, N_STOP, N_HREFS };

static int read_long(PyObject *block, int field, long *value) {
    PyObject *number = PyTuple_GetItem(block, field);
    if (!number) return -1;
    *value = PyLong_AsLong(number);
    return *value == -1 && PyErr_Occurred() ? -1 : 0;
}

static int judge_elements(Judged *to, PyObject *elements) {
    for (size_t i = 0; i < to->element_count; i++) {
        JudgedElement *one = to->elements + i;
        PyObject *given = PyList_GetItem(elements, (Py_ssize_t)i);
        PyObject *name = PyTuple_GetItem(given, 1);
        char *s;
        Py_ssize_t n;
        if (!name || PyBytes_AsStringAndSize(name, &s, &n) < 0) return -1;
        one->parent = PyLong_AsSize_t(PyTuple_GetItem(given, 0));
        one->marks = PyLong_AsLong(PyTuple_GetItem(given, 2));
        if (PyErr_Occurred()) return -1;
        if (one->parent > i) one->parent = 0;
        one->group = group_of(s, (size_t)n), one->inner = is_inner(s, (size_t)n), one->h1 = n == 2 && !memcmp(s, "h1", 2);
        one->name = quick_hash((const u8 *)s, (size_t)n);
    }
    return 0;
}

static double count_commas(const u8 *s, size_t n) {
    size_t found = 0, wide = 0;
    for (size_t i = 0; i < n; i++) found += s[i] == ',', wide += s[i] == 0xef;
    for (size_t i = 0; wide && i + 2 < n; i++) found += s[i] == 0xef && s[i + 1] == 0xbc && s[i + 2] == 0x8c;
    return (double)found;
}

/* For each text how many others are equal to it, up to 3. */
static int count_repeats(Judged *to, const Part *texts) {
    size_t room = 64;
    while (room < 2 * to->count) room *= 2;
    u32 *slots = PyMem_Calloc(room, sizeof(u32)), *firsts = PyMem_Malloc((to->count + 1) * sizeof(u32)); /* slots: one more than the first */
    double *counts = PyMem_Calloc(to->count + 1, sizeof(double));
    int failed = !slots || !firsts || !counts;
    for (size_t i = 0; !failed && i < to->count; i++) {
        size_t slot = quick_hash(texts[i].s, texts[i].length) & (room - 1);
        for (; slots[slot]; slot = (slot + 1) & (room - 1)) {
            const Part *other = texts + slots[slot] - 1;
            if (other->length == texts[i].length && !memcmp(other->s, texts[i].s, other->length)) break;
        }
        if (!slots[slot]) slots[slot] = (u32)i + 1;
        counts[firsts[i] = slots[slot] - 1]++;
    }
    for (size_t i = 0; !failed && i < to->count; i++) to->blocks[i].repeats = smaller(counts[firsts[i]] - 1, 3.0);
    PyMem_Free(slots);
    PyMem_Free(firsts);
    PyMem_Free(counts);
    return failed ? (PyErr_NoMemory(), -1) : 0;
}

static int judge_blocks(Judged *to, PyObject *blocks) {
    Part *texts = PyMem_Malloc((to->count + 1) * sizeof(Part));
    size_t i = 0;
    if (!texts) return PyErr_NoMemory(), -1;
    for (; i < to->count; i++) {
        JudgedBlock *one = to->blocks + i;
        PyObject *given = PyList_GetItem(blocks, (Py_ssize_t)i);
        long size, linked, points, digits, inline_tags, stop, element;
        if (read_long(given, N_SIZE, &size) < 0 || read_long(given, N_LINKED, &linked) < 0 ||
            read_long(given, N_POINTS, &points) < 0 || read_long(given, N_DIGITS, &digits) < 0 ||
            read_long(given, N_INLINE, &inline_tags) < 0 || read_long(given, N_STOP, &stop) < 0 ||
            read_long(given, N_MARKS, &one->marks) < 0 || read_long(given, N_ELEMENT, &element) < 0)
            break;
        if (element < 0 || (size_t)element >= to->element_count) {
            PyErr_SetString(PyExc_ValueError, "a block stands in an element of the page");
            break;
        }
        one->size = (double)size, one->linked = (double)linked, one->points = (double)points;
        one->digits = (double)digits, one->inline_tags = (double)inline_tags, one->stop = stop != 0;
        one->free = one->size - one->linked;
        one->is_prose = one->points >= PROSE_POINTS && one->free > PROSE_BYTES;
        one->prose = one->is_prose ? one->free : 0.0;
        one->up[0] = (size_t)element;
        for (int level = 1; level < LEVELS; level++) one->up[level] = to->elements[one->up[level - 1]].parent;
        PyObject *text = PyTuple_GetItem(given, N_TEXT);
        Py_ssize_t n;
        const u8 *s = text ? (const u8 *)PyUnicode_AsUTF8AndSize(text, &n) : NULL;
        if (!s) break;
        texts[i] = (Part){s, (size_t)n};
        one->commas = count_commas(s, (size_t)n);
    }
    int failed = i < to->count || count_repeats(to, texts) < 0;
    PyMem_Free(texts);
    return failed ? -1 : 0;
}

#define TITLE_ROOM 128 /* words of a title; it has at most 500 bytes */

typedef struct {
    Part words[TITLE_ROOM];
    size_t count;
} Title;

static int in_title(const Title *title, const u8 *s, size_t n) {
    for (size_t i = 0; i < title->count; i++)
        if (title->words[i].length == n && !memcmp(title->words[i].s, s, n)) return 1;
    return 0;
}

static int read_title(Title *to, PyObject *words) {
    for (Py_ssize_t i = 0; i < PyList_Size(words) && to->count < TITLE_ROOM; i++) {
        Py_ssize_t n;
        const char *s = PyUnicode_AsUTF8AndSize(PyList_GetItem(words, i), &n);
        if (!s) return -1;
        if (!in_title(to, (const u8 *)s, (size_t)n)) to->words[to->count++] = (Part){(const u8 *)s, (size_t)n};
    }
    return 0;
}

/* How many words of a text the title has, and how many words there are. -1: a character in it is not known here. */
static long title_share(const Title *title, const u8 *s, size_t n, size_t *count) {
    long found = 0;
    u8 word[512];
    for (const u8 *end = s + n; s < end;) {
        size_t length = 0, size = 1;
        while (s < end) {
            int letter = *s < 128 ? is_word_byte(*s) : odd_letter(s, (size_t)(end - s), &size);
            if (letter < 0 || (letter && *s > 0xc3)) return -1; /* its small letter is not known here */
            if (!letter && length) break;
            for (size_t k = 0; letter && k < size; k++, length++) {
                int large = k && s[0] == 0xc3 && s[1] < 0x9f; /* of a Latin letter with an accent */
                if (length < sizeof word) word[length] = k ? (u8)(s[k] + (large ? 32 : 0)) : lower(*s);
            }
            s += size;
            size = 1;
        }
        if (!length) break;
        ++*count;
        found += length <= sizeof word && in_title(title, word, length);
    }
    return found;
}

/* The share of a block's words that the title has; words outside ASCII are cut by `find`. */
static int judge_titles(Judged *to, PyObject *blocks, PyObject *words, PyObject *find) {
    long count;
    Title title = {0};
    if (read_title(&title, words) < 0) return -1;
    for (size_t i = 0; title.count && i < to->count; i++) {
        PyObject *given = PyList_GetItem(blocks, (Py_ssize_t)i);
        if (read_long(given, N_WORDS, &count) < 0) return -1;
        if (count > TITLE_WORDS) continue;
        PyObject *text = PyTuple_GetItem(given, N_TEXT), *cut = NULL;
        Py_ssize_t n = 0;
        const u8 *s = text ? (const u8 *)PyUnicode_AsUTF8AndSize(text, &n) : NULL;
        size_t all = 0;
        long found = s ? title_share(&title, s, (size_t)n, &all) : 0;
        if (found < 0 && (cut = PyObject_CallFunctionObjArgs(find, text, NULL)) != NULL) {
            found = 0;
            all = (size_t)PyList_Size(cut);
            for (size_t k = 0; k < all; k++) {
                const char *word = PyUnicode_AsUTF8AndSize(PyList_GetItem(cut, (Py_ssize_t)k), &n);
                found += word && in_title(&title, (const u8 *)word, (size_t)n);
            }
        }
        Py_XDECREF(cut);
        if (PyErr_Occurred()) return -1;
        to->blocks[i].title = all ? (double)found / (double)all : 0.0;
    }
    return 0;
}

static double density(const JudgedElement *one) { return one->linked / larger(one->size, 1); }

/* Sums over the elements around each block. */
static void sum_blocks(Judged *to) {
    for (size_t i = 0; i < to->count; i++) {
        JudgedBlock *one = to->blocks + i;
        for (size_t element = one->up[0]; element; element = to->elements[element].parent) {
            JudgedElement *around = to->elements + element;
            around->size += one->size, around->linked += one->linked, around->blocks++;
            one->depth++;
        }
        for (int level = 0; level < 3; level++) {
            double *sums = to->elements[one->up[level]].level[level];
            sums[0] += one->free, sums[1] += one->size, sums[2] += one->prose;
        }
        to->size += one->size, to->free += one->free, to->prose += one->prose;
        to->elements[0].size += one->size, to->elements[0].linked += one->linked, to->elements[0].blocks++;
        double size = larger(one->size, 1);
        one->basic[0] = log1p(one->size), one->basic[1] = one->linked / size;
        one->basic[2] = smaller(1.0, 10 * one->points / size), one->basic[3] = log1p(one->free);
    }
}

/* How much each element looks like the one that holds the article. */
static int score_elements(Judged *to) {
    size_t *current = PyMem_Malloc((to->count + 1) * sizeof(size_t));
    double *points = PyMem_Malloc((to->count + 1) * sizeof(double));
    u8 *live = PyMem_Malloc(to->count + 1);
    int failed = !current || !points || !live;
    const long weak = NAV | FOOTER | REMARK | BAD;
    for (size_t i = 0; !failed && i < to->count; i++) {
        const JudgedBlock *one = to->blocks + i;
        double found = 1 + one->commas + smaller(one->free / 100, 3);
        int gives = one->free >= LEAST_FREE && 2 * one->linked < one->size;
        points[i] = gives ? (one->marks & weak ? found / 2 : found) : 0.0;
        current[i] = one->up[to->elements[one->up[0]].inner ? 1 : 0];
        live[i] = 1;
    }
    for (size_t share = 0; !failed && share < SHARE_COUNT; share++) {
        for (size_t i = 0; i < to->element_count; i++) to->elements[i].round = 0;
        for (size_t i = 0; i < to->count; i++) {
            if (!live[i]) continue;
            to->elements[current[i]].round += points[i] / SHARES[share];
            live[i] = current[i] > 0;
            current[i] = to->elements[current[i]].parent;
        }
        for (size_t i = 0; i < to->element_count; i++) to->elements[i].points += to->elements[i].round;
    }
    for (size_t i = 0; !failed && i < to->element_count; i++) {
        JudgedElement *one = to->elements + i;
        double total = one->points;
        total = total > 0 ? (one->marks & (GOOD | ARTICLE | MAIN) ? BONUS + MORE * total : total) : 0.0;
        if (total > 0 && one->marks & (weak | ASIDE)) total = LESS * total - BONUS;
        one->points = total * (1 - density(one));
    }
    PyMem_Free(current);
    PyMem_Free(points);
    PyMem_Free(live);
    return failed ? (PyErr_NoMemory(), -1) : 0;
}

/* How many children with text of the same name the parent of each element has. */
static int count_siblings(Judged *to) {
    size_t room = 64;
    while (room < 2 * to->element_count) room *= 2;
    u32 *slots = PyMem_Calloc(room, sizeof(u32)); /* one more than the first element of a parent and a name */
    if (!slots) return PyErr_NoMemory(), -1;
    for (int turn = 0; turn < 2; turn++) { /* count for the first one, then tell all */
        for (size_t i = 0; i < to->element_count; i++) {
            JudgedElement *one = to->elements + i, *first;
            if (one->blocks <= 0) continue;
            size_t slot = ((u64)one->parent * 0x9E3779B97F4A7C15ULL ^ one->name * 0xC2B2AE3D27D4EB4FULL) >> 20 & (room - 1);
            while (slots[slot]) {
                first = to->elements + slots[slot] - 1;
                if (first->parent == one->parent && first->name == one->name) break;
                slot = (slot + 1) & (room - 1);
            }
            if (!slots[slot]) slots[slot] = (u32)i + 1;
            first = to->elements + slots[slot] - 1;
            if (turn == 0) first->siblings++;
            else one->siblings = first->siblings;
        }
    }
    PyMem_Free(slots);
    return 0;
}

typedef struct {
    double best, share; /* the score of the best element, and its share of the prose */
    long first, last, first_prose, last_prose; /* blocks in it */
    size_t element;
} Top;

static Top find_top(Judged *to) {
    Top top = {0};
    double prose = 0;
    for (size_t i = 1; i < to->element_count; i++)
        if (to->elements[i].points > to->elements[top.element].points) top.element = i;
    top.best = larger(to->elements[top.element].points, 1e-9);
    for (size_t i = 0; i < to->element_count; i++) to->elements[i].steps = -1;
    long step = 0;
    for (size_t element = top.element;; element = to->elements[element].parent) {
        to->elements[element].steps = step++;
        if (!element) break;
    }
    top.first = top.first_prose = -1;
    for (size_t i = 0; i < to->count; i++) {
        JudgedBlock *one = to->blocks + i;
        for (size_t element = one->up[0];; element = to->elements[element].parent) {
            one->in_top |= element == top.element;
            if (!element) break;
        }
        if (!one->in_top) continue;
        prose += one->prose;
        if (top.first < 0) top.first = (long)i;
        top.last = (long)i;
        if (one->is_prose) {
            if (top.first_prose < 0) top.first_prose = (long)i;
            top.last_prose = (long)i;
        }
    }
    if (top.first < 0) top.first = 0, top.last = (long)to->count - 1;
    if (top.first_prose < 0) top.first_prose = 0, top.last_prose = (long)to->count - 1;
    top.share = prose / larger(to->prose, 1);
    return top;
}

static double relative(const Judged *to, const Top *top, size_t element) {
    return larger(-1, smaller(1, to->elements[element].points / top->best));
}

static double FAR_LOGS[FAR + 1]; /* filled once, when the module is loaded */

static void fill_logs(void) {
    for (int i = 0; i <= FAR; i++) FAR_LOGS[i] = log1p(i);
}

static double far_log(long distance) { return FAR_LOGS[distance < 0 ? 0 : distance < FAR ? distance : FAR]; }

static double *put_form(const Judged *to, const JudgedBlock *one, double *row) {
    static const long around[] = {NAV, HEADER, FOOTER, ASIDE, FORM, ARTICLE, MAIN, GOOD, BAD, REMARK, LIST, TABLE};
    static const long near_marks[] = {NAV, GOOD, BAD, REMARK, FOOTER, HEADER};
    double size = larger(one->size, 1);
    for (int i = 0; i < 4; i++) *row++ = one->basic[i];
    *row++ = one->stop;
    *row++ = one->digits / size;
    *row++ = smaller(3.0, one->inline_tags / (1 + one->size / 60));
    for (int group = 0; group <= GROUPS; group++) *row++ = to->elements[one->up[0]].group == group;
    for (size_t i = 0; i < sizeof around / sizeof *around; i++) *row++ = (one->marks & around[i]) > 0;
    long near_own = to->elements[one->up[0]].marks | to->elements[one->up[1]].marks | to->elements[one->up[2]].marks;
    for (size_t i = 0; i < sizeof near_marks / sizeof *near_marks; i++) *row++ = (near_own & near_marks[i]) > 0;
    return row;
}

static double *put_neighbours(const Judged *to, size_t place, double *row) {
    static const int steps[] = {-2, -1, 1, 2};
    static const double edges[] = {0, 1, 0, 0};
    for (int i = 0; i < 4; i++) {
        long other = (long)place + steps[i];
        int inside = other >= 0 && other < (long)to->count;
        for (int k = 0; k < 4; k++) *row++ = inside ? to->blocks[other].basic[k] : edges[k];
    }
    return row;
}

static double *put_elements(const Judged *to, const Top *top, const JudgedBlock *one, double *row) {
    long found = -1;
    double highest = -2;
    for (size_t element = one->up[0];; element = to->elements[element].parent) {
        if (found < 0) found = to->elements[element].steps;
        highest = larger(highest, relative(to, top, element));
        if (!element) break;
    }
    *row++ = one->in_top;
    *row++ = smaller((double)found, 10) / 10;
    *row++ = top->share;
    for (int level = 0; level < 3; level++) *row++ = relative(to, top, one->up[level]);
    *row++ = highest;
    for (int level = 0; level < 5; level++) *row++ = density(to->elements + one->up[level]);
    *row++ = to->elements[one->up[1]].blocks_log;
    *row++ = to->elements[one->up[0]].siblings_log;
    return row;
}

/* All rows; `before` and `after` are the places of the nearest prose. */
static int put_rows(Judged *to, const Top *top, double *rows) {
    size_t n = to->count;
    double *sums = PyMem_Calloc(3 * (n + 1), sizeof(double)), bytes = 0, head = 0;
    long *after = PyMem_Malloc((n + 1) * sizeof(long)), before = -FAR;
    if (!sums || !after) {
        PyMem_Free(sums);
        PyMem_Free(after);
        return PyErr_NoMemory(), -1;
    }
    double size_log = log1p(to->size), prose_log = log1p(to->prose), count_log = log1p((double)n);
    for (size_t i = 0; i < to->element_count; i++) { /* most blocks share their elements with others */
        JudgedElement *one = to->elements + i;
        one->size_log = log1p(one->size), one->blocks_log = log1p(one->blocks), one->siblings_log = log1p(one->siblings);
        for (int level = 0; level < 3; level++) one->prose_logs[level] = log1p(one->level[level][2]);
    }
    after[n] = (long)n + FAR;
    for (size_t i = n; i-- > 0;) after[i] = to->blocks[i].is_prose ? (long)i : after[i + 1];
    for (size_t i = 0; i < n; i++) {
        double *sum = sums + 3 * i;
        sum[3] = sum[0] + to->blocks[i].size, sum[4] = sum[1] + to->blocks[i].linked, sum[5] = sum[2] + to->blocks[i].prose;
    }
    for (size_t i = 0; i < n; i++) {
        const JudgedBlock *one = to->blocks + i;
        double *row = put_form(to, one, rows + i * COLUMNS);
        *row++ = bytes / larger(to->size, 1);
        *row++ = (double)i / (double)n;
        *row++ = size_log;
        bytes += one->size;
        row = put_neighbours(to, i, row);
        for (int level = 0; level < 3; level++) {
            const double *sum = to->elements[one->up[level]].level[level];
            *row++ = sum[0] / larger(to->free, 1), *row++ = sum[0] / larger(sum[1], 1);
            *row++ = sum[2] / larger(to->prose, 1), *row++ = to->elements[one->up[level]].prose_logs[level];
        }
        const double *start = sums + 3 * (i > WINDOW ? i - WINDOW : 0);
        const double *end = sums + 3 * (i + WINDOW + 1 < n ? i + WINDOW + 1 : n);
        *row++ = log1p(end[2] - start[2]);
        *row++ = (end[1] - start[1]) / larger(end[0] - start[0], 1);
        *row++ = sums[3 * i + 2] / larger(to->prose, 1);
        row = put_elements(to, top, one, row);
        if (to->elements[one->up[0]].h1) head = 1;
        *row++ = one->title, *row++ = one->repeats, *row++ = head;
        if (one->is_prose) before = (long)i;
        *row++ = far_log((long)i - before), *row++ = far_log(after[i] - (long)i);
        *row++ = far_log(top->first - (long)i), *row++ = far_log((long)i - top->last);
        *row++ = far_log(top->first_prose - (long)i), *row++ = far_log((long)i - top->last_prose);
        *row++ = one->depth / 20;
        for (int level = 0; level < 3; level++) *row++ = to->elements[one->up[level]].size_log;
        *row++ = prose_log, *row++ = count_log;
    }
    PyMem_Free(sums);
    PyMem_Free(after);
    return 0;
}

/* Rows of evidence in new memory; NULL with an error set. */
static double *gather_evidence(PyObject *elements, PyObject *blocks, PyObject *title, PyObject *find) {
    Judged to = {0};
    double *rows = NULL;
    to.element_count = (size_t)PyList_Size(elements), to.count = (size_t)PyList_Size(blocks);
    to.elements = PyMem_Calloc(to.element_count + 1, sizeof(JudgedElement));
    to.blocks = PyMem_Calloc(to.count + 1, sizeof(JudgedBlock));
    rows = PyMem_Malloc((to.count * COLUMNS + 1) * sizeof(double));
    if (!to.elements || !to.blocks || !rows) PyErr_NoMemory();
    else if (judge_elements(&to, elements) == 0 && judge_blocks(&to, blocks) == 0 &&
             judge_titles(&to, blocks, title, find) == 0) {
        sum_blocks(&to);
        if (score_elements(&to) == 0 && count_siblings(&to) == 0) {
            Top top = find_top(&to);
            put_rows(&to, &top, rows);
        }
    }
    PyMem_Free(to.elements);
    PyMem_Free(to.blocks);
    if (PyErr_Occurred()) {
        PyMem_Free(rows);
        return NULL;
    }
    return rows;
}

static PyObject *evidence(PyObject *self, PyObject *args) {
    PyObject *elements, *blocks, *title, *find;
    (void)self;
    if (!PyArg_ParseTuple(args, "O!O!O!O", &PyList_Type, &elements, &PyList_Type, &blocks, &PyList_Type, &title, &find)) return NULL;
    double *rows = gather_evidence(elements, blocks, title, find);
    if (!rows) return NULL;
    PyObject *found =
        PyBytes_FromStringAndSize((const char *)rows, PyList_Size(blocks) * COLUMNS * (Py_ssize_t)sizeof(double));
    PyMem_Free(rows);
    return found;
}

static double probability(double score) { return 1 / (1 + exp(-larger(-40, smaller(40, score)))); }

typedef struct {
    const double *values, *cuts, *leaves;
    const u8 *features;
    const double *most, *least; /* what the trees from each one on can add */
    size_t trees, inner;
    int depth;
    double bias, base, threshold;
} Scorer;

#define MARGIN 1e-6 /* decisions closer than this are computed in full */
#define STEP 8      /* trees between two looks whether the rest can still matter */

/* Whether the mean of the two probabilities of a row is above the threshold. */
static int is_content(const Scorer *by, const double *row) {
    double plain = 0, grown = 0;
    for (size_t k = 0; k < COLUMNS; k++) plain += row[k] * by->values[k];
    double sure = probability(plain + by->bias), missing = 2 * by->threshold - sure; /* of the other probability */
    if (missing < -MARGIN) return 1;
    if (missing > 1 + MARGIN) return 0;
    int bounded = missing > MARGIN && missing < 1 - MARGIN;
    double needed = bounded ? log(missing / (1 - missing)) - by->base : 0;
    for (size_t tree = 0; tree < by->trees; tree++) {
        size_t at = 0, root = tree * by->inner;
        if (bounded && tree % STEP == 0) {
            if (grown + by->least[tree] > needed + MARGIN) return 1;
            if (grown + by->most[tree] < needed - MARGIN) return 0;
        }
        for (int level = 0; level < by->depth; level++) {
            u8 column = by->features[root + at];
            at = 2 * at + 1 + (column < COLUMNS && row[column] > by->cuts[root + at]);
        }
        grown += by->leaves[tree * (by->inner + 1) + at - by->inner];
    }
    return (sure + probability(grown + by->base)) / 2 - by->threshold > 0;
}

/* What the trees from each one on can add at most and at least. */
static void bound_trees(const Scorer *by, double *most, double *least) {
    most[by->trees] = least[by->trees] = 0;
    for (size_t tree = by->trees; tree-- > 0;) {
        const double *leaf = by->leaves + tree * (by->inner + 1);
        double high = leaf[0], low = leaf[0];
        for (size_t i = 1; i <= by->inner; i++) high = larger(high, leaf[i]), low = smaller(low, leaf[i]);
        most[tree] = most[tree + 1] + high, least[tree] = least[tree + 1] + low;
    }
}

/* Of each block whether it is main content: a byte each. */
static PyObject *judge(PyObject *self, PyObject *args) {
    PyObject *elements, *blocks, *title, *find;
    const char *values, *cuts, *leaves;
    Py_ssize_t value_size, feature_size, cut_size, leaf_size;
    Scorer by = {0};
    (void)self;
    if (!PyArg_ParseTuple(args, "O!O!O!Oy#dy#y#y#idd", &PyList_Type, &elements, &PyList_Type, &blocks, &PyList_Type, &title, &find, &values,
                          &value_size, &by.bias, &by.features, &feature_size, &cuts, &cut_size, &leaves, &leaf_size, &by.depth,
                          &by.base, &by.threshold))
        return NULL;
    by.inner = by.depth > 0 && by.depth < 16 ? ((size_t)1 << by.depth) - 1 : 0;
    by.trees = by.inner ? (size_t)cut_size / (by.inner * sizeof(double)) : 0;
    if (value_size != COLUMNS * (Py_ssize_t)sizeof(double) || (size_t)cut_size != by.trees * by.inner * sizeof(double) ||
        (size_t)feature_size != by.trees * by.inner || (size_t)leaf_size != by.trees * (by.inner + 1) * sizeof(double))
        return PyErr_SetString(PyExc_ValueError, "the weights do not fit the evidence"), NULL;
    double *table = PyMem_Malloc((size_t)(value_size + cut_size + leaf_size) + 2 * (by.trees + 1) * sizeof(double));
    double *rows = table ? gather_evidence(elements, blocks, title, find) : (double *)PyErr_NoMemory();
    size_t count = (size_t)PyList_Size(blocks);
    PyObject *found = rows ? PyBytes_FromStringAndSize(NULL, (Py_ssize_t)count) : NULL;
    if (found) {
        double *cut = table + COLUMNS, *leaf = cut + by.trees * by.inner; /* copies, because bytes may not be aligned */
        double *most = leaf + by.trees * (by.inner + 1), *least = most + by.trees + 1;
        memcpy(table, values, (size_t)value_size);
        memcpy(cut, cuts, (size_t)cut_size);
        memcpy(leaf, leaves, (size_t)leaf_size);
        by.values = table, by.cuts = cut, by.leaves = leaf, by.most = most, by.least = least;
        bound_trees(&by, most, least);
        char *to = PyBytes_AsString(found);
        for (size_t i = 0; i < count; i++) to[i] = (char)is_content(&by, rows + i * COLUMNS);
    }
    PyMem_Free(rows);
    PyMem_Free(table);
    return found;
}
