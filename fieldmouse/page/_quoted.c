/* A text as a string of JSON, in UTF-8. */

/* Whether one of eight bytes is a control, a quote or a backslash. */
static inline int has_escaped(const u8 *s) {
    const u64 ones = 0x0101010101010101u;
    u64 eight;
    memcpy(&eight, s, sizeof eight);
    u64 quote = eight ^ ones * '"', slash = eight ^ ones * '\\';
    return (((eight - ones * ' ') | (quote - ones) | (slash - ones)) & ~eight & ones << 7) != 0;
}

/* The first byte that stands for something else in JSON, or `end`. */
static inline const u8 *next_escaped(const u8 *s, const u8 *end) {
    for (; end - s >= 8; s += 8)
        if (has_escaped(s)) break;
    while (s < end && *s >= ' ' && *s != '"' && *s != '\\') s++;
    return s;
}

static PyObject *quoted(PyObject *self, PyObject *text) {
    static const char LETTERS[] = "btn?fr"; /* of 8 to 13 */
    static const char HEX[] = "0123456789abcdef";
    Py_ssize_t n;
    (void)self;
    if (!PyUnicode_Check(text)) return PyErr_SetString(PyExc_TypeError, "a text is needed"), NULL;
    const u8 *s = (const u8 *)PyUnicode_AsUTF8AndSize(text, &n);
    if (!s) { /* half a surrogate pair */
        PyErr_Clear();
        Py_RETURN_NONE;
    }
    const u8 *end = s + n;
    size_t size = (size_t)n + 2;
    for (const u8 *p = next_escaped(s, end); p < end; p = next_escaped(p + 1, end))
        size += (size_t)((*p == '"') + (*p == '\\') + 5 * (*p < ' ') - 4 * (*p >= 8 && *p <= 13 && *p != 11));
    PyObject *made = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (!made) return NULL;
    char *to = PyBytes_AsString(made);
    *to++ = '"';
    while (s < end) {
        const u8 *first = s;
        s = next_escaped(s, end);
        memcpy(to, first, (size_t)(s - first));
        to += s - first;
        if (s == end) break;
        *to++ = '\\';
        if (*s >= ' ') {
            *to++ = (char)*s;
        } else if (*s >= 8 && *s <= 13 && *s != 11) {
            *to++ = LETTERS[*s - 8];
        } else {
            memcpy(to, "u00", 3);
            to[3] = HEX[*s >> 4], to[4] = HEX[*s & 15];
            to += 5;
        }
        s++;
    }
    *to = '"';
    return made;
}
