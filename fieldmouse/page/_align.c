/* Alignment of pages with templates; part of _scan.c, which includes this file.
 *
 * A matcher holds the templates of one host: their tokens as numbers, and the profiles by which a page finds its own.
 * templates/align.py, templates/template.py and templates/strip.py are the same in Python, and say why; tests hold
 * the two equal.
 */

/* ---- a longest common subsequence ------------------------------------------------------------------- */

typedef struct {
    size_t a, b, size;
} Run;

typedef struct {
    Run *s;
    size_t count, room;
} Runs;

static int add_run(Runs *to, size_t a, size_t b, size_t size) {
    if (to->count == to->room) {
        size_t room = to->room * 2 + 64;
        Run *more = PyMem_Realloc(to->s, room * sizeof(Run));
        if (!more) return -1;
        to->s = more;
        to->room = room;
    }
    to->s[to->count++] = (Run){a, b, size};
    return 0;
}

/* Which tokens of the first sequence equal each token: bit rows, one for each of its different tokens. */
typedef struct {
    u32 *ids; /* by token; 0: not in the first sequence */
    u64 *rows;
    size_t words;
    u32 most; /* the largest token */
} Matches;

static int make_matches(Matches *to, const u32 *a, size_t n) {
    u32 count = 0;
    to->words = (n + 63) / 64;
    for (size_t i = 0; i < n; i++)
        if (a[i] > to->most) to->most = a[i];
    to->ids = PyMem_Calloc((size_t)to->most + 1, sizeof(u32));
    if (!to->ids) return -1;
    for (size_t i = 0; i < n; i++)
        if (!to->ids[a[i]]) to->ids[a[i]] = ++count;
    to->rows = PyMem_Calloc(count * to->words + 1, sizeof(u64));
    if (!to->rows) return -1;
    for (size_t i = 0; i < n; i++) to->rows[(to->ids[a[i]] - 1) * to->words + i / 64] |= (u64)1 << i % 64;
    return 0;
}

/* The next row of the matrix: bit i is 0 where a longest subsequence grows. */
static void next_row(u64 *to, const u64 *before, const u64 *matches, size_t words) {
    u64 carry = 0;
    for (size_t i = 0; i < words; i++) {
        u64 old = before ? before[i] : ~(u64)0, u = old & matches[i], sum = old + u, more = sum < old;
        sum += carry;
        carry = more | (sum < carry);
        to[i] = sum | (old - u);
    }
}

/* Follow the matrix back from its end; of several subsequences the same as rapidfuzz takes. */
static int follow(Runs *to, const u64 *matrix, const u32 *refs, size_t words, size_t col, size_t row) {
    size_t first = to->count;
#define GROWS(r, c) (refs[r] && !(matrix[(size_t)(refs[r] - 1) * words + (c) / 64] >> (c) % 64 & 1))
    while (row && col) {
        if (!GROWS(row - 1, col - 1)) {
            col--;
            continue;
        }
        row--;
        if (row && GROWS(row - 1, col - 1)) continue;
        col--;
        Run *last = to->count > first ? to->s + to->count - 1 : NULL;
        if (last && last->a == col + 1 && last->b == row + 1) last->a--, last->b--, last->size++;
        else if (add_run(to, col, row, 1) < 0) return -1;
    }
#undef GROWS
    for (size_t i = first, k = to->count; i + 1 < k; i++) {
        Run one = to->s[i];
        to->s[i] = to->s[--k];
        to->s[k] = one;
    }
    return 0;
}

static int align_middle(Runs *to, const u32 *a, size_t na, const u32 *b, size_t nb) {
    Matches matches = {0};
    size_t rows = 0;
    u32 *refs = PyMem_Malloc((nb + 1) * sizeof(u32));
    u64 *matrix = NULL;
    int failed = !refs || make_matches(&matches, a, na) < 0;
    for (size_t i = 0; !failed && i < nb; i++) rows += b[i] <= matches.most && matches.ids[b[i]];
    if (!failed && !(matrix = PyMem_Malloc((rows * matches.words + 1) * sizeof(u64)))) failed = 1;
    rows = 0;
    for (size_t i = 0; !failed && i < nb; i++) {
        u32 id = b[i] <= matches.most ? matches.ids[b[i]] : 0;
        if (id) {
            u64 *row = matrix + rows * matches.words;
            next_row(row, rows ? row - matches.words : NULL, matches.rows + (id - 1) * matches.words, matches.words);
            rows++;
        }
        refs[i] = (u32)rows;
    }
    if (!failed) failed = follow(to, matrix, refs, matches.words, na, nb) < 0;
    PyMem_Free(refs);
    PyMem_Free(matrix);
    PyMem_Free(matches.ids);
    PyMem_Free(matches.rows);
    return failed ? -1 : 0;
}

/* Places of tokens that both sequences have exactly once, as many as are in the same order. -1: no memory. */
static Py_ssize_t find_anchors(const u32 *a, size_t na, const u32 *b, size_t nb, size_t *anchors_a, size_t *anchors_b) {
    u32 most = 0;
    size_t pairs = 0, ends = 0, count = 0;
    for (size_t i = 0; i < na; i++) most = a[i] > most ? a[i] : most;
    u8 *times = PyMem_Calloc(2 * ((size_t)most + 1), 1); /* in the first one, in the second one, up to 2 */
    u32 *place = PyMem_Malloc(((size_t)most + 1) * sizeof(u32));
    size_t *work = PyMem_Malloc((4 * na + 4) * sizeof(size_t));
    if (!times || !place || !work) {
        count = SIZE_MAX;
        goto end;
    }
    size_t *first = work, *before = first + na + 1, *pile = before + na + 1, *second = pile + na + 1;
    for (size_t i = 0; i < na; i++) times[2 * (size_t)a[i]] += times[2 * (size_t)a[i]] < 2;
    for (size_t i = 0; i < nb; i++) {
        if (b[i] > most) continue;
        u8 *seen = times + 2 * (size_t)b[i] + 1;
        *seen += *seen < 2;
        place[b[i]] = (u32)i;
    }
    for (size_t i = 0; i < na; i++) {
        const u8 *seen = times + 2 * (size_t)a[i];
        if (seen[0] != 1 || seen[1] != 1) continue;
        first[pairs] = i, second[pairs] = place[a[i]];
        size_t low = 0, high = ends; /* a longest subsequence whose second numbers rise; the first ones rise already */
        while (low < high) {
            size_t mid = (low + high) / 2;
            if (second[pile[mid]] < second[pairs]) low = mid + 1;
            else high = mid;
        }
        before[pairs] = low ? pile[low - 1] : SIZE_MAX;
        pile[low] = pairs++;
        ends += low == ends;
    }
    count = ends;
    size_t at = ends ? pile[ends - 1] : SIZE_MAX;
    for (size_t i = ends; i-- > 0; at = before[at]) anchors_a[i] = first[at], anchors_b[i] = second[at];
end:
    PyMem_Free(times);
    PyMem_Free(place);
    PyMem_Free(work);
    return (Py_ssize_t)count;
}

/* What is too large is cut at anchors; a gap between them that is still too large stays unaligned. */
static int align_in_parts(Runs *to, const u32 *a, size_t na, const u32 *b, size_t nb, u64 max_cells);

/* The runs of a longest common subsequence, of two pages up to `max_cells`. Whether there was no memory. */
static int align(Runs *to, const u32 *a, size_t na, const u32 *b, size_t nb, u64 max_cells) {
    size_t head = 0, tail = 0;
    while (head < na && head < nb && a[head] == b[head]) head++;
    while (tail < na - head && tail < nb - head && a[na - 1 - tail] == b[nb - 1 - tail]) tail++;
    size_t mid_a = na - head - tail, mid_b = nb - head - tail;
    if (head && add_run(to, 0, 0, head) < 0) return -1;
    size_t first = to->count;
    int large = (u64)mid_a * mid_b > max_cells;
    if (mid_a && mid_b && (large ? align_in_parts(to, a + head, mid_a, b + head, mid_b, max_cells)
                                 : align_middle(to, a + head, mid_a, b + head, mid_b)) < 0)
        return -1;
    for (size_t i = first; i < to->count; i++) to->s[i].a += head, to->s[i].b += head;
    return tail ? add_run(to, na - tail, nb - tail, tail) : 0;
}

static int align_in_parts(Runs *to, const u32 *a, size_t na, const u32 *b, size_t nb, u64 max_cells) {
    size_t *anchors = PyMem_Malloc(2 * (na + 1) * sizeof(size_t)), from_a = 0, from_b = 0;
    Py_ssize_t count = anchors ? find_anchors(a, na, b, nb, anchors, anchors + na + 1) : -1;
    int failed = count < 0;
    for (Py_ssize_t i = 0; !failed && i <= count; i++) {
        size_t to_a = i < count ? anchors[i] : na, to_b = i < count ? anchors[na + 1 + (size_t)i] : nb, first = to->count;
        if ((u64)(to_a - from_a) * (to_b - from_b) <= max_cells)
            failed = align(to, a + from_a, to_a - from_a, b + from_b, to_b - from_b, max_cells) < 0;
        for (size_t k = first; k < to->count; k++) to->s[k].a += from_a, to->s[k].b += from_b;
        if (!failed && i < count) failed = add_run(to, to_a, to_b, 1) < 0;
        from_a = to_a + 1, from_b = to_b + 1;
    }
    PyMem_Free(anchors);
    return failed ? -1 : 0;
}

static u32 *numbers_of(PyObject *list, size_t *n) {
    *n = (size_t)PyList_Size(list);
    u32 *found = PyMem_Malloc((*n + 1) * sizeof(u32));
    if (!found) return (u32 *)PyErr_NoMemory();
    for (size_t i = 0; i < *n; i++) {
        unsigned long value = PyLong_AsUnsignedLong(PyList_GetItem(list, (Py_ssize_t)i));
        if (PyErr_Occurred() || value > 0x7fffffff) {
            if (!PyErr_Occurred()) PyErr_SetString(PyExc_OverflowError, "a token has a number of 31 bits");
            PyMem_Free(found);
            return NULL;
        }
        found[i] = (u32)value;
    }
    return found;
}

static PyObject *runs(PyObject *self, PyObject *args) {
    PyObject *first, *second, *CommonRun, *result = NULL;
    unsigned long long max_cells;
    size_t na = 0, nb = 0;
    Runs found = {0};
    (void)self;
    if (!PyArg_ParseTuple(args, "O!O!KO", &PyList_Type, &first, &PyList_Type, &second, &max_cells, &CommonRun) ||
        !is_tuple_type(CommonRun))
        return NULL;
    u32 *a = numbers_of(first, &na), *b = a ? numbers_of(second, &nb) : NULL;
    if (a && b) {
        if (align(&found, a, na, b, nb, max_cells) < 0) PyErr_NoMemory();
        else result = PyList_New((Py_ssize_t)found.count);
    }
    for (size_t i = 0; result && i < found.count; i++) {
        const Run *one = found.s + i;
        PyObject *values[] = {PyLong_FromSize_t(one->a), PyLong_FromSize_t(one->b), PyLong_FromSize_t(one->size)};
        PyObject *run = make((PyTypeObject *)CommonRun, values, 3);
        if (!run || PyList_SetItem(result, (Py_ssize_t)i, run) < 0) Py_CLEAR(result);
    }
    PyMem_Free(a);
    PyMem_Free(b);
    PyMem_Free(found.s);
    return result;
}

/* ---- what most of several pages have ---------------------------------------------------------------- */

/* Tokens in one order: how many pages have each, a page that has it, and its place there. */
typedef struct {
    u32 *keys, *counts, *pages, *places; /* in one piece of memory */
    size_t n;
} Merged;

static int make_merged(Merged *to, size_t n) {
    to->keys = PyMem_Malloc((4 * n + 1) * sizeof(u32));
    if (!to->keys) return -1;
    to->counts = to->keys + n, to->pages = to->counts + n, to->places = to->pages + n;
    to->n = 0;
    return 0;
}

static void append_merged(Merged *to, const Merged *from, size_t start, size_t end) {
    size_t n = end - start;
    memcpy(to->keys + to->n, from->keys + start, n * sizeof(u32));
    memcpy(to->counts + to->n, from->counts + start, n * sizeof(u32));
    memcpy(to->pages + to->n, from->pages + start, n * sizeof(u32));
    memcpy(to->places + to->n, from->places + start, n * sizeof(u32));
    to->n += n;
}

/* As `merge` of templates/align.py; the result takes the place of `a`. Whether there was no memory. */
static int merge_two(Merged *a, Merged *b, u64 max_cells) {
    Runs found = {0};
    Merged both = {0};
    size_t shared = 0, from_a = 0, from_b = 0;
    int failed = align(&found, a->keys, a->n, b->keys, b->n, max_cells) < 0;
    for (size_t i = 0; i < found.count; i++) shared += found.s[i].size;
    if (!failed) failed = make_merged(&both, a->n + b->n - shared) < 0;
    for (size_t i = 0; !failed && i <= found.count; i++) {
        Run run = i < found.count ? found.s[i] : (Run){a->n, b->n, 0};
        append_merged(&both, a, from_a, run.a);
        append_merged(&both, b, from_b, run.b);
        from_a = run.a + run.size, from_b = run.b + run.size;
        append_merged(&both, a, run.a, from_a);
        for (size_t k = 0; k < run.size; k++) both.counts[both.n - run.size + k] += b->counts[run.b + k];
    }
    PyMem_Free(found.s);
    if (failed) return -1;
    PyMem_Free(a->keys);
    PyMem_Free(b->keys);
    *a = both, *b = (Merged){0};
    return 0;
}

static PyObject *majority_object(const Merged *all, size_t pages) {
    PyObject *keys = PyList_New(0), *counts = PyList_New(0), *origins = PyList_New(0), *result = NULL;
    int failed = !keys || !counts || !origins;
    for (size_t i = 0; !failed && i < all->n; i++) {
        if (2 * (size_t)all->counts[i] <= pages) continue;
        failed = append_owned(keys, PyLong_FromUnsignedLong(all->keys[i])) < 0 ||
                 append_owned(counts, PyLong_FromUnsignedLong(all->counts[i])) < 0 ||
                 append_owned(origins, Py_BuildValue("(II)", all->pages[i], all->places[i])) < 0;
    }
    if (!failed) result = PyTuple_Pack(3, keys, counts, origins);
    Py_XDECREF(keys);
    Py_XDECREF(counts);
    Py_XDECREF(origins);
    return result;
}

/* The tokens that more than half of the pages have. */
static PyObject *majority(PyObject *self, PyObject *args) {
    PyObject *given, *result = NULL;
    unsigned long long max_cells;
    (void)self;
    if (!PyArg_ParseTuple(args, "O!K", &PyList_Type, &given, &max_cells)) return NULL;
    size_t pages = (size_t)PyList_Size(given), count = pages;
    Merged *all = PyMem_Calloc(pages + 1, sizeof(Merged));
    int failed = !all;
    for (size_t i = 0; !failed && i < pages; i++) {
        size_t n = 0;
        PyObject *page = PyList_GetItem(given, (Py_ssize_t)i);
        if (!PyList_Check(page)) PyErr_SetString(PyExc_TypeError, "a page is a list of numbers");
        u32 *keys = PyErr_Occurred() ? NULL : numbers_of(page, &n);
        failed = !keys || make_merged(all + i, n) < 0;
        for (; !failed && all[i].n < n; all[i].n++) {
            size_t k = all[i].n;
            all[i].keys[k] = keys[k], all[i].counts[k] = 1, all[i].pages[k] = (u32)i, all[i].places[k] = (u32)k;
        }
        PyMem_Free(keys);
    }
    while (!failed && count > 1) { /* in pairs, bottom up; an odd one moves to the next level alone */
        for (size_t i = 0; !failed && i + 1 < count; i += 2) {
            failed = merge_two(all + i, all + i + 1, max_cells) < 0;
            Merged one = all[i];
            all[i] = (Merged){0};
            all[i / 2] = one;
        }
        if (!failed && count % 2) {
            Merged one = all[count - 1];
            all[count - 1] = (Merged){0};
            all[count / 2] = one;
        }
        count = (count + 1) / 2;
    }
    if (failed && !PyErr_Occurred()) PyErr_NoMemory();
    if (!failed) result = majority_object(all, pages);
    for (size_t i = 0; all && i < pages; i++) PyMem_Free(all[i].keys);
    PyMem_Free(all);
    return result;
}

/* ---- keys of tokens --------------------------------------------------------------------------------- */

static u64 quick_hash(const u8 *s, size_t n) {
    u64 h = n * 0x9E3779B97F4A7C15ULL + 1, part;
    for (; n >= 8; s += 8, n -= 8) {
        memcpy(&part, s, 8);
        h = (h ^ part) * 0x9FB21C651E98DF25ULL;
        h ^= h >> 31;
    }
    if (n) {
        part = 0;
        memcpy(&part, s, n);
        h = (h ^ part) * 0x9FB21C651E98DF25ULL;
        h ^= h >> 31;
    }
    return h * 0xC2B2AE3D27D4EB4FULL ^ h >> 29;
}

typedef struct {
    u64 hash;
    u32 at, length, number; /* number 0: empty */
} Slot;

/* Keys by their bytes, which are kept in one piece of memory. */
typedef struct {
    Slot *slots;
    size_t room, count, used, size;
    u8 *bytes;
    size_t longest[2]; /* key of a text, and of what is hidden */
} Map;

static Slot *slot_of(const Map *map, const u8 *s, size_t n, u64 hash) {
    for (size_t i = hash & (map->room - 1);; i = (i + 1) & (map->room - 1)) {
        Slot *slot = map->slots + i;
        if (!slot->number || (slot->hash == hash && slot->length == n && !memcmp(map->bytes + slot->at, s, n))) return slot;
    }
}

static u32 number_in(const Map *map, const u8 *s, size_t n) { return map->count ? slot_of(map, s, n, quick_hash(s, n))->number : 0; }

static int grow(Map *map) {
    Map larger = *map;
    larger.room = map->room ? map->room * 2 : 256;
    larger.slots = PyMem_Calloc(larger.room, sizeof(Slot));
    if (!larger.slots) return -1;
    for (size_t i = 0; i < map->room; i++) {
        Slot *old = map->slots + i;
        if (old->number) *slot_of(&larger, map->bytes + old->at, old->length, old->hash) = *old;
    }
    PyMem_Free(map->slots);
    *map = larger;
    return 0;
}

/* The number of a key, given out from 1 up; 0 without memory. */
static u32 put_key(Map *map, const u8 *s, size_t n) {
    if (2 * map->count >= map->room && grow(map) < 0) return 0;
    u64 hash = quick_hash(s, n);
    Slot *slot = slot_of(map, s, n, hash);
    if (slot->number) return slot->number;
    if (map->used + n > map->size) {
        size_t size = 2 * map->size + n + 4096;
        u8 *more = size < UINT32_MAX ? PyMem_Realloc(map->bytes, size) : NULL;
        if (!more) return 0;
        map->bytes = more;
        map->size = size;
    }
    if (n) memcpy(map->bytes + map->used, s, n);
    *slot = (Slot){hash, (u32)map->used, (u32)n, (u32)++map->count};
    map->used += n;
    return slot->number;
}

static void free_map(Map *map) {
    PyMem_Free(map->slots);
    PyMem_Free(map->bytes);
}

/* ---- profiles --------------------------------------------------------------------------------------- */

#define MAX_PROFILE 400
#define MAX_CLASSES 64

static int by_bytes(const void *a, const void *b) {
    const Span *one = a, *two = b;
    size_t n = one->length < two->length ? one->length : two->length;
    int order = memcmp(one->s, two->s, n);
    return order ? order : one->length < two->length ? -1 : one->length > two->length;
}

/* A class without numbers: of letters, or with a hyphen. */
static int is_stable(Span word) {
    int letters = 1, hyphen = 0;
    for (size_t i = 0; i < word.length; i++) {
        if (word.s[i] >= '0' && word.s[i] <= '9') return 0;
        letters &= IS(word.s[i], ALPHA) != 0;
        hyphen |= word.s[i] == '-';
    }
    return letters || hyphen;
}

/* What is put before the hash of a start tag: its name and stable classes. NULL without memory. */
static u8 *named_classes(const u8 *b, size_t n, size_t *length) {
    size_t at = 1, count = 0, room = MAX_CLASSES;
    Attr attr;
    Span classes = {NULL, 0}, few[MAX_CLASSES], *words = few;
    int more;
    while (at < n && !IS(b[at], NAME_END)) at++;
    size_t name = at;
    while ((more = next_attr(b, &at, n, &attr)) == 1)
        if (!GIVEN(classes) && CALLED(&attr, "class")) classes = (Span){attr.value, attr.length};
    if (more != 0) classes = (Span){NULL, 0};
    u8 *out = PyMem_Malloc(name + classes.length + 2), *to = out;
    if (!out) return NULL;
    for (size_t i = 1; i < name; i++) *to++ = lower(b[i]);
    for (const u8 *s = classes.s, *end = s ? s + classes.length : s; s < end;) {
        while (s < end && IS(*s, BLANK)) s++;
        const u8 *start = s;
        while (s < end && !IS(*s, BLANK)) s++;
        Span word = {start, (size_t)(s - start)};
        if (!word.length || !is_stable(word)) continue;
        if (count == room) {
            Span *larger = PyMem_Realloc(words == few ? NULL : words, 2 * room * sizeof(Span));
            if (!larger) break;
            if (words == few) memcpy(larger, few, sizeof few);
            words = larger;
            room *= 2;
        }
        words[count++] = word;
    }
    if (count > 1) qsort(words, count, sizeof(Span), by_bytes);
    for (size_t i = 0; i < count; i++) {
        *to++ = ' ';
        memcpy(to, words[i].s, words[i].length);
        to += words[i].length;
    }
    if (words != few) PyMem_Free(words);
    *length = (size_t)(to - out);
    return out;
}

static int tag_hash(const u8 *b, size_t n, PyObject *hash, u64 *found) {
    size_t length = 0;
    u8 *named = named_classes(b, n, &length);
    if (!named) return PyErr_NoMemory(), -1;
    int failed = xxh3_any(named, length, hash, found);
    PyMem_Free(named);
    return failed;
}

static int by_value(const void *a, const void *b) {
    u64 one = *(const u64 *)a, two = *(const u64 *)b;
    return one < two ? -1 : one > two;
}

/* In order, each once, and the smallest if there are too many. */
static size_t as_profile(u64 *hashes, size_t n) {
    size_t kept = 0;
    qsort(hashes, n, sizeof(u64), by_value);
    for (size_t i = 0; i < n; i++)
        if (!i || hashes[i] != hashes[i - 1]) hashes[kept++] = hashes[i];
    return kept < MAX_PROFILE ? kept : MAX_PROFILE;
}

/* ---- a page as numbers ------------------------------------------------------------------------------ */

typedef struct {
    u64 hash, named; /* of its bytes; of its name and classes, if it is a start tag */
    u32 at, length, number;
    int used;
} SeenTag;

/* Tags of earlier pages: most of a page's tags stand in others of its host too. When it is full, it is emptied. */
#define MEMO_TAGS 16384
#define MEMO_BYTES (2 << 20)
#define MEMO_LONGEST 512

typedef struct {
    SeenTag *slots; /* twice as many as tags; their places are those in `bytes` */
    u8 *bytes;
    size_t count, used;
} TagMemo;

static SeenTag *memo_slot(const TagMemo *memo, const u8 *s, size_t n, u64 hash) {
    for (size_t i = hash & (2 * MEMO_TAGS - 1);; i = (i + 1) & (2 * MEMO_TAGS - 1)) {
        SeenTag *slot = memo->slots + i;
        if (!slot->used || (slot->hash == hash && slot->length == n && !memcmp(memo->bytes + slot->at, s, n))) return slot;
    }
}

/* Whether a tag is known, with its number and the hash of its name and classes. */
static int recall_tag(const TagMemo *memo, const u8 *s, SeenTag *tag) {
    if (!memo || !memo->slots) return 0;
    const SeenTag *slot = memo_slot(memo, s, tag->length, tag->hash);
    tag->named = slot->named, tag->number = slot->number;
    return slot->used;
}

/* Without memory nothing is kept. */
static void keep_tag(TagMemo *memo, const u8 *s, const SeenTag *tag) {
    if (!memo || tag->length > MEMO_LONGEST) return;
    if (!memo->slots) memo->slots = PyMem_Calloc(2 * MEMO_TAGS, sizeof(SeenTag));
    if (!memo->bytes) memo->bytes = PyMem_Malloc(MEMO_BYTES);
    if (!memo->slots || !memo->bytes) return;
    if (memo->count == MEMO_TAGS || memo->used + tag->length > MEMO_BYTES) {
        memset(memo->slots, 0, 2 * MEMO_TAGS * sizeof(SeenTag));
        memo->count = memo->used = 0;
    }
    SeenTag *slot = memo_slot(memo, s, tag->length, tag->hash);
    *slot = *tag;
    slot->at = (u32)memo->used;
    memcpy(memo->bytes + memo->used, s, tag->length);
    memo->used += tag->length;
    memo->count++;
}

typedef struct {
    const u8 *b;
    size_t n;
    const Map *map; /* the keys that have numbers; NULL: only the profile is wanted */
    TagMemo *memo;
    PyObject *library;
    SeenTag *seen;
    size_t room, different, count;
    u32 *starts, *keys;
    u8 *kinds, *text;
    u64 *hashes;
    size_t named;
} Cut;

static void free_cut(Cut *cut) {
    PyMem_Free(cut->seen);
    PyMem_Free(cut->starts);
    PyMem_Free(cut->keys);
    PyMem_Free(cut->kinds);
    PyMem_Free(cut->text);
    PyMem_Free(cut->hashes);
}

#define SEEN_TAGS 512 /* slots; most pages have fewer different tags */

static int make_cut(Cut *cut, size_t tags) {
    cut->room = SEEN_TAGS;
    cut->seen = PyMem_Calloc(cut->room, sizeof(SeenTag));
    cut->hashes = PyMem_Malloc((tags + 1) * sizeof(u64));
    if (cut->map) {
        cut->starts = PyMem_Malloc((2 * tags + 3) * sizeof(u32));
        cut->keys = PyMem_Malloc((2 * tags + 3) * sizeof(u32));
        cut->kinds = PyMem_Malloc(2 * tags + 3);
        cut->text = PyMem_Malloc(cut->n + 2);
    }
    if (cut->seen && cut->hashes && (!cut->map || (cut->starts && cut->keys && cut->kinds && cut->text))) return 0;
    return PyErr_NoMemory(), -1;
}

static int grow_seen(Cut *cut) {
    size_t room = 4 * cut->room;
    SeenTag *more = PyMem_Calloc(room, sizeof(SeenTag));
    if (!more) return PyErr_NoMemory(), -1;
    for (size_t i = 0; i < cut->room; i++) {
        const SeenTag *tag = cut->seen + i;
        size_t slot = tag->hash & (room - 1);
        if (!tag->used) continue;
        while (more[slot].used) slot = (slot + 1) & (room - 1);
        more[slot] = *tag;
    }
    PyMem_Free(cut->seen);
    cut->seen = more;
    cut->room = room;
    return 0;
}

/* A tag as it was first seen in this page; NULL on failure. */
static const SeenTag *seen_tag(Cut *cut, const Quad *q) {
    const u8 *s = cut->b + q->offset;
    size_t n = (size_t)q->length + 1, length;
    if (2 * cut->different >= cut->room && grow_seen(cut) < 0) return NULL;
    u64 hash = quick_hash(s, n);
    SeenTag *tag = cut->seen + (hash & (cut->room - 1));
    while (tag->used) {
        if (tag->hash == hash && tag->length == n && !memcmp(cut->b + tag->at, s, n)) return tag;
        if (++tag == cut->seen + cut->room) tag = cut->seen;
    }
    *tag = (SeenTag){hash, 0, q->offset, (u32)n, 0, 1};
    cut->different++;
    if (!recall_tag(cut->memo, s, tag)) {
        if (q->name == 1 && tag_hash(s, n, cut->library, &tag->named) < 0) return NULL;
        if (cut->map) {
            u8 *key = make_tag_key(s, n, &length);
            if (!key) return NULL;
            tag->number = number_in(cut->map, key, length);
            PyMem_Free(key);
        }
        keep_tag(cut->memo, s, tag);
    }
    if (q->name == 1) cut->hashes[cut->named++] = tag->named;
    return tag;
}

static void put_number(Cut *cut, size_t start, u8 kind, u32 key) {
    cut->starts[cut->count] = (u32)start;
    cut->kinds[cut->count] = kind;
    cut->keys[cut->count++] = key;
}

/* As `put_between`. What is longer than all keys has no number, so the rest of it is not read. */
static void number_between(Cut *cut, size_t from, size_t until, u8 kind) {
    const u8 *s = cut->b + from, *end = cut->b + until;
    u8 *to = cut->text, *most = cut->text + cut->map->longest[kind == HIDDEN];
    if (from == until) return;
    *to++ = kind == HIDDEN ? '!' : ' ';
    while (s < end && to <= most) {
        while (s < end && IS(*s, BLANK)) s++;
        if (s < end && to > cut->text + 1) *to++ = ' ';
        while (s < end && !IS(*s, BLANK) && to <= most) *to++ = *s++;
    }
    while (s < end && to == cut->text + 1 && IS(*s, BLANK)) s++; /* no key has any words */
    int any = to > cut->text + 1 || s < end;
    if (any || !from) put_number(cut, from, kind, s < end ? 0 : number_in(cut->map, cut->text, (size_t)(to - cut->text)));
}

static int number_page(Cut *cut, Source *source) {
    size_t p = 0;
    u8 between = TEXT;
    for (size_t i = 0; i < source->count; i++) {
        Quad q = next_quad(source);
        if (cut->map) number_between(cut, p, q.offset, between);
        p = (size_t)q.offset + q.length + 1;
        between = TEXT;
        if (!q.name_length) {
            if (cut->map) number_between(cut, q.offset, p, HIDDEN);
            continue;
        }
        if (q.name != 1 && !cut->map) continue;
        const SeenTag *tag = seen_tag(cut, &q);
        if (!tag) return -1;
        if (!cut->map) continue;
        put_number(cut, q.offset, q.name == 1 ? START : END, tag->number);
        if (q.name == 1 && IS_HIDDEN(kind_of(cut->b + q.offset + 1, q.name_length))) between = HIDDEN;
    }
    if (!cut->map) return 0;
    number_between(cut, p, cut->n, between);
    cut->starts[cut->count] = (u32)cut->n;
    return 0;
}

/* The profile of a page: hashes of its different start tags. */
static PyObject *tag_hashes(PyObject *self, PyObject *args) {
    const u8 *data;
    Py_ssize_t n, size;
    int wide;
    Source source;
    Cut cut = {0};
    PyObject *found = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#y#pO", &cut.b, &n, &data, &size, &wide, &cut.library)) return NULL;
    cut.n = (size_t)n;
    if (open_index(&source, data, (size_t)size, wide) < 0 || !all_fit(source, cut.b, cut.n)) Py_RETURN_NONE;
    if (make_cut(&cut, source.count) == 0 && number_page(&cut, &source) == 0) {
        size_t count = as_profile(cut.hashes, cut.named);
        found = PyList_New((Py_ssize_t)count);
        for (size_t i = 0; found && i < count; i++) {
            PyObject *number = PyLong_FromUnsignedLongLong(cut.hashes[i]);
            if (!number || PyList_SetItem(found, (Py_ssize_t)i, number) < 0) Py_CLEAR(found);
        }
    }
    free_cut(&cut);
    return found;
}

/* ---- a matcher -------------------------------------------------------------------------------------- */

#define MAX_CELLS 150000000u

typedef struct {
    u32 *keys;
    u64 *tags; /* of its profile, in order */
    size_t count, tag_count;
    char *shape;
} TemplateKeys;

typedef struct {
    TemplateKeys *all;
    size_t count;
    Map map;
    TagMemo memo;
    PyObject *library;
} Matcher;

static const char MATCHER[] = "fieldmouse.matcher";

static void free_matcher(PyObject *capsule) {
    Matcher *one = PyCapsule_GetPointer(capsule, MATCHER);
    if (!one) return;
    for (size_t i = 0; i < one->count; i++) {
        PyMem_Free(one->all[i].keys);
        PyMem_Free(one->all[i].tags);
        PyMem_Free(one->all[i].shape);
    }
    PyMem_Free(one->all);
    free_map(&one->map);
    PyMem_Free(one->memo.slots);
    PyMem_Free(one->memo.bytes);
    Py_XDECREF(one->library);
    PyMem_Free(one);
}

/* The number of a token of a template, as `Keys.of` has it; 0 on failure. */
static u32 template_key(Map *map, const u8 *s, size_t n, u8 kind) {
    u8 *key;
    size_t length;
    if (kind == START || kind == END) {
        while (n && IS(s[n - 1], BLANK)) n--;
        key = make_tag_key(s, n, &length);
    } else if ((key = PyMem_Malloc(n + 2)) != NULL) {
        key[0] = kind == HIDDEN ? '!' : ' ';
        length = (size_t)(put_words(key + 1, s, s + n) - key);
        size_t *longest = map->longest + (kind == HIDDEN);
        *longest = length > *longest ? length : *longest;
    }
    u32 number = key ? put_key(map, key, length) : 0;
    PyMem_Free(key);
    return number;
}

static int read_template(Matcher *to, PyObject *given) {
    PyObject *raws, *tags;
    const char *kinds, *shape;
    Py_ssize_t count, shape_size;
    TemplateKeys *one = to->all + to->count++;
    if (!PyArg_ParseTuple(given, "O!y#O!s#", &PyTuple_Type, &raws, &kinds, &count, &PyList_Type, &tags, &shape, &shape_size))
        return -1;
    one->count = (size_t)count;
    one->tag_count = (size_t)PyList_Size(tags);
    one->keys = PyMem_Malloc((one->count + 1) * sizeof(u32));
    one->tags = PyMem_Malloc((one->tag_count + 1) * sizeof(u64));
    one->shape = PyMem_Calloc((size_t)shape_size + 1, 1);
    if (!one->keys || !one->tags || !one->shape) return PyErr_NoMemory(), -1;
    memcpy(one->shape, shape, (size_t)shape_size);
    if (PyTuple_Size(raws) != count) return PyErr_SetString(PyExc_ValueError, "each token has a kind"), -1;
    for (size_t i = 0; i < one->count; i++) {
        char *s;
        Py_ssize_t n;
        if (PyBytes_AsStringAndSize(PyTuple_GetItem(raws, (Py_ssize_t)i), &s, &n) < 0) return -1;
        one->keys[i] = template_key(&to->map, (const u8 *)s, (size_t)n, (u8)kinds[i]);
        if (!one->keys[i]) return PyErr_Occurred() ? -1 : (PyErr_NoMemory(), -1);
    }
    for (size_t i = 0; i < one->tag_count; i++) {
        one->tags[i] = PyLong_AsUnsignedLongLong(PyList_GetItem(tags, (Py_ssize_t)i));
        if (PyErr_Occurred()) return -1;
    }
    qsort(one->tags, one->tag_count, sizeof(u64), by_value);
    return 0;
}

static PyObject *matcher(PyObject *self, PyObject *args) {
    PyObject *templates, *library;
    (void)self;
    if (!PyArg_ParseTuple(args, "O!O", &PyList_Type, &templates, &library)) return NULL;
    Matcher *one = PyMem_Calloc(1, sizeof *one);
    if (!one) return PyErr_NoMemory();
    one->library = Py_NewRef(library);
    PyObject *capsule = PyCapsule_New(one, MATCHER, free_matcher);
    if (!capsule) {
        Py_DECREF(library);
        PyMem_Free(one);
        return NULL;
    }
    size_t count = (size_t)PyList_Size(templates);
    one->all = PyMem_Calloc(count + 1, sizeof(TemplateKeys));
    if (!one->all) PyErr_NoMemory();
    for (size_t i = 0; one->all && i < count; i++)
        if (read_template(one, PyList_GetItem(templates, (Py_ssize_t)i)) < 0) break;
    if (PyErr_Occurred()) Py_CLEAR(capsule);
    return capsule;
}

static size_t in_common(const u64 *a, size_t na, const u64 *b, size_t nb) {
    size_t found = 0;
    for (size_t i = 0, k = 0; i < na && k < nb;) {
        if (a[i] == b[k]) found++, i++, k++;
        else if (a[i] < b[k]) i++;
        else k++;
    }
    return found;
}

/* As `nearest` of templates/template.py: the place of the most similar profile, or -1. */
static Py_ssize_t nearest(const Matcher *all, const u64 *tags, size_t n, const char *shape, double near, double same) {
    double best = 0;
    Py_ssize_t place = -1;
    for (size_t i = 0; i < all->count; i++) {
        const TemplateKeys *one = all->all + i;
        size_t common = in_common(tags, n, one->tags, one->tag_count);
        double alike = !n && !one->tag_count ? 1.0 : (double)common / (double)(n + one->tag_count - common);
        if (alike >= (strcmp(shape, one->shape) ? near : same) && alike > best) best = alike, place = (Py_ssize_t)i;
    }
    return place;
}

/* Which tokens of a page are template. None if the index does not fit. */
static PyObject *match(PyObject *self, PyObject *args) {
    const u8 *data;
    const char *shape;
    Py_ssize_t n, size, place;
    int wide;
    double near, same;
    PyObject *capsule, *result = NULL;
    Source source;
    Cut cut = {0};
    Runs found = {0};
    (void)self;
    if (!PyArg_ParseTuple(args, "Oy#y#psdd", &capsule, &cut.b, &n, &data, &size, &wide, &shape, &near, &same)) return NULL;
    Matcher *all = PyCapsule_GetPointer(capsule, MATCHER);
    if (!all) return NULL;
    cut.n = (size_t)n, cut.map = &all->map, cut.memo = &all->memo, cut.library = all->library;
    if (open_index(&source, data, (size_t)size, wide) < 0 || !all_fit(source, cut.b, cut.n)) Py_RETURN_NONE;
    if (make_cut(&cut, source.count) < 0 || number_page(&cut, &source) < 0) goto end;
    place = nearest(all, cut.hashes, as_profile(cut.hashes, cut.named), shape, near, same);
    const TemplateKeys *chosen = place < 0 ? NULL : all->all + place;
    int failed = chosen && align(&found, chosen->keys, chosen->count, cut.keys, cut.count, MAX_CELLS) < 0;
    u8 *shared = failed ? NULL : PyMem_Calloc(cut.count + 1, 1);
    if (!shared) {
        PyErr_NoMemory();
        goto end;
    }
    size_t matched = 0;
    for (size_t i = 0; i < found.count; i++) {
        memset(shared + found.s[i].b, 1, found.s[i].size);
        matched += found.s[i].size;
    }
    result = Py_BuildValue("(nny#y#y#)", place, (Py_ssize_t)matched, (const char *)cut.starts,
                           (Py_ssize_t)((cut.count + 1) * sizeof(u32)), (const char *)cut.kinds, (Py_ssize_t)cut.count,
                           (const char *)shared, (Py_ssize_t)cut.count);
    PyMem_Free(shared);
end:
    free_cut(&cut);
    PyMem_Free(found.s);
    return result;
}

/* The texts of a page that are not template, with a space between them, `most` bytes. */
static PyObject *own_texts(PyObject *self, PyObject *args) {
    const u8 *b, *kinds, *shared;
    Py_buffer given;
    Py_ssize_t n, count, shared_count, most;
    PyObject *result = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#y*y#y#n", &b, &n, &given, &kinds, &count, &shared, &shared_count, &most)) return NULL;
    const char *raw = given.buf;
    u8 *out = NULL;
    if (given.len != (count + 1) * (Py_ssize_t)sizeof(u32) || (shared_count && shared_count != count) || most < 0) {
        PyErr_SetString(PyExc_ValueError, "each token has a start and a kind");
        goto end;
    }
    size_t to = 0, room = (size_t)(most < n + count ? most : n + count);
    int first = 1;
    if (!(out = PyMem_Malloc(room + 1))) {
        PyErr_NoMemory();
        goto end;
    }
    for (Py_ssize_t i = 0; i < count && to < room; i++) {
        u32 start, end;
        if (kinds[i] != TEXT || (shared_count && shared[i])) continue;
        memcpy(&start, raw + (size_t)i * sizeof(u32), sizeof start);
        memcpy(&end, raw + (size_t)(i + 1) * sizeof(u32), sizeof end);
        if (end > (size_t)n || start > end) continue;
        if (!first) out[to++] = ' ';
        first = 0;
        size_t length = end - start < room - to ? end - start : room - to;
        memcpy(out + to, b + start, length);
        to += length;
    }
    result = PyBytes_FromStringAndSize((const char *)out, (Py_ssize_t)to);
end:
    PyBuffer_Release(&given);
    PyMem_Free(out);
    return result;
}
