/* Tables with a row for each page and a column for each language; see `graphlang.graph.tables`. */
#ifndef GRAPHLANG_LANGUAGE_TABLES_H
#define GRAPHLANG_LANGUAGE_TABLES_H
#include "kernel.h"

/* Convert score lists to a table: the probability of each language (-1: none) is added to its `column`, if not -1. */
int graphlang_score_table(uint64_t rows, uint64_t ranks, uint64_t known, uint64_t columns,
                          const int16_t languages[rows * ranks], const float probabilities[rows * ranks],
                          const int16_t column[known], float table[rows * columns], graphlang_fault *fault);

/* Compute the maximum of each row; NaN if a number is NaN. */
int graphlang_row_maxima(uint64_t rows, uint64_t columns, const float table[rows * columns], float largest[rows]);

/* List the columns of the `keep` largest numbers of each row, largest first, ties by column. */
int graphlang_best_columns(uint64_t rows, uint64_t columns, uint64_t keep, const float table[rows * columns],
                           int64_t best[rows * keep], graphlang_fault *fault);

/* Sum each column, in row order. */
int graphlang_column_sums(uint64_t rows, uint64_t columns, const float table[rows * columns], double sums[columns]);

#endif
