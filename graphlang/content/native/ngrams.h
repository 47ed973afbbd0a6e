/* Letters -> features of a vocabulary -> sums of the weights of languages. `graphlang.content.ngrams` (`keys`,
   `vocabulary`) and `graphlang.content.nfc.sparse_weights` explain the steps.

   Pure functions over the caller's arrays: no state, no memory of their own, safe to call from several threads at once. */
#ifndef GRAPHLANG_NGRAMS_H
#define GRAPHLANG_NGRAMS_H
#include "kernel.h"

enum {
  GRAPHLANG_NGRAMS_COLUMNS = 3, /* numbers of each script in `columns` */
  GRAPHLANG_NGRAMS_KINDS = 3, /* of features that are compared for one language (`nfc.doubt`) */
  GRAPHLANG_NGRAMS_FIELDS = 6, /* numbers of each script in `blocks` */
  GRAPHLANG_NGRAMS_CHUNK = 16, /* numbers of padding after the last list of weights */
  GRAPHLANG_NGRAMS_VECTOR = 8, /* the length of a table row is a multiple of this */
  GRAPHLANG_NGRAMS_MIDDLE = 40 /* added to a weight to store it in a byte: the sum of three is at most 240 */
};

/* Compute the keys of n-grams and words, one per line: n-grams of up to five characters, or words between two spaces.

   lines: UTF-8, separated by line feeds. longest: maximum characters of a line. sizes: characters of each. Returns the
   number of valid lines before the first that is empty, too long, neither n-gram nor word, or invalid UTF-8. Refuses more
   lines than `keys` has room for. */
int64_t graphlang_ngrams_keys(int64_t size, int64_t number, const uint8_t lines[size], int64_t longest,
                              uint32_t keys[number], uint8_t sizes[number]);

/* Compute the keys of words: word w is symbols[begins[w]] to symbols[ends[w] - 1]. Refuses positions outside the text. */
int graphlang_ngrams_word_keys(int64_t size, int64_t number, const uint32_t symbols[size], const int64_t begins[number],
                               const int64_t ends[number], uint32_t keys[number], graphlang_fault *fault);

/* Compute the slot of each key in a table of 2 ** bits slots. */
int graphlang_ngrams_slots(int64_t number, const uint32_t keys[number], int64_t bits, uint32_t slots[number]);

/* Build a table of keys with 2 ** bits slots, as a bitmap with ranks: only used slots take room in `entries`.

   marks: one bit per slot, 64 to a word, set if it is used. ranks: of each word the number of bits set in the words before
   it. entries: of each used slot, in order, the number of its key, and above it the bits of the hash that do not follow from
   the slot. Returns how many keys were added before the first whose slot is used already; if that is not all of them, `ranks`
   and `entries` are not valid. */
int64_t graphlang_ngrams_fill(int64_t number, int64_t words, const uint32_t keys[number], int64_t bits,
                              uint64_t marks[words], uint32_t ranks[words], uint32_t entries[number]);

/* Compute the `ranks` of ngrams_fill. Returns how many bits are set. */
int64_t graphlang_ngrams_rank(int64_t words, const uint64_t marks[words], uint32_t ranks[words]);

/* Find the features of every row, ordered by where they begin; at one place the shorter first, words last.

   symbols, starts, lengths: the rows, each followed by `margin` more places. marks, ranks, entries: of ngrams_fill, for
   2 ** bits slots. kinds: bit n: n-grams of n characters are features; bit 0: words are. step: only n-grams that begin at
   multiples of it count, a power of two up to 128. out: needs room for the characters of all rows times the number of
   bits in `kinds`. offsets: row r gets out[offsets[r]] to out[offsets[r + 1] - 1]. Returns the number of features. */
int64_t graphlang_ngrams_find(int64_t size, int64_t rows, int64_t words, int64_t number, int64_t room,
                              const uint32_t symbols[size], const int64_t starts[rows], const int64_t lengths[rows],
                              int64_t margin, const uint64_t marks[words], const uint32_t ranks[words],
                              const uint32_t entries[number], int64_t bits, int64_t kinds, int64_t step,
                              int32_t out[room], int64_t offsets[rows + 1], graphlang_fault *fault);

/* Sum the weights of the features of each row, one script after the other.

   order: the rows, grouped by script; counts: rows of each script. Row r has the features offsets[r] to offsets[r + 1] - 1;
   those of another script do not count. blocks: of each script its first feature, its number of common features and of
   rare ones, half the length of its rows of sums, and where its table and its lists begin. starts, rest: list f is
   rest[starts[f]] to rest[starts[f + 1] - 1], each 256 times the column plus the weight modulo 256; CHUNK more numbers
   follow the last list. sums: 2 * half numbers for each row, in the order of `order`. */
int graphlang_ngrams_sums(int64_t size, int64_t rows, int64_t classes, int64_t scripts, int64_t cells, int64_t lists,
                          int64_t entries, int64_t room, const int32_t features[size], const int64_t offsets[rows + 1],
                          const int64_t order[rows], const int64_t counts[classes],
                          const int64_t blocks[scripts * GRAPHLANG_NGRAMS_FIELDS], const uint16_t table[cells],
                          const int32_t starts[lists], const int32_t rest[entries], int16_t sums[room],
                          graphlang_fault *fault);

/* Sum the weights of the features of each row in one language.

   script, column: of each row its script, and the language among the columns of the script. features, offsets, blocks,
   table, starts, rest: as in ngrams_sums; features of another script do not count. */
int graphlang_ngrams_column(int64_t size, int64_t rows, int64_t scripts, int64_t cells, int64_t lists, int64_t entries,
                            const int32_t features[size], const int64_t offsets[rows + 1], const int64_t script[rows],
                            const int64_t column[rows], const int64_t blocks[scripts * GRAPHLANG_NGRAMS_FIELDS],
                            const uint16_t table[cells], const int32_t starts[lists], const int32_t rest[entries],
                            int32_t sums[rows], graphlang_fault *fault);

/* Compare the weight of each feature in one language with the greatest that it has in any, summed by row and kind.

   script, column: as in ngrams_column; a row of column -1 is skipped and gets zeros. columns: of each script its first
   label, its number of labels, and a number that is not read. base: of each label, added to the weights of its column, in
   the same unit. kinds: of each feature of the vocabulary; features of kind KINDS and more do not count. greatest: a cache
   of the greatest weight of each common feature for the same base and table, at first zeros. features, offsets, blocks,
   table, starts, rest: as in ngrams_sums.
   Of each row and kind, counts: features of the row's script; label_sums: sum of their weights in the language, base
   included; best_sums: sum of the greatest weight of each; nonzero: features with a weight in the language. */
int graphlang_ngrams_regret(int64_t size, int64_t rows, int64_t scripts, int64_t labels, int64_t cells, int64_t lists,
                            int64_t entries, int64_t grams, const int32_t features[size],
                            const int64_t offsets[rows + 1], const int64_t script[rows], const int64_t column[rows],
                            const int64_t columns[scripts * GRAPHLANG_NGRAMS_COLUMNS], const float base[labels],
                            const int64_t blocks[scripts * GRAPHLANG_NGRAMS_FIELDS], const uint16_t table[cells],
                            const int32_t starts[lists], const int32_t rest[entries], const uint8_t kinds[grams],
                            int32_t greatest[grams], int64_t counts[rows * GRAPHLANG_NGRAMS_KINDS],
                            float label_sums[rows * GRAPHLANG_NGRAMS_KINDS],
                            float best_sums[rows * GRAPHLANG_NGRAMS_KINDS],
                            int64_t nonzero[rows * GRAPHLANG_NGRAMS_KINDS], graphlang_fault *fault);

/* Unpack the next weights of a model file into the table and lists of one script, as ngrams_sums reads them.

   gaps, values: see `weight_codec`. state: weights read, the cell of the last one, and the length of `rest`; updated.
   first: the script's first cell. The script has `rows` features of `width` cells each. The first `common` become rows of
   `table`, followed by a row of zeros; the others become lists in `rest`. starts: rows - common + 1 numbers. Weights are
   clipped to -limit..limit. */
int graphlang_ngrams_unpack(int64_t size, int64_t cells, int64_t lists, int64_t entries, const uint8_t gaps[size],
                            const int8_t values[size], int64_t state[3], int64_t first, int64_t rows, int64_t common,
                            int64_t width, int64_t half, int64_t limit, uint16_t table[cells], int32_t starts[lists],
                            int32_t rest[entries], graphlang_fault *fault);

#endif
