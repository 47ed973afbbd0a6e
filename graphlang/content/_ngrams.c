/* The counting core: letters -> features of a vocabulary -> sums of the languages' weights.
 *
 * Pure functions over arrays that the caller owns; no state, no allocation, so that threads may run them side by side.
 * What the steps mean stands in ngrams.py and scriptweights.py, which check all sizes before they call; what depends on
 * the content of an array is checked here.
 */
#include <stdint.h>
#include <string.h>

/* The same code for machines with wider vectors, chosen when the library is loaded. Sums here are of whole numbers, and
 * no operation of floating point is contracted or reordered, so that all of them give the same answers. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

#define SPACE 0x20u

#define MULTIPLIER 0x9E3779B1u
#define SPREAD 0x85EBCA6Bu
#define MAX_ORDER 5
#define LONGEST 64 /* characters of a line in a list of n-grams and words */
#define BUFFER 2048

#define VECTOR 16 /* rows of weights are so many bytes long, or a multiple of it */
#define TOGETHER 6
#define AHEAD 24
#define ASKED 1024 /* rows, and lists, that are looked for at once */
#define MOST 256   /* of them for one part of a text */
#define PARTS 64
#define FIELDS 6
#define INLINE static inline __attribute__((always_inline))

#define WRONG (-1) /* sizes or contents that no sound caller has */

static inline uint32_t mix(uint32_t key)
{
    key *= SPREAD;
    key ^= key >> 15;
    return key * MULTIPLIER;
}

/* Hash of the letters of a word, the same wherever it stands; `stop` is the place after its last letter. */
static uint32_t word_key(const uint32_t *symbols, int64_t begin, int64_t stop)
{
    uint32_t total = 0, power = 1;
    for (int64_t i = begin; i < stop; i++) {
        uint32_t mixed = symbols[i] * SPREAD;
        mixed ^= mixed >> 15;
        total += (mixed + 1) * power;
        power *= MULTIPLIER;
    }
    total ^= total >> 16; /* the low bits of a sum of odd multiples know little of the high ones */
    return total * SPREAD;
}

/* The character of UTF-8 that begins at `at`, which moves on behind it; WRONG where there is none. */
INLINE int64_t next_character(const uint8_t *text, int64_t size, int64_t *at)
{
    uint32_t value = text[(*at)++];
    if (value < 0x80)
        return value;
    int more = value < 0xC2 ? -1 : value < 0xE0 ? 1 : value < 0xF0 ? 2 : value < 0xF5 ? 3 : -1;
    if (more < 0 || size - *at < more)
        return WRONG;
    value &= 0x3Fu >> more;
    for (int i = 0; i < more; i++) {
        uint32_t part = text[(*at)++];
        if ((part & 0xC0) != 0x80)
            return WRONG;
        value = value << 6 | (part & 0x3F);
    }
    return value;
}

/* Keys of n-grams and words, a line each: those of up to five characters, and longer ones between their two spaces.
 *
 * lines: in UTF-8; every one ends with a line feed. Returns how many there are, or WRONG: one is empty, longer than
 * `longest`, too long for an n-gram and no word, or no UTF-8.
 */
int64_t ng_keys(const uint8_t *lines, int64_t size, int64_t longest, uint32_t *keys, uint8_t *sizes, int64_t capacity)
{
    uint32_t own[LONGEST];
    int64_t number = 0, at = 0;
    if (longest < 1 || longest > LONGEST)
        return WRONG;
    while (at < size) {
        int64_t length = 0, character;
        uint32_t key = 0;
        while ((character = next_character(lines, size, &at)) != '\n') {
            if (character < 0 || length >= longest || at >= size)
                return WRONG;
            own[length++] = (uint32_t)character;
        }
        if (length < 1 || number >= capacity)
            return WRONG;
        if (length <= MAX_ORDER) {
            for (int64_t i = 0; i < length; i++)
                key = (key + own[i] + (i == 0)) * MULTIPLIER;
        } else {
            if (own[0] != SPACE || own[length - 1] != SPACE)
                return WRONG;
            for (int64_t i = 1; i < length - 1; i++)
                if (own[i] == SPACE)
                    return WRONG;
            key = word_key(own, 1, length - 1);
        }
        sizes[number] = (uint8_t)length;
        keys[number++] = key;
    }
    return number;
}

/* Keys of the words that stand between some places. Returns 0, or WRONG: a place is beyond the text. */
int64_t ng_word_keys(const uint32_t *symbols, int64_t size, const int64_t *begins, const int64_t *ends, int64_t number,
                     uint32_t *keys)
{
    for (int64_t i = 0; i < number; i++) {
        if (begins[i] < 0 || begins[i] > ends[i] || ends[i] > size)
            return WRONG;
        keys[i] = word_key(symbols, begins[i], ends[i]);
    }
    return 0;
}

/* The slot of each key in a table of 2 ** bits slots. Returns 0, or WRONG: no such table. */
int64_t ng_slots(const uint32_t *keys, int64_t number, int64_t bits, uint32_t *slots)
{
    if (bits < 1 || bits > 31)
        return WRONG;
    for (int64_t i = 0; i < number; i++)
        slots[i] = mix(keys[i]) >> (32 - bits);
    return 0;
}

/* Put the keys into a table of 2 ** bits slots. Returns 0, or WRONG: two want one slot, or there are too many. */
int64_t ng_fill(const uint32_t *keys, int64_t number, int64_t bits, uint32_t *table)
{
    if (bits < 1 || bits > 31 || number >= (int64_t)1 << bits)
        return WRONG;
    uint32_t nothing = (1u << bits) - 1; /* an empty slot holds a number that no feature has */
    for (int64_t i = 0; i < (int64_t)1 << bits; i++)
        table[i] = nothing;
    for (int64_t i = 0; i < number; i++) {
        uint32_t mixed = mix(keys[i]), *slot = table + (mixed >> (32 - bits));
        if ((*slot & nothing) != nothing)
            return WRONG;
        *slot = mixed << bits | (uint32_t)i;
    }
    return 0;
}

/* Look up mixed keys; the numbers of those that are features are put behind `out`. Returns how many they are. */
static int64_t look_up(const uint32_t *mixed, int64_t number, const uint32_t *table, int64_t bits, uint32_t features,
                       int32_t *out)
{
    int64_t found = 0;
    for (int64_t i = 0; i < number; i++) {
        uint32_t entry = table[mixed[i] >> (32 - bits)] ^ mixed[i] << bits;
        out[found] = (int32_t)entry; /* what is left of equal bits is the number of the feature */
        found += entry < features;
    }
    return found;
}

/* The features of every row, in the order in which they begin; of equal beginnings the shorter first, words last.
 *
 * wanted: bit n: n-grams of n characters are features; bit 0: words are.
 * out: room for every character of every row times the number of bits in `wanted`.
 * offsets: rows + 1 numbers; row r gets out[offsets[r]] to out[offsets[r + 1] - 1].
 * Returns how many features there are in all, or WRONG.
 */
int64_t ng_find(const uint32_t *symbols, int64_t size, const int64_t *starts, const int64_t *lengths, int64_t rows,
                int64_t margin, const uint32_t *table, int64_t bits, int64_t features, int64_t wanted, int32_t *out,
                int64_t capacity, int64_t *offsets)
{
    uint32_t keys[BUFFER];
    int64_t found = 0, highest = 0, width = 0;
    for (int64_t order = 0; order <= MAX_ORDER; order++)
        if (wanted >> order & 1) {
            highest = order;
            width++;
        }
    if (bits < 1 || bits > 31 || features < 0 || features >= (int64_t)1 << bits || margin + 1 < highest)
        return WRONG;
    for (int64_t row = 0; row < rows; row++) {
        int64_t start = starts[row], length = lengths[row], waiting = 0;
        offsets[row] = found;
        if (start < 0 || length < 0 || start > size || size - start < (length ? length + margin : 0) ||
            capacity - found < length * width)
            return WRONG;
        const uint32_t *own = symbols + start;
        for (int64_t i = 0; i < length; i++) {
            uint32_t value = 0;
            for (int64_t order = 1; order <= highest; order++) {
                value = (value + own[i + order - 1] + (order == 1)) * MULTIPLIER;
                if (wanted >> order & 1) {
                    keys[waiting] = mix(value);
                    __builtin_prefetch(table + (keys[waiting++] >> (32 - bits)));
                }
            }
            if (wanted & 1 && own[i] != SPACE && (!i || own[i - 1] == SPACE)) {
                int64_t stop = i;
                while (stop < length && own[stop] != SPACE)
                    stop++;
                if (stop - i > MAX_ORDER - 2) {
                    keys[waiting] = mix(word_key(own, i, stop));
                    __builtin_prefetch(table + (keys[waiting++] >> (32 - bits)));
                }
            }
            if (waiting > BUFFER - MAX_ORDER - 1) {
                found += look_up(keys, waiting, table, bits, (uint32_t)features, out + found);
                waiting = 0;
            }
        }
        found += look_up(keys, waiting, table, bits, (uint32_t)features, out + found);
    }
    offsets[rows] = found;
    return found;
}

/* sums += six rows of weights of at most 42 steps each, so that three of them add up within eight bits. */
INLINE void add(int16_t *restrict sums, const int8_t *table, const uint32_t *places, int64_t width)
{
    const int8_t *a = table + places[0] * width, *b = table + places[1] * width, *c = table + places[2] * width;
    const int8_t *d = table + places[3] * width, *e = table + places[4] * width, *f = table + places[5] * width;
    for (int64_t j = 0; j < width / VECTOR * VECTOR; j++)
        sums[j] = (int16_t)(sums[j] + (int16_t)(int8_t)(a[j] + b[j] + c[j]) + (int16_t)(int8_t)(d[j] + e[j] + f[j]));
}

/* Weights of one script: of the features from `first` on, `common` have a row each in `table`, which has a last row of
 * zeros, and the next `rare` a list each in `rest`, from starts[f] to starts[f + 1] - 1. */
struct block {
    int64_t first, common, rare, width;
    const int8_t *table;
    const int32_t *starts, *rest;
};

/* Rows of the table and lists that the features of one text, or of a part of it, ask for. */
struct part {
    int64_t row, rows, lists;
    int first;
};

/* What the next features of some texts ask for, sorted out: first everything that is looked for, then the sums, so that
 * memory has been asked for a row of weights some time before it is added, and no branch depends on which kind it is. */
struct asked {
    int64_t parts, rows, lists;
    struct part part[PARTS];
    uint32_t row[ASKED + AHEAD], list[ASKED];
};

/* The features of one part behind those of the parts before it. Their rows become a multiple of TOGETHER. */
INLINE void ask(struct asked *asked, const struct block *block, int64_t row, int first, const int32_t *features,
                int64_t number)
{
    uint32_t *rows = asked->row + asked->rows, *lists = asked->list + asked->lists;
    int64_t dense = 0, sparse = 0;
    for (int64_t i = 0; i < number; i++) {
        int64_t place = features[i] - block->first, rare = place - block->common;
        rows[dense] = (uint32_t)place;
        dense += place >= 0 && rare < 0;
        lists[sparse] = (uint32_t)rare;
        __builtin_prefetch(block->starts + (rare >= 0 && rare < block->rare ? rare : 0));
        sparse += rare >= 0 && rare < block->rare;
    }
    while (dense % TOGETHER)
        rows[dense++] = (uint32_t)block->common; /* zeros */
    asked->part[asked->parts++] = (struct part){row, dense, sparse, first};
    asked->rows += dense;
    asked->lists += sparse;
}

INLINE void fetch(const struct block *block, const uint32_t *rows)
{
    for (int64_t i = 0; i < TOGETHER; i++)
        for (int64_t line = 0; line < block->width; line += 64)
            __builtin_prefetch(block->table + rows[i] * block->width + line);
}

/* Add up what is asked for. sums: of the first row of the script. */
INLINE void answer(struct asked *asked, const struct block *block, int16_t *sums)
{
    const uint32_t *rows = asked->row, *lists = asked->list;
    for (int64_t i = 0; i < AHEAD; i++)
        asked->row[asked->rows + i] = (uint32_t)block->common;
    for (int64_t i = 0; i < AHEAD; i += TOGETHER)
        fetch(block, rows + i);
    for (int64_t p = 0; p < asked->parts; p++) {
        int16_t *own = sums + asked->part[p].row * block->width;
        if (asked->part[p].first)
            memset(own, 0, (size_t)block->width * sizeof *own);
        for (int64_t i = 0; i < asked->part[p].lists; i++) {
            __builtin_prefetch(block->rest + block->starts[lists[i]]);
            __builtin_prefetch(block->rest + block->starts[lists[i] + 1]);
        }
        for (int64_t i = 0; i < asked->part[p].rows; i += TOGETHER) {
            fetch(block, rows + i + AHEAD);
            add(own, block->table, rows + i, block->width);
        }
        for (int64_t i = 0; i < asked->part[p].lists; i++)
            for (int32_t k = block->starts[lists[i]]; k < block->starts[lists[i] + 1]; k++) {
                int16_t *sum = own + (block->rest[k] >> 8);
                *sum = (int16_t)(*sum + (block->rest[k] & 0xFF) - 128);
            }
        rows += asked->part[p].rows;
        lists += asked->part[p].lists;
    }
    asked->parts = asked->rows = asked->lists = 0;
}

/* The sums of the weights of the features of each row, one script after the other.
 *
 * order: the rows, those of the first script first; counts: how many are in each of the scripts. Row r has the features
 * from offsets[r] to offsets[r + 1] - 1; those that are not of its script do not count.
 * blocks: of each script the fields of `struct block` in that order; for the pointers, places in `table` and `starts`,
 * and 0. `rest` holds 256 times the column plus the weight plus 128.
 * sums: for each row in that order as many numbers as its script's table is wide, a multiple of VECTOR. Returns 0, or
 * WRONG.
 */
WIDE
int64_t ng_sums(const int32_t *features, int64_t size, const int64_t *offsets, int64_t rows, const int64_t *order,
                const int64_t *counts, int64_t scripts, const int64_t *blocks, const int8_t *table, int64_t cells,
                const int32_t *starts, int64_t lists, const int32_t *rest, int16_t *sums, int64_t capacity)
{
    struct asked asked = {0};
    int64_t done = 0;
    for (int64_t script = 0; script < scripts; script++) {
        const int64_t *own = blocks + script * FIELDS;
        struct block block = {own[0], own[1], own[2], own[3], table + own[4], starts + own[5], rest};
        if (block.common < 0 || block.rare < 0 || block.width < 0 || block.width % VECTOR ||
            own[4] < 0 || own[5] < 0 || block.common > UINT32_MAX - 1 || block.rare > UINT32_MAX - 1 ||
            own[4] + (block.common + 1) * block.width > cells || own[5] + block.rare + 1 > lists || counts[script] < 0 ||
            counts[script] > rows - done || counts[script] * block.width > capacity)
            return WRONG;
        for (int64_t i = 0; i < counts[script]; i++) {
            int64_t row = order[done + i];
            if (row < 0 || row >= rows)
                return WRONG;
            int64_t begin = offsets[row], end = offsets[row + 1];
            if (begin < 0 || end < begin || end > size)
                return WRONG;
            for (int64_t at = begin, number; at < end || at == begin; at += number ? number : 1) {
                number = end - at < MOST ? end - at : MOST;
                if (asked.parts == PARTS || asked.rows + number + TOGETHER > ASKED || asked.lists + number > ASKED)
                    answer(&asked, &block, sums);
                ask(&asked, &block, i, at == begin, features + at, number);
            }
        }
        answer(&asked, &block, sums);
        done += counts[script];
        capacity -= counts[script] * block.width;
        sums += counts[script] * block.width;
    }
    return 0;
}

/* The next weights of a model file (weights.py) -> a table and lists, as ng_sums reads them, of one script.
 *
 * gaps, values: `size` of them. state: how many are done, the cell of the last, and how many weights are in `rest`; all
 * move on. first: the script's first cell. Its `rows` features have `width` cells each; `common` of them become rows of
 * `table`, which are `stride` apart and 0 before, the others lists in `rest`, which has room for `capacity`; starts:
 * rows - common + 1 numbers. Weights beyond `most` are cut. Returns 0, or WRONG.
 */
int64_t ng_unpack(const uint8_t *gaps, const int8_t *values, int64_t size, int64_t *state, int64_t first, int64_t rows,
                  int64_t common, int64_t width, int8_t *table, int64_t stride, int32_t *starts, int32_t *rest,
                  int64_t capacity, int64_t most)
{
    int64_t at = state[0], place = state[1] - first, used = state[2], row = 0, edge = width;
    if (at < 0 || at > size || used < 0 || width < 1 || width > INT32_MAX >> 8 || stride < width || common < 0 || rows < common ||
        rows > INT32_MAX || capacity > INT32_MAX || most < 0 || most > INT8_MAX)
        return WRONG;
    if (!common)
        starts[0] = (int32_t)used;
    for (; at < size; at++) {
        int64_t next = place + gaps[at], value = values[at];
        if (!gaps[at] || next < 0)
            return WRONG;
        if (next >= rows * width)
            break;
        place = next;
        if (!value)
            continue;
        value = value > most ? most : value < -most ? -most : value;
        for (; place >= edge; edge += width)
            if (++row >= common)
                starts[row - common] = (int32_t)used;
        int64_t column = place - edge + width;
        if (row < common) {
            table[row * stride + column] = (int8_t)value;
        } else {
            if (used >= capacity)
                return WRONG;
            rest[used++] = (int32_t)(column * 256 + value + 128);
        }
    }
    while (row < rows)
        if (++row >= common)
            starts[row - common] = (int32_t)used;
    state[0] = at;
    state[1] = place + first;
    state[2] = used;
    return 0;
}
