/* Which blocks of a page are headings, prose, short; part of _scan.c, which includes this file.
 *
 * block_kinds.py is the same in Python, and says what each kind is; a test holds the two equal.
 */

#define BROKEN 2
#define N_BREAKS (N_HREFS + 1)

enum { IN_TITLE, IN_HEADING, SENTENCE, OF_LINES, LABEL, IN_TURN, TOGETHER, SAID, KINDS };

typedef struct {
    u8 *heads;   /* of each element: 1 an h1, 2 another heading */
    long *homes; /* of each block: its element */
    u8 *labels;  /* of each block: whether it is short, with no link */
    size_t element_count, count;
    int figure;
} KindsSeen;

static int add_number(PyObject *list, size_t number) { return append_owned(list, PyLong_FromSize_t(number)); }

static int see_elements(KindsSeen *to, PyObject *elements, PyObject *parents) {
    for (size_t i = 0; i < to->element_count; i++) {
        PyObject *given = PyList_GetItem(elements, (Py_ssize_t)i);
        PyObject *parent = PyTuple_GetItem(given, 0), *name = PyTuple_GetItem(given, 1);
        char *s;
        Py_ssize_t n;
        if (!parent || !name || PyBytes_AsStringAndSize(name, &s, &n) < 0) return -1;
        if (PyList_SetItem(parents, (Py_ssize_t)i, Py_NewRef(parent)) < 0) return -1;
        if (n == 2 && s[0] == 'h' && s[1] >= '1' && s[1] <= '6') to->heads[i] = s[1] == '1' ? 1 : 2;
        to->figure |= n == 6 && !memcmp(s, "figure", 6);
    }
    return 0;
}

static int see_block(KindsSeen *to, PyObject *block, size_t i, long remarks, PyObject *prose, PyObject **found) {
    long element, marks, size, linked, points, stop;
    if (read_long(block, N_ELEMENT, &element) < 0 || read_long(block, N_MARKS, &marks) < 0 ||
        read_long(block, N_SIZE, &size) < 0 || read_long(block, N_LINKED, &linked) < 0 ||
        read_long(block, N_POINTS, &points) < 0 || read_long(block, N_STOP, &stop) < 0)
        return -1;
    Py_ssize_t breaks = PyTuple_Size(PyTuple_GetItem(block, N_BREAKS));
    if (breaks < 0) return -1;
    if (element < 0 || (size_t)element >= to->element_count)
        return PyErr_SetString(PyExc_ValueError, "a block stands in an element of the page"), -1;
    to->homes[i] = element, to->labels[i] = size <= LABEL_BYTES && !linked;
    PyObject *is_prose = PyBool_FromLong(points >= PROSE_POINTS && size - linked > PROSE_BYTES);
    if (PyList_SetItem(prose, (Py_ssize_t)i, is_prose) < 0) return -1;
    if (to->heads[element] && add_number(found[to->heads[element] == 1 ? IN_TITLE : IN_HEADING], i) < 0) return -1;
    if (stop && add_number(found[SENTENCE], i) < 0) return -1;
    if (breaks >= BROKEN && add_number(found[OF_LINES], i) < 0) return -1;
    if (to->labels[i] && add_number(found[LABEL], i) < 0) return -1;
    return (marks & remarks) == remarks ? add_number(found[SAID], i) : 0;
}

static int see_neighbours(KindsSeen *to, PyObject **found) {
    for (size_t i = 0; i + 2 < to->count; i++) { /* behind the last block `labels` has four zeros */
        int in_turn = to->labels[i] && to->labels[i + 2] && to->labels[i + 4];
        if (in_turn && add_number(found[IN_TURN], i) < 0) return -1;
        int together = to->homes[i] == to->homes[i + 1] && to->homes[i] == to->homes[i + 2];
        if (together && add_number(found[TOGETHER], i) < 0) return -1;
    }
    return 0;
}

static PyObject *kinds(PyObject *self, PyObject *args) {
    PyObject *elements, *blocks, *found[KINDS], *made = NULL;
    KindsSeen to = {0};
    long remarks;
    (void)self;
    if (!PyArg_ParseTuple(args, "O!O!l", &PyList_Type, &elements, &PyList_Type, &blocks, &remarks)) return NULL;
    to.element_count = (size_t)PyList_Size(elements), to.count = (size_t)PyList_Size(blocks);
    to.heads = PyMem_Calloc(to.element_count + 1, 1);
    to.homes = PyMem_Calloc(to.count + 1, sizeof(long));
    to.labels = PyMem_Calloc(to.count + 4, 1);
    PyObject *parents = PyList_New((Py_ssize_t)to.element_count), *prose = PyList_New((Py_ssize_t)to.count);
    int ready = to.heads && to.homes && to.labels && parents && prose;
    for (int i = 0; i < KINDS; i++) {
        found[i] = PyList_New(0);
        ready &= found[i] != NULL;
    }
    if (!ready) PyErr_NoMemory();
    else if (see_elements(&to, elements, parents) == 0) {
        size_t i = 0;
        while (i < to.count && see_block(&to, PyList_GetItem(blocks, (Py_ssize_t)i), i, remarks, prose, found) == 0) i++;
        if (i == to.count && see_neighbours(&to, found) == 0)
            made = Py_BuildValue("OOOOOOOOOON", parents, prose, found[IN_TITLE], found[IN_HEADING], found[SENTENCE],
                                 found[OF_LINES], found[LABEL], found[IN_TURN], found[TOGETHER], found[SAID],
                                 PyBool_FromLong(to.figure));
    }
    for (int i = 0; i < KINDS; i++) Py_XDECREF(found[i]);
    Py_XDECREF(parents);
    Py_XDECREF(prose);
    PyMem_Free(to.heads);
    PyMem_Free(to.homes);
    PyMem_Free(to.labels);
    return made;
}
