/* Counting every n-gram: counts sum up, ranks are in order, and products and distances are what slow loops say. */
#include "stages.h"
#include KERNEL_TALLY

HARNESS_BEGIN

enum { MOST_ORDERS = 3, MOST_WORK = 20000, MOST_LISTED = 24 };

typedef struct {
  int64_t number, rows;
  int64_t *row, *count, *order, *place, *offsets;
  uint64_t *key;
} Tally;

static int same_gram(const uint32_t *symbols, int64_t one, int64_t other, int64_t order) {
  return !memcmp(symbols + one, symbols + other, (size_t)order * 4);
}

/* Whether an n-gram is counted at a place of a row. */
static int counts_there(const Letters *letters, int64_t row, int64_t i, int64_t order, int words) {
  if (i + order > letters->lengths[row] + letters->margin) return 0;
  for (int64_t j = 1; words && j < order - 1; j++)
    if (letters->symbols[letters->starts[row] + i + j] == SPACE) return 0;
  return 1;
}

static void check_counts(const Letters *letters, const Tally *tally, const uint8_t *orders, int64_t number, int words,
                         const int64_t *totals) {
  int64_t at = 0, work = 0;
  for (int64_t row = 0; row < letters->rows; row++) {
    int64_t sum = 0, first = at, start = letters->starts[row];
    for (; at < tally->number && tally->row[at] == row; at++) {
      sum += tally->count[at];
      CHECK(tally->count[at] > 0 && tally->place[at] >= start && tally->place[at] < start + letters->lengths[row]);
      for (int64_t n = first; n < at; n++) CHECK(tally->key[n] != tally->key[at]);
      work += at - first;
      if (work > MOST_WORK) return;
    }
    CHECK(sum == totals[row]);
    for (int64_t n = first; n < at; n++) {
      int64_t found = 0, earliest = -1;
      for (int64_t i = 0; i < letters->lengths[row]; i++)
        for (int64_t o = 0; o < number; o++) {
          if (orders[o] != tally->order[n] || !counts_there(letters, row, i, orders[o], words)) continue;
          if (!same_gram(letters->symbols, start + i, tally->place[n], orders[o])) continue;
          if (earliest < 0) earliest = start + i;
          found++;
        }
      work += letters->lengths[row];
      CHECK(found == tally->count[n] && earliest == tally->place[n]);
      if (work > MOST_WORK) return;
    }
  }
  CHECK(at == tally->number);
}

static void check_ranks(Input *in, const Tally *tally) {
  int64_t most = below(in, 40), room = 0;
  for (int64_t row = 0; row < tally->rows; row++) {
    int64_t own = tally->offsets[row + 1] - tally->offsets[row];
    room += own < most ? own : most;
  }
  int64_t *chosen = array(room, 8), *rank = array(room, 8), at = 0;
  graphlang_fault fault = {0};
  CHECK(graphlang_tally_ranks(tally->number, tally->rows + 1, room, tally->count, tally->order, tally->place, tally->offsets,
                              most, chosen, rank, &fault) == room);
  for (int64_t row = 0; row < tally->rows; row++) {
    int64_t begin = tally->offsets[row], end = tally->offsets[row + 1], held = end - begin < most ? end - begin : most;
    uint8_t *used = array(end - begin, 1);
    memset(used, 0, (size_t)(end - begin));
    for (int64_t n = 0; n < held; n++, at++) {
      CHECK(rank[at] == n + 1 && chosen[at] >= begin && chosen[at] < end && !used[chosen[at] - begin]++);
      CHECK(!n || before(chosen[at - 1], chosen[at], tally->count, tally->order, tally->place));
    }
    for (int64_t i = begin; i < end && held; i++)
      CHECK(used[i - begin] || before(chosen[at - 1], i, tally->count, tally->order, tally->place));
  }
  int64_t *offsets = copy(tally->offsets, tally->rows + 1, 8);
  offsets[below(in, tally->rows + 1)] = damaged(in, tally->number);
  int64_t found = graphlang_tally_ranks(tally->number, tally->rows + 1, room, tally->count, tally->order, tally->place, offsets,
                                        most, chosen, rank, &fault);
  CHECK(found <= room);
  if (found == GRAPHLANG_OUT_OF_RANGE) check_fault(&fault);
}

static void check_find(Input *in, const Tally *tally) {
  int64_t bits = 1 + below(in, 5), slots = (int64_t)1 << bits, held = 0, full = 1;
  uint64_t empty = ~(uint64_t)0, mask = (uint64_t)slots - 1, *stored = array(slots, 8);
  int32_t *numbers = array(slots, 4), *found = array(tally->number, 4);
  for (int64_t n = 0; n < slots; n++) stored[n] = empty;
  for (int64_t n = 0; n < slots && n < tally->number; n++) {
    if (byte(in) & 1) continue;
    uint64_t slot = tally->key[n] * MULTIPLIER >> (64 - bits);
    while (stored[slot] != empty && stored[slot] != tally->key[n]) slot = (slot + 1) & mask;
    if (stored[slot] == empty && ++held > slots) break;
    stored[slot] = tally->key[n];
    numbers[slot] = (int32_t)n;
  }
  for (int64_t n = 0; n < slots; n++) full &= stored[n] != empty;
  int64_t done = graphlang_tally_find(tally->number, slots, tally->key, stored, numbers, empty, found);
  CHECK(done == 0 || full);
  for (int64_t n = 0; n < tally->number && !done; n++) {
    int64_t expected = -1;
    for (int64_t i = 0; i < slots; i++)
      if (stored[i] == tally->key[n]) expected = numbers[i];
    CHECK(found[n] == expected);
  }
}

void tally_of(Input *in, const Letters *letters) {
  uint8_t orders[MOST_ORDERS], how = byte(in);
  int64_t number = 1 + below(in, MOST_ORDERS), most = 1, room = 0, bits = 4;
  for (int64_t n = 0; n < number; n++) orders[n] = (uint8_t)(1 + below(in, MAX_ORDER));
  for (int64_t n = 1; n < number; n++) /* an order twice is none */
    for (int64_t i = 0; i < n; i++)
      if (orders[i] == orders[n]) number = n;
  const uint8_t *own = copy(orders, number, 1);
  for (int64_t row = 0; row < letters->rows; row++) {
    int64_t grams = letters->lengths[row] * number;
    most = grams > most ? grams : most;
    room += grams;
  }
  while ((int64_t)1 << bits < 2 * most) bits++;
  int64_t *slots = array((int64_t)1 << bits, 8), *totals = array(letters->rows, 8);
  graphlang_fault fault = {0};
  Tally tally = {.rows = letters->rows, .row = array(room, 8), .count = array(room, 8), .order = array(room, 8),
                 .place = array(room, 8), .key = array(room, 8), .offsets = array(letters->rows + 1, 8)};
  tally.number = graphlang_tally_count(letters->size, letters->rows, number, (int64_t)1 << bits, room, letters->symbols,
                                       letters->starts, letters->lengths, letters->margin, own, how & 1, slots, tally.row,
                                       tally.key, tally.count, tally.order, tally.place, totals, &fault);
  CHECK(tally.number >= 0 && tally.number <= room);
  check_counts(letters, &tally, own, number, how & 1, totals);
  int64_t at = 0;
  for (int64_t row = 0; row < tally.rows; row++) {
    tally.offsets[row] = at;
    while (at < tally.number && tally.row[at] == row) at++;
  }
  tally.offsets[tally.rows] = at;
  CHECK(at == tally.number);
  check_ranks(in, &tally);
  check_find(in, &tally);

  int64_t *starts = copy(letters->starts, letters->rows, 8), *lengths = copy(letters->lengths, letters->rows, 8);
  if (!letters->rows) return;
  starts[below(in, letters->rows)] = damaged(in, letters->size);
  lengths[below(in, letters->rows)] = damaged(in, letters->size);
  int64_t found = graphlang_tally_count(letters->size, letters->rows, number, (int64_t)1 << bits, room, letters->symbols,
                                        starts, lengths, letters->margin, own, how & 1, slots, tally.row, tally.key,
                                        tally.count, tally.order, tally.place, totals, &fault);
  CHECK(found <= room);
  if (found == GRAPHLANG_OUT_OF_RANGE) check_fault(&fault);
}

/* Sparse rows times a matrix, and distances of ranks. */
void fuzz_products(Input *in) {
  int64_t rows = 1 + below(in, 5), features = 1 + below(in, 8), width = 1 + below(in, 8), size = below(in, 30), dense = 0;
  int64_t *offsets = array(rows + 1, 8), *starts = array(features + 1, 8), entries = 0, wrong = 0;
  int32_t *feature = array(size, 4), *dense_row = array(features, 4);
  float *value = array(size, 4), *out = array(rows * width, 4), *expected = array(rows * width, 4);
  for (int64_t n = 0; n <= rows; n++) offsets[n] = size * n / rows;
  for (int64_t n = 0; n < size; n++) {
    feature[n] = (int32_t)damaged(in, features);
    value[n] = (float)byte(in);
  }
  if (byte(in) & 1) offsets[below(in, rows + 1)] = damaged(in, size);
  for (int64_t n = 0; n < features; n++) {
    uint8_t own = byte(in);
    dense_row[n] = own & 1 ? (int32_t)dense++ : -1;
    starts[n] = entries;
    entries += own & 1 ? 0 : own / 2 % MOST_LISTED;
  }
  starts[features] = entries;
  float *table = array(dense * width, 4), *values = array(entries, 4);
  int32_t *columns = array(entries, 4);
  for (int64_t n = 0; n < dense * width; n++) table[n] = (float)byte(in);
  for (int64_t n = 0; n < entries; n++) {
    columns[n] = (int32_t)damaged(in, width);
    values[n] = (float)byte(in);
  }
  memset(expected, 0, (size_t)(rows * width) * 4);
  for (int64_t row = 0; row < rows && !wrong; row++) {
    wrong = offsets[row] < 0 || offsets[row + 1] < offsets[row] || offsets[row + 1] > size;
    for (int64_t i = offsets[row]; !wrong && i < offsets[row + 1]; i++) {
      wrong = feature[i] < 0 || feature[i] >= features;
      if (wrong) break;
      for (int64_t j = 0; dense_row[feature[i]] >= 0 && j < width; j++)
        expected[row * width + j] += value[i] * table[dense_row[feature[i]] * width + j];
      for (int64_t k = starts[feature[i]]; k < starts[feature[i] + 1] && !wrong; k++) {
        wrong = columns[k] < 0 || columns[k] >= width;
        if (wrong) break;
        expected[row * width + columns[k]] += value[i] * values[k];
      }
    }
  }
  graphlang_fault fault = {0};
  int64_t done = graphlang_tally_products(size, rows, features, dense, width, entries, feature, value, offsets, dense_row, table,
                                          starts, columns, values, out, &fault);
  CHECK(done == (wrong ? GRAPHLANG_OUT_OF_RANGE : 0));
  if (wrong) check_fault(&fault);
  for (int64_t n = 0; n < rows * width && !wrong; n++) CHECK(out[n] == expected[n]); /* whole numbers: exact */
  if (byte(in) & 1) { /* bounds and rows of the matrix that are not there */
    int64_t *hurt = copy(starts, features + 1, 8);
    int32_t *rows_of = copy(dense_row, features, 4);
    hurt[below(in, features + 1)] = damaged(in, entries + 1);
    rows_of[below(in, features)] = (int32_t)damaged(in, dense + 1);
    if (graphlang_tally_products(size, rows, features, dense, width, entries, feature, value, offsets, rows_of, table, hurt,
                                 columns, values, out, &fault))
      check_fault(&fault);
  }

  int64_t *row_of = array(size, 8), *rank = array(size, 8), *cost = array(size, 8);
  int64_t *owner = array(entries, 8), *place = array(entries, 8), *distances = array(rows * width, 8);
  int64_t *sums = array(rows * width, 8);
  memset(distances, 0, (size_t)(rows * width) * 8);
  memset(sums, 0, (size_t)(rows * width) * 8);
  for (int64_t n = 0; n < entries; n++) {
    owner[n] = columns[n];
    place[n] = byte(in);
  }
  wrong = 0;
  for (int64_t n = 0; n < size; n++) {
    row_of[n] = damaged(in, rows);
    rank[n] = byte(in);
    cost[n] = byte(in);
    if (feature[n] < 0 || wrong) continue;
    wrong = feature[n] >= features || row_of[n] < 0 || row_of[n] >= rows;
    for (int64_t k = wrong ? 0 : starts[feature[n]]; !wrong && k < starts[feature[n] + 1]; k++) {
      wrong = owner[k] < 0 || owner[k] >= width;
      if (!wrong) sums[row_of[n] * width + owner[k]] += llabs(place[k] - rank[n]) - cost[n];
    }
  }
  done = graphlang_tally_distances(size, features + 1, entries, rows, width, row_of, rank, cost, feature, starts, owner, place,
                                   distances, &fault);
  CHECK(done == (wrong ? GRAPHLANG_OUT_OF_RANGE : 0));
  if (wrong) check_fault(&fault);
  if (!wrong) CHECK(!memcmp(sums, distances, (size_t)(rows * width) * 8));
}

HARNESS_END
