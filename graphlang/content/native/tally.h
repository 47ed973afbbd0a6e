/* Counting every n-gram of a text, of characters or of bytes; the commonest of them; and what profiles have of them. What
   the steps mean stands in `graphlang.content`: `ngrams.count_all`; and in `graphlang.papers`: `rank_order`,
   `byte_profiles`.

   Pure functions over arrays of the caller, without state or memory of their own, so that threads run them side by side. */
#ifndef GRAPHLANG_TALLY_H
#define GRAPHLANG_TALLY_H
#include "kernel.h"

/* The distinct n-grams of every row, row after row, each with its key, its count, its order and its first place.

   symbols, starts, lengths: the rows, each with `margin` more places behind it. orders: lengths of n-grams. words: leave
   out n-grams with a space inside. slots: room to work in, a power of two, at least twice as many as a row has n-grams.
   row_of, key_of, count_of, order_of, place_of: room for all n-grams of all rows. totals: of each row all n-grams.
   Returns how many distinct n-grams there are. */
int64_t graphlang_tally_count(int64_t size, int64_t rows, int64_t number, int64_t slots_size, int64_t room,
                              const uint32_t symbols[size], const int64_t starts[rows], const int64_t lengths[rows],
                              int64_t margin, const uint8_t orders[number], int64_t words, int64_t slots[slots_size],
                              int64_t row_of[room], uint64_t key_of[room], int64_t count_of[room],
                              int64_t order_of[room], int64_t place_of[room], int64_t totals[rows],
                              graphlang_fault *fault);

/* The `most` commonest n-grams of each row, in order; of equally common ones the shorter, then the one that stands first.

   count, order, place: of the n-grams. offsets: one more than rows; row r has the n-grams offsets[r] to
   offsets[r + 1] - 1. chosen, rank: room for as many of each row as it has, `most` at most. Returns how many are chosen. */
int64_t graphlang_tally_ranks(int64_t size, int64_t edges, int64_t room, const int64_t count[size],
                              const int64_t order[size], const int64_t place[size], const int64_t offsets[edges],
                              int64_t most, int64_t chosen[room], int64_t rank[room], graphlang_fault *fault);

/* The number of each key in a table with open addressing, a power of two of slots, or -1. Refuses a full table. */
int graphlang_tally_find(int64_t size, int64_t slots, const uint64_t keys[size], const uint64_t stored[slots],
                         const int32_t numbers[slots], uint64_t empty, int32_t found[size]);

/* Inner products of sparse rows with a matrix whose rows are dense (dense_of[f] >= 0) or sparse.

   Row r has the features feature[offsets[r]] to feature[offsets[r + 1] - 1], each `value` times; feature f, if it is not
   dense, has values[starts[f]] to values[starts[f + 1] - 1] in those columns. Products are added in that order. */
int graphlang_tally_products(int64_t size, int64_t rows, int64_t features, int64_t common, int64_t width,
                             int64_t entries, const int32_t feature[size], const float value[size],
                             const int64_t offsets[rows + 1], const int32_t dense_of[features],
                             const float dense[common * width], const int64_t starts[features + 1],
                             const int32_t columns[entries], const float values[entries], float out[rows * width],
                             graphlang_fault *fault);

/* How far each text's ranks are off from each list's, less what they cost a list that lacks the n-gram.

   N-gram i, of text row[i], is feature[i] (below 0: of no list) at rank[i], and costs cost[i] where it is lacking; list
   owner[k] has feature f at place[k], starts[f] <= k < starts[f + 1]. Added to `distances`. */
int graphlang_tally_distances(int64_t size, int64_t edges, int64_t entries, int64_t rows, int64_t lists,
                              const int64_t row[size], const int64_t rank[size], const int64_t cost[size],
                              const int32_t feature[size], const int64_t starts[edges], const int64_t owner[entries],
                              const int64_t place[entries], int64_t distances[rows * lists], graphlang_fault *fault);

#endif
