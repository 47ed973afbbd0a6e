#include "link_order.h"

#include <stdlib.h>

#include "checks.h"

typedef struct {
  uint64_t pages, links, room;
  const int64_t *out_start;
  const int32_t *target;
  const int16_t *ordinal;
  const int32_t *host;
  int64_t *found;
  graphlang_fault *fault;
} Lists;

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Put some links where their ordinals say, if these leave hardly a gap; 0 if there is no room for one. */
static int is_laid_out(const Lists *all, int64_t begin, int64_t end) {
  for (int64_t i = 0; i < end - begin; i++) all->found[i] = -1;
  for (int64_t i = begin; i < end; i++) {
    int16_t ordinal = all->ordinal[i];
    if (ordinal < 0) continue;
    if (ordinal >= end - begin || all->found[ordinal] >= 0) return 0;
    all->found[ordinal] = i;
  }
  return 1;
}

/* The links of page p to pages of its own host, by ordinal, then by number. Returns how many there are. */
static int64_t list(const Lists *all, uint64_t p) {
  int64_t begin = all->out_start[p], end = all->out_start[p + 1], most = end - begin, count = 0, *found = all->found;
  if ((uint64_t)most > all->room) return GRAPHLANG_WRONG_SIZE;
  if (!is_laid_out(all, begin, end)) {
    most = 0;
    for (int64_t i = begin; i < end; i++)
      if (all->ordinal[i] >= 0) found[most++] = ((int64_t)all->ordinal[i] << 40) | (i - begin);
    qsort(found, (size_t)most, sizeof *found, ascending);
    for (int64_t i = 0; i < most; i++) found[i] = begin + (found[i] & 0xFFFFFFFFFF);
  }
  for (int64_t i = 0; i < most; i++) {
    if (found[i] < 0) continue;
    int32_t t = all->target[found[i]];
    if (!IS_INDEX(t, all->pages))
      return GRAPHLANG_REFUSE(all->fault, "target", found[i], t, 0, (int64_t)all->pages - 1);
    if (all->host[t] == all->host[p]) found[count++] = found[i];
  }
  return count;
}

int64_t graphlang_link_contexts(uint64_t pages, uint64_t links, uint64_t hosts, uint64_t room, int64_t languages,
                                int64_t farthest, int backwards, const int64_t *out_start, const int32_t *target,
                                const int16_t *ordinal, const int32_t *host, const int16_t *label,
                                const uint8_t *chosen, int64_t *found, int32_t *page, int64_t *key,
                                graphlang_fault *fault) {
  Lists all = {pages, links, room, out_start, target, ordinal, host, found, fault};
  int64_t done = 0;
  if (languages < 0 || languages > INT16_MAX)
    return GRAPHLANG_REFUSE(fault, "languages", 0, languages, 0, INT16_MAX);
  if (farthest < 1 || farthest > INT16_MAX) return GRAPHLANG_REFUSE(fault, "farthest", 0, farthest, 1, INT16_MAX);
  for (uint64_t p = 0; p < pages; p++) {
    if (!IS_INDEX(host[p], hosts)) return GRAPHLANG_REFUSE(fault, "host", p, host[p], 0, (int64_t)hosts - 1);
    REFUSE_BOUNDS(fault, out_start, p, links); /* of all pages, so that no two lists overlap */
    if (!chosen[host[p]]) continue;
    int64_t count = list(&all, p);
    if (count < 0) return count;
    int64_t distance = 0, language = languages; /* of the end of the list */
    for (int64_t j = 0; j < count; j++) {
      int32_t t = target[found[backwards ? count - 1 - j : j]];
      if (distance < farthest) distance++;
      page[done] = t;
      key[done++] = ((int64_t)host[p] * farthest + distance - 1) * (languages + 1) + language;
      if (label[t] >= languages) return GRAPHLANG_REFUSE(fault, "label", t, label[t], -1, languages - 1);
      if (label[t] >= 0) {
        language = label[t];
        distance = 0;
      }
    }
  }
  return done;
}
