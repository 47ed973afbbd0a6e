#include "adjacency.h"

#include "checks.h"

enum { AHEAD = 16 }; /* prefetch distance in links */

int graphlang_links_are_sorted(uint64_t links, const int32_t *source, const int32_t *target) {
  for (uint64_t i = 0; i < links; i++) {
    if (source[i] == target[i]) return 0;
    if (i && (source[i] < source[i - 1] || (source[i] == source[i - 1] && target[i] <= target[i - 1]))) return 0;
  }
  return 1;
}

int graphlang_links_starts(uint64_t pages, uint64_t links, uint64_t first, uint64_t last, const int32_t *ends,
                           int64_t *start, graphlang_fault *fault) {
  if (last > links) return GRAPHLANG_REFUSE(fault, "last", 0, last, 0, links);
  for (uint64_t i = first; i < last; i++) {
    if (!IS_INDEX(ends[i], pages)) return GRAPHLANG_REFUSE(fault, "ends", i, ends[i], 0, (int64_t)pages - 1);
    start[ends[i] + 1]++;
  }
  for (uint64_t page = 0; page < pages; page++) start[page + 1] += start[page];
  return 1;
}

int graphlang_links_sources(uint64_t pages, uint64_t links, uint64_t first, uint64_t last, const int32_t *source,
                            const int32_t *target, int64_t *next, int32_t *in_source, graphlang_fault *fault) {
  if (last > links) return GRAPHLANG_REFUSE(fault, "last", 0, last, 0, links);
  for (uint64_t i = first; i < last; i++) {
    int32_t page = target[i];
    if (!IS_INDEX(page, pages)) return GRAPHLANG_REFUSE(fault, "target", i, page, 0, (int64_t)pages - 1);
    int64_t at = next[page];
    if (!IS_INDEX(at, links)) return GRAPHLANG_REFUSE(fault, "next", page, at, 0, (int64_t)links - 1);
    next[page] = at + 1;
    in_source[at] = source[i];
  }
  return 1;
}

int graphlang_links_order(uint64_t pages, uint64_t links, uint64_t first, uint64_t last, const int32_t *target,
                          int64_t *next, int32_t *order, graphlang_fault *fault) {
  if (last > links) return GRAPHLANG_REFUSE(fault, "last", 0, last, 0, links);
  for (uint64_t i = first; i < last; i++) {
    int32_t page = target[i];
    if (!IS_INDEX(page, pages)) return GRAPHLANG_REFUSE(fault, "target", i, page, 0, (int64_t)pages - 1);
    int64_t at = next[page];
    if (!IS_INDEX(at, links)) return GRAPHLANG_REFUSE(fault, "next", page, at, 0, (int64_t)links - 1);
    next[page] = at + 1;
    order[at] = (int32_t)i;
  }
  return 1;
}

int graphlang_links_reciprocal(uint64_t pages, uint64_t links, uint64_t first, uint64_t last, const int64_t *out_start,
                               const int32_t *target, const int64_t *in_start, const int32_t *in_source, uint8_t *back,
                               int32_t *mutual, graphlang_fault *fault) {
  if (last > pages) return GRAPHLANG_REFUSE(fault, "last", 0, last, 0, pages);
  for (uint64_t page = first; page < last; page++) {
    REFUSE_BOUNDS(fault, out_start, page, links);
    REFUSE_BOUNDS(fault, in_start, page, links);
    int64_t i = out_start[page], j = in_start[page], end = out_start[page + 1], stop = in_start[page + 1];
    int32_t both = 0;
    while (i < end && j < stop) {
      int32_t to = target[i], from = in_source[j];
      back[i] = to == from; /* a later iteration may test link i again */
      both += to == from;
      i += to <= from;
      j += from <= to;
    }
    mutual[page] = both;
  }
  return 1;
}

/* True if the range of links is valid and `output` has room for it. */
static int is_part(uint64_t links, uint64_t room, uint64_t first, uint64_t last, graphlang_fault *fault) {
  if (last > links) return GRAPHLANG_REFUSE(fault, "last", 0, last, 0, links);
  return first <= last && last - first > room ? GRAPHLANG_WRONG_SIZE : 1;
}

int64_t graphlang_links_reaching(uint64_t pages, uint64_t links, uint64_t room, uint64_t first, uint64_t last,
                                 const int32_t *source, const int32_t *target, const uint8_t *selected, int32_t *output,
                                 graphlang_fault *fault) {
  int done = is_part(links, room, first, last, fault);
  if (done < 0) return done;
  int64_t count = 0;
  for (uint64_t i = first; i < last; i++) {
    int32_t s = source[i], t = target[i];
    if (!IS_INDEX(s, pages)) return GRAPHLANG_REFUSE(fault, "source", i, s, 0, (int64_t)pages - 1);
    if (!IS_INDEX(t, pages)) return GRAPHLANG_REFUSE(fault, "target", i, t, 0, (int64_t)pages - 1);
    output[count] = (int32_t)i; /* no unpredictable branch: links that do not count are overwritten */
    count += (selected[s] | selected[t]) != 0;
  }
  return count;
}

int64_t graphlang_links_drawn(uint64_t pages, uint64_t links, uint64_t room, uint64_t first, uint64_t last,
                              uint64_t limit, const int32_t *source, const int32_t *target, const uint8_t *kind,
                              const uint8_t *left_out, const uint8_t *chosen, const uint64_t *key, int32_t *output,
                              uint64_t *hash, graphlang_fault *fault) {
  int done = is_part(links, room, first, last, fault);
  if (done < 0) return done;
  int64_t count = 0;
  for (uint64_t i = first; i < last; i++) {
    int32_t s = source[i], t = target[i];
    if (!IS_INDEX(s, pages)) return GRAPHLANG_REFUSE(fault, "source", i, s, 0, (int64_t)pages - 1);
    if (!IS_INDEX(t, pages)) return GRAPHLANG_REFUSE(fault, "target", i, t, 0, (int64_t)pages - 1);
    if (i + AHEAD < last && IS_INDEX(target[i + AHEAD], pages)) FETCH(key + target[i + AHEAD]); /* it lies anywhere */
    uint64_t mixed = (key[s] * 3 ^ key[t]) * 0xBF58476D1CE4E5B9u;
    mixed ^= mixed >> 32;
    if (mixed > limit || !chosen[s] || !chosen[t] || left_out[kind[i]]) continue; /* most links end here */
    output[count] = (int32_t)i;
    hash[count++] = mixed;
  }
  return count;
}

int graphlang_link_kinds(uint64_t links, const uint8_t *kind, uint8_t *present) {
  for (uint64_t i = 0; i < links; i++) present[kind[i]] = 1;
  return 1;
}

static int32_t root(int32_t *parent, int32_t page) {
  while (parent[page] != page) page = parent[page] = parent[parent[page]];
  return page;
}

int graphlang_links_reached(uint64_t pages, uint64_t links, const int32_t *source, const int32_t *target,
                            const uint8_t *no_evidence, int32_t *parent, uint8_t *reached, graphlang_fault *fault) {
  if (pages > INT32_MAX) return GRAPHLANG_WRONG_SIZE; /* numbers of pages have 32 bits */
  int32_t known = (int32_t)pages; /* all pages with evidence count as one */
  for (int32_t page = 0; page <= known; page++) parent[page] = page;
  for (uint64_t i = 0; i < links; i++) {
    int32_t a = source[i], b = target[i];
    if (!IS_INDEX(a, pages)) return GRAPHLANG_REFUSE(fault, "source", i, a, 0, (int64_t)pages - 1);
    if (!IS_INDEX(b, pages)) return GRAPHLANG_REFUSE(fault, "target", i, b, 0, (int64_t)pages - 1);
    if (!no_evidence[a] && !no_evidence[b]) continue;
    a = root(parent, no_evidence[a] ? a : known);
    b = root(parent, no_evidence[b] ? b : known);
    parent[a < b ? a : b] = a < b ? b : a; /* so that `known` stays a root */
  }
  for (int32_t page = 0; page < known; page++) reached[page] = no_evidence[page] && root(parent, page) == known;
  return 1;
}
