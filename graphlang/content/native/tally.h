/* Count all n-grams of texts (characters or bytes), rank them, and compare them with profiles. `graphlang.content`
   (`ngrams.count_all`) and `graphlang.papers` (`rank_order`, `byte_profiles`) explain the steps.

   Pure functions over the caller's arrays: no state, no memory of their own, safe to call from several threads at once. */
#ifndef GRAPHLANG_TALLY_H
#define GRAPHLANG_TALLY_H
#include "kernel.h"

/* Count the distinct n-grams of every row. Entries are in order of rows; each has its row, key, count, order, and first
   place.

   symbols, starts, lengths: the rows, each followed by `margin` more places. orders: lengths of n-grams. within_words: leave
   out n-grams with a space inside. slots: working memory, a power of two, at least twice as many as a row has n-grams.
   entry_*: need room for all n-grams of all rows. totals: n-grams of each row, repeats included. Returns the number of
   entries. */
int64_t graphlang_tally_count(int64_t size, int64_t rows, int64_t number, int64_t slots_size, int64_t room,
                              const uint32_t symbols[size], const int64_t starts[rows], const int64_t lengths[rows],
                              int64_t margin, const uint8_t orders[number], int64_t within_words,
                              int64_t slots[slots_size], int64_t entry_row[room], uint64_t entry_key[room],
                              int64_t entry_count[room], int64_t entry_order[room], int64_t entry_place[room],
                              int64_t totals[rows], graphlang_fault *fault);

/* Choose the `limit` most frequent n-grams of each row, in order; ties go to the shorter, then to the earlier one.

   count, order, place: of each n-gram. offsets: row r has the n-grams offsets[r] to offsets[r + 1] - 1. chosen, rank: need
   room for at most `limit` n-grams per row. Returns how many are chosen. */
int64_t graphlang_tally_ranks(int64_t size, int64_t edges, int64_t room, const int64_t count[size],
                              const int64_t order[size], const int64_t place[size], const int64_t offsets[edges],
                              int64_t limit, int64_t chosen[room], int64_t rank[room], graphlang_fault *fault);

/* Look up the number of each key in a hash table with open addressing and a power of two of slots; -1 if it is missing.
   Refuses a full table. */
int graphlang_tally_find(int64_t size, int64_t slots, const uint64_t keys[size], const uint64_t stored[slots],
                         const int32_t numbers[slots], uint64_t empty, int32_t indices[size]);

/* Multiply sparse rows by a matrix whose rows are dense (dense_row[f] >= 0) or sparse.

   Row r has the features feature[offsets[r]] to feature[offsets[r + 1] - 1], with the coefficients in `value`. The row of a
   sparse feature f has values[starts[f]] to values[starts[f + 1] - 1] in the columns of the same index. Products are added
   in that order. */
int graphlang_tally_products(int64_t size, int64_t rows, int64_t features, int64_t common, int64_t width,
                             int64_t entries, const int32_t feature[size], const float value[size],
                             const int64_t offsets[rows + 1], const int32_t dense_row[features],
                             const float dense[common * width], const int64_t starts[features + 1],
                             const int32_t columns[entries], const float values[entries], float out[rows * width],
                             graphlang_fault *fault);

/* Add up how far the ranks of n-grams in a text are from those in a list, less the cost of a missing n-gram.

   N-gram i of text row[i] is feature[i] (below 0: in no list), has rank[i], and costs cost[i] if it is missing. List owner[k]
   has feature f at place[k], for starts[f] <= k < starts[f + 1]. Added to `distances`. */
int graphlang_tally_distances(int64_t size, int64_t edges, int64_t entries, int64_t rows, int64_t lists,
                              const int64_t row[size], const int64_t rank[size], const int64_t cost[size],
                              const int32_t feature[size], const int64_t starts[edges], const int64_t owner[entries],
                              const int64_t place[entries], int64_t distances[rows * lists], graphlang_fault *fault);

#endif
