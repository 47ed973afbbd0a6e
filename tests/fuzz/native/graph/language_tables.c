/* Lists of scores become tables: every number is in its place, and the largest ones are. */
#include "graph.h"
#include KERNEL_GRAPH_LANGUAGE_TABLES

HARNESS_BEGIN

static int16_t *numbers16(Input *in, int64_t count, int64_t limit, int odd) {
  int16_t *found = array(count, 2);
  for (int64_t n = 0; n < count; n++) found[n] = (int16_t)(odd ? damaged(in, limit) : below(in, limit + 1) - 1);
  return found;
}

void fuzz_language_tables(Input *in) {
  uint8_t how = byte(in);
  int64_t rows = below(in, 5), ranks = below(in, 6), known = 1 + below(in, 9), columns = below(in, 20);
  int64_t keep = below(in, 22), finite = 1;
  int16_t *languages = numbers16(in, rows * ranks, known, how & 1), *column = numbers16(in, known, columns, how & 2);
  float *probabilities = floats(in, rows * ranks, how & 4), *table = array(rows * columns, 4), *largest = array(rows, 4);
  double *sums = array(columns, 8);
  int64_t *best = array(rows * keep, 8);
  graphlang_fault fault;
  for (int64_t n = 0; n < rows * ranks; n++) finite &= isfinite(probabilities[n]) != 0;
  int done = graphlang_score_table((uint64_t)rows, (uint64_t)ranks, (uint64_t)known, (uint64_t)columns, languages,
                                   probabilities, column, table, &fault);
  CHECK(done == 1 || ((how & 3) && done == GRAPHLANG_OUT_OF_RANGE));
  if (done < 0) return;
  memset(sums, 0, (size_t)columns * 8);
  CHECK(graphlang_column_sums((uint64_t)rows, (uint64_t)columns, table, sums) == 1);
  done = graphlang_row_maxima((uint64_t)rows, (uint64_t)columns, table, largest);
  CHECK(done == (columns || !rows ? 1 : GRAPHLANG_WRONG_SIZE));
  done = graphlang_best_columns((uint64_t)rows, (uint64_t)columns, (uint64_t)keep, table, best, &fault);
  if (keep > columns) CHECK(done == GRAPHLANG_OUT_OF_RANGE);
  if (keep > columns || !finite) return;
  CHECK(done == 1);
  for (int64_t row = 0; row < rows; row++)
    for (int64_t n = 0; n < keep; n++) {
      const float *own = table + row * columns;
      int64_t at = best[row * keep + n], before = n ? best[row * keep + n - 1] : at;
      CHECK(at >= 0 && at < columns);
      CHECK(n ? own[before] > own[at] || (own[before] == own[at] && before < at) : own[at] == largest[row]);
    }
}

HARNESS_END
