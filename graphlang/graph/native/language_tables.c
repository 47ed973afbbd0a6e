#include "language_tables.h"

#include <math.h>
#include <string.h>

#include "checks.h"

int graphlang_score_table(uint64_t rows, uint64_t ranks, uint64_t known, uint64_t columns, const int16_t *languages,
                          const float *probabilities, const int16_t *column, float *table, graphlang_fault *fault) {
  memset(table, 0, rows * columns * sizeof *table);
  for (uint64_t row = 0; row < rows; row++)
    for (uint64_t i = row * ranks; i < (row + 1) * ranks; i++) {
      int16_t language = languages[i];
      if (language == -1) continue;
      if (!IS_INDEX(language, known)) return GRAPHLANG_REFUSE(fault, "languages", i, language, -1, (int64_t)known - 1);
      int16_t at = column[language];
      if (at == -1 || !(probabilities[i] > 0)) continue;
      if (!IS_INDEX(at, columns)) return GRAPHLANG_REFUSE(fault, "column", language, at, -1, (int64_t)columns - 1);
      table[row * columns + (uint64_t)at] += probabilities[i];
    }
  return 1;
}

int graphlang_row_maxima(uint64_t rows, uint64_t columns, const float *table, float *largest) {
  enum { SIDE_BY_SIDE = 8 };
  if (!columns) return rows ? GRAPHLANG_WRONG_SIZE : 1;
  for (uint64_t row = 0; row < rows; row++) {
    const float *table_row = table + row * columns;
    float most[SIDE_BY_SIDE]; /* independent partial maxima */
    int wrong = 0;
    uint64_t i = 0;
    for (int j = 0; j < SIDE_BY_SIDE; j++) most[j] = table_row[0];
    for (; i + SIDE_BY_SIDE <= columns; i += SIDE_BY_SIDE)
      for (int j = 0; j < SIDE_BY_SIDE; j++) {
        most[j] = table_row[i + (uint64_t)j] > most[j] ? table_row[i + (uint64_t)j] : most[j];
        wrong |= table_row[i + (uint64_t)j] != table_row[i + (uint64_t)j];
      }
    for (; i < columns; i++) {
      most[0] = table_row[i] > most[0] ? table_row[i] : most[0];
      wrong |= table_row[i] != table_row[i];
    }
    for (int j = 1; j < SIDE_BY_SIDE; j++) most[0] = most[j] > most[0] ? most[j] : most[0];
    largest[row] = wrong ? NAN : most[0];
  }
  return 1;
}

int graphlang_best_columns(uint64_t rows, uint64_t columns, uint64_t keep, const float *table, int64_t *best,
                           graphlang_fault *fault) {
  if (keep > columns) return GRAPHLANG_REFUSE(fault, "keep", 0, keep, 0, columns);
  if (!keep) return 1;
  for (uint64_t row = 0; row < rows; row++) {
    const float *table_row = table + row * columns;
    int64_t *best_row = best + row * keep;
    uint64_t match = 0;
    for (uint64_t i = 0; i < columns; i++) {
      if (table_row[i] != table_row[i]) return GRAPHLANG_REFUSE_NUMBER(fault, "table", row * columns + i);
      if (match == keep && !(table_row[i] > table_row[best_row[match - 1]])) continue;
      uint64_t at = match < keep ? match++ : match - 1;
      for (; at && table_row[i] > table_row[best_row[at - 1]]; at--) best_row[at] = best_row[at - 1];
      best_row[at] = (int64_t)i;
    }
  }
  return 1;
}

int graphlang_column_sums(uint64_t rows, uint64_t columns, const float *table, double *sums) {
  for (uint64_t row = 0; row < rows; row++)
    for (uint64_t i = 0; i < columns; i++) sums[i] += (double)table[row * columns + i];
  return 1;
}
