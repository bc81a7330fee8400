/* The text of a page in blocks; part of _scan.c, which includes this file.
 *
 * blocks.py is the same in Python and says why each rule is there; a test holds the two equal. The stack of
 * open elements has a fixed depth, so each tag costs a bounded number of steps.
 */

enum {
    NAV = 1 << 0, HEADER = 1 << 1, FOOTER = 1 << 2, ASIDE = 1 << 3, FORM = 1 << 4, ARTICLE = 1 << 5, MAIN = 1 << 6,
    LIST = 1 << 10, TABLE = 1 << 11, DEAD = 1 << 12, LINKED = 1 << 13, EDGE = 1 << 15, MENU = 1 << 16,
    CONTROL = 1 << 17, PRE = 1 << 18, ALT = 1 << 19, ROLED = 1 << 20
};

/* What is known of an element by its name. */
enum {
    BLOCK = 1 << 0, VOID = 1 << 1, UNREAD = 1 << 2, CLOSED = 1 << 3, UNSEEN = 1 << 4, HEADING = 1 << 5,
    HOLDER = 1 << 6, ENDS_P = 1 << 7, CELL = 1 << 8, SCOPE = 1 << 9, IN_TABLE = 1 << 10, IN_LINE = 1 << 11,
    UNCLOSED = 1 << 12, GENERIC = 1 << 13
};

enum {
    E_OTHER, E_A, E_BR, E_IMG, E_INPUT, E_HTML, E_BODY, E_LI, E_DT, E_DD, E_TD, E_TH, E_TR, E_TBODY, E_THEAD, E_TFOOT,
    E_TABLE, E_CAPTION, E_COLGROUP, E_OPTGROUP, E_OPTION, E_BUTTON, E_SELECT, E_P, E_UL, E_OL, E_MENU, E_DIR, E_DL,
    E_FIGURE, E_TITLE, E_IFRAME, E_LABEL, E_PLAIN /* and those that are told apart by name only, each with its own number */
};

typedef struct {
    const char *name;
    unsigned is;
    long marks;
    int id;
} Known;

static const Known KNOWN[] = {
    {"a", IN_LINE, 0, E_A},
    {"abbr", IN_LINE, 0, 0}, {"acronym", IN_LINE, 0, 0}, {"b", IN_LINE, 0, 0}, {"bdi", IN_LINE, 0, 0},
    {"bdo", IN_LINE, 0, 0}, {"big", IN_LINE, 0, 0}, {"cite", IN_LINE, 0, 0}, {"code", IN_LINE, 0, 0},
    {"data", IN_LINE, 0, 0}, {"del", IN_LINE, 0, 0}, {"dfn", IN_LINE, 0, 0}, {"em", IN_LINE, 0, 0},
    {"font", IN_LINE, 0, 0}, {"i", IN_LINE, 0, 0}, {"img", IN_LINE | VOID, 0, E_IMG}, {"ins", IN_LINE, 0, 0},
    {"kbd", IN_LINE, 0, 0}, {"label", IN_LINE, FORM, E_LABEL}, {"mark", IN_LINE, 0, 0}, {"nobr", IN_LINE, 0, 0},
    {"q", IN_LINE, 0, 0}, {"rb", IN_LINE, 0, 0}, {"rp", IN_LINE, 0, 0}, {"rt", IN_LINE, 0, 0},
    {"ruby", IN_LINE, 0, 0}, {"s", IN_LINE, 0, 0}, {"samp", IN_LINE, 0, 0}, {"small", IN_LINE, 0, 0},
    {"span", IN_LINE | GENERIC, 0, 0}, {"strike", IN_LINE, 0, 0}, {"strong", IN_LINE, 0, 0}, {"sub", IN_LINE, 0, 0},
    {"sup", IN_LINE, 0, 0}, {"time", IN_LINE, 0, 0}, {"tt", IN_LINE, 0, 0}, {"u", IN_LINE, 0, 0},
    {"var", IN_LINE, 0, 0}, {"wbr", IN_LINE | VOID, 0, 0},
    {"area", VOID, 0, 0}, {"base", VOID, 0, 0}, {"basefont", VOID, 0, 0}, {"bgsound", VOID, 0, 0},
    {"br", VOID, 0, E_BR}, {"embed", VOID, 0, 0}, {"input", VOID, 0, E_INPUT}, {"keygen", VOID, 0, 0},
    {"link", VOID, 0, 0}, {"meta", VOID, 0, 0}, {"param", VOID, 0, 0}, {"source", VOID, 0, 0},
    {"track", VOID, 0, 0}, {"map", 0, NAV, 0},
    {"audio", UNREAD | CLOSED, 0, 0}, {"canvas", UNREAD | CLOSED, 0, 0}, {"noscript", UNREAD | CLOSED, 0, 0},
    {"object", UNREAD | CLOSED, 0, 0}, {"svg", UNREAD | CLOSED, 0, 0}, {"template", UNREAD | CLOSED, 0, 0},
    {"video", UNREAD | CLOSED, 0, 0},
    {"script", UNSEEN, 0, 0}, {"style", UNSEEN | UNCLOSED, 0, 0}, {"iframe", UNSEEN | UNCLOSED, 0, E_IFRAME},
    {"noembed", UNSEEN | UNCLOSED, 0, 0}, {"noframes", UNSEEN | UNCLOSED, 0, 0}, {"title", UNSEEN | UNCLOSED, 0, E_TITLE},
    {"address", BLOCK | ENDS_P, 0, 0}, {"article", BLOCK | ENDS_P, ARTICLE, 0}, {"aside", BLOCK | ENDS_P, ASIDE | EDGE, 0},
    {"blockquote", BLOCK | ENDS_P, 0, 0}, {"body", BLOCK, 0, E_BODY},
    {"button", BLOCK | CLOSED | SCOPE, CONTROL, E_BUTTON},
    {"caption", BLOCK | CELL | SCOPE | IN_TABLE, 0, E_CAPTION}, {"center", BLOCK | ENDS_P, 0, 0},
    {"col", BLOCK | VOID, 0, 0}, {"colgroup", BLOCK | IN_TABLE, 0, E_COLGROUP}, {"dd", BLOCK | ENDS_P | HOLDER, 0, E_DD},
    {"details", BLOCK | ENDS_P, 0, 0}, {"dialog", BLOCK | ENDS_P, ASIDE | EDGE, 0}, {"dir", BLOCK | ENDS_P, 0, E_DIR},
    {"div", BLOCK | ENDS_P | GENERIC | HOLDER, 0, 0}, {"dl", BLOCK | ENDS_P, 0, E_DL}, {"dt", BLOCK | ENDS_P, 0, E_DT},
    {"fieldset", BLOCK | ENDS_P, FORM, 0}, {"figcaption", BLOCK | ENDS_P, 0, 0},
    {"figure", BLOCK | ENDS_P | HOLDER, 0, E_FIGURE}, {"footer", BLOCK | ENDS_P, FOOTER | EDGE | MENU, 0},
    {"form", BLOCK | ENDS_P, FORM, 0}, {"frame", BLOCK | VOID, 0, 0}, {"frameset", BLOCK, 0, 0},
    {"h1", BLOCK | ENDS_P | HEADING, 0, 0}, {"h2", BLOCK | ENDS_P | HEADING, 0, 0}, {"h3", BLOCK | ENDS_P | HEADING, 0, 0},
    {"h4", BLOCK | ENDS_P | HEADING, 0, 0}, {"h5", BLOCK | ENDS_P | HEADING, 0, 0}, {"h6", BLOCK | ENDS_P | HEADING, 0, 0},
    {"header", BLOCK | ENDS_P, HEADER, 0}, {"hgroup", BLOCK | ENDS_P, 0, 0}, {"hr", BLOCK | ENDS_P | VOID, 0, 0},
    {"html", BLOCK, 0, E_HTML}, {"legend", BLOCK, 0, 0}, {"li", BLOCK | ENDS_P | HOLDER, 0, E_LI},
    {"listing", BLOCK | ENDS_P, PRE, 0}, {"main", BLOCK | ENDS_P, MAIN, 0}, {"marquee", BLOCK, 0, 0},
    {"menu", BLOCK | ENDS_P, NAV | EDGE | MENU, E_MENU}, {"nav", BLOCK | ENDS_P, NAV | EDGE | MENU, 0},
    {"ol", BLOCK | ENDS_P, LIST, E_OL}, {"optgroup", BLOCK, 0, E_OPTGROUP}, {"option", BLOCK, CONTROL, E_OPTION},
    {"p", BLOCK | ENDS_P | HOLDER, 0, E_P}, {"plaintext", BLOCK | ENDS_P, PRE, 0}, {"pre", BLOCK | ENDS_P, PRE, 0},
    {"search", BLOCK | ENDS_P, 0, 0}, {"section", BLOCK | ENDS_P | GENERIC, 0, 0},
    {"select", BLOCK | CLOSED, 0, E_SELECT}, {"summary", BLOCK | ENDS_P, 0, 0},
    {"table", BLOCK | ENDS_P | SCOPE | IN_TABLE, TABLE, E_TABLE}, {"tbody", BLOCK | IN_TABLE, 0, E_TBODY},
    {"td", BLOCK | CELL | SCOPE | IN_TABLE | HOLDER, 0, E_TD},
    {"textarea", BLOCK | CLOSED | UNCLOSED, CONTROL | EDGE | PRE, 0}, {"tfoot", BLOCK | IN_TABLE, 0, E_TFOOT},
    {"th", BLOCK | CELL | SCOPE | IN_TABLE | HOLDER, 0, E_TH}, {"thead", BLOCK | IN_TABLE, 0, E_THEAD},
    {"tr", BLOCK | IN_TABLE, 0, E_TR}, {"ul", BLOCK | ENDS_P, LIST, E_UL}, {"xmp", BLOCK | ENDS_P, PRE, 0},
};
#define KNOWN_COUNT (sizeof KNOWN / sizeof *KNOWN)
#define SLOTS_OF_NAMES 512

static const Known UNKNOWN = {"", 0, 0, E_OTHER}, CUSTOM = {"-", BLOCK, 0, E_OTHER}, PAGE = {"", BLOCK, 0, E_OTHER};
static const Known *BY_NAME[SLOTS_OF_NAMES]; /* filled once, when the module is loaded */
static u64 NAME_KEYS[SLOTS_OF_NAMES];
static u8 PLAIN_SIGN[256]; /* signs of ASCII that stand for themselves */

/* The last eight letters of a name in one number, and its length: different for all known names. */
static u64 name_key(const u8 *s, size_t n) {
    u64 key = 0;
    for (size_t i = 0; i < n; i++) key = key << 8 | lower(s[i]);
    return key ^ (u64)n << 59;
}

static size_t name_slot(u64 key) { return (size_t)(key * 0x9E3779B97F4A7C15ULL >> 55) % SLOTS_OF_NAMES; }

static void fill_names(void) {
    memset(BY_NAME, 0, sizeof BY_NAME);
    for (int c = 0; c < 256; c++) PLAIN_SIGN[c] = c > ' ' && c < 0x7f && c != '&';
    for (size_t i = 0; i < KNOWN_COUNT; i++) {
        u64 key = name_key((const u8 *)KNOWN[i].name, strlen(KNOWN[i].name));
        size_t slot = name_slot(key);
        while (BY_NAME[slot]) slot = (slot + 1) % SLOTS_OF_NAMES;
        BY_NAME[slot] = KNOWN + i;
        NAME_KEYS[slot] = key;
    }
}

static const Known *known(const u8 *s, size_t n) {
    if (n <= 10) {
        u64 key = name_key(s, n);
        for (size_t slot = name_slot(key); BY_NAME[slot]; slot = (slot + 1) % SLOTS_OF_NAMES)
            if (NAME_KEYS[slot] == key && (n <= 7 || same(s, n, BY_NAME[slot]->name, strlen(BY_NAME[slot]->name))))
                return BY_NAME[slot];
    }
    return memchr(s, '-', n) ? &CUSTOM : &UNKNOWN;
}

#define MAX_OPEN 120
#define MAX_INDENT 64
#define TAB_SPACES 4
#define RESCANS 4
#define LONG_RAW 1000
#define SELECTOR_BYTES 24
#define ALT_LINE 100
#define ALT_BYTES 40

typedef struct {
    const Known *is;
    const u8 *name;
    size_t length; /* of its name */
    long own, marks;
    Py_ssize_t element;
    int block;
    size_t said, alts;
} Open;

typedef struct {
    size_t start, end;
    long marks;
} Place;

typedef struct {
    Place *s;
    size_t count, room;
} Places;

enum { BEFORE = 1, AFTER = 2, WHOLE = 4 };
#define MAX_WORDS 250

typedef struct {
    const u8 *s, *other; /* itself, and what must not follow it */
    size_t length, other_length;
    long mark;
    u8 flags, next;
} Word;

typedef struct {
    Word all[MAX_WORDS];
    size_t count;
    u8 heads[2][26]; /* one more than the first word of a letter: parts and whole words */
} Words;

/* The marks of a class, id, role and itemprop: most of a page's elements have those of another one. */
#define SLOTS_OF_MARKS 64

typedef struct {
    Span parts[4];
    long marks;
    int filled;
} KnownMarks;

/* The same of selectors. */
#define SELECTOR_ROOM (16 + 1 + SELECTOR_BYTES)

typedef struct {
    char text[SELECTOR_ROOM];
    size_t length;
    PyObject *object; /* NULL: none is known */
} KnownSelector;

typedef struct {
    size_t parent;
    int cell; /* of a table */
} SeenElement;

typedef struct {
    const u8 *b;
    size_t n;
    PyObject *Element, *TextBlock, *text_of, *value_of, *reference, *codec; /* borrowed */
    Words words_known;
    KnownMarks marks_known[SLOTS_OF_MARKS];
    KnownSelector selectors_known[SLOTS_OF_MARKS];
    int utf8;           /* the codec is UTF-8 */
    u8 (*table)[4];     /* or what each byte is in UTF-8, its length first; NULL for other codecs */
    PyObject *elements, *blocks;
    SeenElement *seen;
    size_t element_count, element_room;
    int fits;  /* the index was one of this page */
    int plain; /* only the text is wanted, in `out` */
    u8 *out;
    size_t out_length, out_room;
    Py_ssize_t row; /* of the cell that the last line is */
    PyObject *names[KNOWN_COUNT], *selectors[KNOWN_COUNT];
    Open stack[MAX_OPEN];
    size_t depth, said;
    Places alts, link_alts, inline_alts, buttons, hrefs, spans, line_ends;
    u8 *text;
    size_t length, room;
    long marks;
    size_t lines, blanks, breaks, linked, words, linked_words, inline_tags;
    int after_link, word_linked, only_alt, started, broken;
} Pages;

static int place_room(Places *to) {
    if (to->count < to->room) return 0;
    size_t room = to->room * 2 + 32;
    Place *more = PyMem_Realloc(to->s, room * sizeof(Place));
    if (!more) return PyErr_NoMemory(), -1;
    to->s = more;
    to->room = room;
    return 0;
}

static int add_place(Places *to, size_t start, size_t end, long marks) {
    if (place_room(to) < 0) return -1;
    to->s[to->count++] = (Place){start, end, marks};
    return 0;
}

static int text_room(Pages *to, size_t more) {
    if (to->room - to->length >= more) return 0;
    size_t room = to->room * 2 + more + 4096;
    u8 *text = PyMem_Realloc(to->text, room);
    if (!text) return PyErr_NoMemory(), -1;
    to->text = text;
    to->room = room;
    return 0;
}

/* ---- characters -------------------------------------------------------------------------------------- */

/* How many bytes the character at s has, 0 when it is not UTF-8. */
static size_t utf8_size(const u8 *s, const u8 *end) {
    size_t left = (size_t)(end - s);
    u8 c = s[0];
    if (c < 0x80) return 1;
    if (c >= 0xc2 && c < 0xe0) return left > 1 && (s[1] & 0xc0) == 0x80 ? 2 : 0;
    if (c >= 0xe0 && c < 0xf0) {
        if (left < 3 || (s[1] & 0xc0) != 0x80 || (s[2] & 0xc0) != 0x80) return 0;
        return (c == 0xe0 && s[1] < 0xa0) || (c == 0xed && s[1] > 0x9f) ? 0 : 3;
    }
    if (c >= 0xf0 && c < 0xf5) {
        if (left < 4 || (s[1] & 0xc0) != 0x80 || (s[2] & 0xc0) != 0x80 || (s[3] & 0xc0) != 0x80) return 0;
        return (c == 0xf0 && s[1] < 0x90) || (c == 0xf4 && s[1] > 0x8f) ? 0 : 4;
    }
    return 0;
}

/* White space as Python's str.isspace has it, of UTF-8. */
static int is_white(const u8 *s, size_t size) {
    if (size == 1) return *s == ' ' || (*s >= 9 && *s <= 13) || (*s >= 28 && *s <= 31);
    if (size == 2) return s[0] == 0xc2 && (s[1] == 0x85 || s[1] == 0xa0);
    if (size != 3) return 0;
    if (s[0] == 0xe2)
        return (s[1] == 0x80 && (s[2] <= 0x8a || s[2] == 0xa8 || s[2] == 0xa9 || s[2] == 0xaf)) ||
               (s[1] == 0x81 && s[2] == 0x9f);
    return (s[0] == 0xe1 && s[1] == 0x9a && s[2] == 0x80) || (s[0] == 0xe3 && s[1] == 0x80 && s[2] == 0x80);
}

/* The white space before a character, and whether that begins a word. There is room for 66 bytes. */
static inline void begin_character(Pages *to, int linked) {
    if (!to->started || to->lines || to->blanks) {
        if (to->started) {
            size_t lines = to->lines < 2 ? to->lines : 2, blanks = to->blanks < MAX_INDENT ? to->blanks : MAX_INDENT;
            if (to->broken) to->line_ends.s[to->line_ends.count++] = (Place){to->length, 0, 0}; /* `line_break` made room */
            memset(to->text + to->length, '\n', lines);
            memset(to->text + to->length + lines, ' ', blanks);
            to->length += lines + blanks;
            if (linked && to->after_link) to->linked += lines + blanks;
        }
        to->words++;
        to->word_linked = 0;
        to->started = 1;
        to->broken = 0;
        to->lines = to->blanks = 0;
    }
    if (linked && !to->word_linked) to->linked_words++, to->word_linked = 1;
    to->after_link = linked;
}

typedef struct {
    int linked, pre, cr, found;
} Writing;

static inline void put_white(Pages *to, Writing *how, u8 c) {
    if (!how->pre) {
        if (!to->blanks) to->blanks = 1;
    } else if (c == '\n' && how->cr) {
        how->cr = 0;
        return;
    } else if (c == '\n' || c == '\r') {
        to->lines++;
        to->blanks = 0;
    } else {
        to->blanks += c == '\t' ? TAB_SPACES : 1;
    }
    how->cr = c == '\r';
}

static inline void put_character(Pages *to, Writing *how, const u8 *s, size_t size) {
    if (is_white(s, size)) {
        put_white(to, how, size == 1 ? *s : ' ');
        return;
    }
    begin_character(to, how->linked);
    memcpy(to->text + to->length, s, size);
    to->length += size;
    if (how->linked) to->linked += size;
    how->cr = 0;
    how->found = 1;
}

/* Text that is UTF-8 already. */
static int put_utf8(Pages *to, Writing *how, const u8 *s, size_t n) {
    if (text_room(to, 4 * n + 80) < 0) return -1;
    for (const u8 *end = s + n; s < end;) {
        size_t size = utf8_size(s, end);
        put_character(to, how, s, size ? size : 1);
        s += size ? size : 1;
    }
    return 0;
}

/* Text that Python decodes: a str, which is given up. */
static int put_object(Pages *to, Writing *how, PyObject *text) {
    if (!text) return -1;
    PyObject *raw = PyUnicode_AsEncodedString(text, "utf-8", "replace");
    char *s;
    Py_ssize_t n;
    int failed = !raw || PyBytes_AsStringAndSize(raw, &s, &n) < 0 || put_utf8(to, how, (const u8 *)s, (size_t)n) < 0;
    Py_XDECREF(raw);
    Py_DECREF(text);
    return failed ? -1 : 0;
}

/* How long the reference is that begins at s, 0 for a lone ampersand. */
static size_t reference_size(const u8 *s, const u8 *end) {
    const u8 *p = s + 1, *first;
    if (p < end && *p == '#') {
        int hex = p + 1 < end && (p[1] | 32) == 'x';
        first = p += 1 + hex;
        while (p < end && ((*p >= '0' && *p <= '9') || (hex && (*p | 32) >= 'a' && (*p | 32) <= 'f'))) p++;
    } else {
        first = p;
        if (p < end && IS(*p, ALPHA))
            while (p < end && (IS(*p, ALPHA) || (*p >= '0' && *p <= '9'))) p++;
    }
    if (p == first) return 0;
    return (size_t)(p - s) + (p < end && *p == ';');
}

/* A reference by number as UTF-8; its size, or 0 if it is one that Python has to read. */
static size_t numbered_character(const u8 *s, size_t n, u8 *out) {
    int hex = n > 2 && (s[2] | 32) == 'x';
    u32 code = 0;
    for (size_t i = 2 + (size_t)hex; i < n && s[i] != ';'; i++) {
        code = code * (hex ? 16 : 10) + (u32)(s[i] <= '9' ? s[i] - '0' : (s[i] | 32) - 'a' + 10);
        if (code > 0xfdcf) return 0;
    }
    /* Some others are no characters, or mean those of Windows-1252. */
    if (!((code >= ' ' && code < 0x7f) || (code >= 0xa0 && code < 0xd800) || code >= 0xe000)) return 0;
    if (code < 0x80) return out[0] = (u8)code, 1;
    if (code < 0x800) return out[0] = (u8)(0xc0 | code >> 6), out[1] = (u8)(0x80 | (code & 63)), 2;
    return out[0] = (u8)(0xe0 | code >> 12), out[1] = (u8)(0x80 | (code >> 6 & 63)), out[2] = (u8)(0x80 | (code & 63)), 3;
}

/* Names of characters that are common in texts; the others are known to Python. */
static const struct {
    const char *name, *text;
} NAMED[] = {
    {"&amp;", "&"},
    {"&lt;", "<"},
    {"&gt;", ">"},
    {"&quot;", "\""},
    {"&nbsp;", " "},
    {"&apos;", "'"},
    {"&copy;", "\xc2\xa9"},
    {"&reg;", "\xc2\xae"},
    {"&laquo;", "\xc2\xab"},
    {"&raquo;", "\xc2\xbb"},
    {"&middot;", "\xc2\xb7"},
    {"&para;", "\xc2\xb6"},
    {"&sect;", "\xc2\xa7"},
    {"&times;", "\xc3\x97"},
    {"&ndash;", "\xe2\x80\x93"},
    {"&mdash;", "\xe2\x80\x94"},
    {"&lsquo;", "\xe2\x80\x98"},
    {"&rsquo;", "\xe2\x80\x99"},
    {"&ldquo;", "\xe2\x80\x9c"},
    {"&rdquo;", "\xe2\x80\x9d"},
    {"&bull;", "\xe2\x80\xa2"},
    {"&hellip;", "\xe2\x80\xa6"},
    {"&trade;", "\xe2\x84\xa2"},
    {"&larr;", "\xe2\x86\x90"},
    {"&uarr;", "\xe2\x86\x91"},
    {"&rarr;", "\xe2\x86\x92"},
    {"&darr;", "\xe2\x86\x93"},
};

static int put_reference(Pages *to, Writing *how, const u8 *s, size_t n) {
    u8 made[4];
    const u8 *text = made;
    size_t size = n > 2 && s[1] == '#' ? numbered_character(s, n, made) : 0;
    for (size_t i = 0; !size && s[1] != '#' && i < sizeof NAMED / sizeof *NAMED; i++)
        if (NAMED[i].name[1] == (char)s[1] && strlen(NAMED[i].name) == n && !memcmp(NAMED[i].name, s, n)) {
            text = (const u8 *)NAMED[i].text;
            size = strlen(NAMED[i].text);
        }
    if (size) {
        put_character(to, how, text, size);
        return 0;
    }
    return put_object(to, how, PyObject_CallFunction(to->reference, "y#", (const char *)s, (Py_ssize_t)n));
}

/* Whether a text can be read here, byte by byte. */
static int is_simple(const Pages *to, const u8 *s, const u8 *end) {
    const u64 ones = 0x0101010101010101u, high = ones << 7;
    const u8 *p = s;
    u64 all = 0, eight;
    for (; end - p >= 8; p += 8) {
        memcpy(&eight, p, sizeof eight);
        if ((eight - ones) & ~eight & high) return 0; /* one of them is 0 */
        all |= eight;
    }
    for (; p < end; p++) {
        if (!*p) return 0;
        all |= *p;
    }
    if (!(all & high) || to->table) return 1;
    if (!to->utf8) return 0;
    while (s < end) {
        size_t size = utf8_size(s, end);
        if (!size) return 0;
        s += size;
    }
    return 1;
}

static int put_simple(Pages *to, Writing *how, const u8 *s, const u8 *end) {
    if (to->utf8 && end - s >= 3 && !memcmp(s, "\xef\xbb\xbf", 3)) s += 3;
    while (s < end) {
        if (PLAIN_SIGN[*s]) { /* a run of signs of ASCII: words with one blank between them */
            size_t words = 0;
            begin_character(to, how->linked);
            u8 *first = to->text + to->length, *text = first; /* a call to copy a word takes longer than its signs */
            for (;; words++) {
                do *text++ = *s++;
                while (s < end && PLAIN_SIGN[*s]);
                if (how->pre || end - s < 2 || (*s != ' ' && *s != '\n') || !PLAIN_SIGN[s[1]]) break;
                *text++ = ' ';
                s++;
            }
            to->length += (size_t)(text - first);
            to->words += words;
            if (words) to->word_linked = how->linked;
            if (how->linked) to->linked += (size_t)(text - first), to->linked_words += words;
            how->cr = 0;
            how->found = 1;
        } else if (*s == '&') {
            size_t n = reference_size(s, end);
            if (!n) put_character(to, how, s, 1);
            else if (put_reference(to, how, s, n) < 0) return -1;
            s += n ? n : 1;
            if (text_room(to, 4 * (size_t)(end - s) + 80) < 0) return -1;
        } else if (*s < 0x80) {
            put_character(to, how, s++, 1);
        } else if (to->table) {
            put_character(to, how, to->table[*s] + 1, to->table[*s][0]);
            s++;
        } else {
            size_t size = utf8_size(s, end);
            put_character(to, how, s, size);
            s += size;
        }
    }
    return 0;
}

static void put_text_done(Pages *to, const Writing *how, long marks) {
    if (!how->found) return;
    to->breaks = 0;
    to->said++;
    to->marks &= marks;
}

/* The text between two tags. */
static int put_gap(Pages *to, size_t from, size_t until) {
    const Open *top = to->stack + to->depth - 1;
    const u8 *s = to->b + from, *end = to->b + until;
    if (from >= until || top->marks & DEAD) return 0;
    Writing how = {(top->marks & LINKED) != 0, (top->marks & PRE) != 0, 0, 0};
    if (is_simple(to, s, end)) {
        if (text_room(to, 4 * (until - from) + 80) < 0 || put_simple(to, &how, s, end) < 0) return -1;
    } else if (put_object(to, &how,
                          PyObject_CallFunction(to->text_of, "y#O", (const char *)s, (Py_ssize_t)(end - s), to->codec)) < 0) {
        return -1;
    }
    put_text_done(to, &how, top->marks);
    if (!how.found) return 0;
    to->only_alt = 0;
    while (IS(*s, BLANK)) s++;
    while (IS(end[-1], BLANK)) end--;
    return add_place(&to->spans, (size_t)(s - to->b), (size_t)(end - to->b), 0);
}

static int put_alt(Pages *to, Place place, long marks) {
    Writing how = {(marks & LINKED) != 0, (marks & PRE) != 0, 0, 0};
    const u8 *s = to->b + place.start, *end = to->b + place.end;
    if (!to->blanks) to->blanks = 1;
    if (!memchr(s, '&', (size_t)(end - s)) && is_simple(to, s, end)) { /* nothing in it is read otherwise than in a text */
        if (text_room(to, 4 * (size_t)(end - s) + 80) < 0 || put_simple(to, &how, s, end) < 0) return -1;
    } else if (put_object(to, &how,
                          PyObject_CallFunction(to->value_of, "y#O", (const char *)s, (Py_ssize_t)(end - s), to->codec)) < 0) {
        return -1;
    }
    put_text_done(to, &how, marks);
    return how.found ? add_place(&to->spans, place.start, place.end, 0) : 0;
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

/* The kind of the character of UTF-8 at s. */
enum { MARK = 1, DIGIT = 2, STOP = 4, QUOTE = 8 };
static u8 ASCII_KIND[128]; /* filled once, when the module is loaded */

static int character_kind(const u8 *s, size_t size) {
    if (size == 1) {
        if (*s >= '0' && *s <= '9') return DIGIT;
        if (*s == '.' || *s == '!' || *s == '?') return MARK | STOP;
        if (*s == ',' || *s == ';' || *s == ':') return MARK;
        return *s == '"' || *s == '\'' || *s == ')' || *s == ']' ? QUOTE : 0;
    }
    if (size == 2) {
        if (s[0] == 0xc2) return s[1] == 0xbb ? QUOTE : 0;
        return (s[0] == 0xd9 && s[1] >= 0xa0 && s[1] <= 0xa9) || (s[0] == 0xdb && s[1] >= 0xb0 && s[1] <= 0xb9) ? DIGIT : 0;
    }
    if (size != 3) return 0;
    switch (s[0] << 8 | s[1]) {
    case 0xe280: return s[2] == 0xa6 ? MARK | STOP : s[2] == 0x9d || s[2] == 0x99 ? QUOTE : 0;
    case 0xe380: return s[2] == 0x82 ? MARK | STOP : s[2] == 0x81 ? MARK : 0;
    case 0xefbc:
        if (s[2] >= 0x90 && s[2] <= 0x99) return DIGIT;
        return s[2] == 0x81 || s[2] == 0x9f ? MARK | STOP : s[2] == 0x8c || s[2] == 0x9b ? MARK : 0;
    case 0xe0a5: return s[2] == 0xa4 ? MARK | STOP : s[2] >= 0xa6 && s[2] <= 0xaf ? DIGIT : 0;
    case 0xe0a7: return s[2] >= 0xa6 && s[2] <= 0xaf ? DIGIT : 0;
    case 0xe0b9: return s[2] >= 0x90 && s[2] <= 0x99 ? DIGIT : 0;
    }
    return 0;
}

static void fill_kinds(void) {
    for (int c = 0; c < 128; c++) {
        u8 sign = (u8)c;
        ASCII_KIND[c] = (u8)character_kind(&sign, 1);
    }
}

/* Pairs of numbers in one object: pages have hundreds of spans, most of which nobody looks at. Equal to a list of pairs. */
typedef struct {
    PyObject_VAR_HEAD
    u32 pairs[1]; /* two for each item */
} Spans;

static PyTypeObject *SPANS; /* made when the module is loaded */

static PyObject *spans_item(PyObject *self, Py_ssize_t i) {
    if (i < 0 || i >= Py_SIZE(self)) return PyErr_SetString(PyExc_IndexError, "there are fewer spans"), NULL;
    const u32 *pair = ((Spans *)self)->pairs + 2 * i;
    return Py_BuildValue("(kk)", (unsigned long)pair[0], (unsigned long)pair[1]);
}

static Py_ssize_t spans_length(PyObject *self) { return Py_SIZE(self); }

static void free_spans(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *spans_repr(PyObject *self) {
    PyObject *list = PySequence_List(self), *text = list ? PyObject_Repr(list) : NULL;
    Py_XDECREF(list);
    return text;
}

static PyObject *compare_spans(PyObject *self, PyObject *other, int how) {
    int both = Py_TYPE(other) == SPANS;
    if (!both && !PyList_Check(other)) Py_RETURN_NOTIMPLEMENTED;
    PyObject *one = PySequence_List(self), *two = one && both ? PySequence_List(other) : Py_NewRef(other);
    PyObject *found = one && two ? PyObject_RichCompare(one, two, how) : NULL;
    Py_XDECREF(one);
    Py_XDECREF(two);
    return found;
}

static PyType_Slot SPANS_SLOTS[] = {
    {Py_tp_dealloc, free_spans},     {Py_tp_repr, spans_repr}, {Py_tp_richcompare, compare_spans},
    {Py_sq_length, spans_length}, {Py_sq_item, spans_item}, {0, NULL},
};

static PyType_Spec SPANS_SPEC = {
    "fieldmouse.page._scan.Spans", offsetof(Spans, pairs), 2 * sizeof(u32),
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, SPANS_SLOTS,
};

static int make_types(void) {
    if (!SPANS) SPANS = (PyTypeObject *)PyType_FromSpec(&SPANS_SPEC);
    return SPANS ? 0 : -1;
}

static PyObject *new_spans(const Places *from) {
    PyObject *made = PyType_GenericAlloc(SPANS, (Py_ssize_t)from->count);
    for (size_t i = 0; made && i < from->count; i++) {
        u32 *pair = ((Spans *)made)->pairs + 2 * i;
        pair[0] = (u32)from->s[i].start, pair[1] = (u32)from->s[i].end;
    }
    return made;
}

/* How many spans a block has, and where one begins; Python makes lists of pairs. -1 with an error set. */
static Py_ssize_t span_count(PyObject *spans) {
    return spans && Py_TYPE(spans) == SPANS ? Py_SIZE(spans) : PyList_Size(spans);
}

static size_t span_start(PyObject *spans, Py_ssize_t i) {
    if (Py_TYPE(spans) == SPANS) return ((Spans *)spans)->pairs[2 * i];
    return PyLong_AsSize_t(PyTuple_GetItem(PyList_GetItem(spans, i), 0));
}

static PyObject *bytes_tuple(const Pages *to, const Places *from) {
    PyObject *all = PyTuple_New((Py_ssize_t)from->count);
    for (size_t i = 0; all && i < from->count; i++) {
        const Place *one = from->s + i;
        PyObject *raw = PyBytes_FromStringAndSize((const char *)to->b + one->start, (Py_ssize_t)(one->end - one->start));
        if (!raw || PyTuple_SetItem(all, (Py_ssize_t)i, raw) < 0) Py_CLEAR(all);
    }
    return all;
}

static PyObject *number_tuple(const Places *from) {
    PyObject *all = PyTuple_New((Py_ssize_t)from->count);
    for (size_t i = 0; all && i < from->count; i++) {
        PyObject *number = PyLong_FromSize_t(from->s[i].end);
        if (!number || PyTuple_SetItem(all, (Py_ssize_t)i, number) < 0) Py_CLEAR(all);
    }
    return all;
}

static void begin_block(Pages *to) {
    to->length = to->spans.count = to->line_ends.count = to->inline_alts.count = 0;
    to->marks = -1;
    to->lines = to->blanks = to->breaks = to->linked = to->words = to->linked_words = to->inline_tags = 0;
    to->after_link = to->word_linked = to->started = to->broken = 0;
    to->only_alt = 1;
}

/* Write the block as a line: cells of a table stand in the line of their row, and `br` parts lines. */
static int end_line(Pages *to) {
    const SeenElement *element = to->seen + to->stack[to->depth - 1].element;
    Py_ssize_t cell = element->cell ? (Py_ssize_t)element->parent : -1;
    if (!to->only_alt) {
        if (to->out_room - to->out_length < to->length + 1) {
            size_t room = 2 * to->out_room + to->length + 4096;
            u8 *more = PyMem_Realloc(to->out, room);
            if (!more) return PyErr_NoMemory(), -1;
            to->out = more;
            to->out_room = room;
        }
        if (to->out_length) to->out[to->out_length++] = cell >= 0 && cell == to->row ? ' ' : '\n';
        u8 *line = to->out + to->out_length;
        memcpy(line, to->text, to->length);
        for (size_t i = 0; i < to->line_ends.count; i++) line[to->line_ends.s[i].start] = '\n';
        to->out_length += to->length;
        to->row = cell;
    }
    to->hrefs.count = 0;
    begin_block(to);
    return 0;
}

/* Put the alt of an image into the line where it stands. */
static int insert_alt(Pages *to, Place image, const u8 *s, size_t n) {
    size_t at = (size_t)image.marks, before = at > 0, after = at < to->length && !IS(to->text[at], BLANK);
    size_t more = before + n + after, place = to->spans.count;
    for (size_t i = 0; i + n <= to->length; i++)
        if (!memcmp(to->text + i, s, n)) return 0;
    if (text_room(to, more) < 0 || place_room(&to->spans) < 0) return -1;
    memmove(to->text + at + more, to->text + at, to->length - at);
    if (before) to->text[at] = ' ';
    memcpy(to->text + at + before, s, n);
    if (after) to->text[at + before + n] = ' ';
    to->length += more;
    to->words += 1 + (before && after);
    for (size_t i = 0; i < n; i++) to->words += s[i] == ' ';
    for (size_t i = 0; i < to->line_ends.count; i++)
        if (to->line_ends.s[i].start >= at) to->line_ends.s[i].start += more;
    for (; place > 0 && to->spans.s[place - 1].start > image.start; place--) to->spans.s[place] = to->spans.s[place - 1];
    to->spans.s[place] = (Place){image.start, image.end, 0};
    to->spans.count++;
    return 0;
}

/* In a short line, images are words: an icon in the place of a label or a state. */
static int insert_alts(Pages *to) {
    size_t count = to->inline_alts.count;
    to->inline_alts.count = 0;
    if (to->only_alt || to->length > ALT_LINE) return 0;
    while (count-- > 0) {
        Place image = to->inline_alts.s[count];
        char *s = (char *)to->b + image.start;
        Py_ssize_t n = (Py_ssize_t)(image.end - image.start);
        PyObject *value = NULL, *raw = NULL;
        int failed = 0;
        if (!is_plain((Span){(const u8 *)s, (size_t)n})) {
            value = PyObject_CallFunction(to->value_of, "y#O", s, n, to->codec);
            raw = value ? PyUnicode_AsEncodedString(value, "utf-8", "replace") : NULL;
            failed = !raw || PyBytes_AsStringAndSize(raw, &s, &n) < 0;
        }
        if (!failed && n <= ALT_BYTES) {
            u8 line[ALT_BYTES];
            size_t k = 0;
            for (const u8 *c = (const u8 *)s, *end = c + n; c < end;) {
                size_t size = utf8_size(c, end);
                int white = is_white(c, size ? size : 1);
                if (!white) memcpy(line + k, c, size ? size : 1), k += size ? size : 1;
                else if (k && line[k - 1] != ' ') line[k++] = ' ';
                c += size ? size : 1;
            }
            while (k && line[k - 1] == ' ') k--;
            failed = k && insert_alt(to, image, line, k) < 0;
        }
        Py_XDECREF(value);
        Py_XDECREF(raw);
        if (failed) return -1;
    }
    return 0;
}

/* End the text; if there is none, the images of its links may be one. */
static int end_text(Pages *to) {
    size_t alts = to->link_alts.count, points = 0, digits = 0;
    to->link_alts.count = 0;
    if (!to->started)
        for (size_t i = 0; i < alts; i++)
            if (put_alt(to, to->link_alts.s[i], to->link_alts.s[i].marks) < 0) return -1;
    if (!to->started) {
        to->lines = to->blanks = to->breaks = to->inline_tags = to->inline_alts.count = 0;
        to->broken = 0;
        return 0;
    }
    if (to->inline_alts.count && insert_alts(to) < 0) return -1;
    if (to->plain) return end_line(to);
    int last = 0, before = 0;
    const u8 *s = to->text, *end = s + to->length;
    size_t ends = 0, chars = 0;
    for (; s < end; chars++) {
        size_t size = *s < 0x80 ? 1 : utf8_size(s, end);
        if (ends < to->line_ends.count && to->line_ends.s[ends].start == (size_t)(s - to->text))
            to->line_ends.s[ends++].end = chars;
        before = last;
        last = *s < 0x80 ? ASCII_KIND[*s] : character_kind(s, size ? size : 1);
        points += (last & MARK) != 0;
        digits += (last & DIGIT) != 0;
        s += size ? size : 1;
    }
    int stop = last & STOP || (last & QUOTE && before & STOP);
    PyObject *values[] = {
        PyUnicode_FromStringAndSize((const char *)to->text, (Py_ssize_t)to->length),
        PyLong_FromSsize_t(to->stack[to->depth - 1].element),
        PyLong_FromLong(to->marks | (to->only_alt ? ALT : 0)),
        new_spans(&to->spans),
        PyLong_FromSize_t(to->linked),
        PyLong_FromSize_t(to->words),
        PyLong_FromSize_t(to->linked_words),
        PyLong_FromSize_t(to->inline_tags),
        PyLong_FromSize_t(points),
        PyLong_FromSize_t(digits),
        PyLong_FromSize_t(to->length),
        PyBool_FromLong(stop),
        bytes_tuple(to, &to->hrefs),
        number_tuple(&to->line_ends),
    };
    if (append_owned(to->blocks, make((PyTypeObject *)to->TextBlock, values, sizeof values / sizeof *values)) < 0) return -1;
    to->hrefs.count = 0;
    begin_block(to);
    return 0;
}

/* End the block, if there is one; buttons in it are blocks of their own. */
static int flush(Pages *to) {
    if (end_text(to) < 0) return -1;
    size_t count = to->buttons.count;
    to->buttons.count = 0;
    for (size_t i = 0; i < count; i++)
        if (put_alt(to, to->buttons.s[i], to->buttons.s[i].marks) < 0 || end_text(to) < 0) return -1;
    return 0;
}

/* ---- elements ---------------------------------------------------------------------------------------- */

typedef struct {
    Span class_, id, role, level, itemprop, style, hidden, href, alt, type, value, fixed, selected;
} Told;

static void tell(Told *told, const u8 *b, size_t at, size_t n) {
    Attr attr = {0};
    int more;
    memset(told, 0, sizeof *told);
    while ((more = next_attr(b, &at, n, &attr)) > 0) {
        const u8 *s = attr.name;
        size_t length = attr.name_length;
        Span *slot = NULL;
        switch (length) { /* most attributes are told apart by their length */
        case 2: slot = SAME(s, length, "id") ? &told->id : NULL; break;
        case 3: slot = SAME(s, length, "alt") ? &told->alt : NULL; break;
        case 4:
            slot = SAME(s, length, "href")   ? &told->href
                   : SAME(s, length, "role") ? &told->role
                   : SAME(s, length, "type") ? &told->type
                                             : NULL;
            break;
        case 5:
            slot = SAME(s, length, "class")   ? &told->class_
                   : SAME(s, length, "style") ? &told->style
                   : SAME(s, length, "value") ? &told->value
                                              : NULL;
            break;
        case 6: slot = SAME(s, length, "hidden") ? &told->hidden : NULL; break;
        case 8:
            slot = SAME(s, length, "itemprop")                                       ? &told->itemprop
                   : SAME(s, length, "selected")                                     ? &told->selected
                   : SAME(s, length, "readonly") || SAME(s, length, "disabled") ? &told->fixed
                                                                                     : NULL;
            break;
        case 10: slot = SAME(s, length, "aria-level") ? &told->level : NULL; break;
        }
        if (slot) take(slot, &attr);
    }
    if (more < 0) memset(told, 0, sizeof *told);
}

static Span blank_trim(Span span) {
    while (span.length && IS(span.s[0], BLANK)) span.s++, span.length--;
    while (span.length && IS(span.s[span.length - 1], BLANK)) span.length--;
    return span;
}

static Span first_word(Span span) {
    size_t from = 0;
    while (from < span.length && IS(span.s[from], BLANK)) from++;
    size_t until = from;
    while (until < span.length && !IS(span.s[until], BLANK)) until++;
    return (Span){span.s ? span.s + from : NULL, until - from};
}

/* What generic elements are by their roles; landmarks only have the marks. */
static const struct {
    const char *role, *name;
    int landmark;
} ROLES[] = {
    {"table", "table", 0}, {"grid", "table", 0}, {"treegrid", "table", 0}, {"rowgroup", "tbody", 0}, {"row", "tr", 0},
    {"cell", "td", 0}, {"gridcell", "td", 0}, {"columnheader", "th", 0}, {"rowheader", "th", 0}, {"list", "ul", 0}, {"feed", "ul", 0},
    {"listitem", "li", 0}, {"heading", "h2", 0}, {"navigation", "nav", 1}, {"menubar", "nav", 1}, {"banner", "header", 1},
    {"contentinfo", "footer", 1}, {"complementary", "aside", 1}, {"main", "main", 1}, {"article", "article", 1},
};

/* The element that a generic one is by its role, or NULL; `own` gets the marks. */
static const Known *known_by_role(const Known *is, Told *told, long *own) {
    if (!told->role.length || !(is->is & GENERIC || is == &CUSTOM)) return NULL;
    Span role = first_word(told->role), level = blank_trim(told->level);
    for (size_t i = 0; i < sizeof ROLES / sizeof *ROLES; i++) {
        if (!same(role.s, role.length, ROLES[i].role, strlen(ROLES[i].role))) continue;
        const char *name = ROLES[i].name[0] == 'h' && SAME(level.s, level.length, "1") && ROLES[i].name[1] == '2' ? "h1" : ROLES[i].name;
        const Known *called = known((const u8 *)name, strlen(name));
        if (ROLES[i].landmark && !(is->is & BLOCK)) return NULL;
        *own |= called->marks;
        told->role = (Span){NULL, 0}; /* its words may mislead: a column header is no header */
        return ROLES[i].landmark ? NULL : called;
    }
    return NULL;
}

/* Whether a style has this property with this value. */
static int styled(Span style, const char *property, const char *value) {
    size_t a = strlen(property), z = strlen(value);
    for (size_t i = 0; i + a + z < style.length; i++) {
        if (!same(style.s + i, a, property, a)) continue;
        size_t p = i + a;
        while (p < style.length && IS(style.s[p], BLANK)) p++;
        if (p >= style.length || style.s[p] != ':') continue;
        p++;
        while (p < style.length && IS(style.s[p], BLANK)) p++;
        if (style.length - p >= z && same(style.s + p, z, value, z)) return 1;
    }
    return 0;
}

static int is_hiding(const Told *told) {
    if (GIVEN(told->hidden) && !SAME(told->hidden.s, told->hidden.length, "until-found")) return 1;
    return told->style.length && (styled(told->style, "display", "none") || styled(told->style, "visibility", "hidden"));
}

/* The packed words of marks.py, by their first letter. */
static void read_words(Words *words, const u8 *s, size_t n) {
    const u8 *end = s + n;
    memset(words, 0, sizeof *words);
    while (end - s > 2 && words->count < MAX_WORDS) {
        Word *word = words->all + words->count;
        word->flags = s[0];
        word->length = s[1];
        word->s = s + 2;
        s += 2 + word->length;
        if (end - s < 1 || !word->length || word->s[0] < 'a' || word->s[0] > 'z') return;
        word->other_length = s[0];
        word->other = s + 1;
        s += 1 + word->other_length;
        if (end - s < 4) return;
        word->mark = (long)get32(s);
        s += 4;
        u8 *head = words->heads[(word->flags & WHOLE) != 0] + (word->s[0] - 'a');
        word->next = *head;
        *head = (u8)++words->count;
    }
}

#define SMALL_LETTER(c) ((c) >= 'a' && (c) <= 'z')

static long find_words(const Words *words, const u8 *s, size_t n, int whole) {
    long found = 0;
    for (size_t i = 0; i < n; i++) {
        if (!SMALL_LETTER(s[i])) continue;
        for (u8 at = words->heads[whole][s[i] - 'a']; at; at = words->all[at - 1].next) {
            const Word *word = words->all + at - 1;
            size_t end = i + word->length;
            if (found & word->mark || end > n || s[end - 1] != word->s[word->length - 1]) continue;
            if (memcmp(s + i, word->s, word->length)) continue;
            if (word->flags & BEFORE && i && (SMALL_LETTER(s[i - 1]) || (s[i - 1] >= '0' && s[i - 1] <= '9'))) continue;
            if (word->flags & AFTER && end < n && SMALL_LETTER(s[end])) continue;
            if (word->other_length && n - end >= word->other_length && !memcmp(s + end, word->other, word->other_length))
                continue;
            found |= word->mark;
        }
    }
    return found;
}

/* Marks by the words of its class, id, role and itemprop; -1 with an error set. */
static long marks_by_words(Pages *to, const Told *told) {
    const Span *parts[4] = {&told->class_, &told->id, &told->role, &told->itemprop};
    size_t n = 3;
    u32 hash = 0;
    for (int i = 0; i < 4; i++) {
        n += parts[i]->length;
        for (size_t at = 0; at < parts[i]->length; at++) hash = (hash ^ parts[i]->s[at]) * 16777619u;
    }
    if (n == 3) return 0;
    KnownMarks *known_marks = to->marks_known + (hash ^ hash >> 15) % SLOTS_OF_MARKS;
    int same_parts = known_marks->filled;
    for (int i = 0; same_parts && i < 4; i++)
        same_parts = known_marks->parts[i].length == parts[i]->length &&
                     (!parts[i]->length || !memcmp(known_marks->parts[i].s, parts[i]->s, parts[i]->length));
    if (same_parts) return known_marks->marks;
    if (text_room(to, 3 * n) < 0) return -1;
    u8 *small = to->text + to->length, *split = small + n, *s = small;
    int before = 0, zero = 0; /* a small letter; the end of the class and id */
    size_t k = 0;
    for (int i = 0; i < 4; i++) {
        if (i) {
            *s++ = i == 2 ? 0 : ' ';
            zero |= i == 2;
            if (!zero) split[k++] = ' ';
            before = 0;
        }
        for (size_t at = 0; at < parts[i]->length; at++) {
            u8 c = parts[i]->s[at];
            *s++ = lower(c);
            zero |= !c;
            if (zero) continue;
            if (before && c >= 'A' && c <= 'Z') split[k++] = '-';
            split[k++] = lower(c);
            before = SMALL_LETTER(c);
        }
    }
    for (int i = 0; i < 4; i++) known_marks->parts[i] = *parts[i];
    known_marks->filled = 1;
    known_marks->marks = find_words(&to->words_known, small, n, 0) | find_words(&to->words_known, split, k, 1);
    return known_marks->marks;
}

/* The name of an element as bytes, or as its selector when it has neither id nor class; a new reference. */
static PyObject *plain_name(Pages *to, const Known *is, const u8 *name, size_t n, int selector) {
    char small[16];
    for (size_t i = 0; i < n; i++) small[i] = (char)lower(name[i]);
    size_t place = (size_t)(is - KNOWN);
    int shared = is != &UNKNOWN && is != &CUSTOM && is != &PAGE;
    PyObject **kept = shared ? (selector ? to->selectors : to->names) + place : NULL;
    if (kept && *kept) return Py_NewRef(*kept);
    PyObject *made = selector ? PyUnicode_DecodeUTF8(small, (Py_ssize_t)n, "replace")
                              : PyBytes_FromStringAndSize(small, (Py_ssize_t)n);
    if (made && kept) *kept = Py_NewRef(made);
    return made;
}

static PyObject *selector_of(Pages *to, const Known *is, const u8 *name, size_t n, const Told *told) {
    char made[SELECTOR_ROOM];
    Span word = first_word(told->id);
    char sign = '#';
    if (!word.length) word = first_word(told->class_), sign = '.';
    if (!word.length) return plain_name(to, is, name, n, 1);
    size_t k = 0;
    for (; k < n; k++) made[k] = (char)lower(name[k]);
    made[k++] = sign;
    size_t first = k;
    for (size_t i = 0; i < word.length && k - first < SELECTOR_BYTES; i++) {
        int digit = word.s[i] >= '0' && word.s[i] <= '9';
        if (digit && i && word.s[i - 1] >= '0' && word.s[i - 1] <= '9') continue;
        made[k++] = (char)(digit ? '0' : word.s[i]);
    }
    KnownSelector *known_one = to->selectors_known + quick_hash((const u8 *)made, k) % SLOTS_OF_MARKS;
    if (known_one->object && known_one->length == k && !memcmp(known_one->text, made, k)) return Py_NewRef(known_one->object);
    PyObject *object = PyUnicode_DecodeUTF8(made, (Py_ssize_t)k, "replace");
    if (object) {
        Py_XDECREF(known_one->object);
        known_one->object = Py_NewRef(object);
        known_one->length = k;
        memcpy(known_one->text, made, k);
    }
    return object;
}

/* `called` is what it is by its role, or NULL. */
static int new_element(Pages *to, const Known *is, const Known *called, const u8 *name, size_t n, long marks, const Told *told) {
    u32 style = 0;
    if (to->element_count == to->element_room) {
        size_t room = 2 * to->element_room + 256;
        SeenElement *more = PyMem_Realloc(to->seen, room * sizeof(SeenElement));
        if (!more) return PyErr_NoMemory(), -1;
        to->seen = more;
        to->element_room = room;
    }
    int id = (called ? called : is)->id;
    to->seen[to->element_count++] = (SeenElement){(size_t)to->stack[to->depth - 1].element, id == E_TD || id == E_TH};
    if (to->plain) return 0;
    for (size_t i = 0; i < told->class_.length; i++) style = (style ^ told->class_.s[i]) * 16777619u;
    PyObject *named = called ? plain_name(to, called, (const u8 *)called->name, strlen(called->name), 0)
                             : plain_name(to, is, name, n, 0);
    PyObject *values[] = {PyLong_FromSsize_t(to->stack[to->depth - 1].element), named, PyLong_FromLong(marks),
                          selector_of(to, is, name, n, told), PyLong_FromUnsignedLong(style)};
    return append_owned(to->elements, make((PyTypeObject *)to->Element, values, 5));
}

/* Use the alt of its images for a link, figure or cell without text. */
static int alternative(Pages *to, const Open *closed) {
    int silent = closed->said == to->said;
    if (!(closed->own & LINKED)) {
        for (size_t i = closed->alts; silent && i < to->alts.count; i++)
            if (put_alt(to, to->alts.s[i], to->stack[to->depth - 1].marks) < 0) return -1;
        if (flush(to) < 0) return -1;
    } else if (silent) {
        for (size_t i = 1; i < to->depth; i++)
            if (to->stack[i].is->id == E_FIGURE) return 0;
        if (to->alts.count == closed->alts && to->hrefs.count && !(closed->marks & DEAD)) to->hrefs.count--;
        for (size_t i = closed->alts; i < to->alts.count; i++)
            if (add_place(&to->link_alts, to->alts.s[i].start, to->alts.s[i].end, closed->marks) < 0) return -1;
    }
    to->alts.count = closed->alts < to->alts.count ? closed->alts : to->alts.count;
    return 0;
}

static int close_to(Pages *to, size_t depth) {
    while (to->depth > depth) {
        Open top = to->stack[to->depth - 1];
        if ((top.is->is & HOLDER || top.own & LINKED) && alternative(to, &top) < 0) return -1;
        to->depth--;
    }
    return 0;
}

/* Whether a start tag implies the end of this element, and whether the search for it ends there. */
static int implies(const Known *is, const Known *other) {
    int id = other->id;
    switch (is->id) {
    case E_LI: return id == E_LI;
    case E_DT:
    case E_DD: return id == E_DT || id == E_DD;
    case E_TD:
    case E_TH: return id == E_TD || id == E_TH || id == E_CAPTION;
    case E_TR: return id == E_TR || id == E_CAPTION || id == E_COLGROUP;
    case E_TBODY:
    case E_THEAD:
    case E_TFOOT: return other->is & IN_TABLE && id != E_TABLE;
    case E_OPTGROUP: return id == E_OPTGROUP;
    case E_BUTTON: return id == E_BUTTON;
    }
    return 0;
}

static int bounds(const Known *is, const Known *other) {
    int id = other->id;
    switch (is->id) {
    case E_LI: return other->is & SCOPE || id == E_UL || id == E_OL || id == E_MENU || id == E_DIR;
    case E_DT:
    case E_DD: return other->is & SCOPE || id == E_DL;
    case E_TD:
    case E_TH: return id == E_TABLE || id == E_TR;
    case E_TR:
    case E_TBODY:
    case E_THEAD:
    case E_TFOOT: return id == E_TABLE;
    case E_OPTGROUP: return id == E_SELECT;
    case E_BUTTON: return other->is & CELL || id == E_TABLE;
    }
    return 1;
}

static int imply_ends(Pages *to, const Known *is) {
    size_t depth = to->depth;
    int group = is->id == E_TBODY || is->id == E_THEAD || is->id == E_TFOOT;
    for (size_t place = to->depth - 1; place > 0; place--) {
        if (implies(is, to->stack[place].is)) {
            depth = place;
            if (!group) break;
        } else if (bounds(is, to->stack[place].is)) {
            break;
        }
    }
    for (size_t place = depth - 1; place > 0; place--) {
        const Known *other = to->stack[place].is;
        if (other->id == E_OPTION ||
            (is->is & ENDS_P && (other->id == E_P || (other->is & HEADING && is->is & HEADING))))
            depth = place;
        else if (other->is & BLOCK && other != &CUSTOM) break;
    }
    return close_to(to, depth);
}

static int same_element(const Open *open, const Known *is, const u8 *name, size_t n) {
    if (open->is != is) return 0;
    if (is != &UNKNOWN && is != &CUSTOM) return 1;
    if (open->length != n) return 0;
    for (size_t i = 0; i < n; i++)
        if (lower(open->name[i]) != lower(name[i])) return 0;
    return 1;
}

static int end_element(Pages *to, const Known *is, const u8 *name, size_t n) {
    if (is->is & BLOCK) {
        if (flush(to) < 0) return -1;
        int inside = (is->is & IN_TABLE) != 0;
        for (size_t depth = to->depth - 1; depth > 0; depth--) {
            const Known *other = to->stack[depth].is;
            if (same_element(to->stack + depth, is, name, n) || (is->is & HEADING && other->is & HEADING))
                return close_to(to, depth);
            if (inside ? other->id == E_TABLE : (other->is & SCOPE) != 0) return 0;
            if (is->id == E_LI && (other->id == E_UL || other->id == E_OL)) return 0;
        }
        return 0;
    }
    int blocks = 0;
    if (is->id == E_LABEL && !to->blanks) to->blanks = 1; /* what it names stands apart */
    for (size_t depth = to->depth - 1; depth > 0; depth--) {
        int block = to->stack[depth].block;
        blocks |= block;
        if (!same_element(to->stack + depth, is, name, n)) continue;
        if (block) return flush(to) < 0 ? -1 : close_to(to, depth); /* by its role */
        if (!blocks) return close_to(to, depth);
        Open closed = to->stack[depth];
        memmove(to->stack + depth, to->stack + depth + 1, (to->depth - depth - 1) * sizeof(Open));
        to->depth--;
        if (closed.own & LINKED && alternative(to, &closed) < 0) return -1;
        for (; depth < to->depth; depth++) to->stack[depth].marks = to->stack[depth - 1].marks | to->stack[depth].own;
        return 0;
    }
    return 0;
}

/* One is white space, two in a row end a block; in preformatted text each ends a line. */
static int line_break(Pages *to) {
    long marks = to->stack[to->depth - 1].marks;
    if (marks & DEAD) return 0;
    if (marks & PRE) {
        to->lines++;
        to->blanks = 0;
        return 0;
    }
    if (++to->breaks == 2) return flush(to);
    if (!to->blanks) to->blanks = 1;
    to->broken = 1;
    return place_room(&to->line_ends);
}

static void open_element(Pages *to, Open element) {
    element.marks = to->stack[to->depth - 1].marks | element.own;
    element.said = to->said;
    element.alts = to->alts.count;
    to->stack[to->depth++] = element;
}

static int open_block(Pages *to, const Known *is, const Known *called, const u8 *name, size_t n, long own, int whole,
                      const Told *told) {
    if (!whole) {
        long words = to->plain ? 0 : marks_by_words(to, told); /* a text is the same in a menu */
        if (words == -1 && PyErr_Occurred()) return -1;
        own |= words | (is_hiding(told) ? DEAD : 0);
    }
    if (new_element(to, is, called, name, n, own & ~(DEAD | ROLED), told) < 0) return -1;
    open_element(to, (Open){is, name, n, own, 0, (Py_ssize_t)to->element_count - 1, 1, 0, 0});
    return 0;
}

static int start_block(Pages *to, const Known *is, const u8 *name, size_t n, size_t end) {
    Told told;
    if (flush(to) < 0) return -1;
    int whole = is->id == E_HTML || is->id == E_BODY;
    for (size_t i = 1; whole && i < to->depth; i++)
        if (to->stack[i].is == is) return 0;
    if (imply_ends(to, is) < 0) return -1;
    if (is->is & VOID || to->depth >= MAX_OPEN) return 0;
    tell(&told, to->b, (size_t)(name - to->b) + n, end);
    long own = is->marks;
    if (is->id == E_OPTION && GIVEN(told.selected)) own &= ~CONTROL;
    const Known *called = whole ? NULL : known_by_role(is, &told, &own);
    return open_block(to, is, called, name, n, own, whole, &told);
}

/* An image whose alt may say something: it has a letter, and is not the name of a file. */
static int is_telling(Span alt) {
    static const char *const ENDINGS[] = {".jpg", ".jpeg", ".png", ".gif", ".webp", ".svg"};
    int letter = 0;
    for (size_t i = 0; i < alt.length && !letter; i++) letter = IS(alt.s[i], ALPHA) || alt.s[i] >= 0x80;
    for (size_t i = 0; letter && i < sizeof ENDINGS / sizeof *ENDINGS; i++) {
        size_t n = strlen(ENDINGS[i]);
        if (alt.length >= n && same(alt.s + alt.length - n, n, ENDINGS[i], n)) return 0;
    }
    return letter;
}

static int is_button(Span type) {
    return SAME(type.s, type.length, "submit") || SAME(type.s, type.length, "button") || SAME(type.s, type.length, "reset");
}

/* An `input` whose value is text that can be read. */
static int is_field(Span type) {
    static const char *const TYPES[] = {"text", "number", "email", "tel", "url", "date", "time", "month", "week"};
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
        if (same(type.s, type.length, TYPES[i], strlen(TYPES[i]))) return 1;
    return !type.length;
}

/* Whether raised or lowered figures would run into the number before them: cents, powers, notes. */
static int parts_number(const Pages *to, const u8 *name, size_t n, size_t end) {
    if (n != 3 || !(same(name, n, "sup", 3) || same(name, n, "sub", 3)) || !to->length || end >= to->n) return 0;
    u8 before = to->text[to->length - 1], after = to->b[end];
    return before >= '0' && before <= '9' && after >= '0' && after <= '9';
}

#define PIECE 60
#define END_TAG 24
#define START_TAG 200
#define NESTED 3

/* The last sign before `end` and not before `from`; `end` if there is none. */
static size_t find_back(const u8 *b, size_t from, size_t end, u8 sign) {
    for (size_t at = end; at > from; at--)
        if (b[at - 1] == sign) return at - 1;
    return end;
}

static int is_ascii_letter(u8 c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }

/* 1 for a digit, 2 for a capital, 3 for any other letter; 0 for what is in no word. */
static int letter_kind(u8 c) {
    if (c >= '0' && c <= '9') return 1;
    if (c >= 'A' && c <= 'Z') return 2;
    return is_ascii_letter(c) || c >= 0x80 ? 3 : 0;
}

/* Whether a start tag is a link, or has a class that somebody named. */
static int is_named(const u8 *tag, const u8 *end) {
    if (end - tag >= 3 && tag[1] == 'a' && tag[2] == ' ') return 1;
    while (end - tag >= 6 && memcmp(tag, "class=", 6)) tag++;
    if (end - tag < 6) return 0;
    tag += 6;
    if (tag < end && (*tag == '"' || *tag == '\'')) tag++;
    for (int letters = 0; tag < end && *tag != '"' && *tag != '\'' && *tag != '>'; tag++) {
        letters = is_ascii_letter(*tag) ? letters + 1 : 0;
        if (letters == 3) return 1;
    }
    return 0;
}

#define SIGN 3  /* bytes of a sign, as of Chinese */
#define ENDED 5 /* tags before a start tag */
#define BACK(at, by) ((at) > (by) ? (at) - (by) : 0)

/* Whether what begins with a start tag stands apart from the inline element before it: see `word_gaps.py`. */
static int parts_words(const Pages *to, size_t start, size_t end) {
    const u8 *b = to->b;
    size_t at = start, begin, letters = 0;
    int closed = 0;
    for (int i = 0; i < ENDED && at && b[at - 1] == '>'; i++) { /* an element without text is passed over */
        size_t opened = find_back(b, BACK(at, closed ? START_TAG : END_TAG), at, '<');
        if (opened == at || (b[opened + 1] != '/' && !closed)) break;
        at = opened, closed = b[opened + 1] == '/';
    }
    if (at == start) return 0;
    begin = find_back(b, BACK(at, PIECE), at, '>');
    if (begin == at) return 0;
    begin++;
    for (size_t i = begin; i < at; i++) letters += b[i] < 0x80 || b[i] >= 0xc0;
    size_t until = end;
    for (int i = 0; i < NESTED && until + 1 < to->n && b[until] == '<' && is_ascii_letter(b[until + 1]); i++) {
        size_t most = until + START_TAG < to->n ? until + START_TAG : to->n;
        while (until < most && b[until] != '>') until++;
        if (until == most) return 0;
        until++;
    }
    if (letters < 2 || until >= to->n) return 0;
    int before = letter_kind(b[at - 1]), after = letter_kind(b[until]);
    if (!before || !after) return 0;
    if (before == 1 && b[until] >= 0x80) { /* one sign behind a number is its unit */
        size_t signs = until;
        while (signs < to->n && signs < until + SIGN && b[signs] >= 0x80) signs++;
        if (signs < to->n && b[signs] == '<') return 0;
    }
    if ((before == 1) != (after == 1) || (before == 3 && after == 2)) return 1;
    if (!is_named(b + start, b + (end - start < START_TAG ? end : start + START_TAG))) return 0;
    for (int i = 0; i < NESTED && begin && b[begin - 1] == '>'; i++) {
        size_t opened = find_back(b, BACK(begin, START_TAG), begin, '<');
        if (opened == begin || b[opened + 1] == '/') return 0;
        if (is_named(b + opened, b + begin)) return 1;
        begin = opened;
    }
    return 0;
}

static int start_inline(Pages *to, const Known *is, const u8 *name, size_t n, size_t end) {
    Told told;
    Span value = {NULL, 0};
    if (is->id == E_BR) return line_break(to);
    if (!to->blanks && (is->id == E_INPUT || is->id == E_LABEL || parts_number(to, name, n, end) ||
                        (to->started && !(to->stack[to->depth - 1].marks & PRE) &&
                         parts_words(to, (size_t)(name - to->b) - 1, end))))
        to->blanks = 1;
    to->inline_tags += (is->is & IN_LINE) != 0;
    if (is->id == E_A && end_element(to, is, name, n) < 0) return -1;
    long around = to->stack[to->depth - 1].marks, own = is->marks;
    tell(&told, to->b, (size_t)(name - to->b) + n, end);
    const Known *called = known_by_role(is, &told, &own);
    if (called) {
        if (flush(to) < 0) return -1;
        return to->depth < MAX_OPEN ? open_block(to, is, called, name, n, own | ROLED, 0, &told) : 0;
    }
    if (is_hiding(&told)) own |= DEAD;
    if (is->id == E_A && told.href.length) value = blank_trim(told.href), own |= LINKED;
    else if (is->id == E_IMG && is_telling(blank_trim(told.alt))) value = blank_trim(told.alt);
    else if (is->id == E_INPUT && blank_trim(told.value).length) {
        Span type = blank_trim(told.type);
        if (is_button(type) || is_field(type)) value = blank_trim(told.value);
        if (GIVEN(value) && GIVEN(told.fixed) && is_field(type) && !((around | own) & DEAD)) {
            size_t from = (size_t)(value.s - to->b);
            to->only_alt = 0;
            return put_alt(to, (Place){from, from + value.length, 0}, around);
        }
    }
    if (GIVEN(value) && !((around | own) & DEAD)) {
        size_t from = (size_t)(value.s - to->b);
        Places *list = is->id == E_IMG ? &to->alts : is->id == E_INPUT ? &to->buttons : &to->hrefs;
        if (add_place(list, from, from + value.length, around | CONTROL) < 0) return -1;
        if (is->id == E_IMG && !(around & LINKED) && value.length <= ALT_BYTES &&
            add_place(&to->inline_alts, from, from + value.length, (long)to->length) < 0)
            return -1;
    }
    if ((own || around & (DEAD | ROLED)) && to->depth < MAX_OPEN && !(is->is & VOID))
        open_element(to, (Open){is, name, n, own, 0, to->stack[to->depth - 1].element, 0, 0, 0});
    return 0;
}

/* ---- the page ---------------------------------------------------------------------------------------- */

static const Known *known_tag(const u8 *b, const Quad *q) {
    return q->name_length ? known(b + q->offset + q->name, q->name_length) : &PAGE;
}

/* After an element of raw text that was never closed, the tags of the rest as well. */
static int scan_rest(const u8 *b, size_t n, Quads *list) {
    size_t i = 0;
    for (int turn = 0; turn < RESCANS; turn++, i++) {
        size_t start = 0;
        for (; i < list->count; i++) {
            const Quad *q = list->quads + i;
            int last = i + 1 == list->count;
            size_t end = last ? n : q[1].offset;
            start = (size_t)q->offset + q->length + 1;
            if (q->name != 1 || !(last || end - start > LONG_RAW)) continue;
            const Known *is = known_tag(b, q);
            if (last ? is->is & UNCLOSED
                     : (is->id == E_TITLE || is->id == E_IFRAME) && memchr(b + start, '<', end - start))
                break;
        }
        if (i >= list->count) return 0;
        size_t first = list->count = i + 1;
        if (find_tags(b + start, n - start, list) < 0) return PyErr_NoMemory(), -1;
        for (; first < list->count; first++) list->quads[first].offset += (u32)start;
    }
    return 0;
}

/* All tags of a page; an index that does not fit is replaced. */
static int all_tags(const u8 *b, size_t n, const u8 *data, size_t size, int wide, Quads *list, int *fits) {
    Source source;
    *fits = open_index(&source, data, size, wide) == 0 && all_fit(source, b, n);
    if (*fits) {
        list->room = source.count + 1;
        list->quads = PyMem_Malloc(list->room * sizeof(Quad));
        if (!list->quads) return PyErr_NoMemory(), -1;
        for (; list->count < source.count; list->count++) list->quads[list->count] = next_quad(&source);
    } else if (find_tags(b, n > UINT32_MAX ? UINT32_MAX : n, list) < 0) {
        return PyErr_NoMemory(), -1;
    }
    return scan_rest(b, n, list);
}

/* What is known of a tag; of a start tag that counts only if it is closed, the number of its end tag, else 0. */
typedef struct {
    const Known *is;
    u32 end;
} WalkedTag;

static WalkedTag *all_known(const u8 *b, const Quads *list) {
    u32 heads[KNOWN_COUNT] = {0}; /* one more than the number of the next end tag */
    WalkedTag *found = PyMem_Malloc((list->count + 1) * sizeof(WalkedTag));
    if (!found) return (WalkedTag *)PyErr_NoMemory();
    for (size_t i = list->count; i-- > 0;) {
        const Quad *q = list->quads + i;
        const Known *is = known_tag(b, q);
        found[i] = (WalkedTag){is, 0};
        if (!(is->is & CLOSED)) continue;
        u32 *head = heads + (is - KNOWN);
        if (q->name == 2) {
            found[i].end = *head;
            *head = (u32)i + 1;
        } else if (b[q->offset + q->length - 1] != '/' && *head) {
            u32 end = *head - 1;
            *head = found[end].end;
            found[i].end = end;
        }
    }
    return found;
}

static int walk_blocks(Pages *to, const Quads *list, const WalkedTag *tags) {
    size_t place = 0;
    int unseen = 0;
    for (size_t i = 0; i < list->count; i++) {
        const Quad *q = list->quads + i;
        const u8 *name = to->b + q->offset + q->name;
        size_t n = q->name_length;
        if (!unseen && place < q->offset && put_gap(to, place, q->offset) < 0) return -1;
        place = (size_t)q->offset + q->length + 1;
        unseen = 0;
        if (!n) continue;
        const Known *is = tags[i].is;
        int failed = 0;
        if (q->name == 2) {
            failed = is->id == E_BR ? line_break(to) : end_element(to, is, name, n);
        } else if (is->is & UNSEEN) {
            unseen = 1;
        } else if (is->is & UNREAD) {
            if (tags[i].end) i = tags[i].end, place = (size_t)list->quads[i].offset + list->quads[i].length + 1;
        } else if (is->is & CLOSED && !tags[i].end) {
            failed = flush(to);
        } else {
            failed = is->is & BLOCK ? start_block(to, is, name, n, place) : start_inline(to, is, name, n, place);
        }
        if (failed < 0) return -1;
    }
    if (!unseen && put_gap(to, place, to->n) < 0) return -1;
    return flush(to) < 0 ? -1 : close_to(to, 1);
}

/* What each byte of a codec is in UTF-8; 0 if no table was given. */
static int fill_table(Pages *to, PyObject *table) {
    char *s;
    Py_ssize_t n;
    if (table == Py_None) return 0;
    PyObject *raw = PyUnicode_AsEncodedString(table, "utf-8", "replace");
    if (!raw || PyBytes_AsStringAndSize(raw, &s, &n) < 0) return Py_XDECREF(raw), -1;
    to->table = PyMem_Calloc(256, sizeof *to->table);
    if (!to->table) PyErr_NoMemory();
    const u8 *p = (const u8 *)s, *end = p + n;
    for (int c = 0; to->table && c < 256 && p < end; c++) {
        size_t size = utf8_size(p, end);
        to->table[c][0] = (u8)(size < 4 ? size : 0);
        memcpy(to->table[c] + 1, p, to->table[c][0]);
        p += size;
    }
    Py_DECREF(raw);
    return to->table ? 0 : -1;
}

/* Where the title stands, as `pick` finds it; -1 for no title. */
static void find_title(const u8 *b, size_t n, Source source, Py_ssize_t *from, Py_ssize_t *until) {
    int svg = 0;
    *from = *until = -1;
    for (size_t i = 0; i < source.count; i++) {
        Quad q = next_quad(&source);
        if (!q.name_length) continue;
        enum kind kind = kind_of(b + q.offset + q.name, q.name_length);
        if (kind == FOREIGN_SVG) svg = q.name == 1;
        if (kind != TITLE || q.name != 1 || svg) continue;
        *from = (Py_ssize_t)q.offset + q.length + 1;
        *until = i + 1 < source.count ? (Py_ssize_t)next_quad(&source).offset : (Py_ssize_t)n;
        return;
    }
}

/* Walk a page whose fields were given. 0: done; -1: failed. */
static int walk_whole(Pages *to, const u8 *data, size_t size, int wide, const u8 *words, size_t words_size) {
    Quads list = {0};
    Told none = {0};
    if (!to->plain) read_words(&to->words_known, words, words_size);
    to->elements = PyList_New(0), to->blocks = PyList_New(0);
    to->depth = 1, to->row = -1;
    to->stack[0] = (Open){&PAGE, to->b, 0, 0, 0, 0, 1, 0, 0};
    begin_block(to);
    WalkedTag *tags = NULL;
    int failed = !to->elements || !to->blocks || new_element(to, &PAGE, NULL, to->b, 0, 0, &none) < 0 ||
                 all_tags(to->b, to->n, data, size, wide, &list, &to->fits) < 0 || !(tags = all_known(to->b, &list)) ||
                 walk_blocks(to, &list, tags) < 0;
    PyMem_Free(list.quads);
    PyMem_Free(tags);
    return failed ? -1 : 0;
}

static void free_pages(Pages *to) {
    Py_XDECREF(to->elements);
    Py_XDECREF(to->blocks);
    for (size_t i = 0; i < KNOWN_COUNT; i++) {
        Py_XDECREF(to->names[i]);
        Py_XDECREF(to->selectors[i]);
    }
    for (size_t i = 0; i < SLOTS_OF_MARKS; i++) Py_XDECREF(to->selectors_known[i].object);
    Places *lists[] = {&to->alts, &to->link_alts, &to->inline_alts, &to->buttons, &to->hrefs, &to->spans, &to->line_ends};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) PyMem_Free(lists[i]->s);
    PyMem_Free(to->text);
    PyMem_Free(to->table);
    PyMem_Free(to->seen);
    PyMem_Free(to->out);
    PyMem_Free(to);
}

static PyObject *blocks(PyObject *self, PyObject *args) {
    const u8 *data, *words;
    Py_ssize_t n, size, words_size;
    int wide;
    PyObject *table, *result = NULL;
    (void)self;
    Pages *to = PyMem_Calloc(1, sizeof *to);
    if (!to) return PyErr_NoMemory();
    if (PyArg_ParseTuple(args, "y#y#pOOOOOOy#pO", &to->b, &n, &data, &size, &wide, &to->codec, &to->Element, &to->TextBlock,
                         &to->text_of, &to->value_of, &to->reference, &words, &words_size, &to->utf8, &table) &&
        is_tuple_type(to->Element) && is_tuple_type(to->TextBlock) && fill_table(to, table) == 0) {
        to->n = (size_t)n;
        if (walk_whole(to, data, (size_t)size, wide, words, (size_t)words_size) == 0)
            result = PyTuple_Pack(2, to->elements, to->blocks);
    }
    free_pages(to);
    return result;
}

/* The visible text of a page, and where its title stands. */
static PyObject *visible(PyObject *self, PyObject *args) {
    const u8 *data, *words;
    Py_ssize_t n, size, words_size, from = -1, until = -1;
    int wide;
    PyObject *table, *result = NULL;
    Source source;
    (void)self;
    Pages *to = PyMem_Calloc(1, sizeof *to);
    if (!to) return PyErr_NoMemory();
    if (PyArg_ParseTuple(args, "y#y#pOOOOy#pO", &to->b, &n, &data, &size, &wide, &to->codec, &to->text_of, &to->value_of,
                         &to->reference, &words, &words_size, &to->utf8, &table) &&
        fill_table(to, table) == 0) {
        to->n = (size_t)n, to->plain = 1;
        int failed = walk_whole(to, data, (size_t)size, wide, words, (size_t)words_size);
        if (to->fits && open_index(&source, data, (size_t)size, wide) == 0)
            find_title(to->b, to->n, source, &from, &until);
        if (!failed)
            result = Py_BuildValue("(nns#)", from, until, to->out ? (const char *)to->out : "", (Py_ssize_t)to->out_length);
    }
    free_pages(to);
    return result;
}
