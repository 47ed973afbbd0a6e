/* The sums of a URL model: each URL alone gives what it gives among others, what every feature weighs one is counted, and
   nothing of what is damaged is read. */
#include "../harness.h"
#include "kernel.h"
#include KERNEL_URL_SUMS

HARNESS_BEGIN

enum { MOST_URLS = 8, MOST_LABELS = 70, ROWS = 64, TIMES = 64 };
enum { REPEATED = 1, ODD_BOUNDS = 2, ODD_ROWS = 4 };

/* Which buckets have a row: a bit for each, and for each word of bits how many rows lie before it. */
typedef struct {
  uint64_t *weighs;
  int32_t *before;
} Rows;

/* The tables of a model, made once. They end where their memory does. */
static uint16_t *letters;
static uint8_t *marks;
static Rows some_rows, every_row, odd_rows;

static Rows no_rows(void) {
  Rows made = {malloc(GRAPHLANG_URL_WORDS * sizeof *made.weighs), calloc(GRAPHLANG_URL_WORDS, sizeof *made.before)};
  return made;
}

static void make_tables(void) {
  if (letters) return;
  letters = malloc(GRAPHLANG_URL_LETTERS * sizeof *letters);
  marks = malloc(GRAPHLANG_URL_MARKS);
  some_rows = no_rows(), every_row = no_rows(), odd_rows = no_rows();
  for (int c = 0; c < GRAPHLANG_URL_LETTERS; c++)
    letters[c] = (c >= 'a' && c <= 'z') || c >= 160 ? (uint16_t)c : c >= 'A' && c <= 'Z' ? (uint16_t)(c + 32) : 0;
  letters[GRAPHLANG_URL_LETTERS - 1] = 0; /* of all that are beyond the table */
  memset(marks, 0, GRAPHLANG_URL_MARKS);
  marks['/'] = SLASH, marks['.'] = DOT, marks['-'] = HYPHEN, marks['_'] = UNDERSCORE, marks['\n'] = CLASSES - 1;
  for (uint32_t word = 0; word < GRAPHLANG_URL_WORDS; word++) {
    uint64_t mixed = (word + 1) * 0x9e3779b97f4a7c15u;
    some_rows.weighs[word] = odd_rows.weighs[word] = mixed ^ mixed >> 29;
    some_rows.before[word] = (int32_t)(mixed >> 40) % (ROWS + 1 - __builtin_popcountll(some_rows.weighs[word]));
    every_row.weighs[word] = ~(uint64_t)0;
    odd_rows.before[word] = mixed >> 62 ? some_rows.before[word] : (int32_t)(mixed >> 20);
  }
}

typedef struct {
  int64_t size, urls, labels;
  uint32_t *characters;
  int64_t *first;
  int8_t *weights;
  double enough;
} Batch;

static int done(const Batch *all, const Rows *rows, const int8_t *weights, float *sums, int64_t *known) {
  graphlang_fault fault = {0};
  float *own = array(all->labels, sizeof *own);
  memset(sums, 0, (size_t)(all->urls * all->labels) * sizeof *sums);
  return graphlang_url_sums(all->size, all->urls, ROWS, all->labels, all->characters, all->first, letters, marks,
                            rows->weighs, rows->before, weights, all->enough, own, sums, known, &fault);
}

/* A character: what URLs are made of, and what is not in any table. */
static uint32_t character(uint8_t from) {
  static const uint32_t others[] = {0xe9, 0x4e2d, 0x1f600, 0x10ffff, 0xffff, 0x10000, 0xffffffff, 0x80000000};
  return from < 0xf8 ? from : others[from - 0xf8];
}

static Batch batch(Input *in, uint8_t how) {
  Batch made = {.enough = 1 + byte(in) % 8, .labels = 1 + below(in, MOST_LABELS)};
  made.weights = array(ROWS * made.labels, 1);
  for (int64_t i = 0; i < ROWS * made.labels; i++) made.weights[i] = (int8_t)(i * 37 + made.labels);
  int64_t times = how & REPEATED ? 1 + byte(in) % TIMES : 1;
  uint32_t *written = array(left(in) * times + MOST_URLS, sizeof *written);
  int64_t *first = array(MOST_URLS + 1, sizeof *first);
  first[0] = 0;
  while (left(in) && made.urls < MOST_URLS) {
    Input one = section(in, 1);
    int64_t begin = made.size;
    for (int64_t turn = 0; turn < times; turn++)
      for (const uint8_t *at = one.at; at < one.end && made.size - begin < GRAPHLANG_URL_LONGEST; at++)
        written[made.size++] = character(*at);
    written[made.size++] = '\n';
    first[++made.urls] = made.size;
  }
  made.characters = copy(written, made.size, sizeof *written);
  made.first = copy(first, made.urls + 1, sizeof *first);
  return made;
}

static void run_urls(Input *in) {
  make_tables();
  uint8_t how = byte(in);
  Batch all = batch(in, how);
  if (how & ODD_BOUNDS) all.first[below(in, all.urls + 1)] = damaged(in, all.size + 2);
  float *sums = array(all.urls * all.labels, sizeof *sums);
  int64_t *known = array(all.urls, sizeof *known);
  int result = done(&all, how & ODD_ROWS ? &odd_rows : &some_rows, all.weights, sums, known);
  CHECK(result == 0 || (result == GRAPHLANG_OUT_OF_RANGE && how & (ODD_BOUNDS | ODD_ROWS)));
  if (how & (ODD_BOUNDS | ODD_ROWS)) return;

  float *ones = array(all.urls * all.labels, sizeof *ones);
  int64_t *counted = array(all.urls, sizeof *counted);
  int8_t *unit = array(ROWS * all.labels, 1);
  memset(unit, 1, (size_t)(ROWS * all.labels));
  Batch each = all;
  each.enough = 1e9;
  CHECK(done(&each, &every_row, unit, ones, counted) == 0);
  for (int64_t u = 0; u < all.urls; u++) {
    CHECK(known[u] >= 0 && known[u] <= counted[u]);
    for (int64_t j = 0; j < all.labels; j++) CHECK(ones[u * all.labels + j] == (float)counted[u]);

    int64_t bounds[] = {0, all.first[u + 1] - all.first[u]}, alone_known;
    Batch alone = all;
    alone.size = bounds[1], alone.urls = 1;
    alone.characters = copy(all.characters + all.first[u], alone.size, sizeof *alone.characters);
    alone.first = copy(bounds, 2, sizeof *bounds);
    float *own = array(all.labels, sizeof *own);
    CHECK(done(&alone, &some_rows, all.weights, own, &alone_known) == 0);
    CHECK(alone_known == known[u]);
    CHECK(memcmp(own, sums + u * all.labels, (size_t)all.labels * sizeof *own) == 0);
  }
}

const Harness harnesses[] = {run_urls};
const size_t harness_count = 1;

HARNESS_END
