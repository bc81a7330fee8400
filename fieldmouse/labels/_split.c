/* Names into words by a semi-Markov conditional random field, and the training of its weights, in C.
 *
 * split_python.py is the reference in Python and explains each feature; tests hold the two equal. A state is a
 * candidate word, so a feature can look at a whole word and at two neighbours. Scores are sums of small integers, in
 * 64ths, and exact.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#define BITS 22
#define TABLE (1u << BITS)
#define LONGEST 60      /* letters of a name */
#define WORD 20         /* letters of a candidate */
#define WINDOW 6        /* letters on each side of a cut */
#define SPAN 7          /* letters of a window together */
#define CLASSES 10
#define BEAM (23 * 64)  /* left neighbours so far below the best are skipped */
#define FNV 0xcbf29ce484222325ull
#define PRIME 0x100000001b3ull
#define SYMBOLS 28      /* a-z, the beginning and the end of a word */
#define BINS_N 21       /* how common a word is: 0 to 20 */
#define PER 256         /* quarters of a nat for each letter */

/* The kinds of features; the number is part of the hash. */
enum {
    LENGTH = 1, BIN, BIN_LENGTH, FOREIGN_LENGTH, BINS, EDGE_LENGTH, EDGE_BIN, VOWEL_LENGTH, UNKNOWN_VOWEL_LENGTH,
    SELF, PREFIX, SUFFIX, RARE_PREFIX, RARE_SUFFIX, INNER_BIN, INNER, PLURAL, SPELLING_LENGTH, SPELLING_BIN,
    SPELLING, CLASS_CLASS, LENGTHS, CLASS_SHAPE, WORD_CLASS, CLASS_WORD, CUT
};

static inline u64 finish(u64 h) {
    h ^= h >> 33; h *= 0xff51afd7ed558ccdull; h ^= h >> 33; h *= 0xc4ceb9fe1a85ec53ull;
    return h ^ (h >> 33);
}
static inline u32 place(u64 h, u32 kind) {
    return (u32)(finish(h + kind * 0x9e3779b97f4a7c15ull) & (TABLE - 1));
}

typedef struct { u32 key; u8 bin, foreign; } Slot;

typedef struct {
    Slot *slots;
    u32 mask, words;
    u16 *spelling;              /* cost of a letter after two others, in 64ths of a nat */
    signed char *weights;       /* in 64ths; NULL while there are none */
    int pair[CLASSES][CLASSES][8][8][4]; /* CLASS_CLASS + LENGTHS + CLASS_SHAPE, by edges */
    /* Sums of the weights of features that are numbers, so that reading a name needs few hashes. */
    int shape[BINS_N][13][4][2];         /* by bin, size, edge, vowel */
    int bins[BINS_N][BINS_N], foreign[BINS_N][13], unknown[13][2], inner[BINS_N][BINS_N], plural[BINS_N][BINS_N];
    int per_size[PER][13], per_bin[PER][BINS_N], spelt[61];
} Model;

static Slot *find_slot(const Model *m, u64 h) {
    u64 f = finish(h);
    u32 key = (u32)(f >> 32) | 1u, at = (u32)f & m->mask;
    while (m->slots[at].key && m->slots[at].key != key) at = (at + 1) & m->mask;
    return &m->slots[at];
}

/* Words are front-coded: a byte of 32 + letters shared with the word before, then the other letters. A byte 1 begins
 * a group, with the bins of its words, each plus 32. */
static int add_words(Model *m, const u8 *p, Py_ssize_t n) {
    u8 word[64];
    int bin = 0, foreign = 0;
    for (Py_ssize_t i = 0; i < n;) {
        if (p[i] == 1) {
            if (i + 2 >= n) return -1;
            bin = p[i + 1] - 32; foreign = p[i + 2] - 32; i += 3;
            if (bin < 0 || bin > 20 || foreign < 0 || foreign > 20) return -1;
            continue;
        }
        int size = p[i++] - 32;
        if (size < 0 || size > 60) return -1;
        while (i < n && p[i] >= 'a' && p[i] <= 'z') {
            if (size >= 60) return -1;
            word[size++] = p[i++];
        }
        u64 h = FNV;
        for (int k = 0; k < size; k++) h = (h ^ word[k]) * PRIME;
        if (m->words * 2 >= m->mask) return -1;
        Slot *s = find_slot(m, h);
        if (!s->key) { s->key = (u32)(finish(h) >> 32) | 1u; m->words++; }
        if (bin > s->bin) s->bin = (u8)bin;
        if (foreign > s->foreign) s->foreign = (u8)foreign;
    }
    return 0;
}

/* ---- the lattice of a name ----------------------------------------------------------------------------------- */

typedef struct {
    int n;
    u8 s[LONGEST + 2 * WINDOW];           /* with paddings */
    u64 hash[LONGEST][WORD + 1];          /* of the letters from a place on, by length */
    u8 bin[LONGEST][WORD + 1], foreign[LONGEST][WORD + 1], class_[LONGEST][WORD + 1];
    u8 vowel[LONGEST][WORD + 1], inner[LONGEST][WORD + 1];
    int spelt[LONGEST][WORD + 1];
} Lattice;

static int is_vowel(u8 c) { return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u' || c == 'y'; }
static int smaller(int a, int b) { return a < b ? a : b; }
static int larger(int a, int b) { return a > b ? a : b; }

static void lay(const Model *m, Lattice *l, const u8 *name, int n) {
    l->n = n;
    memset(l->s, '^', WINDOW);
    memcpy(l->s + WINDOW, name, (size_t)n);
    memset(l->s + WINDOW + n, '$', WINDOW);
    for (int i = n - 1; i >= 0; i--) {
        u64 h = FNV;
        int vowel = 0, one = 26, two = 26, cost = 0;
        for (int k = 1; k <= WORD && i + k <= n; k++) {
            u8 c = name[i + k - 1];
            h = (h ^ c) * PRIME;
            vowel |= is_vowel(c);
            cost += m->spelling[(one * SYMBOLS + two) * SYMBOLS + (c - 'a')];
            one = two; two = c - 'a';
            const Slot *s = find_slot(m, h);
            int bin = s->key ? s->bin : 0, foreign = s->key ? s->foreign : 0;
            l->hash[i][k] = h; l->vowel[i][k] = (u8)vowel;
            l->bin[i][k] = (u8)bin; l->foreign[i][k] = (u8)foreign;
            l->spelt[i][k] = cost + m->spelling[(one * SYMBOLS + two) * SYMBOLS + 27];
            int best = larger(bin, foreign), group;
            if (k == 1) group = 0;
            else if (k == 2) group = bin > 10 ? 1 : 2;
            else if (!best) group = vowel ? 3 : 4;
            else group = best <= 5 ? 5 : best <= 7 ? 6 : best <= 9 ? 7 : best <= 11 ? 8 : 9;
            l->class_[i][k] = (u8)group;
            int inner = 0; /* of two words inside: the rarer one, at the best cut */
            for (int cut = 1; cut < k; cut++)
                inner = larger(inner, smaller(l->bin[i][cut], l->bin[i + cut][k - cut]));
            l->inner[i][k] = (u8)inner;
        }
    }
}

/* The features of a candidate that are its own, or shared with no other of its letters' neighbours. */
static int own_features(const Lattice *l, int i, int k, u32 *out) {
    int n = 0, bin = l->bin[i][k], foreign = l->foreign[i][k], size = smaller(k, 12);
    u64 edge = (u64)((i == 0) * 2 + (i + k == l->n));
    out[n++] = place((u64)size, LENGTH);
    out[n++] = place((u64)bin, BIN);
    out[n++] = place((u64)(bin * 64 + size), BIN_LENGTH);
    out[n++] = place((u64)(foreign * 64 + size), FOREIGN_LENGTH);
    out[n++] = place((u64)(bin * 64 + foreign), BINS);
    out[n++] = place(edge * 64 + (u64)size, EDGE_LENGTH);
    out[n++] = place(edge * 64 + (u64)bin, EDGE_BIN);
    out[n++] = place((u64)(l->vowel[i][k] * 64 + size), VOWEL_LENGTH);
    if (!bin && !foreign) out[n++] = place((u64)(l->vowel[i][k] * 64 + size), UNKNOWN_VOWEL_LENGTH);
    out[n++] = place(l->hash[i][k], SELF);
    out[n++] = place((u64)(l->inner[i][k] * 64 + bin), INNER_BIN);
    out[n++] = place((u64)l->inner[i][k], INNER);
    if (k > 1 && l->s[WINDOW + i + k - 1] == 's') out[n++] = place((u64)(l->bin[i][k - 1] * 64 + bin), PLURAL);
    int per = smaller(l->spelt[i][k] / (16 * k), PER - 1);
    out[n++] = place((u64)(per * 64 + size), SPELLING_LENGTH);
    out[n++] = place((u64)(per * 64 + bin), SPELLING_BIN);
    out[n++] = place((u64)smaller(l->spelt[i][k] / 64, 60), SPELLING);
    return n;
}

/* Beginnings and endings of up to four letters, and again for rare words. */
static int affix_features(const Lattice *l, int i, int k, u32 *out) {
    int n = 0, rare = l->bin[i][k] <= 4;
    for (int a = 1; a <= 4 && a <= k; a++) {
        u64 head = l->hash[i][a], tail = l->hash[i + k - a][a];
        out[n++] = place(head, PREFIX);
        out[n++] = place(tail, SUFFIX);
        if (rare) { out[n++] = place(head, RARE_PREFIX); out[n++] = place(tail, RARE_SUFFIX); }
    }
    return n;
}

static int cut_features(const Lattice *l, int p, u32 *out) {
    int n = 0;
    const u8 *at = l->s + WINDOW + p;
    for (int a = 0; a <= WINDOW; a++) {
        u64 h = FNV;
        for (int j = -a; j < 0; j++) h = (h ^ at[j]) * PRIME;
        for (int b = 0; b <= WINDOW && a + b <= SPAN; b++) {
            if (b) h = (h ^ at[b - 1]) * PRIME;
            if (a + b) out[n++] = place(h, CUT + (u32)(a * 8 + b));
        }
    }
    return n;
}
#define CUTS 33

static inline u32 word_class(const Lattice *l, int i, int k, int right) {
    return place(l->hash[i][k] * 16 + (u64)right, WORD_CLASS);
}
static inline u32 class_word(const Lattice *l, int left, int i, int k) {
    return place(l->hash[i][k] * 16 + (u64)left, CLASS_WORD);
}
static inline u32 class_class(int left, int right) { return place((u64)(left * 16 + right), CLASS_CLASS); }
static inline u32 lengths(int left, int right) { return place((u64)(left * 16 + right), LENGTHS); }
static inline u32 class_shape(int left, int right, int one, int two, int edge) {
    return place((u64)((((left * 16 + right) * 8 + one) * 8 + two) * 4 + edge), CLASS_SHAPE);
}

static void fill_pairs(Model *m) {
    for (int a = 0; a < CLASSES; a++)
        for (int b = 0; b < CLASSES; b++)
            for (int x = 0; x < 8; x++)
                for (int y = 0; y < 8; y++)
                    for (int e = 0; e < 4; e++)
                        m->pair[a][b][x][y][e] = m->weights[class_class(a, b)] + m->weights[lengths(x + 1, y + 1)] +
                            m->weights[class_shape(a, b, smaller(x + 1, 4), smaller(y + 1, 4), e)];
}

/* The tables of `own_score`. */
static void fill_shapes(Model *m) {
    const signed char *w = m->weights;
    for (int bin = 0; bin < BINS_N; bin++) {
        for (int size = 1; size < 13; size++)
            for (int edge = 0; edge < 4; edge++)
                for (int vowel = 0; vowel < 2; vowel++)
                    m->shape[bin][size][edge][vowel] = w[place((u64)size, LENGTH)] + w[place((u64)bin, BIN)] +
                        w[place((u64)(bin * 64 + size), BIN_LENGTH)] + w[place((u64)(edge * 64 + size), EDGE_LENGTH)] +
                        w[place((u64)(edge * 64 + bin), EDGE_BIN)] + w[place((u64)(vowel * 64 + size), VOWEL_LENGTH)];
        for (int other = 0; other < BINS_N; other++) {
            m->bins[bin][other] = w[place((u64)(bin * 64 + other), BINS)];
            m->inner[other][bin] = w[place((u64)(other * 64 + bin), INNER_BIN)] + w[place((u64)other, INNER)];
            m->plural[other][bin] = w[place((u64)(other * 64 + bin), PLURAL)];
        }
        for (int size = 1; size < 13; size++) m->foreign[bin][size] = w[place((u64)(bin * 64 + size), FOREIGN_LENGTH)];
        for (int per = 0; per < PER; per++) m->per_bin[per][bin] = w[place((u64)(per * 64 + bin), SPELLING_BIN)];
    }
    for (int size = 1; size < 13; size++) {
        for (int vowel = 0; vowel < 2; vowel++)
            m->unknown[size][vowel] = w[place((u64)(vowel * 64 + size), UNKNOWN_VOWEL_LENGTH)];
        for (int per = 0; per < PER; per++) m->per_size[per][size] = w[place((u64)(per * 64 + size), SPELLING_LENGTH)];
    }
    for (int nats = 0; nats < 61; nats++) m->spelt[nats] = w[place((u64)nats, SPELLING)];
}

/* The sum of the weights of `own_features`. */
static int own_score(const Model *m, const Lattice *l, int i, int k) {
    int bin = l->bin[i][k], foreign = l->foreign[i][k], size = smaller(k, 12), vowel = l->vowel[i][k];
    int per = smaller(l->spelt[i][k] / (16 * k), PER - 1);
    int score = m->shape[bin][size][(i == 0) * 2 + (i + k == l->n)][vowel] + m->foreign[foreign][size] +
                m->bins[bin][foreign] + m->weights[place(l->hash[i][k], SELF)] + m->inner[l->inner[i][k]][bin] +
                m->per_size[per][size] + m->per_bin[per][bin] + m->spelt[smaller(l->spelt[i][k] / 64, 60)];
    if (!bin && !foreign) score += m->unknown[size][vowel];
    if (k > 1 && l->s[WINDOW + i + k - 1] == 's') score += m->plural[l->bin[i][k - 1]][bin];
    return score;
}

/* ---- the best cuts ------------------------------------------------------------------------------------------- */

/* The ends of the words in `ends`; returns how many, and the probability of this reading. */
static int decode(const Model *m, const Lattice *l, int *ends, double *p) {
    int n = l->n;
    static const int NONE = -(1 << 28);
    int best[LONGEST + 1][WORD + 1], back[LONGEST + 1][WORD + 1], top[LONGEST + 1];
    double all[LONGEST + 1][WORD + 1]; /* the logarithm of the sum over readings, in nats */
    int head[LONGEST][5], rare_head[LONGEST][5], tail[LONGEST + 1][5], rare_tail[LONGEST + 1][5];
    const signed char *w = m->weights;
    u32 found[64];
    for (int i = 0; i < n; i++) {
        head[i][0] = rare_head[i][0] = tail[i + 1][0] = rare_tail[i + 1][0] = 0;
        for (int a = 1; a <= 4; a++) {
            if (i + a <= n) {
                u64 h = l->hash[i][a];
                head[i][a] = head[i][a - 1] + w[place(h, PREFIX)];
                rare_head[i][a] = rare_head[i][a - 1] + w[place(h, RARE_PREFIX)];
            }
            if (i + 1 >= a) {
                u64 h = l->hash[i + 1 - a][a];
                tail[i + 1][a] = tail[i + 1][a - 1] + w[place(h, SUFFIX)];
                rare_tail[i + 1][a] = rare_tail[i + 1][a - 1] + w[place(h, RARE_SUFFIX)];
            }
        }
    }
    for (int e = 0; e <= n; e++) top[e] = NONE;
    for (int i = 0; i < n; i++) {
        int cut = 0, left_n = 0, left_k[WORD];
        if (i) {
            int f = cut_features(l, i, found);
            for (int j = 0; j < f; j++) cut += w[found[j]];
            for (int a = 1; a <= WORD && a <= i; a++)
                if (best[i][a] > top[i] - BEAM) left_k[left_n++] = a;
            if (!left_n) { /* every reading of these letters is cut by the beam: cannot be, but stay safe */
                for (int k = 1; k <= WORD && i + k <= n; k++) best[i + k][k] = NONE;
                continue;
            }
        }
        int memo[WORD][CLASSES];
        u32 known[WORD] = {0};
        for (int k = 1; k <= WORD && i + k <= n; k++) {
            int e = i + k, score = cut + own_score(m, l, i, k), a = smaller(k, 4);
            score += head[i][a] + tail[e][a];
            if (l->bin[i][k] <= 4) score += rare_head[i][a] + rare_tail[e][a];
            if (!i) {
                best[e][k] = score; back[e][k] = 0; all[e][k] = score / 64.0;
                top[e] = larger(top[e], score);
                continue;
            }
            int right = l->class_[i][k], y = smaller(k, 8) - 1, most = NONE, from = 0, values[WORD];
            int last = e == n, right_memo[CLASSES];
            u32 right_known = 0;
            for (int j = 0; j < left_n; j++) {
                int b = left_k[j], s = i - b, left = l->class_[s][b];
                if (!(known[j] >> right & 1)) {
                    memo[j][right] = w[word_class(l, s, b, right)];
                    known[j] |= 1u << right;
                }
                if (!(right_known >> left & 1)) {
                    right_memo[left] = w[class_word(l, left, i, k)];
                    right_known |= 1u << left;
                }
                int link = m->pair[left][right][smaller(b, 8) - 1][y][(s == 0) * 2 + last] + memo[j][right] +
                           right_memo[left];
                int total = best[i][b] + link;
                values[j] = link;
                if (total > most) { most = total; from = b; }
            }
            best[e][k] = most + score; back[e][k] = from;
            double high = most / 64.0 + 40, sum = 0;
            for (int j = 0; j < left_n; j++) {
                double x = all[i][left_k[j]] + values[j] / 64.0 - high;
                if (x > -70) sum += exp(x);
            }
            all[e][k] = high + log(sum) + score / 64.0;
            top[e] = larger(top[e], best[e][k]);
        }
    }
    int k = 0, most = NONE, count = 0, e = n;
    double high = 0, sum = 0;
    for (int a = 1; a <= WORD && a <= n; a++)
        if (best[n][a] > most) { most = best[n][a]; k = a; }
    high = most / 64.0;
    for (int a = 1; a <= WORD && a <= n; a++)
        if (best[n][a] > NONE / 2) sum += exp(all[n][a] - high);
    *p = 1.0 / sum;
    if (*p > 1) *p = 1;
    while (e > 0) {
        int before = back[e][k];
        ends[count++] = e;
        e -= k; k = before;
    }
    for (int j = 0; j < count / 2; j++) { int t = ends[j]; ends[j] = ends[count - 1 - j]; ends[count - 1 - j] = t; }
    return count;
}

/* ---- training ------------------------------------------------------------------------------------------------ */

typedef struct {
    float *w, *square, *grad, *sum;
    u8 *kept;
    u32 *touched;
    Py_ssize_t touched_n;
    u64 seed;
    u32 drop; /* of 65536 */
} Trainer;

static inline int used(const Trainer *t, u32 f) {
    return t->kept[f] && (!t->drop || (finish((u64)f ^ t->seed) & 0xffff) >= t->drop);
}
static inline void push(Trainer *t, u32 f, double g) {
    if (!used(t, f)) return;
    if (t->grad[f] == 0) t->touched[t->touched_n++] = f;
    t->grad[f] += (float)g;
    if (t->grad[f] == 0) t->grad[f] = 1e-30f;
}

static double log_sum(double a, double b) {
    if (a < b) { double c = a; a = b; b = c; }
    return b - a < -60 ? a : a + log1p(exp(b - a));
}

static int pair_features(const Lattice *l, int s, int b, int i, int k, u32 *out) {
    int left = l->class_[s][b], right = l->class_[i][k], edge = (s == 0) * 2 + (i + k == l->n);
    out[0] = class_class(left, right);
    out[1] = lengths(smaller(b, 8), smaller(k, 8));
    out[2] = class_shape(left, right, smaller(b, 4), smaller(k, 4), edge);
    out[3] = word_class(l, s, b, right);
    out[4] = class_word(l, left, i, k);
    return 5;
}

typedef struct {
    double score[LONGEST][WORD + 1], front[LONGEST][WORD + 1], rear[LONGEST][WORD + 1];
    double link[LONGEST][WORD + 1][WORD + 1]; /* by cut, length before, length after */
} Sums;

/* Add the gradient of one name; `gold` has a 1 where a word ends. Returns the loss. */
static double one_name(Trainer *t, const Lattice *l, const u8 *gold, Sums *x) {
    int n = l->n;
    u32 found[64];
    for (int i = 0; i < n; i++) {
        double cut = 0;
        if (i) {
            int f = cut_features(l, i, found);
            for (int j = 0; j < f; j++) if (used(t, found[j])) cut += t->w[found[j]];
        }
        for (int k = 1; k <= WORD && i + k <= n; k++) {
            double score = cut;
            int f = own_features(l, i, k, found);
            f += affix_features(l, i, k, found + f);
            for (int j = 0; j < f; j++) if (used(t, found[j])) score += t->w[found[j]];
            x->score[i][k] = score;
            double total = i ? -1e300 : 0;
            for (int b = 1; b <= WORD && b <= i; b++) {
                double link = 0;
                int g = pair_features(l, i - b, b, i, k, found);
                for (int j = 0; j < g; j++) if (used(t, found[j])) link += t->w[found[j]];
                x->link[i][b][k] = link;
                total = log_sum(total, x->front[i - b][b] + link);
            }
            x->front[i][k] = total + score;
        }
    }
    double z = -1e300;
    for (int b = 1; b <= WORD && b <= n; b++) z = log_sum(z, x->front[n - b][b]);
    for (int i = n - 1; i >= 0; i--)
        for (int k = 1; k <= WORD && i + k <= n; k++) {
            int e = i + k;
            double total = e == n ? 0 : -1e300;
            for (int c = 1; e < n && c <= WORD && e + c <= n; c++)
                total = log_sum(total, x->link[e][k][c] + x->score[e][c] + x->rear[e][c]);
            x->rear[i][k] = total;
        }
    double loss = z;
    int before_s = -1, before_k = 0, start = 0;
    u8 is_gold[LONGEST][WORD + 1];
    int gold_left[LONGEST];
    memset(is_gold, 0, sizeof is_gold);
    for (int e = 1; e <= n; e++)
        if (gold[e - 1]) {
            int k = e - start;
            is_gold[start][k] = 1;
            gold_left[start] = before_k;
            loss -= x->score[start][k] + (before_s >= 0 ? x->link[start][before_k][k] : 0);
            before_s = start; before_k = k; start = e;
        }
    for (int i = 0; i < n; i++) {
        double cut = 0;
        for (int k = 1; k <= WORD && i + k <= n; k++) {
            double g = is_gold[i][k] - exp(x->front[i][k] + x->rear[i][k] - z);
            cut += g;
            if (fabs(g) > 1e-6) {
                int f = own_features(l, i, k, found);
                f += affix_features(l, i, k, found + f);
                for (int j = 0; j < f; j++) push(t, found[j], g);
            }
            for (int b = 1; b <= WORD && b <= i; b++) {
                double h = (is_gold[i][k] && gold_left[i] == b) -
                           exp(x->front[i - b][b] + x->link[i][b][k] + x->score[i][k] + x->rear[i][k] - z);
                if (fabs(h) > 1e-6) {
                    int f = pair_features(l, i - b, b, i, k, found);
                    for (int j = 0; j < f; j++) push(t, found[j], h);
                }
            }
        }
        if (i && fabs(cut) > 1e-6) {
            int f = cut_features(l, i, found);
            for (int j = 0; j < f; j++) push(t, found[j], cut);
        }
    }
    return loss;
}

/* Features that may have a weight: all but those of letters that the names show too seldom. */
static void support(Trainer *t, const Model *m, Lattice *l, const u8 *names, const u8 *golds, const int *at, int count,
                    int words, int windows) {
    u16 *often = calloc(TABLE, sizeof(u16));
    u32 found[64];
    if (!often) return;
    for (int kind = 0; kind < 2; kind++) {
        for (int q = 0; q < count; q++) {
            int n = at[q + 1] - at[q], start = 0, before = 0;
            lay(m, l, names + at[q], n);
            for (int e = 1; e <= n; e++) {
                int f = 0;
                if (kind) {
                    if (e < n) f = cut_features(l, e, found);
                } else if (golds[at[q] + e - 1]) {
                    int k = e - start;
                    found[f++] = place(l->hash[start][k], SELF);
                    f += affix_features(l, start, k, found + f);
                    if (start) {
                        found[f++] = word_class(l, start - before, before, l->class_[start][k]);
                        found[f++] = class_word(l, l->class_[start - before][before], start, k);
                    }
                    before = k; start = e;
                }
                for (int j = 0; j < f; j++) if (often[found[j]] < 65535) often[found[j]]++;
            }
        }
        for (u32 f = 0; f < TABLE; f++) if (often[f] >= (kind ? windows : words)) t->kept[f] = 1;
        memset(often, 0, TABLE * sizeof(u16));
    }
    /* Features of numbers are few: those that any candidate has. */
    for (int q = 0; q < count; q++) {
        lay(m, l, names + at[q], at[q + 1] - at[q]);
        for (int i = 0; i < l->n; i++)
            for (int k = 1; k <= WORD && i + k <= l->n; k++) {
                int f = own_features(l, i, k, found);
                u32 self = place(l->hash[i][k], SELF);
                for (int j = 0; j < f; j++) if (found[j] != self) t->kept[found[j]] = 1;
            }
    }
    for (int a = 0; a < CLASSES; a++)
        for (int b = 0; b < CLASSES; b++) {
            t->kept[class_class(a, b)] = 1;
            for (int x = 1; x <= 4; x++)
                for (int y = 1; y <= 4; y++)
                    for (int e = 0; e < 4; e++) t->kept[class_shape(a, b, x, y, e)] = 1;
        }
    for (int x = 1; x <= 8; x++) for (int y = 1; y <= 8; y++) t->kept[lengths(x, y)] = 1;
    free(often);
}

static Model *model_of(PyObject *capsule) { return PyCapsule_GetPointer(capsule, "fieldmouse.split"); }

/* train(model, names, golds, places, (epochs, batch, rate, last, drop, first, seed, words, windows)) -> weights.
 * `names` and `golds` are the letters of all names and a 1 after each word; `places` (32 bit) is where each begins,
 * and the end; the order of training is the order of `order` (32 bit numbers of names, for all epochs). */
static PyObject *train(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *capsule;
    const char *names, *golds, *places, *order;
    Py_ssize_t names_n, golds_n, places_n, order_n;
    int epochs, batch, words, windows;
    double rate, last, drop, first;
    unsigned long long seed;
    if (!PyArg_ParseTuple(args, "Oy#y#y#y#(iiddddKii)", &capsule, &names, &names_n, &golds, &golds_n, &places, &places_n,
                          &order, &order_n, &epochs, &batch, &rate, &last, &drop, &first, &seed, &words, &windows))
        return NULL;
    Model *m = model_of(capsule);
    if (!m) return NULL;
    const int *at = (const int *)(const void *)places, *turn = (const int *)(const void *)order;
    int count = (int)(places_n / 4) - 1;
    Py_ssize_t steps = order_n / 4;
    Trainer t = {0};
    Lattice *l = malloc(sizeof *l);
    Sums *sums = malloc(sizeof *sums);
    t.w = calloc(TABLE, 4); t.square = malloc(TABLE * 4); t.grad = calloc(TABLE, 4); t.sum = calloc(TABLE, 4);
    t.kept = calloc(TABLE, 1); t.touched = malloc(TABLE * 4);
    PyObject *result = NULL;
    if (!l || !sums || !t.w || !t.square || !t.grad || !t.sum || !t.kept || !t.touched) {
        PyErr_NoMemory();
        goto end;
    }
    for (int q = 0; q < count; q++)
        if (at[q] < 0 || at[q + 1] - at[q] < 1 || at[q + 1] - at[q] > LONGEST || at[q + 1] > names_n || at[q + 1] > golds_n) {
            PyErr_SetString(PyExc_ValueError, "a name is empty or too long");
            goto end;
        }
    for (Py_ssize_t s = 0; s < steps; s++)
        if (turn[s] < 0 || turn[s] >= count) { PyErr_SetString(PyExc_ValueError, "no such name"); goto end; }
    support(&t, m, l, (const u8 *)names, (const u8 *)golds, at, count, words, windows);
    for (u32 f = 0; f < TABLE; f++) t.square[f] = (float)first;
    t.drop = (u32)(drop * 65536);
    Py_ssize_t each = steps / epochs, snapshots = 0;
    for (Py_ssize_t s = 0; s < steps; s++) {
        int q = turn[s];
        t.seed = finish(seed + (u64)s * 7919);
        lay(m, l, (const u8 *)names + at[q], at[q + 1] - at[q]);
        one_name(&t, l, (const u8 *)golds + at[q], sums);
        if ((s + 1) % batch == 0 || s + 1 == steps) {
            double now = rate + (last - rate) * (double)s / (double)steps;
            for (Py_ssize_t j = 0; j < t.touched_n; j++) {
                u32 f = t.touched[j];
                float g = t.grad[f];
                t.square[f] += g * g;
                t.w[f] += (float)(now * g / sqrt(t.square[f] + 1e-12));
                t.grad[f] = 0;
            }
            t.touched_n = 0;
        }
        if (s >= steps - 2 * each && (steps - 1 - s) % (each / 4) == 0) {
            for (u32 f = 0; f < TABLE; f++) t.sum[f] += t.w[f];
            snapshots++;
        }
        if (s % 256 == 0 && PyErr_CheckSignals()) goto end;
    }
    for (u32 f = 0; f < TABLE; f++) t.sum[f] *= (float)((1 - drop) / (double)snapshots);
    result = PyBytes_FromStringAndSize((const char *)t.sum, TABLE * 4);
end:
    free(l); free(sums); free(t.w); free(t.square); free(t.grad); free(t.sum); free(t.kept); free(t.touched);
    return result;
}

/* ---- the module ---------------------------------------------------------------------------------------------- */

static void forget(PyObject *capsule) {
    Model *m = model_of(capsule);
    if (!m) return;
    free(m->slots); free(m->spelling); free(m->weights); free(m);
}

/* load(words, spelling, places, weights) -> model: spelling is 28**3 numbers of 16 bits, `places` 32 bit numbers of
 * features with the weight of each, a signed byte. */
static PyObject *load(PyObject *self, PyObject *args) {
    (void)self;
    const char *words, *spelling, *places, *weights;
    Py_ssize_t words_n, spelling_n, places_n, weights_n;
    if (!PyArg_ParseTuple(args, "y#y#y#y#", &words, &words_n, &spelling, &spelling_n, &places, &places_n, &weights,
                          &weights_n))
        return NULL;
    if (spelling_n != SYMBOLS * SYMBOLS * SYMBOLS * 2 || places_n != weights_n * 4) {
        PyErr_SetString(PyExc_ValueError, "the model has the wrong size");
        return NULL;
    }
    Model *m = calloc(1, sizeof *m);
    if (!m) return PyErr_NoMemory();
    Py_ssize_t room = 1024, markers = 0;
    for (Py_ssize_t i = 0; i < words_n; i++) markers += (u8)words[i] < 'a';
    while (room < 3 * markers) room *= 2;
    m->mask = (u32)(room - 1);
    m->slots = calloc((size_t)room, sizeof(Slot));
    m->spelling = malloc((size_t)spelling_n);
    m->weights = calloc(TABLE, 1);
    PyObject *capsule = m->slots && m->spelling && m->weights ? PyCapsule_New(m, "fieldmouse.split", forget) : NULL;
    if (!capsule) {
        free(m->slots); free(m->spelling); free(m->weights); free(m);
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    }
    memcpy(m->spelling, spelling, (size_t)spelling_n);
    if (add_words(m, (const u8 *)words, words_n)) {
        PyErr_SetString(PyExc_ValueError, "the words are damaged");
        Py_DECREF(capsule);
        return NULL;
    }
    for (Py_ssize_t i = 0; i < weights_n; i++) {
        u32 f;
        memcpy(&f, places + 4 * i, 4);
        m->weights[f & (TABLE - 1)] = weights[i];
    }
    fill_pairs(m);
    fill_shapes(m);
    return capsule;
}

/* split(model, letters) -> (ends of the words, probability) */
static PyObject *split(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *capsule;
    const char *name;
    Py_ssize_t n;
    if (!PyArg_ParseTuple(args, "Oy#", &capsule, &name, &n)) return NULL;
    Model *m = model_of(capsule);
    if (!m) return NULL;
    int fits = n >= 1 && n <= LONGEST;
    for (Py_ssize_t i = 0; fits && i < n; i++) fits = name[i] >= 'a' && name[i] <= 'z';
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "a name to split is 1 to 60 letters a-z");
        return NULL;
    }
    Lattice l;
    int ends[LONGEST], count;
    double p;
    lay(m, &l, (const u8 *)name, (int)n);
    count = decode(m, &l, ends, &p);
    PyObject *list = PyList_New(count);
    if (!list) return NULL;
    for (int j = 0; j < count; j++) {
        PyObject *one = PyLong_FromLong(ends[j]);
        if (!one) { Py_DECREF(list); return NULL; }
        PyList_SetItem(list, j, one);
    }
    return Py_BuildValue("(Nd)", list, p);
}

static PyMethodDef METHODS[] = {
    {"load", load, METH_VARARGS, "load(words, spelling, places, weights) -> model"},
    {"split", split, METH_VARARGS, "split(model, letters) -> (ends of the words, probability)"},
    {"train", train, METH_VARARGS, "train(model, names, golds, places, order, settings) -> weights as floats"},
    {NULL, NULL, 0, NULL},
};
static PyModuleDef_Slot SLOTS[] = {{0, NULL}};
static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_split", "split_python.py in C, and training.", 0, METHODS, SLOTS, NULL, NULL, NULL,
};
PyMODINIT_FUNC PyInit__split(void) { return PyModuleDef_Init(&MODULE); }
