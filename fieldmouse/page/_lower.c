/* Text of a page in small letters, for its sketch; part of _scan.c, which includes this file.
 *
 * `text_of` of charset.py and `str.lower` are the same in Python. Letters whose small form is not known here make the
 * whole text a case for Python: they are rare where this is called.
 */

/* Write the small form of a character of UTF-8, which has the same size; 0 if it is not known here. */
static int put_small(u8 *to, const u8 *s, size_t size) {
    memcpy(to, s, size);
    if (size == 1) {
        to[0] = lower(s[0]);
        return 1;
    }
    switch (s[0]) {
    case 0xc2: return 1;
    case 0xc3: /* Latin letters with accents */
        if (s[1] < 0x9f && s[1] != 0x97) to[1] = (u8)(s[1] + 32);
        return 1;
    case 0xd0: /* Cyrillic */
        if (s[1] < 0x90) to[0] = 0xd1, to[1] = (u8)(s[1] + 16);
        else if (s[1] < 0xa0) to[1] = (u8)(s[1] + 32);
        else if (s[1] < 0xb0) to[0] = 0xd1, to[1] = (u8)(s[1] - 32);
        return 1;
    case 0xd1: return s[1] < 0xa0;
    case 0xe2: /* signs, arrows, frames; not the numbers and letters among them */
        return s[1] <= 0x83 || (s[1] == 0x86 ? s[2] >= 0x90 : s[1] > 0x86 && s[1] <= 0xaf && s[1] != 0x92 && s[1] != 0x93);
    case 0xee: return 1; /* private characters, which fonts draw as icons */
    case 0xef: return s[1] <= 0xa3;
    }
    return s[0] >= 0xe3 && s[0] <= 0xe9; /* Chinese, Japanese */
}

/* The character that a reference means, in UTF-8; its size, or 0 if Python has to read it. */
static size_t common_reference(const u8 *s, size_t n, u8 *out) {
    if (n > 2 && s[1] == '#') return numbered_character(s, n, out);
    for (size_t i = 0; i < sizeof NAMED / sizeof *NAMED; i++) {
        size_t size = strlen(NAMED[i].text);
        if (NAMED[i].name[1] != (char)s[1] || strlen(NAMED[i].name) != n || memcmp(NAMED[i].name, s, n)) continue;
        memcpy(out, NAMED[i].text, size);
        return size;
    }
    return 0;
}

/* A text of UTF-8 in small letters, its references resolved; None if that is not as simple as this. */
static PyObject *small_text(PyObject *self, PyObject *args) {
    const u8 *s;
    Py_ssize_t n;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#", &s, &n)) return NULL;
    const u8 *end = s + n;
    u8 *out = PyMem_Malloc((size_t)n + 4), *to = out, made[4];
    if (!out) return PyErr_NoMemory();
    if (n >= 3 && !memcmp(s, "\xef\xbb\xbf", 3)) s += 3;
    int known_all = 1;
    while (known_all && s < end) {
        while (s < end && *s < 0x80 && *s && *s != '&') *to++ = lower(*s++);
        if (s == end) break;
        const u8 *from = s;
        size_t size = 0, length;
        if (*s == '&' && (length = reference_size(s, end)) != 0) {
            size = common_reference(s, length, made);
            from = made;
            s += length;
        } else if (*s) { /* zeros are left to Python too */
            size = utf8_size(s, end);
            s += size;
        }
        known_all = size && put_small(to, from, size);
        to += size;
    }
    PyObject *text = known_all ? PyBytes_FromStringAndSize((const char *)out, to - out) : Py_NewRef(Py_None);
    PyMem_Free(out);
    return text;
}
