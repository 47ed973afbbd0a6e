#include "places.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  uint32_t hash, begin; /* of a name; in `names` */
  uint16_t size;        /* 0 for a free slot */
  uint8_t kinds;
} Rule;

struct graphlang_places {
  Rule *rules; /* open addressing, at most half full */
  uint8_t *names;
  uint32_t mask, longest;
};

/* A hash of names from their end, so that those of all parent names are computed on the way. */
static const uint32_t FIRST = 0x811C9DC5u;

static uint32_t hashed(uint32_t hash, uint8_t byte) {
  return (hash ^ byte) * 0x01000193u;
}

static uint32_t slot_of(const graphlang_places *places, uint32_t hash) {
  return (hash ^ hash >> 15) & places->mask;
}

static int has_count(uint64_t size, const uint8_t *texts, uint64_t count) {
  uint64_t found = size && texts[size - 1];
  for (uint64_t at = 0; at < size; at++) found += !texts[at];
  return found == count;
}

static void enter(graphlang_places *places, uint32_t begin, uint32_t size, uint8_t kinds) {
  uint32_t hash = FIRST;
  for (uint32_t at = begin + size; at > begin; at--) hash = hashed(hash, places->names[at - 1]);
  uint32_t slot = slot_of(places, hash);
  while (places->rules[slot].size) slot = (slot + 1) & places->mask;
  places->rules[slot] = (Rule){hash, begin, (uint16_t)size, kinds};
  if (size > places->longest) places->longest = size;
}

graphlang_places *graphlang_places_new(uint64_t size, uint64_t count, const uint8_t *names, const uint8_t *kinds) {
  if (size > UINT32_MAX || !has_count(size, names, count)) return NULL;
  graphlang_places *places = calloc(1, sizeof *places);
  if (!places) return NULL;
  uint64_t slots = 16;
  while (slots < 2 * count) slots *= 2;
  places->mask = (uint32_t)(slots - 1);
  places->rules = calloc(slots, sizeof *places->rules);
  places->names = malloc(size + 1);
  if (!places->rules || !places->names) {
    graphlang_places_free(places);
    return NULL;
  }
  memcpy(places->names, names, size);
  for (uint64_t at = 0, n = 0; at < size; n++) {
    const uint8_t *stop = memchr(names + at, 0, size - at);
    uint64_t length = stop ? (uint64_t)(stop - names) - at : size - at;
    if (length && length <= UINT16_MAX) enter(places, (uint32_t)at, (uint32_t)length, kinds[n]);
    at += length + 1;
  }
  return places;
}

void graphlang_places_free(graphlang_places *places) {
  if (!places) return;
  free(places->rules);
  free(places->names);
  free(places);
}

static uint8_t kinds_of(const graphlang_places *places, const uint8_t *name, uint32_t size, uint32_t hash) {
  for (uint32_t slot = slot_of(places, hash);; slot = (slot + 1) & places->mask) {
    const Rule *rule = &places->rules[slot];
    if (!rule->size) return 0;
    if (rule->hash == hash && rule->size == size && !memcmp(places->names + rule->begin, name, size)) return rule->kinds;
  }
}

static int is_letter(uint8_t byte) {
  return byte >= 'a' && byte <= 'z';
}

static int is_of_label(uint8_t byte) {
  return is_letter(byte) || (byte >= '0' && byte <= '9') || byte == '-' || byte == '_';
}

/* Where the host ends that begins at `at`, and in `label` where its last label begins; 0 where it is not for us. */
static uint64_t host_end(const uint8_t *url, uint64_t at, uint64_t size, uint64_t *label) {
  uint64_t first = at, digit = at; /* of a label; behind the last byte that is no letter */
  *label = at;
  for (; at < size && url[at] != '/' && url[at] != ':'; at++) {
    if (url[at] == '.' ? at == *label : !is_of_label(url[at])) return 0;
    if (url[at] == '.') *label = at + 1;
    if (!is_letter(url[at])) digit = at + 1;
  }
  uint64_t end = at;
  if (*label == first || *label == end || digit > *label) return 0;
  if (at < size && url[at] == ':')
    for (at++; at < size && url[at] >= '0' && url[at] <= '9';) at++;
  return at < size && url[at] == '/' ? end : 0;
}

/* The start of the public suffix of a host: the longest name with a rule decides. */
static uint64_t suffix_begin(const graphlang_places *places, const uint8_t *url, uint64_t begin, uint64_t end,
                             uint64_t label) {
  uint64_t suffix = label, behind = label; /* where the label behind the one at hand begins */
  uint32_t hash = FIRST;
  for (uint64_t at = end; at > begin && end - at < places->longest;) {
    hash = hashed(hash, url[--at]);
    if (at > begin && url[at - 1] != '.') continue;
    uint8_t kinds = kinds_of(places, url + at, (uint32_t)(end - at), hash);
    if (kinds & GRAPHLANG_PLACES_NOT)
      suffix = behind;
    else if (kinds & GRAPHLANG_PLACES_BELOW)
      for (suffix = at > begin ? at - 1 : at; suffix > begin && url[suffix - 1] != '.';) suffix--;
    else if (kinds)
      suffix = at;
    behind = at;
  }
  return suffix;
}

int graphlang_places_find(const graphlang_places *places, uint64_t size, uint64_t count, const uint8_t *urls,
                          int32_t *begins, int32_t *ends, int32_t *domains, int32_t *suffixes, int32_t *labels) {
  if (!has_count(size, urls, count)) return GRAPHLANG_WRONG_SIZE;
  const uint8_t *url = urls;
  for (uint64_t n = 0; n < count; n++) {
    const uint8_t *stop = memchr(url, 0, (size_t)(urls + size - url));
    uint64_t length = (uint64_t)((stop ? stop : urls + size) - url), label = 0, domain;
    uint64_t begin = length > 8 && !memcmp(url, "http", 4) ? 4 + (url[4] == 's') : 0;
    begins[n] = ends[n] = domains[n] = suffixes[n] = labels[n] = 0;
    if (begin && !memcmp(url + begin, "://", 3) && length <= INT32_MAX) {
      begin += 3;
      uint64_t end = host_end(url, begin, length, &label);
      if (end) {
        uint64_t suffix = suffix_begin(places, url, begin, end, label);
        if (suffix == begin)
          domain = end;
        else
          for (domain = suffix - 1; domain > begin && url[domain - 1] != '.';) domain--;
        begins[n] = (int32_t)begin, ends[n] = (int32_t)end, domains[n] = (int32_t)domain;
        suffixes[n] = (int32_t)suffix, labels[n] = (int32_t)label;
      }
    }
    url += length + (n + 1 < count);
  }
  return 0;
}
