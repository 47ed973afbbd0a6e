/* A joiner shares no state; time and memory are linear in its input. */
#include "join.h"
#include "../../native/hash.h"
#include "elements.h"
#include "url.h"

typedef struct {
  uint32_t hash, at, size, number; /* of a target in `targets`; the number of a seed from 1 */
} Slot;

typedef struct graphlang_join {
  uint8_t classes[256];
  uint32_t seed;
  Buffer joined, targets, hits, slots;
  Buffer base, kinds, named, languages, places, hreflangs; /* of the links of a page */
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
  Buffer *of_links[] = {&joiner->base, &joiner->kinds, &joiner->named, &joiner->languages, &joiner->places, &joiner->hreflangs};
  for (size_t n = 0; n < sizeof of_links / sizeof *of_links; n++) release(of_links[n]);
  free(joiner);
}

int graphlang_join_resolve(graphlang_join *joiner, uint64_t size, uint64_t base_size, const uint8_t *references,
                           const uint8_t *url, graphlang_join_resolved *resolved) {
  const uint8_t *at = references, *end = size ? references + size : references;
  Buffer *joined = &joiner->joined;
  Base base = {0};
  int sound = base_size < LONGEST_REFERENCE && read_base(&base, url, base_size);
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

/* The slot of a target; for a new one without hash, with its offset in `at`. NULL without memory. */
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
  } else if (joiner->slot_count) {
    /* only the part of the table that the page before used */
    while (joiner->slot_count > 256 && joiner->slot_count > 4 * joiner->slots_used) joiner->slot_count /= 2;
    memset(joiner->slots.data, 0, joiner->slot_count * sizeof(Slot));
  }
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

/* ---- the links of a page ---- */

/* Set the hreflang of a target, by its number from 1. */
static int name_language(Joiner *joiner, uint32_t number, Piece hreflang) {
  uint32_t *named = (uint32_t *)(void *)joiner->named.data + number - 1;
  if (*named || hreflang.at == hreflang.end) return 1;
  *named = (uint32_t)joiner->languages.size + 1;
  put(&joiner->languages, hreflang.at, (size_t)(hreflang.end - hreflang.at));
  put_byte(&joiner->languages, 0);
  return !joiner->languages.failed;
}

/* Take in a reference to what `joined` holds. Of several to one target the lowest kind stands; it is nofollow only if all
   are, and its hreflang is the first. Returns 0 where there is no memory. */
static int add_reference(Joiner *joiner, const LinkProperties *properties, uint64_t longest, uint64_t most, graphlang_join_links *links) {
  const uint8_t *url = joiner->joined.data;
  size_t size = joiner->joined.size;
  uint32_t hash;
  Slot *slot = slot_of(joiner, url, size, &hash);
  if (!slot) return 0;
  if (slot->hash) {
    if (!slot->number) return 1; /* the page itself */
    uint8_t *kind = joiner->kinds.data + slot->number - 1, known = *kind & (NOFOLLOW - 1);
    *kind = (properties->kind < known ? properties->kind : known) | (*kind & NOFOLLOW && properties->nofollow ? NOFOLLOW : 0);
    return name_language(joiner, slot->number, properties->hreflang);
  }
  if (size > longest) {
    links->too_long++;
    return 1;
  }
  if (joiner->kinds.size >= most) {
    links->skipped++;
    return 1;
  }
  const uint32_t none = 0;
  put_byte(&joiner->kinds, (uint8_t)(properties->kind | (properties->nofollow ? NOFOLLOW : 0)));
  put(&joiner->named, &none, sizeof none);
  if (joiner->kinds.failed || joiner->named.failed) return 0;
  return enter(joiner, slot, hash, url, size, (uint32_t)joiner->kinds.size) &&
         name_language(joiner, (uint32_t)joiner->kinds.size, properties->hreflang);
}

/* Resolve a reference to `joined`; as `resolve`, and -1 without memory. */
static int join(Joiner *joiner, Piece reference, const Base *base) {
  joiner->joined.size = 0;
  int status = resolve(&joiner->joined, joiner->classes, reference.at, reference.end, base);
  return joiner->joined.failed ? -1 : status;
}

/* Set the base of a page; 0 if it is left to the caller, -1 without memory. */
static int read_page_base(Joiner *joiner, Base *base, Piece reference_base, Piece url) {
  if ((size_t)(url.end - url.at) >= LONGEST_REFERENCE || !read_base(base, url.at, (size_t)(url.end - url.at))) return 0;
  if (reference_base.at == reference_base.end) return 1;
  int status = join(joiner, reference_base, base);
  if (status != RESOLVED) return status == SLOW ? 0 : status < 0 ? status : 1;
  put(&joiner->base, joiner->joined.data, joiner->joined.size);
  if (joiner->base.failed) return -1;
  return joiner->base.size < LONGEST_REFERENCE && read_base(base, joiner->base.data, joiner->base.size);
}

static int list_languages(Joiner *joiner) {
  const uint32_t *named = (const uint32_t *)(const void *)joiner->named.data;
  for (uint32_t n = 0; n < joiner->kinds.size && joiner->languages.size; n++)
    if (named[n]) {
      const uint8_t *hreflang = joiner->languages.data + named[n] - 1;
      put(&joiner->places, &n, sizeof n);
      put(&joiner->hreflangs, hreflang, strlen((const char *)hreflang) + 1);
    }
  return !joiner->places.failed && !joiner->hreflangs.failed;
}

int graphlang_join_gather(graphlang_join *joiner, uint64_t size, uint64_t anchors_size, uint64_t base_size,
                          uint64_t url_size, const uint8_t *references, const uint8_t *anchors, const uint8_t *base,
                          const uint8_t *url, int32_t nofollow, uint64_t longest, uint64_t most,
                          graphlang_join_links *links) {
  Buffer *of_links[] = {&joiner->joined, &joiner->base, &joiner->kinds, &joiner->named, &joiner->languages, &joiner->places, &joiner->hreflangs};
  uint32_t hash;
  Base joins = {0};
  clear(joiner);
  for (size_t n = 0; n < sizeof of_links / sizeof *of_links; n++) empty(of_links[n]);
  memset(links, 0, sizeof *links);
  if (size > UINT32_MAX / 4 || anchors_size > UINT32_MAX / 4 || url_size > UINT32_MAX / 4) return GRAPHLANG_NO_MEMORY;
  Piece own = {url, url + url_size}, reference_base = {base, base + base_size};
  int sound = read_page_base(joiner, &joins, reference_base, own);
  if (sound < 0) return GRAPHLANG_NO_MEMORY;
  links->left = !sound;
  if (!sound) return 0;
  Slot *slot = slot_of(joiner, url, url_size, &hash);
  if (!slot || !enter(joiner, slot, hash, url, url_size, 0)) return GRAPHLANG_NO_MEMORY;
  size_t first = joiner->targets.size;
  const LinkProperties plain = {ANCHOR, nofollow, {url, url}};
  const uint8_t *at = references, *end = references + size;
  int in_anchors = 0;
  while (1) {
    if (at == end) {
      if (in_anchors || !anchors_size) break;
      in_anchors = 1;
      at = anchors;
      end = anchors + anchors_size;
    }
    LinkProperties properties = plain;
    Piece tag = {at, at}, target;
    if (!in_anchors) tag = next(&at, end);
    target = next(&at, end);
    if (!in_anchors) {
      Piece rel = next(&at, end), hreflang = next(&at, end);
      links->left = !is_ascii(rel) || !is_ascii(hreflang);
      if (links->left) return 0;
      properties = read_properties(tag, rel, hreflang, nofollow);
      if (!properties.kind) continue;
    }
    int status = join(joiner, target, &joins);
    if (status < 0) return GRAPHLANG_NO_MEMORY;
    links->left = status == SLOW;
    if (links->left) return 0;
    if (status == RESOLVED && !add_reference(joiner, &properties, longest, most, links)) return GRAPHLANG_NO_MEMORY;
  }
  if (!list_languages(joiner)) return GRAPHLANG_NO_MEMORY;
  links->urls = joiner->targets.data + first;
  links->urls_size = joiner->targets.size - first;
  links->kinds = joiner->kinds.data;
  links->kinds_size = joiner->kinds.size;
  links->places = (const uint32_t *)(const void *)joiner->places.data;
  links->places_size = joiner->places.size;
  links->hreflangs = joiner->hreflangs.data;
  links->hreflangs_size = joiner->hreflangs.size;
  return 0;
}
