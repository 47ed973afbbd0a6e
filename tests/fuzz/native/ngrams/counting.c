/* A vocabulary, its n-grams and words in letters, and the sums of their weights: held against slow loops. */
#include "stages.h"
#include KERNEL_NGRAMS

HARNESS_BEGIN

enum { MOST_FEATURES = 400, LONGEST_LINE = 40, MOST_WIDTH = 70, MOST_SCRIPTS = 3 };

/* Each key's slot is marked, no others are, and its entry stands behind those of all slots before it. */
static void check_table(const Vocabulary *made) {
  uint32_t *again = array(made->words, 4);
  CHECK(graphlang_ngrams_rank(made->words, made->marks, again) == made->number);
  CHECK(!memcmp(again, made->before, (size_t)made->words * 4));
  for (int64_t n = 0; n < made->number; n++) {
    uint32_t mixed = mix(made->keys[n]), slot = mixed >> (32 - made->bits), place = 0;
    CHECK(made->marks[slot / 64] >> slot % 64 & 1);
    for (int64_t other = 0; other < made->number; other++) place += mix(made->keys[other]) >> (32 - made->bits) < slot;
    CHECK(made->entries[place] == (mixed << made->bits | (uint32_t)n));
  }
}

Vocabulary vocabulary_of(Input *lines, int64_t bits) {
  int64_t size = left(lines), number = size > 0;
  const uint8_t *text = copy(lines->at, size, 1);
  Vocabulary made = {.bits = bits};
  for (int64_t n = 0; n < size; n++) number += text[n] == '\n';
  uint32_t *keys = array(number, 4), *slots = array(number, 4);
  uint8_t *sizes = array(number, 1), *taken = array((int64_t)1 << bits, 1);
  int64_t found = graphlang_ngrams_keys(size, number, text, LONGEST_LINE, keys, sizes);
  CHECK(found >= 0 && found <= number);
  CHECK(!graphlang_ngrams_slots(found, keys, bits, slots));
  memset(taken, 0, (size_t)1 << bits);
  for (int64_t n = 0; n < found && made.number < (1 << bits) - 1 && made.number < MOST_FEATURES; n++) {
    CHECK(sizes[n] >= 1 && sizes[n] <= LONGEST_LINE && slots[n] < 1u << bits);
    made.wanted |= sizes[n] > MAX_ORDER ? 1 : 1 << sizes[n];
    if (sizes[n] <= MAX_ORDER && sizes[n] > made.highest) made.highest = sizes[n];
    if (!taken[slots[n]]++) keys[made.number++] = keys[n]; /* of those that want one slot the first */
  }
  made.keys = copy(keys, made.number, 4);
  made.words = bits < 6 ? 1 : (int64_t)1 << (bits - 6);
  made.marks = array(made.words, 8);
  made.before = array(made.words, 4);
  made.entries = array(made.number, 4);
  CHECK(graphlang_ngrams_fill(made.number, made.words, made.keys, bits, made.marks, made.before, made.entries) == made.number);
  check_table(&made);
  return made;
}

/* Behind the features found so far that of a key, if it is one. */
static void expect(const Vocabulary *vocabulary, uint32_t key, int32_t *out, int64_t *found) {
  for (int64_t n = 0; n < vocabulary->number; n++)
    if (mix(vocabulary->keys[n]) == mix(key)) out[(*found)++] = (int32_t)n;
}

/* Counted one by one: what a text has of any n-grams, however far apart. */
static int64_t expected_of(const Vocabulary *vocabulary, int64_t wanted, int64_t step, const uint32_t *own, int64_t length,
                           int32_t *out) {
  int64_t found = 0;
  for (int64_t i = 0; i < length; i++) {
    uint32_t key = 0;
    for (int64_t order = 1; order <= vocabulary->highest; order++) {
      key = (key + own[i + order - 1] + (order == 1)) * MULTIPLIER;
      if (wanted >> order & 1 && i % step == 0) expect(vocabulary, key, out, &found);
    }
    if (!(wanted & 1) || own[i] == SPACE || (i && own[i - 1] != SPACE)) continue;
    int64_t stop = i;
    while (stop < length && own[stop] != SPACE) stop++;
    if (stop - i > MAX_ORDER - 2) expect(vocabulary, word_key(own, i, stop), out, &found);
  }
  return found;
}

/* Some of the n-grams only, those that begin at a multiple of a few places; words may come before an n-gram then. */
static void check_few(const Vocabulary *vocabulary, const Letters *letters, int64_t capacity, int32_t *expected) {
  int64_t step = (int64_t)1 << (letters->size & 7), wanted = vocabulary->wanted & (letters->size | 1);
  int64_t *offsets = array(letters->rows + 1, 8);
  int32_t *out = array(capacity, 4);
  graphlang_fault fault = {0};
  int64_t all = graphlang_ngrams_find(letters->size, letters->rows, vocabulary->words, vocabulary->number, capacity,
                                      letters->symbols, letters->starts, letters->lengths, letters->margin,
                                      vocabulary->marks,
                                      vocabulary->before, vocabulary->entries, vocabulary->bits, wanted, step, out, offsets, &fault);
  CHECK(all >= 0 && all <= capacity && offsets[letters->rows] == all);
  for (int64_t n = 0; n < letters->rows; n++) {
    const uint32_t *own = letters->symbols + letters->starts[n];
    int64_t found = expected_of(vocabulary, wanted, step, own, letters->lengths[n], expected), begin = offsets[n];
    CHECK(offsets[n + 1] - begin == found);
    uint64_t same = 0; /* ones, in any order */
    for (int64_t i = 0; i < found; i++)
      same += (uint64_t)(out[begin + i] + 1) * (uint64_t)(out[begin + i] + 1) * SPREAD -
              (uint64_t)(expected[i] + 1) * (uint64_t)(expected[i] + 1) * SPREAD;
    CHECK(!same);
  }
}

Features features_of(const Vocabulary *vocabulary, const Letters *letters) {
  int64_t all = 0;
  for (int64_t n = 0; n < letters->rows; n++) all += letters->lengths[n];
  int64_t capacity = all * __builtin_popcountll((uint64_t)vocabulary->wanted);
  int32_t *out = array(capacity, 4), *expected = array(capacity, 4);
  Features made = {.offsets = array(letters->rows + 1, 8)};
  graphlang_fault fault = {0};
  made.number = graphlang_ngrams_find(letters->size, letters->rows, vocabulary->words, vocabulary->number, capacity,
                                      letters->symbols, letters->starts, letters->lengths, letters->margin,
                                      vocabulary->marks,
                                      vocabulary->before, vocabulary->entries, vocabulary->bits, vocabulary->wanted, 1, out, made.offsets,
                                      &fault);
  CHECK(made.number >= 0 && made.number <= capacity);
  CHECK(made.offsets[0] == 0 && made.offsets[letters->rows] == made.number);
  for (int64_t n = 0; n < letters->rows; n++) {
    int64_t found = expected_of(vocabulary, vocabulary->wanted, 1, letters->symbols + letters->starts[n], letters->lengths[n],
                                expected);
    CHECK(made.offsets[n + 1] - made.offsets[n] == found);
    CHECK(!memcmp(out + made.offsets[n], expected, (size_t)found * 4));
  }
  made.each = copy(out, made.number, 4);
  check_few(vocabulary, letters, capacity, expected);
  return made;
}

/* ---- weights ---- */

typedef struct {
  int64_t features, labels, first[MOST_SCRIPTS + 1], label[MOST_SCRIPTS + 1];
  int8_t *weight; /* (features, labels of the script) one script after the other */
} Dense;

/* What gaps and values say, cell by cell; returns whether they are sound. */
static int dense_of(Dense *dense, int64_t scripts, const uint8_t *gaps, const int8_t *values, int64_t size) {
  int64_t cells = 0, place = -1;
  for (int64_t s = 0; s < scripts; s++) cells += (dense->first[s + 1] - dense->first[s]) * (dense->label[s + 1] - dense->label[s]);
  dense->weight = array(cells, 1);
  memset(dense->weight, 0, (size_t)cells);
  for (int64_t n = 0; n < size; n++) {
    place += gaps[n];
    if (!gaps[n] || place >= cells) return 0;
    dense->weight[place] = values[n] > MIDDLE ? MIDDLE : values[n] < -MIDDLE ? -MIDDLE : values[n];
  }
  return 1;
}

/* Lay out tables and lists as graphlang.content.nfc.sparse_weights does. */
static int unpacked(Input *in, Input *weights, const Dense *dense, int64_t scripts, int64_t *blocks, uint16_t **table,
                    int64_t *cells, int32_t **starts, int64_t *lists, int32_t **rest, int64_t *entries, int expected) {
  int64_t size = left(weights) / 2, state[3] = {0, -1, 0}, cell = 0, sound = 1;
  const uint8_t *gaps = copy(weights->at, size, 1);
  const int8_t *values = copy(weights->at + size, size, 1);
  *cells = *lists = 0;
  for (int64_t s = 0; s < scripts; s++) {
    int64_t every = dense->first[s + 1] - dense->first[s], width = dense->label[s + 1] - dense->label[s];
    int64_t common = below(in, every + 1), half = (width + 2 * VECTOR - 1) / (2 * VECTOR) * VECTOR;
    int64_t own[FIELDS] = {dense->first[s], common, every - common, half, *cells, *lists};
    memcpy(blocks + s * FIELDS, own, sizeof own);
    *cells += ((common + 1) * half + LINE - 1) / LINE * LINE;
    *lists += every - common + 1;
  }
  *table = array(*cells, 2);
  *starts = array(*lists, 4);
  int32_t *all = array(size, 4);
  for (int64_t s = 0; s < scripts && sound; s++) {
    const int64_t *own = blocks + s * FIELDS;
    int64_t width = dense->label[s + 1] - dense->label[s];
    graphlang_fault fault = {0};
    sound = !graphlang_ngrams_unpack(size, *cells - own[4], *lists - own[5], size, gaps, values, state, cell, own[1] + own[2],
                                     own[1], width, own[3], MIDDLE, *table + own[4], *starts + own[5], all, &fault);
    cell += (own[1] + own[2]) * width;
  }
  CHECK((sound && state[0] == size) == expected);
  *entries = state[2] + CHUNK;
  if (!expected) return 0;
  *rest = array(*entries, 4);
  memcpy(*rest, all, (size_t)state[2] * 4);
  memset(*rest + state[2], 0, CHUNK * 4);
  return 1;
}

/* The sums of one column are those of all of them; scripts and columns that are not there are refused. */
static void check_column(Input *in, const Features *features, int64_t rows, const Sums *all, const uint8_t *script,
                         int64_t cells, int64_t lists, int64_t entries, const int64_t *blocks, const uint16_t *table,
                         const int32_t *starts, const int32_t *rest) {
  int64_t *of = array(rows, 8), *column = array(rows, 8), sound = 1;
  int32_t *found = array(rows, 4);
  graphlang_fault fault = {0};
  for (int64_t n = 0; n < rows; n++) {
    of[n] = script[n] < all->scripts ? script[n] : 0;
    column[n] = below(in, all->columns[3 * of[n] + 1]);
  }
  CHECK(!graphlang_ngrams_column(features->number, rows, all->scripts, cells, lists, entries, features->each,
                                 features->offsets, of, column, blocks, table, starts, rest, found, &fault));
  const int16_t *own = all->sums;
  for (int64_t s = 0, done = 0; s < all->scripts; done += all->counts[s++])
    for (int64_t n = 0; n < all->counts[s]; n++, own += all->columns[3 * s + 2])
      CHECK((int16_t)found[all->order[done + n]] == own[column[all->order[done + n]]]);
  if (!rows) return;
  int64_t row = below(in, rows);
  of[row] = damaged(in, all->scripts);
  sound = of[row] >= 0 && of[row] < all->scripts;
  int64_t width = sound ? all->columns[3 * of[row] + 2] : 1;
  column[row] = damaged(in, width);
  sound &= column[row] >= 0 && column[row] < width;
  CHECK((graphlang_ngrams_column(features->number, rows, all->scripts, cells, lists, entries, features->each,
                                 features->offsets, of, column, blocks, table, starts, rest, found, &fault) == 0) == sound);
  if (!sound) check_fault(&fault);
}

int sums_of(Input *in, Input *weights, const Vocabulary *vocabulary, const Features *features, int64_t rows, Sums *out) {
  int64_t scripts = 1 + below(in, MOST_SCRIPTS), cells, lists, entries, blocks[MOST_SCRIPTS * FIELDS], at = 0;
  uint16_t *table;
  int16_t *flat;
  int32_t *starts, *rest;
  Dense dense = {.features = vocabulary->number};
  for (int64_t s = 0; s < scripts; s++) {
    int64_t rest_of = vocabulary->number - dense.first[s];
    dense.first[s + 1] = s + 1 < scripts ? dense.first[s] + below(in, rest_of + 1) : vocabulary->number;
    dense.label[s + 1] = dense.label[s] + 1 + below(in, MOST_WIDTH) * (vocabulary->number < 50 && byte(in) > 250 ? 16 : 1);
  }
  int64_t size = left(weights) / 2;
  int expected = dense_of(&dense, scripts, weights->at, (const int8_t *)weights->at + size, size);
  if (!unpacked(in, weights, &dense, scripts, blocks, &table, &cells, &starts, &lists, &rest, &entries, expected)) return 0;
  uint8_t *script = array(rows, 1);
  *out = (Sums){.scripts = scripts, .labels = dense.label[scripts]};
  out->order = array(rows, 8);
  out->counts = array(scripts + 1, 8);
  out->columns = array(3 * scripts, 8);
  memset(out->counts, 0, (size_t)(scripts + 1) * 8);
  for (int64_t n = 0; n < rows; n++) out->counts[script[n] = (uint8_t)below(in, scripts + 1)]++;
  for (int64_t s = 0; s <= scripts; s++)
    for (int64_t n = 0; n < rows; n++)
      if (script[n] == s) out->order[at++] = n;
  for (int64_t s = 0; s < scripts; s++) {
    out->columns[3 * s] = dense.label[s];
    out->columns[3 * s + 1] = dense.label[s + 1] - dense.label[s];
    out->columns[3 * s + 2] = 2 * blocks[s * FIELDS + 3];
    out->size += out->counts[s] * out->columns[3 * s + 2];
  }
  int64_t *each = copy(blocks, scripts * FIELDS, 8);
  flat = array(out->size, 2);
  graphlang_fault fault = {0};
  CHECK(!graphlang_ngrams_sums(features->number, rows, scripts + 1, scripts, cells, lists, entries, out->size, features->each,
                               features->offsets, out->order, out->counts, each, table, starts, rest, flat, &fault));
  const int16_t *own = flat;
  for (int64_t s = 0, done = 0, cell = 0; s < scripts; s++) {
    int64_t width = out->columns[3 * s + 1], first = dense.first[s], every = dense.first[s + 1] - first;
    for (int64_t n = 0; n < out->counts[s]; n++, own += out->columns[3 * s + 2])
      for (int64_t j = 0; j < width; j++) {
        int64_t row = out->order[done + n], sum = 0;
        for (int64_t i = features->offsets[row]; i < features->offsets[row + 1]; i++) {
          int64_t feature = features->each[i] - first;
          if (feature >= 0 && feature < every) sum += dense.weight[cell + feature * width + j];
        }
        CHECK(own[j] == (int16_t)sum);
      }
    done += out->counts[s];
    cell += every * width;
  }
  out->sums = flat;
  check_column(in, features, rows, out, script, cells, lists, entries, blocks, table, starts, rest);

  /* Features, rows, places, lists and columns that are not there. */
  int32_t *hurt = copy(features->each, features->number, 4);
  int64_t *offsets = copy(features->offsets, rows + 1, 8), *order = copy(out->order, rows, 8);
  if (features->number) hurt[below(in, features->number)] = (int32_t)damaged(in, vocabulary->number);
  uint8_t what = byte(in);
  if (what & 1) offsets[below(in, rows + 1)] = damaged(in, features->number);
  if (what & 2) order[below(in, rows)] = damaged(in, rows);
  if (what & 4) starts[below(in, lists)] = (int32_t)damaged(in, entries);
  if (what & 8) rest[below(in, entries)] = (int32_t)damaged(in, 1 << 15);
  if (what & 16) each[below(in, scripts * FIELDS)] = damaged(in, cells);
  int16_t *again = array(out->size, 2);
  if (graphlang_ngrams_sums(features->number, rows, scripts + 1, scripts, cells, lists, entries, out->size, hurt, offsets, order,
                            out->counts, each, table, starts, rest, again, &fault) == GRAPHLANG_OUT_OF_RANGE)
    check_fault(&fault);
  int64_t *of = array(rows, 8), *column = array(rows, 8);
  int32_t *found = array(rows, 4);
  for (int64_t n = 0; n < rows; n++) {
    of[n] = damaged(in, scripts);
    column[n] = damaged(in, MOST_WIDTH);
  }
  if (graphlang_ngrams_column(features->number, rows, scripts, cells, lists, entries, hurt, offsets, of, column, each, table,
                              starts, rest, found, &fault) == GRAPHLANG_OUT_OF_RANGE)
    check_fault(&fault);
  return 1;
}

/* Weights go on from any state, into arrays of any size. */
void fuzz_unpack(Input *in) {
  int64_t size = below(in, 40), cells = below(in, 100), lists = below(in, 12), entries = below(in, 40);
  int64_t state[3] = {damaged(in, size + 1), damaged(in, 60), damaged(in, entries + 1)};
  int64_t first = damaged(in, 40), rows = damaged(in, 12), common = damaged(in, rows > 0 && rows < 12 ? rows + 1 : 1);
  int64_t width = damaged(in, 20), half = damaged(in, 20), most = damaged(in, MIDDLE + 1);
  uint8_t *gaps = array(size, 1);
  int8_t *values = array(size, 1);
  for (int64_t n = 0; n < size; n++) {
    gaps[n] = byte(in);
    values[n] = (int8_t)byte(in);
  }
  uint16_t *table = array(cells, 2);
  int32_t *starts = array(lists, 4), *rest = array(entries, 4);
  graphlang_fault fault = {0};
  int done = graphlang_ngrams_unpack(size, cells, lists, entries, gaps, values, state, first, rows, common, width, half, most,
                                     table, starts, rest, &fault);
  if (done == GRAPHLANG_OUT_OF_RANGE) check_fault(&fault);
  if (done) return;
  CHECK(state[0] <= size && state[2] <= entries);
  for (int64_t n = 0; n < rows - common; n++) CHECK(starts[n] >= 0 && starts[n] <= starts[n + 1] && starts[n + 1] <= entries);
}

/* Rows and words that are beyond the letters are refused. */
void fuzz_places(Input *in) {
  Input none = {in->at, in->at};
  int64_t rows = below(in, 6), size = below(in, 60), margin = below(in, 6), capacity = below(in, 200), sound = 1;
  uint8_t lines[] = "a\nab\nabc\n abcd ";
  none = (Input){lines, lines + sizeof lines - 1};
  Vocabulary vocabulary = vocabulary_of(&none, 5 + below(in, 8));
  int64_t *starts = array(rows, 8), *lengths = array(rows, 8), *ends = array(rows, 8), *offsets = array(rows + 1, 8);
  uint32_t *symbols = array(size, 4), *keys = array(rows, 4);
  for (int64_t n = 0; n < rows; n++) {
    starts[n] = damaged(in, size + 1);
    lengths[n] = damaged(in, size + 1);
    ends[n] = damaged(in, size + 1);
    sound &= starts[n] >= 0 && starts[n] <= ends[n] && ends[n] <= size;
  }
  for (int64_t n = 0; n < size; n++) symbols[n] = "abcd "[byte(in) % 5];
  int32_t *out = array(capacity, 4);
  graphlang_fault fault = {0};
  if (byte(in) % 2) /* a table that does not hold together: any answer, and no memory of others */
    for (int64_t n = 0; n < 8; n++) {
      int64_t word = below(in, vocabulary.words);
      vocabulary.marks[word] ^= (uint64_t)1 << below(in, 64);
      vocabulary.before[word] += (uint32_t)byte(in) << byte(in) % 24;
    }
  int64_t found = graphlang_ngrams_find(size, rows, vocabulary.words, vocabulary.number, capacity, symbols, starts, lengths,
                                        margin,
                                        vocabulary.marks, vocabulary.before, vocabulary.entries, vocabulary.bits,
                                        vocabulary.wanted, 1, out, offsets, &fault);
  CHECK(found <= capacity);
  if (found == GRAPHLANG_OUT_OF_RANGE) check_fault(&fault);
  for (int64_t n = 0; n < found; n++) CHECK(out[n] >= 0 && out[n] < vocabulary.number);
  CHECK((graphlang_ngrams_word_keys(size, rows, symbols, starts, ends, keys, &fault) == 0) == sound);
}

HARNESS_END
