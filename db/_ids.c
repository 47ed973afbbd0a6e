/* Dense ids for strings: an open-addressing table of ids over 96 bits of a keyed hash; see `graphlang.db.url_ids`.

   The arrays are the caller's. Nothing is allocated here, and there is no state but theirs. */
#include <stdint.h>
#include <string.h>

typedef struct {
  uint32_t *slots; /* ids; 0 is free. Their number is a power of two */
  uint64_t *keys;  /* by id */
  uint32_t *checks;
  uint64_t mask; /* of slots */
  uint64_t used; /* ids, from 1 */
  uint64_t most; /* ids that there is room for */
  uint64_t secret[2];
} Table;

typedef struct {
  uint64_t at, count, fresh, fresh_size; /* bytes and strings done; new ones, and bytes that they take */
} Progress;

#define TURN(x, b) (((x) << (b)) | ((x) >> (64 - (b))))

static void mix(uint64_t v[4]) {
  v[0] += v[1], v[1] = TURN(v[1], 13) ^ v[0], v[0] = TURN(v[0], 32);
  v[2] += v[3], v[3] = TURN(v[3], 16) ^ v[2];
  v[0] += v[3], v[3] = TURN(v[3], 21) ^ v[0];
  v[2] += v[1], v[1] = TURN(v[1], 17) ^ v[2], v[2] = TURN(v[2], 32);
}

/* SipHash-1-3 with 128 bits (Aumasson and Bernstein 2012), of which the last 32 are dropped. */
static void hash(const uint64_t secret[2], const uint8_t *at, uint64_t size, uint64_t *key, uint32_t *check) {
  uint64_t v[4] = {secret[0] ^ 0x736F6D6570736575u, secret[1] ^ 0x646F72616E646F6Du ^ 0xEE,
                   secret[0] ^ 0x6C7967656E657261u, secret[1] ^ 0x7465646279746573u};
  uint64_t word, last = size << 56;
  for (; size >= 8; at += 8, size -= 8) {
    memcpy(&word, at, 8);
    v[3] ^= word;
    mix(v);
    v[0] ^= word;
  }
  for (uint64_t n = 0; n < size; n++) last |= (uint64_t)at[n] << (8 * n);
  v[3] ^= last;
  mix(v);
  v[0] ^= last;
  v[2] ^= 0xEE;
  for (int n = 0; n < 3; n++) mix(v);
  *key = v[0] ^ v[1] ^ v[2] ^ v[3];
  v[1] ^= 0xDD;
  for (int n = 0; n < 3; n++) mix(v);
  *check = (uint32_t)(v[0] ^ v[1] ^ v[2] ^ v[3]);
}

/* The id of a string; 0 if it has none, and `slot` is where it would stand. */
static uint32_t look(const Table *table, uint64_t key, uint32_t check, uint64_t *slot) {
  uint64_t at = key & table->mask;
  uint32_t id;
  while ((id = table->slots[at]) && (table->keys[id] != key || table->checks[id] != check)) at = (at + 1) & table->mask;
  *slot = at;
  return id;
}

#if defined(__GNUC__)
#define SOON(address) __builtin_prefetch(address)
#else
#define SOON(address) ((void)(address))
#endif

enum { AHEAD = 16 }; /* strings whose place in the table is fetched while those before them are looked up */

typedef struct {
  const uint8_t *text;
  uint64_t length, key;
  uint32_t check;
} Text;

/* Hash some of the strings to come, and have their places in the table fetched; returns how many. */
static int prepare(const Table *table, const uint8_t *at, const uint8_t *end, Text *texts) {
  int count = 0;
  for (; count < AHEAD && at < end; count++) {
    const uint8_t *stop = memchr(at, 0, (size_t)(end - at));
    if (!stop) stop = end;
    Text *text = &texts[count];
    text->text = at;
    text->length = (uint64_t)(stop - at);
    hash(table->secret, at, text->length, &text->key, &text->check);
    SOON(&table->slots[text->key & table->mask]);
    at = stop < end ? stop + 1 : end;
  }
  for (int n = 0; n < count; n++) {
    uint32_t id = table->slots[texts[n].key & table->mask];
    SOON(&table->keys[id]);
    SOON(&table->checks[id]);
  }
  return count;
}

/* Give ids to strings, each with a zero behind it, from where `progress` stands. What is new goes to `fresh`, packed in
   the same way, and its position among the strings to `places`; all arrays have room for every string. Returns 1 when
   all is done, 0 when there is no room for one more id. */
int graphlang_ids_assign(Table *table, const uint8_t *texts, uint64_t size, int64_t *ids, int64_t *places, uint8_t *fresh,
                         Progress *progress) {
  Text some[AHEAD];
  while (progress->at < size) {
    int count = prepare(table, texts + progress->at, texts + size, some);
    for (int n = 0; n < count; n++) {
      const Text *text = &some[n];
      uint64_t slot;
      uint32_t id = look(table, text->key, text->check, &slot);
      if (!id) {
        if (table->used >= table->most) return 0;
        id = (uint32_t)++table->used;
        table->slots[slot] = id;
        table->keys[id] = text->key;
        table->checks[id] = text->check;
        places[progress->fresh++] = (int64_t)progress->count;
        memcpy(fresh + progress->fresh_size, text->text, text->length);
        fresh[progress->fresh_size + text->length] = 0;
        progress->fresh_size += text->length + 1;
      }
      ids[progress->count++] = id;
      progress->at += text->length + 1;
    }
  }
  return 1;
}

/* Ids of strings, 0 for those that have none. */
void graphlang_ids_find(const Table *table, const uint8_t *texts, uint64_t size, int64_t *ids) {
  for (uint64_t at = 0, count = 0; at < size; count++) {
    const uint8_t *stop = memchr(texts + at, 0, size - at);
    uint64_t length = stop ? (uint64_t)(stop - texts) - at : size - at, key, slot;
    uint32_t check;
    hash(table->secret, texts + at, length, &key, &check);
    ids[count] = look(table, key, check, &slot);
    at += length + 1;
  }
}

/* Enter all ids anew into an empty table. */
void graphlang_ids_place(Table *table) {
  for (uint64_t id = 1; id <= table->used; id++) {
    uint64_t at = table->keys[id] & table->mask;
    while (table->slots[at]) at = (at + 1) & table->mask;
    table->slots[at] = (uint32_t)id;
  }
}

/* What stands in URLs between the second slash and the third, packed like the URLs; `out` has their size. Returns the
   bytes written. */
uint64_t graphlang_ids_authorities(const uint8_t *urls, uint64_t size, uint8_t *out) {
  uint64_t written = 0;
  for (uint64_t at = 0; at < size; at++) {
    int slashes = 0;
    for (; at < size && urls[at]; at++) {
      if (urls[at] == '/')
        slashes++;
      else if (slashes == 2)
        out[written++] = urls[at];
    }
    out[written++] = 0;
  }
  return written;
}
