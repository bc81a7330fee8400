/* The facts of a page: which elements hold rows; part of _scan.c, which includes this file.
 *
 * fact_rows.py is the same in Python, and says what each rule is for; a test holds the two equal. A cell is a range of
 * blocks, so rows are kept as numbers and become objects only for containers that are found.
 */

#define FEWEST 3
#define ROW_BYTES 250
#define CELL_BYTES 160
#define LABEL_BYTES 40
#define LABEL_CHARACTERS 42
#define MOST_LINKED 0.6
#define PAIR_LINKED 0.3
#define MAX_COLUMNS 12
#define HEADLINE_BYTES 24

enum { F_NO_ROWS = 1, F_LAYOUT = 2, F_CELL = 4, F_TH = 8, F_TR = 16, F_DT = 32, F_DD = 64, F_P = 128, F_LI = 256, F_TABLE = 512, F_DL = 1024 };

static int fact_name(const char *s, size_t n) {
    switch (short_name(s, n)) {
    case K2('t', 'd'): return F_NO_ROWS | F_CELL;
    case K2('t', 'h'): return F_NO_ROWS | F_CELL | F_TH;
    case K2('t', 'r'): return F_NO_ROWS | F_TR;
    case K2('d', 't'): return F_NO_ROWS | F_DT;
    case K2('d', 'd'): return F_NO_ROWS | F_DD;
    case K2('d', 'l'): return F_NO_ROWS | F_LAYOUT | F_DL;
    case K5('t', 'h', 'e', 'a', 'd'):
    case K5('t', 'b', 'o', 'd', 'y'):
    case K5('t', 'f', 'o', 'o', 't'):
    case K4('b', 'o', 'd', 'y'):
    case K4('h', 't', 'm', 'l'):
    case K4('h', 'e', 'a', 'd'): return F_NO_ROWS;
    case K2('u', 'l'):
    case K2('o', 'l'):
    case K2('h', '1'):
    case K2('h', '2'):
    case K2('h', '3'):
    case K4('f', 'o', 'r', 'm'):
    case K4('m', 'a', 'i', 'n'):
    case K7('s', 'e', 'c', 't', 'i', 'o', 'n'):
    case K7('a', 'r', 't', 'i', 'c', 'l', 'e'):
    case K3('n', 'a', 'v'): return F_LAYOUT;
    case K1('p'): return F_P;
    case K2('l', 'i'): return F_LI;
    case K5('t', 'a', 'b', 'l', 'e'): return F_NO_ROWS | F_LAYOUT | F_TABLE;
    }
    return 0;
}

typedef struct {
    size_t parent, selector; /* selector: a number for each different one */
    u64 name;                /* a hash of it */
    long marks;
    int is, by_role;
    unsigned long style;
    Py_ssize_t first, last; /* blocks in it; -1: none */
    size_t kids, kid_count; /* where its children with text are listed */
    size_t column;          /* of a cell in its row */
    size_t cells;           /* of a row so far */
} FactElement;

typedef struct {
    size_t element;
    long size, linked, inline_tags, spans;
    int stop, taken;
    int colon; /* -1: not looked at yet */
    PyObject *text; /* borrowed */
} FactBlock;

typedef struct {
    size_t start, end; /* blocks */
    size_t column;
    int head;
} Cell;

typedef struct {
    size_t cell, count; /* its cells */
    size_t first;       /* block */
    int heads, columns; /* whether they were told */
} FactRow;

typedef struct {
    FactElement *elements;
    FactBlock *blocks;
    size_t element_count, count;
    size_t *kids;
    long *sizes, *links; /* sums of all blocks before */
    size_t *below; /* elements in a table or list */
    /* For the children of one element: groups by selector, which of them a child belongs to, their members. */
    size_t *by_selector, *group_of, *members, *group_first, *group_count;
    size_t *odd, *links_of, *starts; /* children without a row, chains of them, and places of rows */
    size_t *headlines; /* paragraphs of one group that are links */
    Cell *cells;
    FactRow *rows;
    size_t cell_count, cell_room, row_count, row_room;
} Facts;

static int add_cell(Facts *to, size_t start, size_t end, int head, size_t column) {
    if (to->cell_count == to->cell_room) {
        size_t room = to->cell_room * 2 + 256;
        Cell *more = PyMem_Realloc(to->cells, room * sizeof(Cell));
        if (!more) return PyErr_NoMemory(), -1;
        to->cells = more;
        to->cell_room = room;
    }
    to->cells[to->cell_count++] = (Cell){start, end, column, head};
    FactRow *row = to->rows + to->row_count - 1;
    if (!row->count++) row->first = start;
    return 0;
}

static int add_row(Facts *to, int heads, int columns) {
    if (to->row_count == to->row_room) {
        size_t room = to->row_room * 2 + 128;
        FactRow *more = PyMem_Realloc(to->rows, room * sizeof(FactRow));
        if (!more) return PyErr_NoMemory(), -1;
        to->rows = more;
        to->row_room = room;
    }
    to->rows[to->row_count++] = (FactRow){to->cell_count, 0, 0, heads, columns};
    return 0;
}

static void no_rows(Facts *to) { to->cell_count = to->row_count = 0; }

/* The blocks of an element as a cell. */
static int add_inside(Facts *to, size_t kid, int head, size_t column) {
    return add_cell(to, (size_t)to->elements[kid].first, (size_t)to->elements[kid].last + 1, head, column);
}

static long size_in(const Facts *to, size_t element) {
    return to->sizes[to->elements[element].last + 1] - to->sizes[to->elements[element].first];
}

static long linked_in(const Facts *to, size_t element) {
    return to->links[to->elements[element].last + 1] - to->links[to->elements[element].first];
}

/* ---- reading the page ------------------------------------------------------------------------------- */

static int read_elements(Facts *to, PyObject *elements) {
    Map selectors = {0};
    for (size_t i = 0; i < to->element_count; i++) {
        FactElement *one = to->elements + i;
        PyObject *given = PyList_GetItem(elements, (Py_ssize_t)i), *name = PyTuple_GetItem(given, 1);
        PyObject *selector = name ? PyTuple_GetItem(given, 3) : NULL, *style = selector ? PyTuple_GetItem(given, 4) : NULL;
        char *s;
        Py_ssize_t n, length;
        if (!style || PyBytes_AsStringAndSize(name, &s, &n) < 0) break;
        const char *called = PyUnicode_AsUTF8AndSize(selector, &length);
        one->parent = PyLong_AsSize_t(PyTuple_GetItem(given, 0));
        one->marks = PyLong_AsLong(PyTuple_GetItem(given, 2));
        one->style = PyLong_AsUnsignedLong(style);
        if (!called || PyErr_Occurred()) break;
        if (one->parent >= i) one->parent = 0;
        one->is = fact_name(s, (size_t)n);
        int ascii = 1;
        for (Py_ssize_t k = 0; k < n; k++) ascii &= (u8)s[k] < 128;
        if (ascii) one->by_role = length < n || memcmp(called, s, (size_t)n) != 0;
        else { /* the name is compared by characters of Latin-1 */
            PyObject *decoded = PyUnicode_DecodeLatin1(s, n, NULL);
            one->by_role = decoded ? !PyUnicode_Tailmatch(selector, decoded, 0, PY_SSIZE_T_MAX, -1) : 0;
            Py_XDECREF(decoded);
        }
        u32 number = put_key(&selectors, (const u8 *)called, (size_t)length);
        if (!number) PyErr_NoMemory();
        one->name = quick_hash((const u8 *)s, (size_t)n), one->selector = number - 1;
        one->first = one->last = -1;
        if (PyErr_Occurred()) break;
    }
    free_map(&selectors);
    return PyErr_Occurred() ? -1 : 0;
}

static int read_blocks(Facts *to, PyObject *blocks) {
    for (size_t i = 0; i < to->count; i++) {
        FactBlock *one = to->blocks + i;
        PyObject *given = PyList_GetItem(blocks, (Py_ssize_t)i);
        long element, stop;
        if (read_long(given, N_ELEMENT, &element) < 0 || read_long(given, N_SIZE, &one->size) < 0 ||
            read_long(given, N_LINKED, &one->linked) < 0 || read_long(given, N_INLINE, &one->inline_tags) < 0 ||
            read_long(given, N_STOP, &stop) < 0)
            return -1;
        one->spans = (long)span_count(PyTuple_GetItem(given, N_SPANS));
        one->text = PyTuple_GetItem(given, N_TEXT);
        PyObject *hrefs = PyTuple_GetItem(given, N_HREFS);
        if (one->spans < 0 || !one->text || !hrefs) return -1;
        if (one->linked == one->size && !PyTuple_Size(hrefs)) one->linked = 0; /* in a link around several passages */
        if (element < 0 || (size_t)element >= to->element_count)
            return PyErr_SetString(PyExc_ValueError, "a block stands in an element of the page"), -1;
        one->element = (size_t)element, one->stop = stop != 0, one->colon = -1;
        to->sizes[i + 1] = to->sizes[i] + one->size, to->links[i + 1] = to->links[i] + one->linked;
    }
    return 0;
}

static void make_tree(Facts *to) {
    for (size_t number = 0; number < to->count; number++)
        for (size_t element = to->blocks[number].element; element; element = to->elements[element].parent) {
            FactElement *one = to->elements + element;
            if (one->last == (Py_ssize_t)number) break;
            if (one->first < 0) one->first = (Py_ssize_t)number;
            one->last = (Py_ssize_t)number;
        }
    for (size_t i = 1; i < to->element_count; i++) {
        FactElement *one = to->elements + i, *parent = to->elements + one->parent;
        if (one->is & F_CELL) one->column = parent->cells++;
        if (one->first >= 0) parent->kid_count++;
    }
    size_t place = 0;
    for (size_t i = 0; i < to->element_count; i++) {
        to->elements[i].kids = place;
        place += to->elements[i].kid_count;
        to->elements[i].kid_count = 0;
    }
    for (size_t i = 1; i < to->element_count; i++) {
        FactElement *parent = to->elements + to->elements[i].parent;
        if (to->elements[i].first >= 0) to->kids[parent->kids + parent->kid_count++] = i;
    }
}

/* ---- tables and definition lists -------------------------------------------------------------------- */

/* All elements with text in an element, in order, in `below`; how many. */
static size_t all_below(Facts *to, size_t element) {
    /* Children have larger numbers than their parents, and all below an element follow it without a gap. */
    size_t found = 0;
    for (size_t i = element + 1; i < to->element_count; i++) {
        size_t around = to->elements[i].parent;
        while (around > element) around = to->elements[around].parent;
        if (around != element) break;
        if (to->elements[i].first >= 0) to->below[found++] = i;
    }
    return found;
}

/* Whether an element, one of those `below`, is a table around one text. */
static int is_one_cell(const Facts *to, size_t at, size_t below) {
    size_t element = to->below[at], cells = 0;
    if (!(to->elements[element].is & F_TABLE)) return 0;
    for (size_t i = at + 1; i < below; i++) {
        size_t around = to->elements[to->below[i]].parent;
        while (around > element) around = to->elements[around].parent;
        if (around != element) break;
        cells += (to->elements[to->below[i]].is & F_CELL) != 0;
    }
    return cells == 1;
}

/* The table that a row belongs to. */
static size_t table_of(const Facts *to, size_t row) {
    while (row && !(to->elements[row].is & F_TABLE)) row = to->elements[row].parent;
    return row;
}

/* 1: rows were made; 0: it is no table; -1: failed. A table of links as long as headlines is an index. */
static int make_table(Facts *to, size_t element, const char **kind) {
    size_t below = all_below(to, element), wide = 0, brief = 0, bulleted = 0;
    no_rows(to);
    for (size_t i = 0; i < below; i++)
        if (to->elements[to->below[i]].is & F_LAYOUT && !is_one_cell(to, i, below)) return 0;
    for (size_t i = 0; i < below; i++) {
        const FactElement *row = to->elements + to->below[i];
        if (!(row->is & F_TR) || table_of(to, to->below[i]) != element) continue;
        int begun = 0, later = 0;
        for (size_t k = 0; k < row->kid_count; k++) {
            size_t kid = to->kids[row->kids + k];
            const FactElement *cell = to->elements + kid;
            if (!(cell->is & F_CELL)) continue;
            if (!begun++ && add_row(to, 1, 1) < 0) return -1;
            if (add_inside(to, kid, (cell->is & F_TH) != 0, cell->column) < 0) return -1;
            later = cell->column > 0;
        }
        wide += begun > 1;
        bulleted += begun == 1 && later;
        brief += begun && size_in(to, to->below[i]) < HEADLINE_BYTES;
    }
    double size = (double)size_in(to, element), linked = (double)linked_in(to, element);
    /* One row is layout, unless it is headings and what belongs to them in turn. */
    int single = to->row_count == 1 && to->cell_count % 2 == 0;
    for (size_t i = 0; i < to->cell_count && single; i++) single = (to->cells[i].head != 0) == (i % 2 == 0);
    if (size > CELL_BYTES * (double)to->cell_count) return 0;
    if (linked > MOST_LINKED * size) {
        *kind = "index";
        return to->row_count >= FEWEST && brief <= to->row_count / 2;
    }
    if ((to->row_count >= 2 || single) && 2 * wide >= to->row_count) return 1;
    *kind = "rep"; /* an empty cell before each text */
    return to->row_count >= FEWEST && 3 * bulleted >= 2 * to->row_count;
}

static int make_definitions(Facts *to, size_t element) {
    size_t below = all_below(to, element);
    size_t told = 0; /* rows with a definition that is no link: terms may be links, and so may another definition */
    int telling = 0;
    no_rows(to);
    for (size_t i = 0; i < below; i++) {
        int is = to->elements[to->below[i]].is;
        if (!(is & (F_DT | F_DD))) continue;
        if (is & F_DT || !to->row_count) {
            telling = 0;
            if (add_row(to, 1, 0) < 0) return -1;
        }
        if (add_inside(to, to->below[i], (is & F_DT) != 0, 0) < 0) return -1;
        if (is & F_DD && !telling && (double)linked_in(to, to->below[i]) <= MOST_LINKED * (double)size_in(to, to->below[i]))
            telling = 1, told++;
    }
    int open = (double)linked_in(to, element) <= MOST_LINKED * (double)size_in(to, element);
    return to->row_count && (open || (to->row_count >= 2 && 2 * told >= to->row_count));
}

/* ---- repeated blocks -------------------------------------------------------------------------------- */

/* Whether a text begins with a short label and a colon. */
static int has_colon(FactBlock *block) {
    if (block->colon >= 0) return block->colon;
    Py_ssize_t n = 0;
    const u8 *s = (const u8 *)PyUnicode_AsUTF8AndSize(block->text, &n);
    block->colon = 0;
    if (!s) return PyErr_Clear(), 0;
    const u8 *end = s + n;
    int spaceless = 0;
    for (int before = 0; s < end && before <= LABEL_CHARACTERS; before++) {
        size_t size = utf8_size(s, end);
        size = size ? size : 1;
        int wide = size == 3 && s[0] == 0xef && s[1] == 0xbc && s[2] == 0x9a;
        const u8 *after = s + size;
        /* After a wide colon, and after a colon behind a sign of a language without spaces, there is no space. */
        if (before && (wide || (*s == ':' && (spaceless || after == end || is_white(after, utf8_size(after, end))))))
            return block->colon = 1;
        if (*s == '\n') break;
        spaceless = size >= 3 && (s[0] > 0xe2 || (s[0] == 0xe2 && s[1] >= 0xba));
        s = after;
    }
    return 0;
}

static int is_labelled(Facts *to, size_t kid) {
    const FactElement *one = to->elements + kid;
    FactBlock *first = to->blocks + one->first;
    if (one->last == one->first + 1) return first->size <= LABEL_BYTES && !first->linked;
    if (one->last != one->first || first->size > CELL_BYTES || first->stop) return 0;
    return first->spans > 1 || has_colon(first);
}

/* Whether two children are built alike: names, and the elements that hold their passages. */
static int same_shape(const Facts *to, size_t a, size_t b, int with_name) {
    const FactElement *one = to->elements + a, *two = to->elements + b;
    if ((with_name && one->name != two->name) || one->last - one->first != two->last - two->first) return 0;
    for (Py_ssize_t i = 0; i <= one->last - one->first; i++)
        if (to->elements[to->blocks[one->first + i].element].selector !=
            to->elements[to->blocks[two->first + i].element].selector)
            return 0;
    return 1;
}

static int built_as_pair(Facts *to, const size_t *rows) {
    if (!same_shape(to, rows[0], rows[1], 0)) return 0;
    for (int i = 0; i < 2; i++) {
        const FactElement *one = to->elements + rows[i];
        const FactBlock *label = to->blocks + one->first;
        if (!is_labelled(to, rows[i]) || label->stop) return 0;
        if (label->element == to->blocks[one->last].element && label->spans != 2) return 0;
    }
    return 1;
}

enum { K_NONE, K_PAIR = 1, K_REP = 2, K_INDEX = 4 };

static int by_size(const void *a, const void *b) {
    long one = *(const long *)a, two = *(const long *)b;
    return one < two ? -1 : one > two;
}

/* Whether an element is two passages, a label and a value. */
static int is_two(Facts *to, size_t kid) {
    return to->elements[kid].last - to->elements[kid].first == 1 && is_labelled(to, kid);
}

/* Whether most children of an element are a label and a value each: it is a list of them, and no row. */
static int holds_pairs(Facts *to, size_t element) {
    const FactElement *one = to->elements + element;
    size_t pairs = 0;
    for (size_t i = 0; i < one->kid_count; i++) pairs += (size_t)is_two(to, to->kids[one->kids + i]);
    return one->kid_count >= FEWEST && 3 * pairs >= 2 * one->kid_count;
}

/* The first of `headlines` that stand one after the other, and are long enough; how many. */
static size_t first_run(const Facts *to, size_t n, size_t *rows) {
    size_t run = 0, brief = 0;
    for (size_t i = 0; i < n; i++) {
        size_t kid = to->headlines[i];
        if (run && to->elements[rows[run - 1]].last + 1 != to->elements[kid].first) {
            if (run >= FEWEST) break;
            run = brief = 0;
        }
        brief += size_in(to, kid) < HEADLINE_BYTES;
        rows[run++] = kid;
    }
    return run >= FEWEST && 2 * brief <= run ? run : 0;
}

/* What the equal children of an element are; `rows` gets those that are rows. */
static int kind_of_group(Facts *to, const size_t *group, size_t n, size_t *rows, size_t *count) {
    size_t found = 0, pairs = 0, sentences = 0, lists = 0;
    double size = 0, linked = 0;
    *count = 0;
    int is = to->elements[group[0]].is;
    for (size_t i = 0; i < n; i++)
        if (size_in(to, group[i]) <= ROW_BYTES) rows[found++] = group[i];
    if (is & F_P) { /* of paragraphs only those with a label, or headlines */
        size_t kept = 0, links_only = 0;
        for (size_t i = 0; i < found; i++) {
            double bytes = (double)size_in(to, rows[i]), links = (double)linked_in(to, rows[i]);
            if (links > MOST_LINKED * bytes) to->headlines[links_only++] = rows[i];
            if (!is_labelled(to, rows[i]) || links > MOST_LINKED * bytes) continue;
            size += bytes, linked += links;
            rows[kept++] = rows[i];
        }
        if (kept >= FEWEST && linked <= PAIR_LINKED * size) return *count = kept, K_PAIR;
        return (*count = first_run(to, links_only, rows)) ? K_INDEX : K_NONE;
    }
    if (found == 2 && n == 2 && built_as_pair(to, rows)) return *count = 2, K_PAIR;
    if (found < FEWEST || 3 * found < 2 * n) return K_NONE;
    for (size_t i = 0; i < found; i++) {
        const FactElement *one = to->elements + rows[i];
        size += (double)size_in(to, rows[i]), linked += (double)linked_in(to, rows[i]);
        pairs += (size_t)is_labelled(to, rows[i]);
        sentences += one->first == one->last && to->blocks[one->first].stop;
        lists += (size_t)holds_pairs(to, rows[i]);
    }
    *count = found;
    if (linked <= PAIR_LINKED * size && 3 * pairs >= 2 * found) return K_PAIR;
    if (!(is & F_LI) && 2 * sentences > found) return *count = 0, K_NONE; /* paragraphs by another name */
    if (2 * lists > found) return *count = 0, K_NONE;
    if (linked <= MOST_LINKED * size) return K_REP;
    long *sorted = PyMem_Malloc(found * sizeof(long));
    if (!sorted) return *count = 0, PyErr_NoMemory(), -1;
    for (size_t i = 0; i < found; i++) sorted[i] = size_in(to, rows[i]);
    qsort(sorted, found, sizeof(long), by_size);
    long middle = sorted[found / 2];
    PyMem_Free(sorted);
    return middle >= HEADLINE_BYTES ? K_INDEX : (*count = 0, K_NONE);
}

/* A child whose passages are cells. */
static int add_passages(Facts *to, size_t kid) {
    if (add_row(to, 0, 0) < 0) return -1;
    for (Py_ssize_t i = to->elements[kid].first; i <= to->elements[kid].last; i++)
        if (add_cell(to, (size_t)i, (size_t)i + 1, 0, 0) < 0) return -1;
    return 0;
}

/* Labels, each followed by a value of the other group. 1: rows were made. */
static int make_in_turn(Facts *to, const size_t *kids, size_t n, const size_t *groups, size_t labels, size_t values) {
    size_t names = 0, all = 0, pairs = 0;
    for (size_t i = 0; i < n; i++) {
        names += groups[i] == labels;
        if (groups[i] == values) all++, pairs += (size_t)is_two(to, kids[i]);
    }
    if (all > names && 2 * pairs > all) return 0; /* headings of groups of facts */
    no_rows(to);
    for (size_t i = 0; i < n; i++) {
        if (groups[i] != labels) continue;
        if (i + 1 >= n || groups[i + 1] != values || size_in(to, kids[i]) > LABEL_BYTES || linked_in(to, kids[i]) ||
            size_in(to, kids[i + 1]) > CELL_BYTES)
            return 0;
        if (add_row(to, 1, 0) < 0 || add_inside(to, kids[i], 1, 0) < 0 || add_inside(to, kids[i + 1], 0, 0) < 0) return -1;
    }
    return to->row_count > 0;
}

/* Cells without an element for each row: children of one group begin the rows. */
static int make_cells_by_row(Facts *to, const size_t *kids, size_t n, const size_t *groups, size_t names) {
    size_t counts[MAX_COLUMNS + 1] = {0}, seen[MAX_COLUMNS + 1] = {0}, rows = 0, width = 0;
    no_rows(to);
    for (size_t i = 0; i < n; i++)
        if (groups[i] == names) to->starts[rows++] = i;
    to->starts[rows] = n;
    size_t first = to->starts[0];
    /* The most common width; of equally common ones that of the first row. Two thirds have it, or it does not count. */
    for (size_t i = 0; i < rows; i++) {
        size_t length = to->starts[i + 1] - to->starts[i];
        if (length <= MAX_COLUMNS && !counts[length]++) seen[length] = i;
    }
    for (size_t i = 1; i <= MAX_COLUMNS; i++)
        if (counts[i] && (!width || counts[i] > counts[width] || (counts[i] == counts[width] && seen[i] < seen[width]))) width = i;
    if (width < 3 || 3 * counts[width] < 2 * rows) return 0;
    const size_t *model = kids + to->starts[seen[width]];
    double size = 0, linked = 0;
    for (size_t i = 0; i < rows; i++) {
        size_t length = to->starts[i + 1] - to->starts[i];
        for (size_t k = 0; k < length; k++) {
            size_t kid = kids[to->starts[i] + k], same = 0;
            const FactElement *one = to->elements + kid;
            for (size_t m = 0; m < width && !same; m++) same = one->selector == to->elements[model[m]].selector;
            if (length == width && one->selector != to->elements[model[k]].selector) return 0;
            if (!same || one->is & F_NO_ROWS) return 0;
            size += (double)size_in(to, kid), linked += (double)linked_in(to, kid);
        }
    }
    if (size > CELL_BYTES * (double)(n - first) || linked > MOST_LINKED * size) return 0;
    int heads = first >= width;
    for (size_t k = 1; heads && k < width; k++)
        heads = to->elements[kids[first - k]].selector == to->elements[kids[first - width]].selector;
    if (heads) {
        if (add_row(to, 1, 1) < 0) return -1;
        for (size_t k = 0; k < width; k++)
            if (add_inside(to, kids[first - width + k], 1, k) < 0) return -1;
    }
    for (size_t i = 0; i < rows; i++) {
        size_t length = to->starts[i + 1] - to->starts[i];
        if (add_row(to, 1, 1) < 0) return -1;
        for (size_t k = 0; k < length; k++)
            if (add_inside(to, kids[to->starts[i] + k], k == 0, length == width || !k ? k : width + k - 1) < 0) return -1;
    }
    return 1;
}

/* Cells without an element for each row: the first children are headings, which number the columns. */
static int make_cells_below_heads(Facts *to, const size_t *kids, size_t n) {
    const FactElement *all = to->elements;
    size_t width = 0, stops = 0;
    double size = 0, linked = 0;
#define LIKE(i, k) (all[kids[i]].selector == all[kids[k]].selector && all[kids[i]].style == all[kids[k]].style)
    for (size_t i = 1; i < n && !width; i++)
        if (!LIKE(i, 0)) width = i;
    if (width < 2 || width > MAX_COLUMNS || n % width || n < 3 * width) return 0;
    for (size_t i = 0; i < n; i++) {
        const FactElement *one = all + kids[i];
        if (one->is & (F_NO_ROWS | F_P | F_LI) || (i > width && !LIKE(i, width))) return 0;
        if (i < width && (size_in(to, kids[i]) > LABEL_BYTES || linked_in(to, kids[i]) || to->blocks[one->first].stop)) return 0;
        if (i < width) continue;
        size += (double)size_in(to, kids[i]), linked += (double)linked_in(to, kids[i]);
        stops += to->blocks[one->first].stop != 0;
    }
#undef LIKE
    if (size > CELL_BYTES * (double)(n - width) || linked > MOST_LINKED * size || 2 * stops > n - width) return 0;
    no_rows(to);
    for (size_t i = 0; i < n; i++)
        if ((i % width == 0 && add_row(to, 1, 1) < 0) || add_inside(to, kids[i], i < width || i % width == 0, i % width) < 0) return -1;
    return 1;
}

/* The same by all classes: labels and values in turn. */
static int make_by_style(Facts *to, const size_t *kids, size_t n, size_t grouped) {
    if (grouped != n || n < 4 || n % 2) return 0;
    const FactElement *all = to->elements;
    if (all[kids[0]].style == all[kids[1]].style) return 0;
    for (size_t i = 2; i < n; i++)
        if (all[kids[i]].style != all[kids[i % 2]].style) return 0;
    for (size_t i = 0; i < n; i++) to->odd[i] = i % 2;
    return make_in_turn(to, kids, n, to->odd, 0, 1);
}

/* Equal children that are labels and values in turn, told apart by the tags inside them. */
static int pair_rows(Facts *to) {
    size_t n = to->row_count;
    if (n % 2 || n < 2 * FEWEST) return 0;
#define FIRST(i) (to->blocks + to->cells[to->rows[i].cell].start)
    for (size_t i = 0; i < n; i++) {
        const FactBlock *one = FIRST(i);
        if (to->rows[i].count > 1 || (one->inline_tags != 0) != (FIRST(i % 2)->inline_tags != 0)) return 0;
        if (i % 2 == 0 && (one->size > LABEL_BYTES || one->linked || one->stop)) return 0;
    }
    if ((FIRST(0)->inline_tags != 0) == (FIRST(1)->inline_tags != 0)) return 0;
#undef FIRST
    Cell *cells = PyMem_Malloc(n * sizeof(Cell));
    if (!cells) return PyErr_NoMemory(), -1;
    for (size_t i = 0; i < n; i++) cells[i] = to->cells[to->rows[i].cell];
    no_rows(to);
    for (size_t i = 0; i < n; i++)
        if ((i % 2 == 0 && add_row(to, 1, 0) < 0) || add_cell(to, cells[i].start, cells[i].end, i % 2 == 0, 0) < 0) break;
    PyMem_Free(cells);
    return PyErr_Occurred() ? -1 : 1;
}

static int by_first_block(const void *a, const void *b) {
    size_t one = ((const FactRow *)a)->first, two = ((const FactRow *)b)->first;
    return one < two ? -1 : one > two;
}

static u64 shape_hash(const Facts *to, size_t kid) {
    const FactElement *one = to->elements + kid;
    u64 h = one->name + 1;
    for (Py_ssize_t i = one->first; i <= one->last; i++)
        h = (h ^ to->elements[to->blocks[i].element].selector) * 0x9FB21C651E98DF25ULL, h ^= h >> 31;
    return h;
}

/* Chain children that are built alike, in the order of the first of each; how many chains, SIZE_MAX: failed. */
static size_t chain_by_shape(Facts *to, size_t n) {
    size_t room = 16, chains = 0, *last = to->group_count;
    while (room < 2 * n) room *= 2;
    size_t *slots = PyMem_Calloc(room, sizeof(size_t)); /* one more than the number of a chain */
    if (!slots) return PyErr_NoMemory(), SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        size_t slot = shape_hash(to, to->odd[i]) & (room - 1);
        while (slots[slot] && !same_shape(to, to->odd[to->group_first[slots[slot] - 1]], to->odd[i], 1))
            slot = (slot + 1) & (room - 1);
        to->links_of[i] = SIZE_MAX;
        if (slots[slot]) to->links_of[last[slots[slot] - 1]] = i;
        else to->group_first[chains] = i, slots[slot] = ++chains;
        last[slots[slot] - 1] = i;
    }
    PyMem_Free(slots);
    return chains;
}

/* Kinds of groups of equal children, with their rows. Those without rows may be built alike. */
static int gather_rows(Facts *to, size_t groups) {
    int kinds = 0;
    size_t count, odd = 0, *rows = to->starts;
    no_rows(to);
    for (size_t group = 0; group < groups; group++) {
        const size_t *members = to->members + to->group_first[group];
        int kind = kind_of_group(to, members, to->group_count[group], rows, &count);
        if (kind < 0) return -1;
        kinds |= kind;
        for (size_t i = 0; i < count; i++)
            if (add_passages(to, rows[i]) < 0) return -1;
        for (size_t i = 0; !count && i < to->group_count[group]; i++) to->odd[odd++] = members[i];
    }
    size_t chains = odd > 1 ? chain_by_shape(to, odd) : 0;
    if (chains == SIZE_MAX) return -1;
    for (size_t chain = 0; chain < chains; chain++) {
        size_t n = 0;
        for (size_t i = to->group_first[chain]; i != SIZE_MAX; i = to->links_of[i]) to->members[n++] = to->odd[i];
        int kind = kind_of_group(to, to->members, n, rows, &count);
        if (kind < 0) return -1;
        if (kind != K_PAIR) continue;
        kinds |= kind;
        for (size_t i = 0; i < count; i++)
            if (add_passages(to, rows[i]) < 0) return -1;
    }
    return kinds;
}

/* The children of an element that are alike. The kind of container, 0 for none, -1: failed. */
static int make_repeated(Facts *to, size_t element, const char **kind) {
    const FactElement *one = to->elements + element;
    const size_t *kids = to->kids + one->kids;
    size_t n = one->kid_count, groups = 0, grouped = 0;
    int made = 0;
    if (n < 2) return 0;
    /* Groups by selector, in the order of their first members. */
    for (size_t i = 0; i < n; i++) {
        const FactElement *kid = to->elements + kids[i];
        to->group_of[i] = SIZE_MAX;
        if (kid->is & F_NO_ROWS && !kid->by_role) continue;
        size_t *known = to->by_selector + kid->selector; /* one more than its group */
        if (!*known) {
            to->group_count[groups] = 0;
            *known = ++groups;
        }
        to->group_of[i] = *known - 1;
        to->group_count[*known - 1]++;
        grouped++;
    }
    for (size_t i = 0; i < n; i++) to->by_selector[to->elements[kids[i]].selector] = 0;
    for (size_t group = 0, place = 0; group < groups; group++) {
        to->group_first[group] = place;
        place += to->group_count[group];
        to->group_count[group] = 0;
    }
    for (size_t i = 0; i < n; i++) {
        size_t group = to->group_of[i];
        if (group != SIZE_MAX) to->members[to->group_first[group] + to->group_count[group]++] = kids[i];
    }
    *kind = "table";
    for (size_t group = 0; !made && group < groups; group++)
        if (to->group_count[group] >= FEWEST) made = make_cells_by_row(to, kids, n, to->group_of, group);
    if (!made) made = make_cells_below_heads(to, kids, n);
    if (made) return made;
    *kind = "pair";
    for (size_t a = 0; !made && a < groups; a++)
        for (size_t b = 0; !made && b < groups && to->group_count[a] >= FEWEST; b++)
            if (a != b && to->group_count[b] >= FEWEST) made = make_in_turn(to, kids, n, to->group_of, a, b);
    if (!made) made = make_by_style(to, kids, n, grouped);
    if (made) return made;
    int kinds = gather_rows(to, groups);
    if (kinds < 0) return -1;
    if (!to->row_count) return 0;
    qsort(to->rows, to->row_count, sizeof(FactRow), by_first_block);
    if (kinds == K_REP && (made = pair_rows(to)) != 0) return made;
    *kind = kinds & K_PAIR ? "pair" : kinds & K_REP ? "rep" : "index";
    return 1;
}

/* ---- what was found --------------------------------------------------------------------------------- */

static PyObject *range_of(size_t start, size_t end) {
    PyObject *cell = PyTuple_New((Py_ssize_t)(end - start));
    for (size_t i = start; cell && i < end; i++) {
        PyObject *number = PyLong_FromSize_t(i);
        if (!number || PyTuple_SetItem(cell, (Py_ssize_t)(i - start), number) < 0) Py_CLEAR(cell);
    }
    return cell;
}

static PyObject *row_object(const Facts *to, const FactRow *row, PyObject *Row) {
    Py_ssize_t n = (Py_ssize_t)row->count;
    PyObject *cells = PyTuple_New(n), *heads = PyTuple_New(row->heads ? n : 0), *columns = PyTuple_New(row->columns ? n : 0);
    for (Py_ssize_t i = 0; cells && heads && columns && i < n; i++) {
        const Cell *cell = to->cells + row->cell + i;
        PyObject *numbers = range_of(cell->start, cell->end);
        if (!numbers || PyTuple_SetItem(cells, i, numbers) < 0) break;
        if (row->heads && PyTuple_SetItem(heads, i, PyBool_FromLong(cell->head)) < 0) break;
        PyObject *column = row->columns ? PyLong_FromSize_t(cell->column) : NULL;
        if (row->columns && (!column || PyTuple_SetItem(columns, i, column) < 0)) break;
    }
    if (PyErr_Occurred()) Py_CLEAR(cells);
    PyObject *values[] = {cells, heads, columns};
    return make((PyTypeObject *)Row, values, 3);
}

/* The container that the rows make; its blocks are taken. */
static PyObject *container_object(Facts *to, const char *kind, size_t element, PyObject *Row, PyObject *Container) {
    size_t start = SIZE_MAX, end = 0;
    long marks = 0, frame = MENU;
    if (!strcmp(kind, "rep")) frame = MENU | ASIDE | HEADER;
    if (!strcmp(kind, "index")) frame = MENU | ASIDE | HEADER | NAV | FOOTER | BAD | REMARK;
    for (size_t around = element; around; around = to->elements[around].parent) marks |= to->elements[around].marks;
    PyObject *rows = PyTuple_New((Py_ssize_t)to->row_count);
    for (size_t i = 0; rows && i < to->row_count; i++) {
        const FactRow *row = to->rows + i;
        for (size_t k = 0; k < row->count; k++) {
            const Cell *cell = to->cells + row->cell + k;
            if (cell->start < start) start = cell->start;
            if (cell->end > end) end = cell->end;
            for (size_t number = cell->start; number < cell->end; number++) to->blocks[number].taken = 1;
        }
        PyObject *made = row_object(to, row, Row);
        if (!made || PyTuple_SetItem(rows, (Py_ssize_t)i, made) < 0) Py_CLEAR(rows);
    }
    PyObject *values[] = {PyUnicode_FromString(kind),  PyLong_FromSize_t(element), rows,
                          PyLong_FromSize_t(start), PyLong_FromSize_t(end), PyBool_FromLong((marks & frame) != 0)};
    return make((PyTypeObject *)Container, values, 6);
}

static int find_containers(Facts *to, PyObject *found, PyObject *Row, PyObject *Container) {
    for (size_t element = 1; element < to->element_count; element++) {
        const FactElement *one = to->elements + element;
        const char *kind = "";
        if (one->first < 0 || to->blocks[one->first].taken) continue;
        int made = 0;
        if (one->is & F_TABLE) {
            kind = "table";
            made = make_table(to, element, &kind);
            if (made == 0 && one->by_role) made = make_repeated(to, element, &kind);
        } else if (one->is & F_DL) {
            kind = "dl";
            made = make_definitions(to, element);
        } else {
            made = make_repeated(to, element, &kind);
        }
        if (made < 0) return -1;
        if (made && append_owned(found, container_object(to, kind, element, Row, Container)) < 0) return -1;
    }
    return 0;
}

static PyObject *containers(PyObject *self, PyObject *args) {
    PyObject *elements, *blocks, *Row, *Container, *found = NULL;
    Facts to = {0};
    (void)self;
    if (!PyArg_ParseTuple(args, "O!O!OO", &PyList_Type, &elements, &PyList_Type, &blocks, &Row, &Container) ||
        !is_tuple_type(Row) || !is_tuple_type(Container))
        return NULL;
    to.element_count = (size_t)PyList_Size(elements), to.count = (size_t)PyList_Size(blocks);
    size_t n = to.element_count + 2, *tables = PyMem_Calloc(11 * n, sizeof(size_t));
    to.elements = PyMem_Calloc(n, sizeof(FactElement));
    to.blocks = PyMem_Calloc(to.count + 1, sizeof(FactBlock));
    to.sizes = PyMem_Calloc(2 * (to.count + 1), sizeof(long));
    if (!tables || !to.elements || !to.blocks || !to.sizes) PyErr_NoMemory();
    else {
        to.links = to.sizes + to.count + 1;
        to.kids = tables, to.below = tables + n, to.by_selector = tables + 2 * n, to.group_of = tables + 3 * n;
        to.members = tables + 4 * n, to.group_first = tables + 5 * n, to.group_count = tables + 6 * n;
        to.odd = tables + 7 * n, to.links_of = tables + 8 * n, to.starts = tables + 9 * n;
        to.headlines = tables + 10 * n;
        if (read_elements(&to, elements) == 0 && read_blocks(&to, blocks) == 0) {
            make_tree(&to);
            found = PyList_New(0);
            if (found && find_containers(&to, found, Row, Container) < 0) Py_CLEAR(found);
        }
    }
    PyMem_Free(tables);
    PyMem_Free(to.elements);
    PyMem_Free(to.blocks);
    PyMem_Free(to.sizes);
    PyMem_Free(to.cells);
    PyMem_Free(to.rows);
    return found;
}

/* For each block whether a token of it is not template: a byte each. */
static PyObject *unshared(PyObject *self, PyObject *args) {
    PyObject *blocks, *found = NULL;
    const u8 *shared;
    Py_ssize_t count;
    Py_buffer given;
    (void)self;
    if (!PyArg_ParseTuple(args, "O!y*y#", &PyList_Type, &blocks, &given, &shared, &count)) return NULL;
    const u32 *starts = given.buf;
    size_t token = 0, n = (size_t)count;
    if (given.len != (count + 1) * (Py_ssize_t)sizeof(u32)) PyErr_SetString(PyExc_ValueError, "each token has a start");
    else found = PyBytes_FromStringAndSize(NULL, PyList_Size(blocks));
    for (Py_ssize_t i = 0; found && i < PyList_Size(blocks); i++) {
        PyObject *spans = PyTuple_GetItem(PyList_GetItem(blocks, i), N_SPANS);
        int all = 1;
        for (Py_ssize_t k = 0; spans && all && k < span_count(spans); k++) {
            size_t start = span_start(spans, k);
            if (token >= n || starts[token] > start) token = 0; /* spans mostly stand in order */
            while (token + 1 < n && starts[token + 1] <= start) token++;
            all = n ? shared[token] : 1;
        }
        if (!spans || PyErr_Occurred()) Py_CLEAR(found);
        else PyBytes_AsString(found)[i] = (char)!all;
    }
    PyBuffer_Release(&given);
    return found;
}
