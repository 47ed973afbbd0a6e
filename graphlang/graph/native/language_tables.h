/* Tables with a row for each page and a column for each language; see `graphlang.graph.language_tables`. */
#ifndef GRAPHLANG_LANGUAGE_TABLES_H
#define GRAPHLANG_LANGUAGE_TABLES_H
#include "kernel.h"

/* Lists of scores as a table: of each row's languages (-1: none) the probability is added in the language's `column`, where
   that is not -1. */
int graphlang_score_table(uint64_t rows, uint64_t ranks, uint64_t known, uint64_t columns,
                          const int16_t languages[rows * ranks], const float probabilities[rows * ranks],
                          const int16_t column[known], float table[rows * columns], graphlang_fault *fault);

/* The largest number of each row; no number where one of them is none. */
int graphlang_row_maxima(uint64_t rows, uint64_t columns, const float table[rows * columns], float largest[rows]);

/* The columns of the `keep` largest numbers of each row, largest first, equal ones in the order of the columns. */
int graphlang_best_columns(uint64_t rows, uint64_t columns, uint64_t keep, const float table[rows * columns],
                           int64_t best[rows * keep], graphlang_fault *fault);

/* Add up each column, row after row. */
int graphlang_column_sums(uint64_t rows, uint64_t columns, const float table[rows * columns], double sums[columns]);

#endif
