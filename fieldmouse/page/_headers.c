/* The header lines of a message, and digests as they stand in them; part of _scan.c, which includes this file. */

static int is_blank_sign(u8 c) { return c == ' ' || (c >= 9 && c <= 13) || (c >= 28 && c <= 31); } /* as str.strip has it */

static Span without_blanks(const u8 *s, const u8 *end) {
    while (s < end && is_blank_sign(*s)) s++;
    while (s < end && is_blank_sign(end[-1])) end--;
    return (Span){s, (size_t)(end - s)};
}

/* A name in small letters and its value. */
static PyObject *header_pair(Span name, Span value) {
    char small[256];
    if (name.length > sizeof small) return PyErr_NoMemory();
    for (size_t i = 0; i < name.length; i++) small[i] = (char)lower(name.s[i]);
    PyObject *pair = PyTuple_New(2), *parts[] = {PyUnicode_FromStringAndSize(small, (Py_ssize_t)name.length),
                                                 PyUnicode_FromStringAndSize((const char *)value.s, (Py_ssize_t)value.length)};
    if (!pair || !parts[0] || !parts[1]) {
        Py_XDECREF(pair), Py_XDECREF(parts[0]), Py_XDECREF(parts[1]);
        return NULL;
    }
    for (int i = 0; i < 2; i++) PyTuple_SetItem(pair, i, parts[i]);
    return pair;
}

/* Names and values after the first line; None if one is folded, too long, or not ASCII. */
static PyObject *header_lines(PyObject *self, PyObject *head) {
    char *given;
    Py_ssize_t n;
    u8 all = 0;
    (void)self;
    if (PyBytes_AsStringAndSize(head, &given, &n) < 0) return NULL;
    const u8 *s = (const u8 *)given, *end = s + n;
    for (const u8 *p = s; p < end; p++) all |= *p;
    const u8 *line = memchr(s, '\n', (size_t)n);
    if (all > 127) Py_RETURN_NONE;
    PyObject *found = PyList_New(0);
    while (found && line) {
        const u8 *start = line + 1;
        if (start < end && (*start == ' ' || *start == '\t')) return Py_DECREF(found), Py_NewRef(Py_None);
        line = memchr(start, '\n', (size_t)(end - start));
        const u8 *stop = line ? line : end, *colon = memchr(start, ':', (size_t)(stop - start));
        Span name = without_blanks(start, colon ? colon : start);
        if (name.length > 256) return Py_DECREF(found), Py_NewRef(Py_None);
        if (name.length && append_owned(found, header_pair(name, without_blanks(colon + 1, stop))) < 0) Py_CLEAR(found);
    }
    if (!found) return NULL;
    PyObject *result = PyList_AsTuple(found);
    Py_DECREF(found);
    return result;
}

/* Bytes, of which there are five or several times as many, as text of base 32. */
static PyObject *base32(PyObject *self, PyObject *data) {
    static const char SIGNS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    char *given, text[160];
    Py_ssize_t n, size = 0;
    (void)self;
    if (PyBytes_AsStringAndSize(data, &given, &n) < 0) return NULL;
    if (n % 5 || n > 100) {
        PyErr_SetString(PyExc_ValueError, "five bytes, or several times as many up to 100");
        return NULL;
    }
    for (Py_ssize_t at = 0; at < n; at += 5) {
        u64 five = 0;
        for (int i = 0; i < 5; i++) five = five << 8 | (u8)given[at + i];
        for (int shift = 35; shift >= 0; shift -= 5) text[size++] = SIGNS[five >> shift & 31];
    }
    return PyUnicode_FromStringAndSize(text, size);
}
