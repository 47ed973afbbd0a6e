/* References of a page -> canonical URLs, and from these the distinct targets of its links.

   The state of a joiner is its own; time and memory are linear in what it is given. */
#include "_hash.h"
#include "_url.h"

enum { UNRESOLVED = 1 }; /* the byte before a reference that is left to others */

typedef struct {
  uint32_t hash, at, size, number; /* of a target in `targets`; the number of a seed from 1 */
} Slot;

typedef struct {
  uint8_t classes[256];
  uint32_t seed;
  Buffer joined, targets, hits, slots;
  uint32_t slot_count, slots_used;
} Joiner;

typedef struct {
  const uint8_t *data;
  uint64_t size;
  uint32_t count, left; /* references; those that are left to others */
} Joined;

typedef struct {
  const uint8_t *targets, *hits; /* new targets, a zero behind each; for each seed 1 if it came again, else 0 */
  uint64_t targets_size, hits_size;
  uint32_t count, too_long, skipped;
} Merged;

Joiner *graphlang_join_new(uint32_t seed) {
  Joiner *joiner = calloc(1, sizeof *joiner);
  if (!joiner) return NULL;
  lay_url_classes(joiner->classes);
  joiner->seed = seed;
  return joiner;
}

void graphlang_join_free(Joiner *joiner) {
  if (!joiner) return;
  release(&joiner->joined);
  release(&joiner->targets);
  release(&joiner->hits);
  release(&joiner->slots);
  free(joiner);
}

/* Join references, each with a zero behind it, to a base. Of each comes out, a zero behind it: a canonical URL, nothing
   where it leads nowhere, or `UNRESOLVED` and the reference as it was. Returns 0 where memory gave out. */
int graphlang_join(
  Joiner *joiner, const uint8_t *references, uint64_t size, const uint8_t *url, uint64_t url_size, Joined *out) {
  const uint8_t *at = references, *end = references + size;
  Buffer *joined = &joiner->joined;
  Base base = {0};
  int sound = url_size < LONGEST_REFERENCE && take_base(&base, url, url_size);
  empty(joined);
  out->count = out->left = 0;
  while (at < end) {
    const uint8_t *stop = memchr(at, 0, (size_t)(end - at));
    if (!stop) stop = end;
    if (!sound || resolve(joined, joiner->classes, at, stop, &base) == SLOW) {
      out->left++;
      put_byte(joined, UNRESOLVED);
      put(joined, at, (size_t)(stop - at));
    }
    put_byte(joined, 0);
    out->count++;
    at = stop + 1;
  }
  out->data = joined->data;
  out->size = joined->size;
  return !joined->failed;
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

/* From joined references, each with a zero behind it, the distinct ones that are none of the seeds. Empty ones are
   passed over, and those of more than `longest` bytes; of new ones no more than `most` are taken. `joined` may be what
   `graphlang_join` gave. Returns 0 where memory gave out. */
int graphlang_join_merge(Joiner *joiner, const uint8_t *joined, uint64_t size, const uint8_t *seeds, uint64_t seeds_size,
                         uint64_t longest, uint64_t most, Merged *out) {
  const uint8_t *at = seeds, *end = seeds + seeds_size;
  uint32_t hash;
  clear(joiner);
  if (size > UINT32_MAX / 4 || seeds_size > UINT32_MAX / 4) return 0;
  memset(out, 0, sizeof *out);
  for (; at < end; at++) {
    const uint8_t *stop = memchr(at, 0, (size_t)(end - at));
    if (!stop) stop = end;
    Slot *slot = slot_of(joiner, at, (size_t)(stop - at), &hash);
    if (!slot) return 0;
    put_byte(&joiner->hits, 0);
    if (!slot->hash && !enter(joiner, slot, hash, at, (size_t)(stop - at), (uint32_t)joiner->hits.size)) return 0;
    at = stop;
  }
  size_t first = joiner->targets.size;
  for (at = joined, end = joined + size; at < end; at++) {
    const uint8_t *stop = memchr(at, 0, (size_t)(end - at));
    if (!stop) stop = end;
    size_t length = (size_t)(stop - at);
    if (length) {
      Slot *slot = slot_of(joiner, at, length, &hash);
      if (!slot) return 0;
      if (slot->hash) {
        if (slot->number) joiner->hits.data[slot->number - 1] = 1;
      } else if (length > longest)
        out->too_long++;
      else if (out->count >= most)
        out->skipped++;
      else {
        if (!enter(joiner, slot, hash, at, length, 0)) return 0;
        out->count++;
      }
    }
    at = stop;
  }
  out->targets = joiner->targets.data + first;
  out->targets_size = joiner->targets.size - first;
  out->hits = joiner->hits.data;
  out->hits_size = joiner->hits.size;
  return !(joiner->targets.failed | joiner->hits.failed);
}
