/* The state of a joiner is its own; time and memory are linear in what it is given. */
#include "join.h"
#include "../../native/hash.h"
#include "url.h"

typedef struct {
  uint32_t hash, at, size, number; /* of a target in `targets`; the number of a seed from 1 */
} Slot;

typedef struct graphlang_join {
  uint8_t classes[256];
  uint32_t seed;
  Buffer joined, targets, hits, slots;
  uint32_t slot_count, slots_used;
} Joiner;

graphlang_join *graphlang_join_new(uint32_t seed) {
  Joiner *joiner = calloc(1, sizeof *joiner);
  if (!joiner) return NULL;
  lay_url_classes(joiner->classes);
  joiner->seed = seed;
  return joiner;
}

void graphlang_join_free(graphlang_join *joiner) {
  if (!joiner) return;
  release(&joiner->joined);
  release(&joiner->targets);
  release(&joiner->hits);
  release(&joiner->slots);
  free(joiner);
}

int graphlang_join_resolve(graphlang_join *joiner, uint64_t size, uint64_t base_size, const uint8_t *references,
                           const uint8_t *url, graphlang_join_resolved *resolved) {
  const uint8_t *at = references, *end = size ? references + size : references;
  Buffer *joined = &joiner->joined;
  Base base = {0};
  int sound = base_size < LONGEST_REFERENCE && take_base(&base, url, base_size);
  empty(joined);
  resolved->left = 0;
  while (at < end) {
    const uint8_t *stop = memchr(at, 0, (size_t)(end - at));
    if (!stop) stop = end;
    if (!sound || resolve(joined, joiner->classes, at, stop, &base) == SLOW) {
      resolved->left++;
      put_byte(joined, GRAPHLANG_JOIN_LEFT);
      put(joined, at, (size_t)(stop - at));
    }
    put_byte(joined, 0);
    at = stop + 1;
  }
  resolved->urls = joined->data;
  resolved->urls_size = joined->size;
  return joined->failed ? GRAPHLANG_NO_MEMORY : 0;
}

static int make_slots(Joiner *joiner, uint32_t count) {
  Buffer grown = {0};
  if (!more(&grown, count * sizeof(Slot))) return 0;
  memset(grown.data, 0, count * sizeof(Slot));
  Slot *slots = (Slot *)(void *)grown.data, *old = (Slot *)(void *)joiner->slots.data;
  for (uint32_t n = 0; n < joiner->slot_count; n++)
    if (old[n].hash) {
      uint32_t at = old[n].hash & (count - 1);
      while (slots[at].hash) at = (at + 1) & (count - 1);
      slots[at] = old[n];
    }
  release(&joiner->slots);
  joiner->slots = grown;
  joiner->slot_count = count;
  return 1;
}

/* The slot of a target; one without hash where it is new, its place in `at`. NULL where there is no memory. */
static Slot *slot_of(Joiner *joiner, const uint8_t *target, size_t size, uint32_t *hash) {
  if (joiner->slots_used * 2 >= joiner->slot_count && !make_slots(joiner, joiner->slot_count ? joiner->slot_count * 2 : 256))
    return NULL;
  Slot *slots = (Slot *)(void *)joiner->slots.data;
  *hash = hash_of(joiner->seed, target, size);
  uint32_t at = *hash & (joiner->slot_count - 1);
  while (slots[at].hash) {
    if (slots[at].hash == *hash && slots[at].size == size && !memcmp(joiner->targets.data + slots[at].at, target, size))
      break;
    at = (at + 1) & (joiner->slot_count - 1);
  }
  return &slots[at];
}

static int enter(Joiner *joiner, Slot *slot, uint32_t hash, const uint8_t *target, size_t size, uint32_t number) {
  *slot = (Slot){hash, (uint32_t)joiner->targets.size, (uint32_t)size, number};
  joiner->slots_used++;
  put(&joiner->targets, target, size);
  put_byte(&joiner->targets, 0);
  return !joiner->targets.failed;
}

static void clear(Joiner *joiner) {
  empty(&joiner->targets);
  empty(&joiner->hits);
  if (joiner->slot_count > 4096) {
    release(&joiner->slots);
    memset(&joiner->slots, 0, sizeof joiner->slots);
    joiner->slot_count = 0;
  } else if (joiner->slot_count)
    memset(joiner->slots.data, 0, joiner->slot_count * sizeof(Slot));
  joiner->slots_used = 0;
}

int graphlang_join_merge(graphlang_join *joiner, uint64_t size, uint64_t seeds_size, const uint8_t *urls,
                         const uint8_t *seeds, uint64_t longest, uint64_t most, graphlang_join_merged *merged) {
  uint32_t hash;
  clear(joiner);
  memset(merged, 0, sizeof *merged);
  if (size > UINT32_MAX / 4 || seeds_size > UINT32_MAX / 4) return GRAPHLANG_NO_MEMORY; /* numbers have 32 bits */
  for (const uint8_t *at = seeds, *end = seeds_size ? seeds + seeds_size : seeds; at < end; at++) {
    const uint8_t *stop = memchr(at, 0, (size_t)(end - at));
    if (!stop) stop = end;
    size_t length = (size_t)(stop - at);
    Slot *slot = slot_of(joiner, at, length, &hash);
    if (!slot) return GRAPHLANG_NO_MEMORY;
    put_byte(&joiner->hits, 0);
    if (!slot->hash && !enter(joiner, slot, hash, at, length, (uint32_t)joiner->hits.size)) return GRAPHLANG_NO_MEMORY;
    at = stop;
  }
  size_t first = joiner->targets.size;
  for (const uint8_t *at = urls, *end = size ? urls + size : urls; at < end; at++) {
    const uint8_t *stop = memchr(at, 0, (size_t)(end - at));
    if (!stop) stop = end;
    size_t length = (size_t)(stop - at);
    if (length) {
      Slot *slot = slot_of(joiner, at, length, &hash);
      if (!slot) return GRAPHLANG_NO_MEMORY;
      if (slot->hash) {
        if (slot->number) joiner->hits.data[slot->number - 1] = 1;
      } else if (length > longest)
        merged->too_long++;
      else if (merged->count >= most)
        merged->skipped++;
      else {
        if (!enter(joiner, slot, hash, at, length, 0)) return GRAPHLANG_NO_MEMORY;
        merged->count++;
      }
    }
    at = stop;
  }
  merged->targets = merged->count ? joiner->targets.data + first : NULL;
  merged->targets_size = joiner->targets.size - first;
  merged->hits = joiner->hits.data;
  merged->hits_size = joiner->hits.size;
  return joiner->targets.failed | joiner->hits.failed ? GRAPHLANG_NO_MEMORY : 0;
}
