#include "ids.h"

#include <stdlib.h>
#include <string.h>

struct graphlang_ids {
  uint32_t *slots; /* ids, 0 for a free slot; a power of two in number */
  uint64_t *keys;  /* by id */
  uint32_t *checks;
  uint64_t mask; /* of slots; 0 if they could not be allocated */
  uint64_t used; /* number of ids, which start at 1 */
  uint64_t room; /* capacity of keys and checks */
  uint64_t secret[2];
};

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

/* Find the id of a string; 0 if it has none, and `slot` is where to insert it. */
static uint32_t look(const graphlang_ids *table, uint64_t key, uint32_t check, uint64_t *slot) {
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

enum { AHEAD = 16 }; /* prefetch distance in strings */

typedef struct {
  const uint8_t *text;
  uint64_t length, key;
  uint32_t check;
} Text;

/* Hash the next strings and prefetch their slots; returns how many. */
static int prepare(const graphlang_ids *table, const uint8_t *at, const uint8_t *end, Text *texts) {
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

/* The maximum load factor is 0.7. */
static int is_full(const graphlang_ids *table) { return table->used >= (table->mask + 1) / 10 * 7; }

/* Make room for one more id. The arrays by id grow by an eighth, in place if possible. The table is rebuilt
   from the hashes after the old one is freed, so that there are never two. Returns false without memory. */
static int grow(graphlang_ids *table) {
  if (table->used + 1 >= table->room) {
    uint64_t room = table->room + table->room / 8 + 1;
    if (room > UINT32_MAX) room = UINT32_MAX; /* ids have 32 bits */
    if (room <= table->used + 1) return 0;
    uint64_t *keys = realloc(table->keys, room * sizeof *keys);
    if (keys) table->keys = keys;
    uint32_t *checks = keys ? realloc(table->checks, room * sizeof *checks) : NULL;
    if (!checks) return 0;
    table->checks = checks;
    table->room = room;
  }
  if (is_full(table)) {
    uint64_t slots = 2 * (table->mask + 1);
    free(table->slots);
    table->mask = 0;
    if (!(table->slots = calloc(slots, sizeof *table->slots))) return 0;
    table->mask = slots - 1;
    for (uint64_t id = 1; id <= table->used; id++) {
      uint64_t at = table->keys[id] & table->mask;
      while (table->slots[at]) at = (at + 1) & table->mask;
      table->slots[at] = (uint32_t)id;
    }
  }
  return 1;
}

/* True if the number of strings is that of the caller. */
static int is_count(const uint8_t *texts, uint64_t size, uint64_t count) {
  uint64_t found = size && texts[size - 1];
  for (uint64_t at = 0; at < size; at++) found += !texts[at];
  return found == count;
}

graphlang_ids *graphlang_ids_new(uint64_t slots, const uint64_t *secret) {
  graphlang_ids *table = slots >= 16 && !(slots & (slots - 1)) ? calloc(1, sizeof *table) : NULL;
  if (!table) return NULL;
  table->room = slots;
  table->slots = calloc(slots, sizeof *table->slots);
  table->keys = malloc(slots * sizeof *table->keys);
  table->checks = malloc(slots * sizeof *table->checks);
  if (!table->slots || !table->keys || !table->checks) {
    graphlang_ids_free(table);
    return NULL;
  }
  table->keys[0] = table->checks[0] = 0; /* read by the prefetch of a free slot */
  table->mask = slots - 1;
  memcpy(table->secret, secret, sizeof table->secret);
  return table;
}

void graphlang_ids_free(graphlang_ids *table) {
  free(table->slots);
  free(table->keys);
  free(table->checks);
  free(table);
}

uint64_t graphlang_ids_count(const graphlang_ids *table) { return table->used; }

uint64_t graphlang_ids_bytes(const graphlang_ids *table) {
  return (table->mask + 1) * sizeof *table->slots + table->room * (sizeof *table->keys + sizeof *table->checks);
}

int graphlang_ids_assign(graphlang_ids *table, uint64_t size, uint64_t count, uint64_t room, const uint8_t *texts,
                         int64_t *ids, int64_t *places, uint8_t *fresh, graphlang_ids_added *added) {
  Text some[AHEAD];
  added->count = added->bytes = 0;
  if (!is_count(texts, size, count) || room <= size) return GRAPHLANG_WRONG_SIZE;
  if (!table->mask) return GRAPHLANG_NO_MEMORY;
  for (uint64_t at = 0, done = 0; at < size;) {
    int ahead = prepare(table, texts + at, texts + size, some);
    for (int n = 0; n < ahead; n++) {
      const Text *text = &some[n];
      uint64_t slot;
      uint32_t id = look(table, text->key, text->check, &slot);
      if (!id) {
        if (table->used + 1 >= table->room || is_full(table)) {
          if (!grow(table)) return GRAPHLANG_NO_MEMORY;
          look(table, text->key, text->check, &slot);
        }
        id = (uint32_t)++table->used;
        table->slots[slot] = id;
        table->keys[id] = text->key;
        table->checks[id] = text->check;
        places[added->count++] = (int64_t)done;
        memcpy(fresh + added->bytes, text->text, text->length);
        fresh[added->bytes + text->length] = 0;
        added->bytes += text->length + 1;
      }
      ids[done++] = id;
      at += text->length + 1;
    }
  }
  return 1;
}

int graphlang_ids_find(const graphlang_ids *table, uint64_t size, uint64_t count, const uint8_t *texts, int64_t *ids) {
  if (!is_count(texts, size, count)) return GRAPHLANG_WRONG_SIZE;
  if (!table->mask) return GRAPHLANG_NO_MEMORY;
  for (uint64_t at = 0, done = 0; at < size;) {
    const uint8_t *stop = memchr(texts + at, 0, size - at);
    uint64_t length = stop ? (uint64_t)(stop - texts) - at : size - at, key, slot;
    uint32_t check;
    hash(table->secret, texts + at, length, &key, &check);
    ids[done++] = look(table, key, check, &slot);
    at += length + 1;
  }
  return 1;
}

uint64_t graphlang_ids_authorities(uint64_t size, const uint8_t *urls, uint8_t *out) {
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
