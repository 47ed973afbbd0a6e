/* Letters -> features of a vocabulary -> sums of the languages' weights. What the steps mean stands in
   `graphlang.content.ngrams` (`keys`, `table`) and `graphlang.content.nfc.sparse_weights`.

   Pure functions over arrays of the caller, without state or memory of their own, so that threads run them side by side. */
#ifndef GRAPHLANG_NGRAMS_H
#define GRAPHLANG_NGRAMS_H
#include "kernel.h"

enum {
  GRAPHLANG_NGRAMS_COLUMNS = 3, /* of a line in `columns` */
  GRAPHLANG_NGRAMS_KINDS = 3, /* of features that are asked about one language (`nfc.doubt`) */
  GRAPHLANG_NGRAMS_FIELDS = 6, /* of a script's line in `blocks` */
  GRAPHLANG_NGRAMS_CHUNK = 16, /* numbers behind the last list of weights */
  GRAPHLANG_NGRAMS_VECTOR = 8, /* rows of weights are a multiple of it long */
  GRAPHLANG_NGRAMS_MIDDLE = 40 /* of a byte that holds a weight: three add up to 240 at most */
};

/* Keys of n-grams and words, a line each: those of up to five characters, and longer ones between their two spaces.

   lines: in UTF-8; a line feed stands between two. sizes: characters of each. Returns how many stand before the first one
   that is empty, longer than `longest`, too long for an n-gram and no word, or not in UTF-8. Refuses more lines than
   there is room for. */
int64_t graphlang_ngrams_keys(int64_t size, int64_t number, const uint8_t lines[size], int64_t longest,
                              uint32_t keys[number], uint8_t sizes[number]);

/* Keys of the words that stand between some places. Refuses a place outside the text. */
int graphlang_ngrams_word_keys(int64_t size, int64_t number, const uint32_t symbols[size], const int64_t begins[number],
                               const int64_t ends[number], uint32_t keys[number], graphlang_fault *fault);

/* The slot of each key in a table of 2 ** bits slots. */
int graphlang_ngrams_slots(int64_t number, const uint32_t keys[number], int64_t bits, uint32_t slots[number]);

/* Put keys into a table of 2 ** bits slots, of which only those that are taken have room. marks: a bit for each slot, set
   where it is taken, 64 to a number. before: how many are set in the numbers before each. entries: of those slots, in their
   order, the number of the key, and before it the bits of its hash that the slot does not say. Returns how many keys
   stand before the first one whose slot is taken; if that is not all of them, `before` and `entries` mean nothing. */
int64_t graphlang_ngrams_fill(int64_t number, int64_t words, const uint32_t keys[number], int64_t bits,
                              uint64_t marks[words], uint32_t before[words], uint32_t entries[number]);

/* What ngrams_fill puts into `before`. Returns how many bits are set. */
int64_t graphlang_ngrams_rank(int64_t words, const uint64_t marks[words], uint32_t before[words]);

/* The features of every row, in the order in which they begin; of equal beginnings the shorter first, words last.

   symbols, starts, lengths: the rows, each with `margin` more places behind it. marks, before, entries: as ngrams_fill makes
   them, of 2 ** bits slots. wanted: bit n: n-grams of n characters are features; bit 0: words are. step: of the n-grams those
   that begin at a multiple of so many places, a power of two up to 128. out: room for
   every character of every row times the number of bits in `wanted`. offsets: row r gets out[offsets[r]] to
   out[offsets[r + 1] - 1]. Returns how many features there are in all. */
int64_t graphlang_ngrams_find(int64_t size, int64_t rows, int64_t words, int64_t number, int64_t room,
                              const uint32_t symbols[size], const int64_t starts[rows], const int64_t lengths[rows],
                              int64_t margin, const uint64_t marks[words], const uint32_t before[words],
                              const uint32_t entries[number], int64_t bits, int64_t wanted, int64_t step,
                              int32_t out[room], int64_t offsets[rows + 1], graphlang_fault *fault);

/* The sums of the weights of the features of each row, one script after the other.

   order: the rows, those of the first script first; counts: how many are in each of the scripts. Row r has the features
   from offsets[r] to offsets[r + 1] - 1; those that are not of its script do not count. blocks: of each script its first
   feature, how many are common, how many rare, half the length of a row of its sums, and where its table and its lists
   begin. starts, rest: list f is rest[starts[f]] to rest[starts[f + 1] - 1], 256 times the column plus the weight, below
   0 plus 256; CHUNK more numbers stand behind the last list. sums: for each row in that order a number for each column,
   2 * half. */
int graphlang_ngrams_sums(int64_t size, int64_t rows, int64_t classes, int64_t scripts, int64_t cells, int64_t lists,
                          int64_t entries, int64_t room, const int32_t features[size], const int64_t offsets[rows + 1],
                          const int64_t order[rows], const int64_t counts[classes],
                          const int64_t blocks[scripts * GRAPHLANG_NGRAMS_FIELDS], const uint16_t table[cells],
                          const int32_t starts[lists], const int32_t rest[entries], int16_t sums[room],
                          graphlang_fault *fault);

/* The sums of the weights that the features of each row have in one language.

   script, column: of each row its script, and the language among the script's columns. features, offsets, blocks, table,
   starts, rest: as ngrams_sums has them; features that are not of the script do not count. */
int graphlang_ngrams_column(int64_t size, int64_t rows, int64_t scripts, int64_t cells, int64_t lists, int64_t entries,
                            const int32_t features[size], const int64_t offsets[rows + 1], const int64_t script[rows],
                            const int64_t column[rows], const int64_t blocks[scripts * GRAPHLANG_NGRAMS_FIELDS],
                            const uint16_t table[cells], const int32_t starts[lists], const int32_t rest[entries],
                            int32_t sums[rows], graphlang_fault *fault);

/* What the features of each row say for one language, and what each of them says for the one that it says most for.

   script, column: as ngrams_column has them; a row of column -1 is left out, and gets 0. columns: of each script its first
   label, how many it has, and a number that is not read. base: of each label, added to the weights of its column, in their
   unit. kinds: of each feature of the vocabulary; those of GRAPHLANG_NGRAMS_KINDS and more are left out. greatest: what
   earlier calls with the same base and table found of common features, 0 before the first one. Of each row and
   kind, number: how many features are of the row's script; own: the sum of what they say for the language, base included;
   most: the sum of the greatest that each says for any; has: how many of them have a weight in the language. features,
   offsets, blocks, table, starts, rest: as ngrams_sums has them. */
int graphlang_ngrams_regret(int64_t size, int64_t rows, int64_t scripts, int64_t labels, int64_t cells, int64_t lists,
                            int64_t entries, int64_t grams, const int32_t features[size], const int64_t offsets[rows + 1],
                            const int64_t script[rows], const int64_t column[rows],
                            const int64_t columns[scripts * GRAPHLANG_NGRAMS_COLUMNS],
                            const float base[labels], const int64_t blocks[scripts * GRAPHLANG_NGRAMS_FIELDS],
                            const uint16_t table[cells], const int32_t starts[lists], const int32_t rest[entries],
                            const uint8_t kinds[grams], int32_t greatest[grams], int64_t number[rows * GRAPHLANG_NGRAMS_KINDS],
                            float own[rows * GRAPHLANG_NGRAMS_KINDS], float most[rows * GRAPHLANG_NGRAMS_KINDS],
                            int64_t has[rows * GRAPHLANG_NGRAMS_KINDS], graphlang_fault *fault);

/* The next weights of a model file -> a table and lists of one script, as ngrams_sums reads them.

   gaps, values: see `weight_codec`. state: how many are done, the cell of the last, and how many weights are in `rest`;
   all move on. first: the script's first cell. Its `rows` features have `width` cells each; `common` of them become rows
   of `table`, and a row of zeros behind them, the others lists in `rest`; starts: rows - common + 1 numbers. Weights
   beyond `most` are cut. */
int graphlang_ngrams_unpack(int64_t size, int64_t cells, int64_t lists, int64_t entries, const uint8_t gaps[size],
                            const int8_t values[size], int64_t state[3], int64_t first, int64_t rows, int64_t common,
                            int64_t width, int64_t half, int64_t most, uint16_t table[cells], int32_t starts[lists],
                            int32_t rest[entries], graphlang_fault *fault);

#endif
