#include "ngrams.h"

#include <string.h>

#include "common.h"

#define MULTIPLIER 0x9E3779B1u
#define SPREAD 0x85EBCA6Bu
#define MAX_ORDER 5
#define NONE (-1)
#define MAX_LINE 64       /* maximum characters of an n-gram or word */
#define PREFETCH_KEYS 24  /* prefetch distance in keys */
#define LOOKUP_PLACES 128 /* positions of texts per batch of look-ups */
#define LOOKUP_PARTS 32   /* texts per batch of look-ups */

#define VECTOR GRAPHLANG_NGRAMS_VECTOR
#define MIDDLE GRAPHLANG_NGRAMS_MIDDLE
#define CHUNK GRAPHLANG_NGRAMS_CHUNK
#define FIELDS GRAPHLANG_NGRAMS_FIELDS
#define COLUMNS GRAPHLANG_NGRAMS_COLUMNS
#define KINDS GRAPHLANG_NGRAMS_KINDS
#define ROWS_AT_ONCE 3     /* rows whose sum fits in bytes */
#define PREFETCH_ROWS 12   /* prefetch distance in rows */
#define BATCH_ROWS 1024    /* rows, and lists, of one batch */
#define PART_FEATURES 256  /* maximum features of one part of a text */
#define PARTS 64           /* maximum parts of one batch */
#define LINE 32            /* numbers of the table in a cache line */
#define COPY_SIZE 512      /* weights of lists that are copied together */
#define BATCH_FEATURES 256 /* features per batch of ngrams_regret */

/* Vectors of sixteen, or eight, numbers of a row. */
typedef uint16_t lanes __attribute__((vector_size(32), aligned(2), may_alias));
typedef uint16_t half_lanes __attribute__((vector_size(16), aligned(2), may_alias));

#define NOINLINE static __attribute__((noinline)) /* keeps the variables of its loop in registers */

static inline uint32_t mix(uint32_t key)
{
    key *= SPREAD;
    key ^= key >> 15;
    return key * MULTIPLIER;
}

/* Hash the letters of a word; `stop` is one past its last letter. */
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
    uint32_t characters[MAX_LINE];
    int64_t count = 0, at = 0;
    if (longest < 1 || longest > MAX_LINE)
        return GRAPHLANG_WRONG_SIZE;
    for (int more = size > 0; more;) {
        int64_t length = 0;
        uint32_t key = 0;
        while ((more = at < size)) {
            int64_t character = next_character(lines, size, &at);
            if (character == '\n')
                break;
            if (character < 0 || length >= longest)
                return count;
            characters[length++] = (uint32_t)character;
        }
        if (count >= number)
            return GRAPHLANG_WRONG_SIZE;
        if (length < 1)
            return count;
        if (length <= MAX_ORDER) {
            for (int64_t i = 0; i < length; i++)
                key = (key + characters[i] + (i == 0)) * MULTIPLIER;
        } else {
            if (characters[0] != SPACE || characters[length - 1] != SPACE)
                return count;
            for (int64_t i = 1; i < length - 1; i++)
                if (characters[i] == SPACE)
                    return count;
            key = word_key(characters, 1, length - 1);
        }
        sizes[count] = (uint8_t)length;
        keys[count++] = key;
    }
    return count;
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

/* Compute the slot of a mixed key: the index of the word of marks, and the bit in it. */
INLINE uint32_t mark_word(uint32_t mixed, int64_t bits)
{
    return mixed >> (32 - bits) >> 6;
}

INLINE uint32_t mark_bit(uint32_t mixed, int64_t bits)
{
    return mixed >> (32 - bits) & 63;
}

/* Count the words of marks for 2 ** bits slots. */
static int64_t count_mark_words(int64_t bits)
{
    return bits < 6 ? 1 : (int64_t)1 << (bits - 6);
}

/* Compute the index of the entry of a marked slot. */
INLINE uint32_t entry_index(const uint64_t *marks, const uint32_t *ranks, uint32_t mixed, int64_t bits)
{
    uint32_t word = mark_word(mixed, bits);
    return ranks[word] + (uint32_t)__builtin_popcountll(marks[word] & (((uint64_t)1 << mark_bit(mixed, bits)) - 1));
}

int64_t graphlang_ngrams_rank(int64_t words, const uint64_t *marks, uint32_t *ranks)
{
    int64_t marked = 0;
    if (words > UINT32_MAX >> 6)
        return GRAPHLANG_WRONG_SIZE;
    for (int64_t i = 0; i < words; i++) {
        ranks[i] = (uint32_t)marked;
        marked += __builtin_popcountll(marks[i]);
    }
    return marked;
}

int64_t graphlang_ngrams_fill(int64_t number, int64_t words, const uint32_t *keys, int64_t bits, uint64_t *marks,
                              uint32_t *ranks, uint32_t *entries)
{
    if (bits < 1 || bits > 31 || words != count_mark_words(bits) || number >= (int64_t)1 << bits)
        return GRAPHLANG_WRONG_SIZE;
    memset(marks, 0, (size_t)words * sizeof *marks);
    for (int64_t i = 0; i < number; i++) {
        uint32_t mixed = mix(keys[i]);
        uint64_t *word = marks + mark_word(mixed, bits), mark = (uint64_t)1 << mark_bit(mixed, bits);
        if (i + PREFETCH_KEYS < number)
            __builtin_prefetch(marks + mark_word(mix(keys[i + PREFETCH_KEYS]), bits), 1);
        if (*word & mark)
            return i;
        *word |= mark;
    }
    graphlang_ngrams_rank(words, marks, ranks);
    for (int64_t i = 0; i < number; i++) {
        uint32_t mixed = mix(keys[i]);
        entries[entry_index(marks, ranks, mixed, bits)] = mixed << bits | (uint32_t)i;
    }
    return number;
}

/* The table of features: a bitmap of the used slots, and the entries of these. */
struct table {
    const uint64_t *marks;
    const uint32_t *ranks, *entries;
    int64_t bits;
    uint32_t number;
};

/* A batch of mixed keys to look up, of texts or parts of texts. The marks of their slots are prefetched while the keys are
 * computed; the look-up follows. */
struct lookup {
    int64_t parts, places, words;
    struct {
        int64_t row, places, words; /* cumulative counts up to this part */
    } part[LOOKUP_PARTS];
    uint32_t key[MAX_ORDER][LOOKUP_PLACES]; /* of the n-grams of each length that begin at each place */
    uint32_t word[LOOKUP_PLACES];
    int64_t word_place[LOOKUP_PLACES];
};

/* Compute the keys of the n-grams that begin at every `step`-th position; see graphlang_ngrams_find for kinds, step. */
INLINE void hash_ngrams(struct lookup *lookup, const uint32_t *text, int64_t number, int64_t kinds, int64_t highest,
                        int64_t step, const struct table *table)
{
    uint32_t value[LOOKUP_PLACES];
    for (int64_t order = 1, next = 0; order <= highest; order++) {
        uint32_t *key = lookup->key[next] + lookup->places;
        if (order == 1)
            for (int64_t i = 0; i < number; i++)
                value[i] = (text[i] + 1) * MULTIPLIER;
        else
            for (int64_t i = 0; i < number; i++)
                value[i] = (value[i] + text[i + order - 1]) * MULTIPLIER;
        if (!(kinds >> order & 1))
            continue;
        if (step == 1)
            for (int64_t i = 0; i < number; i++)
                key[i] = mix(value[i]);
        else
            for (int64_t i = 0; i * step < number; i++)
                key[i] = mix(value[i * step]);
        for (int64_t i = 0; i * step < number; i++)
            __builtin_prefetch(table->marks + mark_word(key[i], table->bits));
        next++;
    }
}

/* Compute the keys of the words that begin between two positions of a text. */
INLINE void hash_words(struct lookup *lookup, const uint32_t *text, int64_t begin, int64_t end, int64_t length,
                       int64_t step, const struct table *table)
{
    for (int64_t i = begin, stop; i < end; i = stop) {
        stop = i + 1;
        if (text[i] == SPACE || (i && text[i - 1] != SPACE))
            continue;
        while (stop < length && text[stop] != SPACE)
            stop++;
        if (stop - i > MAX_ORDER - 2) {
            uint32_t key = mix(word_key(text, i, stop));
            __builtin_prefetch(table->marks + mark_word(key, table->bits));
            lookup->word[lookup->words] = key;
            lookup->word_place[lookup->words++] = lookup->places + (i - begin) / step;
        }
    }
}

/* Look up the batch and append the numbers of the features to `out`; return the new length of `out`.
 *
 * Most keys are not features, and their slots are empty. So all marks are tested first, which fit into the L1 cache, and
 * the entries of the used slots are prefetched. */
INLINE int64_t look_up(struct lookup *lookup, const struct table *table, int64_t orders, int32_t *out, int64_t features,
                       int64_t *offsets)
{
    uint32_t marked[(MAX_ORDER + 1) * LOOKUP_PLACES], entry[(MAX_ORDER + 1) * LOOKUP_PLACES];
    const uint64_t *marks = table->marks;
    const int64_t bits = table->bits;
    int64_t place = 0, word = 0, number = 0, ends[LOOKUP_PARTS];
    for (int64_t p = 0; p < lookup->parts; p++) {
        for (;;) {
            int last = word == lookup->part[p].words;
            int64_t stop = last ? lookup->part[p].places : lookup->word_place[word] + 1;
            for (; place < stop; place++)
                for (int64_t order = 0; order < orders; order++) {
                    uint32_t key = lookup->key[order][place];
                    marked[number] = key;
                    number += marks[mark_word(key, bits)] >> mark_bit(key, bits) & 1;
                }
            if (last)
                break;
            uint32_t key = lookup->word[word++];
            marked[number] = key;
            number += marks[mark_word(key, bits)] >> mark_bit(key, bits) & 1;
        }
        ends[p] = number;
    }
    for (int64_t i = 0; i < number; i++) {
        uint32_t at = entry_index(marks, table->ranks, marked[i], bits);
        entry[i] = at < table->number ? at : 0;
        __builtin_prefetch(table->entries + entry[i]);
    }
    for (int64_t p = 0, i = 0; p < lookup->parts; p++) {
        for (; i < ends[p]; i++) {
            uint32_t feature = table->entries[entry[i]] ^ marked[i] << bits; /* remaining bits, 0 if the keys are equal */
            out[features] = (int32_t)feature;
            features += feature < table->number;
        }
        offsets[lookup->part[p].row + 1] = features;
    }
    lookup->parts = lookup->places = lookup->words = 0;
    return features;
}

WIDE
int64_t graphlang_ngrams_find(int64_t size, int64_t rows, int64_t words, int64_t number, int64_t room,
                              const uint32_t *symbols, const int64_t *starts, const int64_t *lengths, int64_t margin,
                              const uint64_t *marks, const uint32_t *ranks, const uint32_t *entries, int64_t bits,
                              int64_t kinds, int64_t step, int32_t *out, int64_t *offsets, graphlang_fault *fault)
{
    struct lookup lookup;
    int64_t features = 0, reserved = 0, highest = 0, orders = 0, with_words = kinds & 1;
    for (int64_t order = 1; order <= MAX_ORDER; order++)
        if (kinds >> order & 1) {
            highest = order;
            orders++;
        }
    if (bits < 1 || bits > 31 || words != count_mark_words(bits) || number >= (int64_t)1 << bits || margin < 0 ||
        margin + 1 < highest || step < 1 || LOOKUP_PLACES % step)
        return GRAPHLANG_WRONG_SIZE;
    static const uint32_t no_entry;
    const struct table table = {marks, ranks, number ? entries : &no_entry, bits, (uint32_t)number};
    lookup.parts = lookup.places = lookup.words = 0;
    offsets[0] = 0;
    for (int64_t row = 0; row < rows; row++) {
        int64_t start = starts[row], length = lengths[row], places;
        if (start < 0 || start > size)
            return GRAPHLANG_REFUSE(fault, "starts", row, start, 0, size);
        if (length < 0 || (length && length > size - start - margin))
            return GRAPHLANG_REFUSE(fault, "lengths", row, length, 0, size - start - margin);
        if (room - reserved < length * (orders + with_words))
            return GRAPHLANG_WRONG_SIZE;
        reserved += length * (orders + with_words);
        const uint32_t *text = symbols + start;
        for (int64_t begin = 0; begin < length || !begin; begin += places ? places : 1) {
            places = length - begin < LOOKUP_PLACES ? length - begin : LOOKUP_PLACES;
            int64_t max_words = (places + MAX_ORDER - 1) / MAX_ORDER; /* of four letters and a space each */
            if (lookup.places + places > LOOKUP_PLACES || lookup.words + max_words > LOOKUP_PLACES || lookup.parts == LOOKUP_PARTS)
                features = look_up(&lookup, &table, orders, out, features, offsets);
            hash_ngrams(&lookup, text + begin, places, kinds, highest, step, &table);
            if (with_words)
                hash_words(&lookup, text, begin, begin + places, length, step, &table);
            lookup.places += (places + step - 1) / step;
            lookup.part[lookup.parts].row = row;
            lookup.part[lookup.parts].places = lookup.places;
            lookup.part[lookup.parts++].words = lookup.words;
        }
    }
    return look_up(&lookup, &table, orders, out, features, offsets);
}

/* Weights of one script. From feature `first` on, the `common` features have a row each in `table`, which ends with a row of
 * zeros; the next `rare` ones have a list each in `rest`, from starts[f] to starts[f + 1] - 1.
 *
 * Number j of a row holds two weights, each plus MIDDLE: that of column j in its low byte, that of column half + j in its
 * high byte. So the sum of three rows has no carry from byte to byte, and rows are added without widening them. */
struct block {
    int64_t first, common, rare, half;
    int64_t entries; /* end of the last list */
    const uint16_t *table;
    const int32_t *starts, *rest;
};

/* Numbers of table rows and lists for the features of a text or a part of it. */
struct part {
    int64_t row, rows, lists;
    int begins;
};

/* Rows and lists for the features of several texts. All are looked up first, then added: rows of weights are prefetched long
 * before they are added, and no branch depends on whether a feature is common. */
struct batch {
    int64_t parts, rows, lists;
    struct part part[PARTS];
    uint32_t place[BATCH_ROWS], list[BATCH_ROWS];
};

/* Append the features of one part. Their rows are padded to a multiple of TOGETHER. */
NOINLINE void append_part(struct batch *batch, const struct block *block, int64_t row, int begins,
                          const int32_t *features, int64_t number)
{
    const uint32_t first = (uint32_t)block->first, common = (uint32_t)block->common, rare = (uint32_t)block->rare;
    uint32_t *rows = batch->place + batch->rows, *lists = batch->list + batch->lists;
    int64_t dense = 0, sparse = 0;
    for (int64_t i = 0; i < number; i++) {
        uint32_t place = (uint32_t)features[i] - first;
        rows[dense] = place;
        dense += place < common;
        lists[sparse] = place - common;
        sparse += place - common < rare;
    }
    while (dense % ROWS_AT_ONCE)
        rows[dense++] = common; /* zeros */
    for (int64_t i = 0; i < sparse; i++)
        __builtin_prefetch(block->starts + lists[i]);
    batch->part[batch->parts++] = (struct part){row, dense, sparse, begins};
    batch->rows += dense;
    batch->lists += sparse;
}

/* Add rows of the table, a multiple of ROWS_AT_ONCE: to `high` the weights of the second half of the columns, to `both`
 * those times 256 plus those of the first half. Rows PREFETCH_ROWS later are prefetched. */
INLINE void add(uint16_t *both, uint16_t *high, const uint16_t *const *rows, int64_t number, int64_t half)
{
    const uint16_t *const *next = rows + PREFETCH_ROWS;
    int64_t j = 0, line = 0;
    for (; j + LINE <= half; j += LINE) {
        lanes *b = (lanes *)(both + j), *h = (lanes *)(high + j);
        lanes low0 = b[0], low1 = b[1], high0 = h[0], high1 = h[1];
        for (int64_t i = 0; i < number; i += ROWS_AT_ONCE) {
            const lanes *x = (const lanes *)(rows[i] + j), *y = (const lanes *)(rows[i + 1] + j);
            const lanes *z = (const lanes *)(rows[i + 2] + j);
            lanes three0 = x[0] + y[0] + z[0], three1 = x[1] + y[1] + z[1];
            for (int k = 0; k < ROWS_AT_ONCE; k++) {
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
    for (; next < rows + PREFETCH_ROWS + number; next++, line = 0)
        for (; line < half; line += LINE)
            __builtin_prefetch(*next + line);
    for (; j < half; j += VECTOR) {
        half_lanes *b = (half_lanes *)(both + j), *h = (half_lanes *)(high + j), low0 = *b, high0 = *h;
        for (int64_t i = 0; i < number; i += ROWS_AT_ONCE) {
            half_lanes three = *(const half_lanes *)(rows[i] + j) + *(const half_lanes *)(rows[i + 1] + j) +
                               *(const half_lanes *)(rows[i + 2] + j);
            low0 += three;
            high0 += three >> 8;
        }
        *b = low0;
        *h = high0;
    }
}

/* sums += rows of the table, a multiple of ROWS_AT_ONCE. */
INLINE void add_rows(uint16_t *sums, int64_t half, const uint16_t *const *rows, int64_t number)
{
    uint16_t *both = sums, *high = sums + half, middle = (uint16_t)(number * MIDDLE);
    for (int64_t j = 0; j < half; j++)
        both[j] = (uint16_t)(both[j] + (high[j] << 8));
    for (int64_t i = 0; i < number; i += PREFETCH_ROWS)
        add(both, high, rows + i, number - i < PREFETCH_ROWS ? number - i : PREFETCH_ROWS, half);
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
    int32_t copies[COPY_SIZE + CHUNK];
    const uint32_t width = (uint32_t)(2 * block->half);
    int64_t copied = 0;
    int is_invalid = 0;
    for (int64_t i = 0; i < number && !is_invalid; i++) {
        int64_t first = block->starts[lists[i]], last = block->starts[lists[i] + 1], size = last - first;
        if (first < 0 || first > block->entries)
            return GRAPHLANG_REFUSE(fault, "starts", begin + lists[i], first, 0, block->entries);
        if (last < first || last > block->entries)
            return GRAPHLANG_REFUSE(fault, "starts", begin + lists[i] + 1, last, first, block->entries);
        const int32_t *list = block->rest + first;
        if (size > COPY_SIZE - copied) {
            is_invalid |= add_list(sums, width, copies, copied);
            copied = 0;
        }
        if (size > COPY_SIZE) {
            is_invalid |= add_list(sums, width, list, size);
            continue;
        }
        for (int64_t k = 0; k < size; k += CHUNK)
            __builtin_memcpy(copies + copied + k, list + k, CHUNK * sizeof *copies); /* the fortified memcpy is not inlined */
        copied += size;
    }
    is_invalid |= add_list(sums, width, copies, copied);
    if (!is_invalid)
        return 0;
    int64_t at = 0; /* search for the first invalid column of all lists */
    while (at < block->entries && (uint32_t)block->rest[at] >> 8 < width)
        at++;
    return GRAPHLANG_REFUSE(fault, "rest", at, block->rest[at], 0, 256 * (int64_t)width - 1);
}

/* Add the rows and lists of the batch. sums: of the first row of the script; begin: where its lists begin in `starts`. */
WIDE
NOINLINE int add_batch(struct batch *batch, const struct block *block, uint16_t *sums, int64_t begin,
                       graphlang_fault *fault)
{
    const uint16_t *row[BATCH_ROWS + PREFETCH_ROWS], *const *rows = row;
    const uint32_t *lists = batch->list;
    for (int64_t i = 0; i < batch->rows; i++)
        row[i] = block->table + (uint64_t)batch->place[i] * (uint64_t)block->half;
    for (int64_t i = 0; i < PREFETCH_ROWS; i++)
        row[batch->rows + i] = block->table;
    for (int64_t line = 0; line < block->half; line += LINE)
        for (int64_t i = 0; i < PREFETCH_ROWS; i++)
            __builtin_prefetch(rows[i] + line);
    for (int64_t p = 0; p < batch->parts; p++) {
        uint16_t *row_sums = sums + batch->part[p].row * 2 * block->half;
        if (batch->part[p].begins)
            memset(row_sums, 0, 2 * (size_t)block->half * sizeof *row_sums);
        for (int64_t i = 0; i < batch->part[p].lists; i++) {
            __builtin_prefetch(block->rest + block->starts[lists[i]]);
            __builtin_prefetch(block->rest + block->starts[lists[i] + 1]);
        }
        add_rows(row_sums, block->half, rows, batch->part[p].rows);
        if (add_lists(row_sums, block, lists, batch->part[p].lists, begin, fault))
            return GRAPHLANG_OUT_OF_RANGE;
        rows += batch->part[p].rows;
        lists += batch->part[p].lists;
    }
    batch->parts = batch->rows = batch->lists = 0;
    return 0;
}

/* Return 0, or an error if the line of a script in `blocks` does not fit the table and the lists. */
static int check_block(const int64_t *line, int64_t script, int64_t cells, int64_t lists, graphlang_fault *fault)
{
    for (int64_t n = 0; n < FIELDS; n++) {
        int64_t max = n == 4 ? cells : n == 5 ? lists : INT32_MAX - 1;
        if (line[n] < 0 || line[n] > max)
            return GRAPHLANG_REFUSE(fault, "blocks", script * FIELDS + n, line[n], 0, max);
    }
    if (line[3] % VECTOR || line[0] + line[1] + line[2] > INT32_MAX || (line[1] + 1) * line[3] > cells - line[4] ||
        line[2] + 1 > lists - line[5])
        return GRAPHLANG_WRONG_SIZE;
    return 0;
}

int graphlang_ngrams_sums(int64_t size, int64_t rows, int64_t classes, int64_t scripts, int64_t cells, int64_t lists,
                          int64_t entries, int64_t room, const int32_t *features, const int64_t *offsets,
                          const int64_t *order, const int64_t *counts, const int64_t *blocks, const uint16_t *table,
                          const int32_t *starts, const int32_t *rest, int16_t *sums, graphlang_fault *fault)
{
    struct batch batch = {0};
    uint16_t *script_sums = (uint16_t *)sums;
    int64_t done = 0;
    if (classes < scripts || entries < CHUNK)
        return GRAPHLANG_WRONG_SIZE;
    for (int64_t script = 0; script < scripts; script++) {
        const int64_t *line = blocks + script * FIELDS;
        int status = check_block(line, script, cells, lists, fault);
        if (status)
            return status;
        struct block block = {line[0], line[1], line[2], line[3], entries - CHUNK, table + line[4], starts + line[5], rest};
        int64_t max_rows = rows - done;
        if (block.half && room / (2 * block.half) < max_rows)
            max_rows = room / (2 * block.half);
        if (counts[script] < 0 || counts[script] > max_rows)
            return GRAPHLANG_REFUSE(fault, "counts", script, counts[script], 0, max_rows);
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
                number = end - at < PART_FEATURES ? end - at : PART_FEATURES;
                if (batch.parts == PARTS || batch.rows + number + ROWS_AT_ONCE > BATCH_ROWS || batch.lists + number > BATCH_ROWS)
                    if (add_batch(&batch, &block, script_sums, line[5], fault))
                        return GRAPHLANG_OUT_OF_RANGE;
                append_part(&batch, &block, i, at == begin, features + at, number);
            }
        }
        if (add_batch(&batch, &block, script_sums, line[5], fault))
            return GRAPHLANG_OUT_OF_RANGE;
        done += counts[script];
        room -= counts[script] * 2 * block.half;
        script_sums += counts[script] * 2 * block.half;
    }
    return 0;
}

/* The weights of one language: a byte of each table row, and its entries in lists. */
struct column {
    uint32_t first, common, rare;
    int64_t half, number;
    const uint16_t *cell;
    const int32_t *list;
    int shift;
};

static struct column make_column(const int64_t *line, const uint16_t *table, const int32_t *starts, int64_t number)
{
    int64_t half = line[3];
    return (struct column){(uint32_t)line[0], (uint32_t)line[1], (uint32_t)line[2], half, number,
                           table + line[4] + (number < half ? number : number - half), starts + line[5],
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
        int status = check_block(blocks + n * FIELDS, n, cells, lists, fault);
        if (status)
            return status;
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
            struct column weights = make_column(blocks + script[row + 2] * FIELDS, table, starts, column[row + 2]);
            for (int64_t i = offsets[row + 2]; i < offsets[row + 3]; i++) {
                uint32_t place = (uint32_t)features[i] - weights.first;
                if (place < weights.common)
                    __builtin_prefetch(weights.cell + place * weights.half);
                else if (place - weights.common < weights.rare)
                    __builtin_prefetch(weights.list + (place - weights.common));
            }
        }
        if (row + 1 >= 0 && row + 1 < rows) {
            struct column weights = make_column(blocks + script[row + 1] * FIELDS, table, starts, column[row + 1]);
            for (int64_t i = offsets[row + 1]; i < offsets[row + 2]; i++) {
                uint32_t place = (uint32_t)features[i] - weights.first;
                if (place < weights.common || place - weights.common >= weights.rare)
                    continue;
                int64_t at = weights.list[place - weights.common];
                __builtin_prefetch(rest + (at < 0 || at >= entries ? 0 : at));
            }
        }
        if (row < 0)
            continue;
        struct column weights = make_column(blocks + script[row] * FIELDS, table, starts, column[row]);
        int64_t sum = 0;
        for (int64_t i = offsets[row]; i < offsets[row + 1]; i++) {
            uint32_t place = (uint32_t)features[i] - weights.first;
            if (place < weights.common) {
                sum += (weights.cell[place * weights.half] >> weights.shift & 0xFF) - MIDDLE;
            } else if (place - weights.common < weights.rare) {
                int64_t at = weights.list[place - weights.common], stop = weights.list[place - weights.common + 1];
                if (at < 0 || stop < at || stop > entries - CHUNK)
                    return GRAPHLANG_REFUSE(fault, "starts", weights.list - starts + place - weights.common, at, 0, -1);
                for (; at < stop; at++)
                    if (rest[at] >> 8 == weights.number)
                        sum += (int8_t)(rest[at] & 0xFF);
            }
        }
        sums[row] = (int32_t)(sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum);
    }
    return 0;
}

/* Compute the maximum weight of a table row, the base of its column included. */
INLINE float row_maximum(const uint16_t *cell, int64_t half, const float *base, int64_t width)
{
    float maxima[8], maximum;
    int64_t low = width < half ? width : half, high = width - low, j = 0;
    for (int k = 0; k < 8; k++)
        maxima[k] = base[0] + (float)(cell[0] & 0xFF);
    for (; j + 8 <= low; j += 8)
        for (int k = 0; k < 8; k++) {
            float value = base[j + k] + (float)(cell[j + k] & 0xFF);
            maxima[k] = value > maxima[k] ? value : maxima[k];
        }
    for (; j < low; j++)
        maxima[0] = base[j] + (float)(cell[j] & 0xFF) > maxima[0] ? base[j] + (float)(cell[j] & 0xFF) : maxima[0];
    for (j = 0; j + 8 <= high; j += 8)
        for (int k = 0; k < 8; k++) {
            float value = base[half + j + k] + (float)(cell[j + k] >> 8);
            maxima[k] = value > maxima[k] ? value : maxima[k];
        }
    for (; j < high; j++)
        maxima[0] = base[half + j] + (float)(cell[j] >> 8) > maxima[0] ? base[half + j] + (float)(cell[j] >> 8) : maxima[0];
    maximum = maxima[0];
    for (int k = 1; k < 8; k++)
        maximum = maxima[k] > maximum ? maxima[k] : maximum;
    return maximum - MIDDLE;
}

/* Compute row_maximum with a cache, 0 if not yet computed. Concurrent threads compute the same value. */
INLINE float cached_maximum(int32_t *cached, const uint16_t *cell, int64_t half, const float *base, int64_t width)
{
    int32_t bits = __atomic_load_n(cached, __ATOMIC_RELAXED);
    float maximum;
    if (bits) {
        memcpy(&maximum, &bits, sizeof maximum);
        return maximum;
    }
    maximum = row_maximum(cell, half, base, width);
    memcpy(&bits, &maximum, sizeof bits);
    __atomic_store_n(cached, bits, __ATOMIC_RELAXED);
    return maximum;
}

WIDE
int graphlang_ngrams_regret(int64_t size, int64_t rows, int64_t scripts, int64_t labels, int64_t cells, int64_t lists,
                            int64_t entries, int64_t grams, const int32_t *features, const int64_t *offsets,
                            const int64_t *script, const int64_t *column, const int64_t *columns, const float *base,
                            const int64_t *blocks, const uint16_t *table, const int32_t *starts, const int32_t *rest,
                            const uint8_t *kinds, int32_t *greatest, int64_t *counts, float *label_sums,
                            float *best_sums, int64_t *nonzero, graphlang_fault *fault)
{
    if (entries < CHUNK)
        return GRAPHLANG_WRONG_SIZE;
    for (int64_t n = 0; n < scripts; n++) {
        const int64_t *block = blocks + n * FIELDS;
        int status = check_block(block, n, cells, lists, fault);
        if (status)
            return status;
        if (block[0] + block[1] + block[2] > grams)
            return GRAPHLANG_WRONG_SIZE;
        int64_t first = columns[COLUMNS * n], width = columns[COLUMNS * n + 1];
        if (first < 0 || first >= labels)
            return GRAPHLANG_REFUSE(fault, "columns", COLUMNS * n, first, 0, labels - 1);
        int64_t widest = labels - first < 2 * blocks[n * FIELDS + 3] ? labels - first : 2 * blocks[n * FIELDS + 3];
        if (width < 1 || width > widest)
            return GRAPHLANG_REFUSE(fault, "columns", COLUMNS * n + 1, width, 1, widest);
    }
    int64_t previous = -1;
    float highest = 0;
    for (int64_t row = 0; row < rows; row++, counts += KINDS, label_sums += KINDS, best_sums += KINDS, nonzero += KINDS) {
        for (int kind = 0; kind < KINDS; kind++) {
            counts[kind] = nonzero[kind] = 0;
            label_sums[kind] = best_sums[kind] = 0;
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
        const uint32_t first_feature = (uint32_t)block[0], common = (uint32_t)block[1], rare = (uint32_t)block[2];
        const uint16_t *cell = table + block[4];
        const int32_t *list = starts + block[5];
        const float *label_base = base + first;
        int64_t steps[KINDS] = {0}, cell_column = column[row] < half ? column[row] : column[row] - half;
        int64_t shift = column[row] < half ? 0 : 8;
        if (script[row] != previous) { /* lower bound of a feature's weight for the language with the greatest base */
            previous = script[row];
            highest = label_base[0];
            for (int64_t j = 1; j < width; j++)
                highest = label_base[j] > highest ? label_base[j] : highest;
        }
        while (begin < end) { /* in batches: select features, prefetch, add */
            uint32_t selected[BATCH_FEATURES];
            uint8_t selected_kinds[BATCH_FEATURES];
            int64_t selected_size = 0;
            for (; begin < end && selected_size < BATCH_FEATURES; begin++) {
                uint32_t feature = (uint32_t)features[begin] - first_feature;
                if (feature >= common + rare || kinds[first_feature + feature] >= KINDS)
                    continue; /* of another script, or not selected */
                selected_kinds[selected_size] = kinds[first_feature + feature];
                selected[selected_size++] = feature;
                if (feature < common) {
                    __builtin_prefetch(cell + feature * half + cell_column);
                    __builtin_prefetch(greatest + first_feature + feature);
                } else {
                    __builtin_prefetch(list + (feature - common));
                }
            }
            for (int64_t i = 0; i < selected_size; i++)
                if (selected[i] >= common)
                    __builtin_prefetch(rest + list[selected[i] - common]);
            for (int64_t i = 0; i < selected_size; i++) {
                uint32_t feature = selected[i];
                int kind = selected_kinds[i];
                int64_t step = 0;
                if (feature < common) {
                    const uint16_t *weights = cell + feature * half;
                    step = (weights[cell_column] >> shift & 0xFF) - MIDDLE;
                    best_sums[kind] += cached_maximum(greatest + first_feature + feature, weights, half, label_base, width);
                } else {
                    int64_t at = list[feature - common], stop = list[feature - common + 1];
                    if (at < 0 || stop < at || stop > entries - CHUNK)
                        return GRAPHLANG_REFUSE(fault, "starts", list - starts + feature - common, at, 0, -1);
                    float maximum = highest;
                    for (; at < stop; at++) {
                        int64_t label = rest[at] >> 8;
                        int8_t weight = (int8_t)(rest[at] & 0xFF);
                        if (label < 0 || label >= width)
                            return GRAPHLANG_REFUSE(fault, "rest", at, rest[at], 0, 256 * width - 1);
                        if (label == column[row])
                            step = weight;
                        maximum = label_base[label] + (float)weight > maximum ? label_base[label] + (float)weight : maximum;
                    }
                    best_sums[kind] += maximum;
                }
                steps[kind] += step;
                nonzero[kind] += step != 0;
                counts[kind]++;
            }
        }
        for (int kind = 0; kind < KINDS; kind++)
            label_sums[kind] = (float)steps[kind] + (float)counts[kind] * label_base[column[row]];
    }
    return 0;
}

int graphlang_ngrams_unpack(int64_t size, int64_t cells, int64_t lists, int64_t entries, const uint8_t *gaps,
                            const int8_t *values, int64_t *state, int64_t first, int64_t rows, int64_t common,
                            int64_t width, int64_t half, int64_t limit, uint16_t *table, int32_t *starts, int32_t *rest,
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
        2 * half < width || common < 0 || rows < common || rows > INT32_MAX || entries > INT32_MAX || limit < 0 ||
        limit > MIDDLE || (common + 1) * half > cells || rows - common + 1 > lists)
        return GRAPHLANG_WRONG_SIZE;
    const int32_t cut = (int32_t)limit; /* at most MIDDLE */
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
        value = value > cut ? cut : value < -cut ? -cut : value;
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
        value = value > cut ? cut : value < -cut ? -cut : value;
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
