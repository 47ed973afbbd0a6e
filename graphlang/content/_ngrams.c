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
#define SOON 24    /* keys */
#define PLACES 128 /* of texts that are looked up together */
#define ROWS 32    /* texts */

#define VECTOR 8  /* rows of weights are so many numbers long, or a multiple of it */
#define MIDDLE 40 /* of a byte that holds a weight: three add up to 240 at most */
#define TOGETHER 3
#define AHEAD 36
#define ASKED 1024 /* rows, and lists, that are looked for at once */
#define MOST 256   /* of them for one part of a text */
#define PARTS 64
#define CHUNK 16
#define LINE 32 /* numbers of the table */
#define COPIED 512
#define FIELDS 6

/* Sixteen, or eight, numbers of a row, side by side. */
typedef uint16_t lanes __attribute__((vector_size(32), aligned(2), may_alias));
typedef uint16_t few __attribute__((vector_size(16), aligned(2), may_alias));

#define INLINE static inline __attribute__((always_inline))
#define APART static __attribute__((noinline)) /* so that what it needs all the time stays in registers */

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
 * lines: in UTF-8; a line feed stands between two. Returns how many there are, or WRONG: one is empty, longer than
 * `longest`, too long for an n-gram and no word, or no UTF-8.
 */
int64_t ng_keys(const uint8_t *lines, int64_t size, int64_t longest, uint32_t *keys, uint8_t *sizes, int64_t capacity)
{
    uint32_t own[LONGEST];
    int64_t number = 0, at = 0;
    if (longest < 1 || longest > LONGEST)
        return WRONG;
    for (int more = size > 0; more;) {
        int64_t length = 0;
        uint32_t key = 0;
        while ((more = at < size)) {
            int64_t character = next_character(lines, size, &at);
            if (character == '\n')
                break;
            if (character < 0 || length >= longest)
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
        if (i + SOON < number)
            __builtin_prefetch(table + (mix(keys[i + SOON]) >> (32 - bits)), 1);
        if ((*slot & nothing) != nothing)
            return WRONG;
        *slot = mixed << bits | (uint32_t)i;
    }
    return 0;
}

/* Mixed keys that are sought, of some texts or parts of them. Memory has been asked for their slots when the keys of all
 * are known, and they are looked up then. */
struct sought {
    int64_t parts, places, words;
    struct {
        int64_t row, places, words; /* how many of those up to here are of this part, or of those before it */
    } part[ROWS];
    uint32_t key[MAX_ORDER][PLACES]; /* of the n-grams of each length that begin at each place */
    uint32_t word[PLACES];
    int64_t word_place[PLACES];
};

/* The keys of the n-grams that begin at some places of a text. wanted: as ng_find has it. */
INLINE void seek_ngrams(struct sought *sought, const uint32_t *own, int64_t number, int64_t wanted, int64_t highest,
                        const uint32_t *table, int64_t bits)
{
    uint32_t value[PLACES] = {0};
    for (int64_t order = 1, next = 0; order <= highest; order++) {
        uint32_t *key = sought->key[next] + sought->places;
        for (int64_t i = 0; i < number; i++)
            value[i] = (value[i] + own[i + order - 1] + (order == 1)) * MULTIPLIER;
        if (!(wanted >> order & 1))
            continue;
        for (int64_t i = 0; i < number; i++)
            key[i] = mix(value[i]);
        for (int64_t i = 0; i < number; i++)
            __builtin_prefetch(table + (key[i] >> (32 - bits)));
        next++;
    }
}

/* The keys of the words that begin between two places of a text. */
INLINE void seek_words(struct sought *sought, const uint32_t *own, int64_t begin, int64_t end, int64_t length,
                       const uint32_t *table, int64_t bits)
{
    for (int64_t i = begin, stop; i < end; i = stop) {
        stop = i + 1;
        if (own[i] == SPACE || (i && own[i - 1] != SPACE))
            continue;
        while (stop < length && own[stop] != SPACE)
            stop++;
        if (stop - i > MAX_ORDER - 2) {
            uint32_t key = mix(word_key(own, i, stop));
            __builtin_prefetch(table + (key >> (32 - bits)));
            sought->word[sought->words] = key;
            sought->word_place[sought->words++] = sought->places + i - begin;
        }
    }
}

/* Look up what is sought; the numbers of those that are features are put behind `out`. Returns how many there are then. */
INLINE int64_t look_up(struct sought *sought, const uint32_t *table, int64_t bits, uint32_t features, int64_t orders,
                       int32_t *out, int64_t found, int64_t *offsets)
{
    int64_t place = 0, word = 0;
    for (int64_t p = 0; p < sought->parts; p++) {
        for (;;) {
            int last = word == sought->part[p].words;
            int64_t stop = last ? sought->part[p].places : sought->word_place[word] + 1;
            for (; place < stop; place++)
                for (int64_t order = 0; order < orders; order++) {
                    uint32_t key = sought->key[order][place], entry = table[key >> (32 - bits)] ^ key << bits;
                    out[found] = (int32_t)entry; /* what is left of equal bits is the number of the feature */
                    found += entry < features;
                }
            if (last)
                break;
            uint32_t key = sought->word[word++], entry = table[key >> (32 - bits)] ^ key << bits;
            out[found] = (int32_t)entry;
            found += entry < features;
        }
        offsets[sought->part[p].row + 1] = found;
    }
    sought->parts = sought->places = sought->words = 0;
    return found;
}

/* The features of every row, in the order in which they begin; of equal beginnings the shorter first, words last.
 *
 * wanted: bit n: n-grams of n characters are features; bit 0: words are.
 * out: room for every character of every row times the number of bits in `wanted`.
 * offsets: rows + 1 numbers; row r gets out[offsets[r]] to out[offsets[r + 1] - 1].
 * Returns how many features there are in all, or WRONG.
 */
WIDE
int64_t ng_find(const uint32_t *symbols, int64_t size, const int64_t *starts, const int64_t *lengths, int64_t rows,
                int64_t margin, const uint32_t *table, int64_t bits, int64_t features, int64_t wanted, int32_t *out,
                int64_t capacity, int64_t *offsets)
{
    struct sought sought;
    int64_t found = 0, promised = 0, highest = 0, orders = 0, words = wanted & 1;
    for (int64_t order = 1; order <= MAX_ORDER; order++)
        if (wanted >> order & 1) {
            highest = order;
            orders++;
        }
    if (bits < 1 || bits > 31 || features < 0 || features >= (int64_t)1 << bits || margin + 1 < highest)
        return WRONG;
    sought.parts = sought.places = sought.words = 0;
    offsets[0] = 0;
    for (int64_t row = 0; row < rows; row++) {
        int64_t start = starts[row], length = lengths[row], number;
        if (start < 0 || length < 0 || start > size || length > size - start ||
            (length && size - start - length < margin) ||
            capacity - promised < length * (orders + words))
            return WRONG;
        promised += length * (orders + words);
        const uint32_t *own = symbols + start;
        for (int64_t begin = 0; begin < length || !begin; begin += number ? number : 1) {
            number = length - begin < PLACES ? length - begin : PLACES;
            if (sought.places + number > PLACES || sought.parts == ROWS)
                found = look_up(&sought, table, bits, (uint32_t)features, orders, out, found, offsets);
            seek_ngrams(&sought, own + begin, number, wanted, highest, table, bits);
            if (words)
                seek_words(&sought, own, begin, begin + number, length, table, bits);
            sought.places += number;
            sought.part[sought.parts].row = row;
            sought.part[sought.parts].places = sought.places;
            sought.part[sought.parts++].words = sought.words;
        }
    }
    return look_up(&sought, table, bits, (uint32_t)features, orders, out, found, offsets);
}

/* Weights of one script: of the features from `first` on, `common` have a row each in `table`, which has a last row of
 * zeros, and the next `rare` a list each in `rest`, from starts[f] to starts[f + 1] - 1.
 *
 * Number j of a row holds two weights, each plus MIDDLE: that of column j in its low byte, and that of column half + j. So
 * three rows add up without a carry from byte to byte, and none has to be made wider to be added to the sums. */
struct block {
    int64_t first, common, rare, half;
    const uint16_t *table;
    const int32_t *starts, *rest;
};

/* Rows of the table and lists that the features of one text, or of a part of it, ask for. */
struct part {
    int64_t row, rows, lists;
    int begins;
};

/* What the next features of some texts ask for, sorted out: first everything that is looked for, then the sums, so that
 * memory has been asked for a row of weights some time before it is added, and no branch depends on which kind it is. */
struct asked {
    int64_t parts, rows, lists;
    struct part part[PARTS];
    uint32_t place[ASKED], list[ASKED];
};

/* The features of one part behind those of the parts before it. Their rows become a multiple of TOGETHER. */
APART void ask(struct asked *asked, const struct block *block, int64_t row, int begins, const int32_t *features,
               int64_t number)
{
    const uint32_t first = (uint32_t)block->first, common = (uint32_t)block->common, rare = (uint32_t)block->rare;
    uint32_t *rows = asked->place + asked->rows, *lists = asked->list + asked->lists;
    int64_t dense = 0, sparse = 0;
    for (int64_t i = 0; i < number; i++) {
        uint32_t place = (uint32_t)features[i] - first;
        rows[dense] = place;
        dense += place < common;
        lists[sparse] = place - common;
        sparse += place - common < rare;
    }
    while (dense % TOGETHER)
        rows[dense++] = common; /* zeros */
    for (int64_t i = 0; i < sparse; i++)
        __builtin_prefetch(block->starts + lists[i]);
    asked->part[asked->parts++] = (struct part){row, dense, sparse, begins};
    asked->rows += dense;
    asked->lists += sparse;
}

/* Add rows of the table, a multiple of TOGETHER: to `high` the weights of the second half of the columns, to `both` those
 * times 256 and those of the first half. Meanwhile those that stand AHEAD of them are brought into the cache. */
INLINE void add(uint16_t *both, uint16_t *high, const uint16_t *const *rows, int64_t number, int64_t half)
{
    int64_t j = 0;
    for (; j + LINE <= half; j += LINE) {
        lanes *b = (lanes *)(both + j), *h = (lanes *)(high + j);
        lanes low0 = b[0], low1 = b[1], high0 = h[0], high1 = h[1];
        for (int64_t i = 0; i < number; i += TOGETHER) {
            const lanes *x = (const lanes *)(rows[i] + j), *y = (const lanes *)(rows[i + 1] + j);
            const lanes *z = (const lanes *)(rows[i + 2] + j);
            lanes three0 = x[0] + y[0] + z[0], three1 = x[1] + y[1] + z[1];
            for (int k = 0; k < TOGETHER; k++)
                __builtin_prefetch(rows[i + AHEAD + k] + j);
            low0 += three0;
            low1 += three1;
            high0 += three0 >> 8;
            high1 += three1 >> 8;
        }
        b[0] = low0;
        b[1] = low1;
        h[0] = high0;
        h[1] = high1;
    }
    for (int64_t i = 0; j < half && i < number; i++)
        __builtin_prefetch(rows[i + AHEAD] + j);
    for (; j < half; j += VECTOR) {
        few *b = (few *)(both + j), *h = (few *)(high + j), low0 = *b, high0 = *h;
        for (int64_t i = 0; i < number; i += TOGETHER) {
            few three = *(const few *)(rows[i] + j) + *(const few *)(rows[i + 1] + j) + *(const few *)(rows[i + 2] + j);
            low0 += three;
            high0 += three >> 8;
        }
        *b = low0;
        *h = high0;
    }
}

/* sums += some rows of the table, a multiple of TOGETHER. */
INLINE void add_rows(uint16_t *sums, int64_t half, const uint16_t *const *rows, int64_t number)
{
    uint16_t *both = sums, *high = sums + half, middle = (uint16_t)(number * MIDDLE);
    for (int64_t j = 0; j < half; j++)
        both[j] = (uint16_t)(both[j] + (high[j] << 8));
    for (int64_t i = 0; i < number; i += AHEAD)
        add(both, high, rows + i, number - i < AHEAD ? number - i : AHEAD, half);
    for (int64_t j = 0; j < half; j++) {
        both[j] = (uint16_t)(both[j] - (high[j] << 8) - middle);
        high[j] = (uint16_t)(high[j] - middle);
    }
}

/* sums += one list of weights. */
INLINE void add_list(uint16_t *sums, const int32_t *list, int64_t size)
{
    for (int64_t k = 0; k < size; k++) {
        uint16_t *sum = sums + (list[k] >> 8);
        *sum = (uint16_t)(*sum + (int8_t)list[k]);
    }
}

/* sums += lists of weights. They are copied one behind the other first, since where a list ends cannot be foreseen. */
INLINE void add_lists(uint16_t *sums, const struct block *block, const uint32_t *lists, int64_t number)
{
    int32_t some[COPIED + CHUNK];
    int64_t copied = 0;
    for (int64_t i = 0; i < number; i++) {
        const int32_t *list = block->rest + block->starts[lists[i]];
        int64_t size = block->starts[lists[i] + 1] - block->starts[lists[i]];
        if (size > COPIED - copied) {
            add_list(sums, some, copied);
            copied = 0;
        }
        if (size > COPIED) {
            add_list(sums, list, size);
            continue;
        }
        for (int64_t k = 0; k < size; k += CHUNK)
            memcpy(some + copied + k, list + k, CHUNK * sizeof *some);
        copied += size;
    }
    add_list(sums, some, copied);
}

/* Add up what is asked for. sums: of the first row of the script. */
WIDE
APART void answer(struct asked *asked, const struct block *block, uint16_t *sums)
{
    const uint16_t *row[ASKED + AHEAD], *const *rows = row;
    const uint32_t *lists = asked->list;
    for (int64_t i = 0; i < asked->rows; i++)
        row[i] = block->table + (uint64_t)asked->place[i] * (uint64_t)block->half;
    for (int64_t i = 0; i < AHEAD; i++)
        row[asked->rows + i] = block->table;
    for (int64_t line = 0; line < block->half; line += LINE)
        for (int64_t i = 0; i < AHEAD; i++)
            __builtin_prefetch(rows[i] + line);
    for (int64_t p = 0; p < asked->parts; p++) {
        uint16_t *own = sums + asked->part[p].row * 2 * block->half;
        if (asked->part[p].begins)
            memset(own, 0, 2 * (size_t)block->half * sizeof *own);
        for (int64_t i = 0; i < asked->part[p].lists; i++) {
            __builtin_prefetch(block->rest + block->starts[lists[i]]);
            __builtin_prefetch(block->rest + block->starts[lists[i] + 1]);
        }
        add_rows(own, block->half, rows, asked->part[p].rows);
        add_lists(own, block, lists, asked->part[p].lists);
        rows += asked->part[p].rows;
        lists += asked->part[p].lists;
    }
    asked->parts = asked->rows = asked->lists = 0;
}

/* The sums of the weights of the features of each row, one script after the other.
 *
 * order: the rows, those of the first script first; counts: how many are in each of the scripts. Row r has the features
 * from offsets[r] to offsets[r + 1] - 1; those that are not of its script do not count.
 * blocks: of each script the first fields of `struct block`, in numbers of the table, and where its table begins and where
 * its lists begin in `starts`. `rest` holds 256 times the column plus the weight, below 0 plus 256; CHUNK more numbers stand
 * behind the last list.
 * sums: for each row in that order a number for each column, 2 * half. Returns 0, or WRONG.
 */
int64_t ng_sums(const int32_t *features, int64_t size, const int64_t *offsets, int64_t rows, const int64_t *order,
                const int64_t *counts, int64_t scripts, const int64_t *blocks, const uint16_t *table, int64_t cells,
                const int32_t *starts, int64_t lists, const int32_t *rest, int64_t entries, uint16_t *sums,
                int64_t capacity)
{
    struct asked asked = {0};
    int64_t done = 0;
    for (int64_t script = 0; script < scripts; script++) {
        const int64_t *own = blocks + script * FIELDS;
        struct block block = {own[0], own[1], own[2], own[3], table + own[4], starts + own[5], rest};
        if (block.first < 0 || block.common < 0 || block.rare < 0 || block.half < 0 || block.half % VECTOR ||
            own[4] < 0 || own[5] < 0 || block.first + block.common + block.rare > INT32_MAX ||
            own[4] + (block.common + 1) * block.half > cells || own[5] + block.rare + 1 > lists || counts[script] < 0 ||
            counts[script] > rows - done || counts[script] * 2 * block.half > capacity ||
            block.starts[block.rare] > entries - CHUNK)
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
        capacity -= counts[script] * 2 * block.half;
        sums += counts[script] * 2 * block.half;
    }
    return 0;
}

/* The next weights of a model file (weights.py) -> a table and lists, as ng_sums reads them, of one script.
 *
 * gaps, values: `size` of them. state: how many are done, the cell of the last, and how many weights are in `rest`; all
 * move on. first: the script's first cell. Its `rows` features have `width` cells each; `common` of them become rows of
 * `table`, and a row of zeros behind them, the others lists in `rest`, which has room for `capacity`; starts:
 * rows - common + 1 numbers. Weights beyond `most` are cut. Returns 0, or WRONG.
 */
int64_t ng_unpack(const uint8_t *gaps, const int8_t *values, int64_t size, int64_t *state, int64_t first, int64_t rows,
                  int64_t common, int64_t width, uint16_t *table, int64_t half, int32_t *starts, int32_t *rest,
                  int64_t capacity, int64_t most)
{
    int64_t at = state[0], place = state[1] - first, used = state[2], row = 0, edge = width;
    if (at < 0 || at > size || used < 0 || width < 1 || width > INT32_MAX >> 8 || 2 * half < width || half > INT32_MAX ||
        common < 0 || rows < common || rows > INT32_MAX || capacity > INT32_MAX || most < 0 || most > MIDDLE)
        return WRONG;
    memset(table, MIDDLE, (size_t)((common + 1) * half) * sizeof *table);
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
            uint16_t *cell = table + row * half + column % half;
            *cell = (uint16_t)(*cell + (column < half ? value : value * 256));
        } else {
            if (used >= capacity)
                return WRONG;
            rest[used++] = (int32_t)(column * 256 + (value & 0xFF));
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
