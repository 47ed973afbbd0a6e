#include "ngrams.h"

#include <string.h>

#include "common.h"

#define MULTIPLIER 0x9E3779B1u
#define SPREAD 0x85EBCA6Bu
#define MAX_ORDER 5
#define NONE (-1)
#define LONGEST 64 /* maximum characters of a line in a list of n-grams and words */
#define SOON 24    /* prefetch distance in keys */
#define PLACES 128 /* positions of texts that are looked up in one batch */
#define ROWS 32    /* texts */

#define VECTOR GRAPHLANG_NGRAMS_VECTOR
#define MIDDLE GRAPHLANG_NGRAMS_MIDDLE
#define TOGETHER 3
#define AHEAD 12
#define ASKED 1024 /* rows, and lists, of one batch */
#define MOST 256   /* maximum of these for one part of a text */
#define PARTS 64
#define CHUNK GRAPHLANG_NGRAMS_CHUNK
#define LINE 32 /* numbers of the table */
#define COPIED 512
#define FIELDS GRAPHLANG_NGRAMS_FIELDS
#define COLUMNS GRAPHLANG_NGRAMS_COLUMNS
#define KINDS GRAPHLANG_NGRAMS_KINDS
#define BATCHED 256 /* features that ngrams_regret works on together */

/* Vectors of sixteen, or eight, numbers of a row. */
typedef uint16_t lanes __attribute__((vector_size(32), aligned(2), may_alias));
typedef uint16_t few __attribute__((vector_size(16), aligned(2), may_alias));

#define APART static __attribute__((noinline)) /* keeps the variables of its loop in registers */

static inline uint32_t mix(uint32_t key)
{
    key *= SPREAD;
    key ^= key >> 15;
    return key * MULTIPLIER;
}

/* Hash the letters of a word, independent of its position; `stop` is one past its last letter. */
static uint32_t word_key(const uint32_t *symbols, int64_t begin, int64_t stop)
{
    uint32_t total = 0, power = 1;
    for (int64_t i = begin; i < stop; i++) {
        uint32_t mixed = symbols[i] * SPREAD;
        mixed ^= mixed >> 15;
        total += (mixed + 1) * power;
        power *= MULTIPLIER;
    }
    total ^= total >> 16; /* mixes the high bits into the low ones */
    return total * SPREAD;
}

/* Decode the UTF-8 character at `at` and advance; NONE if the bytes are invalid. */
INLINE int64_t next_character(const uint8_t *text, int64_t size, int64_t *at)
{
    uint32_t value = text[(*at)++];
    if (value < 0x80)
        return value;
    int more = value < 0xC2 ? -1 : value < 0xE0 ? 1 : value < 0xF0 ? 2 : value < 0xF5 ? 3 : -1;
    if (more < 0 || size - *at < more)
        return NONE;
    value &= 0x3Fu >> more;
    for (int i = 0; i < more; i++) {
        uint32_t part = text[(*at)++];
        if ((part & 0xC0) != 0x80)
            return NONE;
        value = value << 6 | (part & 0x3F);
    }
    return value;
}

int64_t graphlang_ngrams_keys(int64_t size, int64_t number, const uint8_t *lines, int64_t longest, uint32_t *keys,
                              uint8_t *sizes)
{
    uint32_t own[LONGEST];
    int64_t known = 0, at = 0;
    if (longest < 1 || longest > LONGEST)
        return GRAPHLANG_WRONG_SIZE;
    for (int more = size > 0; more;) {
        int64_t length = 0;
        uint32_t key = 0;
        while ((more = at < size)) {
            int64_t character = next_character(lines, size, &at);
            if (character == '\n')
                break;
            if (character < 0 || length >= longest)
                return known;
            own[length++] = (uint32_t)character;
        }
        if (known >= number)
            return GRAPHLANG_WRONG_SIZE;
        if (length < 1)
            return known;
        if (length <= MAX_ORDER) {
            for (int64_t i = 0; i < length; i++)
                key = (key + own[i] + (i == 0)) * MULTIPLIER;
        } else {
            if (own[0] != SPACE || own[length - 1] != SPACE)
                return known;
            for (int64_t i = 1; i < length - 1; i++)
                if (own[i] == SPACE)
                    return known;
            key = word_key(own, 1, length - 1);
        }
        sizes[known] = (uint8_t)length;
        keys[known++] = key;
    }
    return known;
}

int graphlang_ngrams_word_keys(int64_t size, int64_t number, const uint32_t *symbols, const int64_t *begins,
                               const int64_t *ends, uint32_t *keys, graphlang_fault *fault)
{
    for (int64_t i = 0; i < number; i++) {
        if (begins[i] < 0 || begins[i] > size)
            return GRAPHLANG_REFUSE(fault, "begins", i, begins[i], 0, size);
        if (ends[i] < begins[i] || ends[i] > size)
            return GRAPHLANG_REFUSE(fault, "ends", i, ends[i], begins[i], size);
        keys[i] = word_key(symbols, begins[i], ends[i]);
    }
    return 0;
}

int graphlang_ngrams_slots(int64_t number, const uint32_t *keys, int64_t bits, uint32_t *slots)
{
    if (bits < 1 || bits > 31)
        return GRAPHLANG_WRONG_SIZE;
    for (int64_t i = 0; i < number; i++)
        slots[i] = mix(keys[i]) >> (32 - bits);
    return 0;
}

/* A slot of the table, from a mixed key: the index of the word of marks, and the bit in it. */
INLINE uint32_t word_of(uint32_t mixed, int64_t bits)
{
    return mixed >> (32 - bits) >> 6;
}

INLINE uint32_t bit_of(uint32_t mixed, int64_t bits)
{
    return mixed >> (32 - bits) & 63;
}

/* Number of words of marks for 2 ** bits slots. */
static int64_t words_of(int64_t bits)
{
    return bits < 6 ? 1 : (int64_t)1 << (bits - 6);
}

/* Index of the entry of the slot of a mixed key, if it is marked. */
INLINE uint32_t place_of_entry(const uint64_t *marks, const uint32_t *before, uint32_t mixed, int64_t bits)
{
    uint32_t word = word_of(mixed, bits);
    return before[word] + (uint32_t)__builtin_popcountll(marks[word] & (((uint64_t)1 << bit_of(mixed, bits)) - 1));
}

int64_t graphlang_ngrams_rank(int64_t words, const uint64_t *marks, uint32_t *before)
{
    int64_t marked = 0;
    if (words > UINT32_MAX >> 6)
        return GRAPHLANG_WRONG_SIZE;
    for (int64_t i = 0; i < words; i++) {
        before[i] = (uint32_t)marked;
        marked += __builtin_popcountll(marks[i]);
    }
    return marked;
}

int64_t graphlang_ngrams_fill(int64_t number, int64_t words, const uint32_t *keys, int64_t bits, uint64_t *marks,
                              uint32_t *before, uint32_t *entries)
{
    if (bits < 1 || bits > 31 || words != words_of(bits) || number >= (int64_t)1 << bits)
        return GRAPHLANG_WRONG_SIZE;
    memset(marks, 0, (size_t)words * sizeof *marks);
    for (int64_t i = 0; i < number; i++) {
        uint32_t mixed = mix(keys[i]);
        uint64_t *word = marks + word_of(mixed, bits), mark = (uint64_t)1 << bit_of(mixed, bits);
        if (i + SOON < number)
            __builtin_prefetch(marks + word_of(mix(keys[i + SOON]), bits), 1);
        if (*word & mark)
            return i;
        *word |= mark;
    }
    graphlang_ngrams_rank(words, marks, before);
    for (int64_t i = 0; i < number; i++) {
        uint32_t mixed = mix(keys[i]);
        entries[place_of_entry(marks, before, mixed, bits)] = mixed << bits | (uint32_t)i;
    }
    return number;
}

/* The table of features: a bitmap of the used slots, and the entries of these. */
struct table {
    const uint64_t *marks;
    const uint32_t *before, *entries;
    int64_t bits;
    uint32_t number;
};

/* A batch of mixed keys to look up, of some texts or parts of them. The marks of their slots are prefetched while the
 * keys are computed; the look-up follows. */
struct sought {
    int64_t parts, places, words;
    struct {
        int64_t row, places, words; /* cumulative counts up to this part */
    } part[ROWS];
    uint32_t key[MAX_ORDER][PLACES]; /* of the n-grams of each length that begin at each place */
    uint32_t word[PLACES];
    int64_t word_place[PLACES];
};

/* Compute the keys of the n-grams that begin at every `step`-th position; see graphlang_ngrams_find for wanted, step. */
INLINE void seek_ngrams(struct sought *sought, const uint32_t *own, int64_t number, int64_t wanted, int64_t highest,
                        int64_t step, const struct table *table)
{
    uint32_t value[PLACES];
    for (int64_t order = 1, next = 0; order <= highest; order++) {
        uint32_t *key = sought->key[next] + sought->places;
        if (order == 1)
            for (int64_t i = 0; i < number; i++)
                value[i] = (own[i] + 1) * MULTIPLIER;
        else
            for (int64_t i = 0; i < number; i++)
                value[i] = (value[i] + own[i + order - 1]) * MULTIPLIER;
        if (!(wanted >> order & 1))
            continue;
        if (step == 1)
            for (int64_t i = 0; i < number; i++)
                key[i] = mix(value[i]);
        else
            for (int64_t i = 0; i * step < number; i++)
                key[i] = mix(value[i * step]);
        for (int64_t i = 0; i * step < number; i++)
            __builtin_prefetch(table->marks + word_of(key[i], table->bits));
        next++;
    }
}

/* Compute the keys of the words that begin between two positions of a text. */
INLINE void seek_words(struct sought *sought, const uint32_t *own, int64_t begin, int64_t end, int64_t length,
                       int64_t step, const struct table *table)
{
    for (int64_t i = begin, stop; i < end; i = stop) {
        stop = i + 1;
        if (own[i] == SPACE || (i && own[i - 1] != SPACE))
            continue;
        while (stop < length && own[stop] != SPACE)
            stop++;
        if (stop - i > MAX_ORDER - 2) {
            uint32_t key = mix(word_key(own, i, stop));
            __builtin_prefetch(table->marks + word_of(key, table->bits));
            sought->word[sought->words] = key;
            sought->word_place[sought->words++] = sought->places + (i - begin) / step;
        }
    }
}

/* Look up the batch and append the numbers of the features to `out`; returns the new length of `out`.
 *
 * Most keys are not features, and their slots are empty. So the marks of all are tested first, which fit into the cache
 * of the first level, and the entries of the used slots are prefetched. */
INLINE int64_t look_up(struct sought *sought, const struct table *table, int64_t orders, int32_t *out, int64_t found,
                       int64_t *offsets)
{
    uint32_t taken[(MAX_ORDER + 1) * PLACES], entry[(MAX_ORDER + 1) * PLACES];
    const uint64_t *marks = table->marks;
    const int64_t bits = table->bits;
    int64_t place = 0, word = 0, number = 0, ends[ROWS];
    for (int64_t p = 0; p < sought->parts; p++) {
        for (;;) {
            int last = word == sought->part[p].words;
            int64_t stop = last ? sought->part[p].places : sought->word_place[word] + 1;
            for (; place < stop; place++)
                for (int64_t order = 0; order < orders; order++) {
                    uint32_t key = sought->key[order][place];
                    taken[number] = key;
                    number += marks[word_of(key, bits)] >> bit_of(key, bits) & 1;
                }
            if (last)
                break;
            uint32_t key = sought->word[word++];
            taken[number] = key;
            number += marks[word_of(key, bits)] >> bit_of(key, bits) & 1;
        }
        ends[p] = number;
    }
    for (int64_t i = 0; i < number; i++) {
        uint32_t at = place_of_entry(marks, table->before, taken[i], bits);
        entry[i] = at < table->number ? at : 0;
        __builtin_prefetch(table->entries + entry[i]);
    }
    for (int64_t p = 0, i = 0; p < sought->parts; p++) {
        for (; i < ends[p]; i++) {
            uint32_t feature = table->entries[entry[i]] ^ taken[i] << bits; /* remaining bits, 0 if the keys are equal */
            out[found] = (int32_t)feature;
            found += feature < table->number;
        }
        offsets[sought->part[p].row + 1] = found;
    }
    sought->parts = sought->places = sought->words = 0;
    return found;
}

WIDE
int64_t graphlang_ngrams_find(int64_t size, int64_t rows, int64_t words, int64_t number, int64_t room,
                              const uint32_t *symbols, const int64_t *starts, const int64_t *lengths, int64_t margin,
                              const uint64_t *marks, const uint32_t *before, const uint32_t *entries, int64_t bits,
                              int64_t wanted, int64_t step, int32_t *out, int64_t *offsets, graphlang_fault *fault)
{
    struct sought sought;
    int64_t found = 0, promised = 0, highest = 0, orders = 0, with_words = wanted & 1;
    for (int64_t order = 1; order <= MAX_ORDER; order++)
        if (wanted >> order & 1) {
            highest = order;
            orders++;
        }
    if (bits < 1 || bits > 31 || words != words_of(bits) || number >= (int64_t)1 << bits || margin < 0 ||
        margin + 1 < highest || step < 1 || PLACES % step)
        return GRAPHLANG_WRONG_SIZE;
    static const uint32_t none;
    const struct table table = {marks, before, number ? entries : &none, bits, (uint32_t)number};
    sought.parts = sought.places = sought.words = 0;
    offsets[0] = 0;
    for (int64_t row = 0; row < rows; row++) {
        int64_t start = starts[row], length = lengths[row], some;
        if (start < 0 || start > size)
            return GRAPHLANG_REFUSE(fault, "starts", row, start, 0, size);
        if (length < 0 || (length && length > size - start - margin))
            return GRAPHLANG_REFUSE(fault, "lengths", row, length, 0, size - start - margin);
        if (room - promised < length * (orders + with_words))
            return GRAPHLANG_WRONG_SIZE;
        promised += length * (orders + with_words);
        const uint32_t *own = symbols + start;
        for (int64_t begin = 0; begin < length || !begin; begin += some ? some : 1) {
            some = length - begin < PLACES ? length - begin : PLACES;
            int64_t most = (some + MAX_ORDER - 1) / MAX_ORDER; /* words that begin there: four letters and a space each */
            if (sought.places + some > PLACES || sought.words + most > PLACES || sought.parts == ROWS)
                found = look_up(&sought, &table, orders, out, found, offsets);
            seek_ngrams(&sought, own + begin, some, wanted, highest, step, &table);
            if (with_words)
                seek_words(&sought, own, begin, begin + some, length, step, &table);
            sought.places += (some + step - 1) / step;
            sought.part[sought.parts].row = row;
            sought.part[sought.parts].places = sought.places;
            sought.part[sought.parts++].words = sought.words;
        }
    }
    return look_up(&sought, &table, orders, out, found, offsets);
}

/* Weights of one script: of the features from `first` on, `common` have a row each in `table`, which has a last row of
 * zeros, and the next `rare` a list each in `rest`, from starts[f] to starts[f + 1] - 1.
 *
 * Number j of a row holds two weights, each plus MIDDLE: that of column j in its low byte, and that of column half + j. So
 * three rows add up without a carry from byte to byte, and none has to be made wider to be added to the sums. */
struct block {
    int64_t first, common, rare, half;
    int64_t entries; /* end of the last list */
    const uint16_t *table;
    const int32_t *starts, *rest;
};

/* Rows of the table and lists for the features of one text, or of a part of it. */
struct part {
    int64_t row, rows, lists;
    int begins;
};

/* Rows and lists for the next features of some texts: all are looked up first, then added, so that
 * a row of weights is prefetched long before it is added, and no branch depends on its kind. */
struct asked {
    int64_t parts, rows, lists;
    struct part part[PARTS];
    uint32_t place[ASKED], list[ASKED];
};

/* Append the features of one part. Their rows are padded to a multiple of TOGETHER. */
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
 * times 256 and those of the first half. Rows that come AHEAD of these are prefetched. */
INLINE void add(uint16_t *both, uint16_t *high, const uint16_t *const *rows, int64_t number, int64_t half)
{
    const uint16_t *const *next = rows + AHEAD;
    int64_t j = 0, line = 0;
    for (; j + LINE <= half; j += LINE) {
        lanes *b = (lanes *)(both + j), *h = (lanes *)(high + j);
        lanes low0 = b[0], low1 = b[1], high0 = h[0], high1 = h[1];
        for (int64_t i = 0; i < number; i += TOGETHER) {
            const lanes *x = (const lanes *)(rows[i] + j), *y = (const lanes *)(rows[i + 1] + j);
            const lanes *z = (const lanes *)(rows[i + 2] + j);
            lanes three0 = x[0] + y[0] + z[0], three1 = x[1] + y[1] + z[1];
            for (int k = 0; k < TOGETHER; k++) {
                __builtin_prefetch(*next + line);
                line += LINE;
                if (line >= half) {
                    line = 0;
                    next++;
                }
            }
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
    for (; next < rows + AHEAD + number; next++, line = 0)
        for (; line < half; line += LINE)
            __builtin_prefetch(*next + line);
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

/* sums += one list of weights. Returns 0, or 1 for a column out of range. */
INLINE int add_list(uint16_t *sums, uint32_t width, const int32_t *list, int64_t size)
{
    for (int64_t k = 0; k < size; k++) {
        uint32_t column = (uint32_t)list[k] >> 8;
        if (column >= width)
            return 1;
        sums[column] = (uint16_t)(sums[column] + (int8_t)list[k]);
    }
    return 0;
}

/* sums += lists of weights. They are concatenated first, because the end of a list is unpredictable for branches. */
INLINE int add_lists(uint16_t *sums, const struct block *block, const uint32_t *lists, int64_t number, int64_t begin,
                     graphlang_fault *fault)
{
    int32_t some[COPIED + CHUNK];
    const uint32_t width = (uint32_t)(2 * block->half);
    int64_t copied = 0;
    int wrong = 0;
    for (int64_t i = 0; i < number && !wrong; i++) {
        int64_t first = block->starts[lists[i]], last = block->starts[lists[i] + 1], size = last - first;
        if (first < 0 || first > block->entries)
            return GRAPHLANG_REFUSE(fault, "starts", begin + lists[i], first, 0, block->entries);
        if (last < first || last > block->entries)
            return GRAPHLANG_REFUSE(fault, "starts", begin + lists[i] + 1, last, first, block->entries);
        const int32_t *list = block->rest + first;
        if (size > COPIED - copied) {
            wrong |= add_list(sums, width, some, copied);
            copied = 0;
        }
        if (size > COPIED) {
            wrong |= add_list(sums, width, list, size);
            continue;
        }
        for (int64_t k = 0; k < size; k += CHUNK)
            __builtin_memcpy(some + copied + k, list + k, CHUNK * sizeof *some); /* the fortified memcpy is not inlined */
        copied += size;
    }
    wrong |= add_list(sums, width, some, copied);
    if (!wrong)
        return 0;
    int64_t at = 0; /* search for the first invalid column of all lists */
    while (at < block->entries && (uint32_t)block->rest[at] >> 8 < width)
        at++;
    return GRAPHLANG_REFUSE(fault, "rest", at, block->rest[at], 0, 256 * (int64_t)width - 1);
}

/* Add up the rows and lists. sums: of the first row of the script; begin: where its lists begin in `starts`. */
WIDE
APART int answer(struct asked *asked, const struct block *block, uint16_t *sums, int64_t begin, graphlang_fault *fault)
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
        if (add_lists(own, block, lists, asked->part[p].lists, begin, fault))
            return GRAPHLANG_OUT_OF_RANGE;
        rows += asked->part[p].rows;
        lists += asked->part[p].lists;
    }
    asked->parts = asked->rows = asked->lists = 0;
    return 0;
}

/* True if a script's line in `blocks` fits the table and the lists. */
static int check_block(const int64_t *own, int64_t script, int64_t cells, int64_t lists, graphlang_fault *fault)
{
    for (int64_t n = 0; n < FIELDS; n++) {
        int64_t most = n == 4 ? cells : n == 5 ? lists : INT32_MAX - 1;
        if (own[n] < 0 || own[n] > most)
            return GRAPHLANG_REFUSE(fault, "blocks", script * FIELDS + n, own[n], 0, most);
    }
    if (own[3] % VECTOR || own[0] + own[1] + own[2] > INT32_MAX || (own[1] + 1) * own[3] > cells - own[4] ||
        own[2] + 1 > lists - own[5])
        return GRAPHLANG_WRONG_SIZE;
    return 0;
}

int graphlang_ngrams_sums(int64_t size, int64_t rows, int64_t classes, int64_t scripts, int64_t cells, int64_t lists,
                          int64_t entries, int64_t room, const int32_t *features, const int64_t *offsets,
                          const int64_t *order, const int64_t *counts, const int64_t *blocks, const uint16_t *table,
                          const int32_t *starts, const int32_t *rest, int16_t *sums, graphlang_fault *fault)
{
    struct asked asked = {0};
    uint16_t *to = (uint16_t *)sums;
    int64_t done = 0;
    if (classes < scripts || entries < CHUNK)
        return GRAPHLANG_WRONG_SIZE;
    for (int64_t script = 0; script < scripts; script++) {
        const int64_t *own = blocks + script * FIELDS;
        int refused = check_block(own, script, cells, lists, fault);
        if (refused)
            return refused;
        struct block block = {own[0], own[1], own[2], own[3], entries - CHUNK, table + own[4], starts + own[5], rest};
        int64_t most = rows - done;
        if (block.half && room / (2 * block.half) < most)
            most = room / (2 * block.half);
        if (counts[script] < 0 || counts[script] > most)
            return GRAPHLANG_REFUSE(fault, "counts", script, counts[script], 0, most);
        for (int64_t i = 0; i < counts[script]; i++) {
            int64_t row = order[done + i];
            if (row < 0 || row >= rows)
                return GRAPHLANG_REFUSE(fault, "order", done + i, row, 0, rows - 1);
            int64_t begin = offsets[row], end = offsets[row + 1];
            if (begin < 0 || begin > size)
                return GRAPHLANG_REFUSE(fault, "offsets", row, begin, 0, size);
            if (end < begin || end > size)
                return GRAPHLANG_REFUSE(fault, "offsets", row + 1, end, begin, size);
            for (int64_t at = begin, number; at < end || at == begin; at += number ? number : 1) {
                number = end - at < MOST ? end - at : MOST;
                if (asked.parts == PARTS || asked.rows + number + TOGETHER > ASKED || asked.lists + number > ASKED)
                    if (answer(&asked, &block, to, own[5], fault))
                        return GRAPHLANG_OUT_OF_RANGE;
                ask(&asked, &block, i, at == begin, features + at, number);
            }
        }
        if (answer(&asked, &block, to, own[5], fault))
            return GRAPHLANG_OUT_OF_RANGE;
        done += counts[script];
        room -= counts[script] * 2 * block.half;
        to += counts[script] * 2 * block.half;
    }
    return 0;
}

/* The weights of one language: a byte of each row of a table, and its entries in lists. */
struct column {
    uint32_t first, common, rare;
    int64_t half, number;
    const uint16_t *cell;
    const int32_t *list;
    int shift;
};

static struct column column_of(const int64_t *own, const uint16_t *table, const int32_t *starts, int64_t number)
{
    int64_t half = own[3];
    return (struct column){(uint32_t)own[0], (uint32_t)own[1], (uint32_t)own[2], half, number,
                           table + own[4] + (number < half ? number : number - half), starts + own[5],
                           number < half ? 0 : 8};
}

int graphlang_ngrams_column(int64_t size, int64_t rows, int64_t scripts, int64_t cells, int64_t lists, int64_t entries,
                            const int32_t *features, const int64_t *offsets, const int64_t *script,
                            const int64_t *column, const int64_t *blocks, const uint16_t *table, const int32_t *starts,
                            const int32_t *rest, int32_t *sums, graphlang_fault *fault)
{
    if (entries < CHUNK)
        return GRAPHLANG_WRONG_SIZE;
    for (int64_t n = 0; n < scripts; n++) {
        int refused = check_block(blocks + n * FIELDS, n, cells, lists, fault);
        if (refused)
            return refused;
    }
    for (int64_t row = 0; row < rows; row++) {
        int64_t begin = offsets[row], end = offsets[row + 1];
        if (script[row] < 0 || script[row] >= scripts)
            return GRAPHLANG_REFUSE(fault, "script", row, script[row], 0, scripts - 1);
        int64_t width = 2 * blocks[script[row] * FIELDS + 3];
        if (column[row] < 0 || column[row] >= width)
            return GRAPHLANG_REFUSE(fault, "column", row, column[row], 0, width - 1);
        if (begin < 0 || begin > size)
            return GRAPHLANG_REFUSE(fault, "offsets", row, begin, 0, size);
        if (end < begin || end > size)
            return GRAPHLANG_REFUSE(fault, "offsets", row + 1, end, begin, size);
    }
    for (int64_t row = -2; row < rows; row++) {
        if (row + 2 < rows) { /* prefetch for the next rows: the starts of lists, then the lists */
            struct column own = column_of(blocks + script[row + 2] * FIELDS, table, starts, column[row + 2]);
            for (int64_t i = offsets[row + 2]; i < offsets[row + 3]; i++) {
                uint32_t place = (uint32_t)features[i] - own.first;
                if (place < own.common)
                    __builtin_prefetch(own.cell + place * own.half);
                else if (place - own.common < own.rare)
                    __builtin_prefetch(own.list + (place - own.common));
            }
        }
        if (row + 1 >= 0 && row + 1 < rows) {
            struct column own = column_of(blocks + script[row + 1] * FIELDS, table, starts, column[row + 1]);
            for (int64_t i = offsets[row + 1]; i < offsets[row + 2]; i++) {
                uint32_t place = (uint32_t)features[i] - own.first;
                if (place < own.common || place - own.common >= own.rare)
                    continue;
                int64_t at = own.list[place - own.common];
                __builtin_prefetch(rest + (at < 0 || at >= entries ? 0 : at));
            }
        }
        if (row < 0)
            continue;
        struct column own = column_of(blocks + script[row] * FIELDS, table, starts, column[row]);
        int64_t sum = 0;
        for (int64_t i = offsets[row]; i < offsets[row + 1]; i++) {
            uint32_t place = (uint32_t)features[i] - own.first;
            if (place < own.common) {
                sum += (own.cell[place * own.half] >> own.shift & 0xFF) - MIDDLE;
            } else if (place - own.common < own.rare) {
                int64_t at = own.list[place - own.common], stop = own.list[place - own.common + 1];
                if (at < 0 || stop < at || stop > entries - CHUNK)
                    return GRAPHLANG_REFUSE(fault, "starts", own.list - starts + place - own.common, at, 0, -1);
                for (; at < stop; at++)
                    if (rest[at] >> 8 == own.number)
                        sum += (int8_t)(rest[at] & 0xFF);
            }
        }
        sums[row] = (int32_t)(sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum);
    }
    return 0;
}

/* The maximum weight of a row of the table, the base of its column included. */
INLINE float greatest_of_row(const uint16_t *cell, int64_t half, const float *base, int64_t width)
{
    float lanes[8], most;
    int64_t low = width < half ? width : half, high = width - low, j = 0;
    for (int k = 0; k < 8; k++)
        lanes[k] = base[0] + (float)(cell[0] & 0xFF);
    for (; j + 8 <= low; j += 8)
        for (int k = 0; k < 8; k++) {
            float value = base[j + k] + (float)(cell[j + k] & 0xFF);
            lanes[k] = value > lanes[k] ? value : lanes[k];
        }
    for (; j < low; j++)
        lanes[0] = base[j] + (float)(cell[j] & 0xFF) > lanes[0] ? base[j] + (float)(cell[j] & 0xFF) : lanes[0];
    for (j = 0; j + 8 <= high; j += 8)
        for (int k = 0; k < 8; k++) {
            float value = base[half + j + k] + (float)(cell[j + k] >> 8);
            lanes[k] = value > lanes[k] ? value : lanes[k];
        }
    for (; j < high; j++)
        lanes[0] = base[half + j] + (float)(cell[j] >> 8) > lanes[0] ? base[half + j] + (float)(cell[j] >> 8) : lanes[0];
    most = lanes[0];
    for (int k = 1; k < 8; k++)
        most = lanes[k] > most ? lanes[k] : most;
    return most - MIDDLE;
}

/* The same, cached: 0 if not yet computed. Concurrent threads compute the same value. */
INLINE float remembered_greatest(int32_t *known, const uint16_t *cell, int64_t half, const float *base, int64_t width)
{
    int32_t bits = __atomic_load_n(known, __ATOMIC_RELAXED);
    float most;
    if (bits) {
        memcpy(&most, &bits, sizeof most);
        return most;
    }
    most = greatest_of_row(cell, half, base, width);
    memcpy(&bits, &most, sizeof bits);
    __atomic_store_n(known, bits, __ATOMIC_RELAXED);
    return most;
}

WIDE
int graphlang_ngrams_regret(int64_t size, int64_t rows, int64_t scripts, int64_t labels, int64_t cells, int64_t lists,
                            int64_t entries, int64_t grams, const int32_t *features, const int64_t *offsets, const int64_t *script,
                            const int64_t *column, const int64_t *columns, const float *base, const int64_t *blocks,
                            const uint16_t *table, const int32_t *starts, const int32_t *rest, const uint8_t *kinds,
                            int32_t *greatest, int64_t *number, float *own, float *most, int64_t *has, graphlang_fault *fault)
{
    if (entries < CHUNK)
        return GRAPHLANG_WRONG_SIZE;
    for (int64_t n = 0; n < scripts; n++) {
        const int64_t *block = blocks + n * FIELDS;
        int refused = check_block(block, n, cells, lists, fault);
        if (refused)
            return refused;
        if (block[0] + block[1] + block[2] > grams)
            return GRAPHLANG_WRONG_SIZE;
        int64_t first = columns[COLUMNS * n], width = columns[COLUMNS * n + 1];
        if (first < 0 || first >= labels)
            return GRAPHLANG_REFUSE(fault, "columns", COLUMNS * n, first, 0, labels - 1);
        int64_t widest = labels - first < 2 * blocks[n * FIELDS + 3] ? labels - first : 2 * blocks[n * FIELDS + 3];
        if (width < 1 || width > widest)
            return GRAPHLANG_REFUSE(fault, "columns", COLUMNS * n + 1, width, 1, widest);
    }
    int64_t before = -1;
    float highest = 0;
    for (int64_t row = 0; row < rows; row++, number += KINDS, own += KINDS, most += KINDS, has += KINDS) {
        for (int kind = 0; kind < KINDS; kind++) {
            number[kind] = has[kind] = 0;
            own[kind] = most[kind] = 0;
        }
        if (column[row] == -1)
            continue;
        int64_t begin = offsets[row], end = offsets[row + 1];
        if (script[row] < 0 || script[row] >= scripts)
            return GRAPHLANG_REFUSE(fault, "script", row, script[row], 0, scripts - 1);
        const int64_t first = columns[COLUMNS * script[row]], width = columns[COLUMNS * script[row] + 1];
        if (column[row] < 0 || column[row] >= width)
            return GRAPHLANG_REFUSE(fault, "column", row, column[row], -1, width - 1);
        if (begin < 0 || begin > size)
            return GRAPHLANG_REFUSE(fault, "offsets", row, begin, 0, size);
        if (end < begin || end > size)
            return GRAPHLANG_REFUSE(fault, "offsets", row + 1, end, begin, size);
        const int64_t *block = blocks + script[row] * FIELDS, half = block[3];
        const uint32_t from = (uint32_t)block[0], common = (uint32_t)block[1], rare = (uint32_t)block[2];
        const uint16_t *cell = table + block[4];
        const int32_t *list = starts + block[5];
        const float *of = base + first;
        int64_t steps[KINDS] = {0}, place = column[row] < half ? column[row] : column[row] - half;
        int64_t shift = column[row] < half ? 0 : 8;
        if (script[row] != before) { /* lower bound of a feature's weight for the language with the greatest base */
            before = script[row];
            highest = of[0];
            for (int64_t j = 1; j < width; j++)
                highest = of[j] > highest ? of[j] : highest;
        }
        while (begin < end) { /* in batches: select features, prefetch, add */
            uint32_t asked[BATCHED];
            uint8_t kind_of[BATCHED];
            int64_t some = 0;
            for (; begin < end && some < BATCHED; begin++) {
                uint32_t feature = (uint32_t)features[begin] - from;
                if (feature >= common + rare || kinds[from + feature] >= KINDS)
                    continue; /* of another script, or not selected */
                kind_of[some] = kinds[from + feature];
                asked[some++] = feature;
                if (feature < common) {
                    __builtin_prefetch(cell + feature * half + place);
                    __builtin_prefetch(greatest + from + feature);
                } else {
                    __builtin_prefetch(list + (feature - common));
                }
            }
            for (int64_t i = 0; i < some; i++)
                if (asked[i] >= common)
                    __builtin_prefetch(rest + list[asked[i] - common]);
            for (int64_t i = 0; i < some; i++) {
                uint32_t feature = asked[i];
                int kind = kind_of[i];
                int64_t step = 0;
                if (feature < common) {
                    const uint16_t *weights = cell + feature * half;
                    step = (weights[place] >> shift & 0xFF) - MIDDLE;
                    most[kind] += remembered_greatest(greatest + from + feature, weights, half, of, width);
                } else {
                    int64_t at = list[feature - common], stop = list[feature - common + 1];
                    if (at < 0 || stop < at || stop > entries - CHUNK)
                        return GRAPHLANG_REFUSE(fault, "starts", list - starts + feature - common, at, 0, -1);
                    float top = highest;
                    for (; at < stop; at++) {
                        int64_t label = rest[at] >> 8;
                        int8_t weight = (int8_t)(rest[at] & 0xFF);
                        if (label < 0 || label >= width)
                            return GRAPHLANG_REFUSE(fault, "rest", at, rest[at], 0, 256 * width - 1);
                        if (label == column[row])
                            step = weight;
                        top = of[label] + (float)weight > top ? of[label] + (float)weight : top;
                    }
                    most[kind] += top;
                }
                steps[kind] += step;
                has[kind] += step != 0;
                number[kind]++;
            }
        }
        for (int kind = 0; kind < KINDS; kind++)
            own[kind] = (float)steps[kind] + (float)number[kind] * of[column[row]];
    }
    return 0;
}

int graphlang_ngrams_unpack(int64_t size, int64_t cells, int64_t lists, int64_t entries, const uint8_t *gaps,
                            const int8_t *values, int64_t *state, int64_t first, int64_t rows, int64_t common,
                            int64_t width, int64_t half, int64_t most, uint16_t *table, int32_t *starts, int32_t *rest,
                            graphlang_fault *fault)
{
    const int64_t farthest = INT64_MAX / 2; /* so that no sum of cells overflows */
    int64_t at = state[0], used = state[2], row = common, edge = width;
    if (at < 0 || at > size)
        return GRAPHLANG_REFUSE(fault, "state", 0, at, 0, size);
    if (used < 0 || used > entries)
        return GRAPHLANG_REFUSE(fault, "state", 2, used, 0, entries);
    if (state[1] < -1 || state[1] > farthest)
        return GRAPHLANG_REFUSE(fault, "state", 1, state[1], -1, farthest);
    if (first < 0 || first > farthest || width < 1 || width > INT32_MAX >> 8 || half < 0 || half > INT32_MAX ||
        2 * half < width || common < 0 || rows < common || rows > INT32_MAX || entries > INT32_MAX || most < 0 ||
        most > MIDDLE || (common + 1) * half > cells || rows - common + 1 > lists)
        return GRAPHLANG_WRONG_SIZE;
    const int32_t limit = (int32_t)most; /* at most MIDDLE */
    int64_t place = state[1] - first;
    memset(table, MIDDLE, (size_t)((common + 1) * half) * sizeof *table);
    starts[0] = (int32_t)used;
    if (at < size && gaps[at] && place + gaps[at] < 0)
        return GRAPHLANG_REFUSE(fault, "state", 1, state[1], first - 1, first + rows * width - 1);
    const int64_t dense = common * width, end = rows * width;
    uint16_t *line = table;
    for (int64_t next; at < size && gaps[at] && (next = place + gaps[at]) < dense; at++) {
        int32_t value = values[at];
        place = next;
        if (!value)
            continue;
        value = value > limit ? limit : value < -limit ? -limit : value;
        for (; place >= edge; edge += width)
            line += half;
        /* 2 * half >= width; a division here would take half of the time of loading a model */
        int64_t column = place - edge + width, high = column >= half;
        uint16_t *cell = line + column - (high ? half : 0);
        *cell = (uint16_t)(*cell + (high ? value * 256 : value));
    }
    edge = dense + width;
    for (int64_t next; at < size && gaps[at] && (next = place + gaps[at]) < end; at++) {
        int32_t value = values[at];
        place = next;
        if (!value)
            continue;
        value = value > limit ? limit : value < -limit ? -limit : value;
        for (; place >= edge; edge += width)
            starts[++row - common] = (int32_t)used;
        if (used >= entries)
            return GRAPHLANG_WRONG_SIZE;
        rest[used++] = (int32_t)((place - edge + width) * 256) + (value & 0xFF);
    }
    if (at < size && !gaps[at])
        return GRAPHLANG_REFUSE(fault, "gaps", at, 0, 1, UINT8_MAX);
    while (row < rows)
        starts[++row - common] = (int32_t)used;
    state[0] = at;
    state[1] = place + first;
    state[2] = used;
    return 0;
}
