/* Dense ids for strings, held against a list of the strings in the order in which they came.

   Input: a byte for the size of the table, one for its key, one for which allocations fail; then batches with a byte 2
   between them, each a byte for what is done and strings, of which a byte 1 parts one from the next. */
#include "../failing.h"
#include KERNEL_DB_IDS
#include "../working.h"

HARNESS_BEGIN

enum { MOST_TEXTS = 400 };

typedef struct {
  const uint8_t *at;
  uint64_t size;
} Known;

typedef struct {
  graphlang_ids *table;
  Known known[MOST_TEXTS];
  uint64_t count;
  int broken; /* memory gave out when the table was to grow, so that it refuses all */
} Ids;

static uint64_t number_of(const Ids *ids, Known text) {
  for (uint64_t n = 0; n < ids->count; n++)
    if (ids->known[n].size == text.size && !memcmp(ids->known[n].at, text.at, text.size)) return n + 1;
  return 0;
}

static uint64_t parted(const uint8_t *at, uint64_t size, Known *found) {
  uint64_t count = 0;
  for (uint64_t begin = 0; begin < size; count++) {
    uint64_t stop = begin;
    while (stop < size && at[stop]) stop++;
    if (count < MOST_TEXTS) found[count] = (Known){at + begin, stop - begin};
    begin = stop + 1;
  }
  return count;
}

static void check_found(Ids *ids, const uint8_t *texts, uint64_t size, const Known *each, uint64_t count) {
  int64_t *found = array((int64_t)count, sizeof *found);
  int done = graphlang_ids_find(ids->table, size, count, texts, found);
  CHECK(done == (ids->broken ? GRAPHLANG_NO_MEMORY : 1));
  for (uint64_t n = 0; n < count && done == 1; n++) CHECK(found[n] == (int64_t)number_of(ids, each[n]));
  CHECK(graphlang_ids_find(ids->table, size, count + 1, texts, found) == GRAPHLANG_WRONG_SIZE);
}

static void assign(Ids *ids, const uint8_t *texts, uint64_t size, const Known *each, uint64_t count) {
  int64_t *given = array((int64_t)count, sizeof *given), *places = array((int64_t)count, sizeof *places);
  uint8_t *fresh = array((int64_t)size + 1, 1);
  uint64_t before = ids->count, at = 0;
  graphlang_ids_added added;
  CHECK(graphlang_ids_assign(ids->table, size, count + 1, size + 1, texts, given, places, fresh, &added) == GRAPHLANG_WRONG_SIZE);
  CHECK(graphlang_ids_assign(ids->table, size, count, size, texts, given, places, fresh, &added) == GRAPHLANG_WRONG_SIZE);
  int done = graphlang_ids_assign(ids->table, size, count, size + 1, texts, given, places, fresh, &added);
  CHECK(done == 1 || (done == GRAPHLANG_NO_MEMORY && (failed_allocations() || ids->broken)));
  ids->broken |= done != 1 && !ids->table->mask;
  for (uint64_t n = 0; n < count; n++) {
    uint64_t number = number_of(ids, each[n]);
    if (!number) {
      uint64_t place = ids->count - before;
      if (done != 1 && place == added.count) break;
      CHECK(place < added.count && places[place] == (int64_t)n);
      CHECK(at + each[n].size < added.bytes && !memcmp(fresh + at, each[n].at, each[n].size));
      CHECK(!fresh[at + each[n].size]);
      at += each[n].size + 1;
      ids->known[ids->count++] = each[n];
      number = ids->count;
    }
    CHECK(done != 1 || given[n] == (int64_t)number);
  }
  CHECK(at == added.bytes && ids->count - before == added.count && graphlang_ids_count(ids->table) == ids->count);
}

/* What stands between the second slash and the third of each. */
static void check_authorities(const uint8_t *texts, uint64_t size, const Known *each, uint64_t count) {
  uint8_t *out = array((int64_t)size + 1, 1);
  uint64_t written = graphlang_ids_authorities(size, texts, out), at = 0;
  for (uint64_t n = 0; n < count; n++) {
    int slashes = 0;
    for (uint64_t i = 0; i < each[n].size; i++)
      if (each[n].at[i] == '/')
        slashes++;
      else if (slashes == 2)
        CHECK(at < written && out[at++] == each[n].at[i]);
    CHECK(at < written && !out[at++]);
  }
  CHECK(at == written && written <= size + 1);
}

void fuzz_ids(Input *in) {
  Ids *ids = array(1, sizeof *ids);
  memset(ids, 0, sizeof *ids);
  uint64_t slots = 16ull << below(in, 3), secret[2] = {7, byte(in) * 0x9E3779B97F4A7C15u};
  uint8_t plan = byte(in);
  if (plan) fail_allocations(plan >> 1 & 31, plan & 1);
  CHECK(!graphlang_ids_new(slots + 1, secret) && !graphlang_ids_new(8, secret));
  ids->table = graphlang_ids_new(slots, secret);
  CHECK(ids->table || failed_allocations());
  if (!ids->table) return;
  while (left(in)) {
    Input batch = section(in, 2);
    uint8_t what = byte(&batch);
    uint64_t size = (uint64_t)left(&batch);
    uint8_t *texts = copy(batch.at, (int64_t)size, 1);
    Known *each = array(MOST_TEXTS, sizeof *each);
    for (uint64_t n = 0; n < size; n++)
      if (texts[n] == 1) texts[n] = 0;
    uint64_t count = parted(texts, size, each);
    if (ids->count + count >= MOST_TEXTS) break;
    if (what % 4 == 3) allow_allocations();
    if (what % 4 == 2) check_authorities(texts, size, each, count);
    if (what % 2 == 0) assign(ids, texts, size, each, count);
    check_found(ids, texts, size, each, count);
  }
  CHECK(graphlang_ids_bytes(ids->table) >= 12 * ids->count);
  graphlang_ids_free(ids->table);
}

HARNESS_END
