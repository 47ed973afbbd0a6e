#include "link_order.h"

#include <stdlib.h>

#include "checks.h"

#define FEW 24 /* numbers up to which insertion sort is used */

typedef struct {
  uint64_t pages, links, room;
  const int64_t *out_start;
  const int32_t *target;
  const int16_t *ordinal;
  const int32_t *host;
  int64_t *output;
  graphlang_fault *fault;
} Lists;

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Sort some links by counting if their ordinals are dense; 0 if one is out of range or occurs twice. */
static int is_laid_out(const Lists *all, int64_t begin, int64_t end) {
  for (int64_t i = 0; i < end - begin; i++) all->output[i] = -1;
  for (int64_t i = begin; i < end; i++) {
    int16_t ordinal = all->ordinal[i];
    if (ordinal < 0) continue;
    if (ordinal >= end - begin || all->output[ordinal] >= 0) return 0;
    all->output[ordinal] = i;
  }
  return 1;
}

/* List the links of page p to pages of the same host, by ordinal, then by number; returns how many. */
static int64_t list(const Lists *all, uint64_t p) {
  int64_t begin = all->out_start[p], end = all->out_start[p + 1], most = end - begin, count = 0, *output = all->output;
  if ((uint64_t)most > all->room) return GRAPHLANG_WRONG_SIZE;
  if (!is_laid_out(all, begin, end)) {
    most = 0;
    for (int64_t i = begin; i < end; i++)
      if (all->ordinal[i] >= 0) output[most++] = ((int64_t)all->ordinal[i] << 40) | (i - begin);
    qsort(output, (size_t)most, sizeof *output, ascending);
    for (int64_t i = 0; i < most; i++) output[i] = begin + (output[i] & 0xFFFFFFFFFF);
  }
  for (int64_t i = 0; i < most; i++) {
    if (output[i] < 0) continue;
    int32_t t = all->target[output[i]];
    if (!IS_INDEX(t, all->pages))
      return GRAPHLANG_REFUSE(all->fault, "target", output[i], t, 0, (int64_t)all->pages - 1);
    if (all->host[t] == all->host[p]) output[count++] = output[i];
  }
  return count;
}

int64_t graphlang_link_contexts(uint64_t pages, uint64_t links, uint64_t hosts, uint64_t room, int64_t languages,
                                int64_t farthest, int backwards, const int64_t *out_start, const int32_t *target,
                                const int16_t *ordinal, const int32_t *host, const int16_t *label,
                                const uint8_t *chosen, int64_t *output, int32_t *page, int64_t *key,
                                graphlang_fault *fault) {
  Lists all = {pages, links, room, out_start, target, ordinal, host, output, fault};
  int64_t done = 0;
  if (languages < 0 || languages > INT16_MAX)
    return GRAPHLANG_REFUSE(fault, "languages", 0, languages, 0, INT16_MAX);
  if (farthest < 1 || farthest > INT16_MAX) return GRAPHLANG_REFUSE(fault, "farthest", 0, farthest, 1, INT16_MAX);
  for (uint64_t p = 0; p < pages; p++) {
    if (!IS_INDEX(host[p], hosts)) return GRAPHLANG_REFUSE(fault, "host", p, host[p], 0, (int64_t)hosts - 1);
    REFUSE_BOUNDS(fault, out_start, p, links); /* checked for all pages, so that no two lists overlap */
    if (!chosen[host[p]]) continue;
    int64_t count = list(&all, p);
    if (count < 0) return count;
    int64_t distance = 0, language = languages; /* of the end of the list */
    for (int64_t j = 0; j < count; j++) {
      int32_t t = target[output[backwards ? count - 1 - j : j]];
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

static int smaller(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/* Most pages have few contexts, and most contexts few labels. */
static void sort(int32_t *numbers, int64_t count) {
  if (count > FEW) {
    qsort(numbers, (size_t)count, sizeof *numbers, smaller);
    return;
  }
  for (int64_t i = 1; i < count; i++) {
    int32_t own = numbers[i];
    int64_t j = i;
    for (; j > 0 && numbers[j - 1] > own; j--) numbers[j] = numbers[j - 1];
    numbers[j] = own;
  }
}

/* Turn counts, stored one place behind, into start offsets. */
static void add_up(int64_t *start, uint64_t size) {
  for (uint64_t i = 0; i < size; i++) start[i + 1] += start[i];
}

int64_t graphlang_link_shares(uint64_t pages, uint64_t entries, uint64_t contexts, const int32_t *page,
                              const int32_t *context, int64_t *start, int32_t *sorted, double *share, uint32_t *times,
                              graphlang_fault *fault) {
  int64_t begin = 0, done = 0;
  for (uint64_t p = 0; p <= pages; p++) start[p] = 0;
  for (uint64_t i = 0; i < entries; i++) {
    if (!IS_INDEX(page[i], pages)) return GRAPHLANG_REFUSE(fault, "page", i, page[i], 0, (int64_t)pages - 1);
    if (!IS_INDEX(context[i], contexts))
      return GRAPHLANG_REFUSE(fault, "context", i, context[i], 0, (int64_t)contexts - 1);
    start[page[i] + 1]++;
  }
  add_up(start, pages);
  for (uint64_t i = 0; i < entries; i++) sorted[start[page[i]]++] = context[i]; /* then start[p] is the end of p */
  for (uint64_t p = 0; p < pages; p++) {
    int64_t end = start[p], different = 0;
    for (int64_t i = begin; i < end; i++) {
      int32_t c = sorted[i];
      if (!times[c]++) sorted[done + different++] = c;
    }
    sort(sorted + done, different);
    start[p] = done;
    for (int64_t stop = done + different; done < stop; done++) {
      share[done] = times[sorted[done]] / (double)(end - begin);
      times[sorted[done]] = 0;
    }
    begin = end;
  }
  start[pages] = done;
  return done;
}

int64_t graphlang_link_counts(uint64_t pages, uint64_t entries, uint64_t contexts, uint64_t languages,
                              const int64_t *start, const int32_t *context, const double *share, const int16_t *label,
                              int64_t *first, int32_t *named, double *count, double *sums, graphlang_fault *fault) {
  int64_t begin = 0, done = 0;
  for (uint64_t c = 0; c <= contexts; c++) first[c] = 0;
  for (uint64_t p = 0; p < pages; p++) {
    REFUSE_BOUNDS(fault, start, p, entries);
    if (label[p] < 0) continue;
    if (!IS_INDEX(label[p], languages))
      return GRAPHLANG_REFUSE(fault, "label", p, label[p], -1, (int64_t)languages - 1);
    for (int64_t i = start[p]; i < start[p + 1]; i++) {
      if (!IS_INDEX(context[i], contexts))
        return GRAPHLANG_REFUSE(fault, "context", i, context[i], 0, (int64_t)contexts - 1);
      first[context[i] + 1]++;
    }
  }
  add_up(first, contexts);
  for (uint64_t p = 0; p < pages; p++)
    for (int64_t i = start[p]; label[p] >= 0 && i < start[p + 1]; i++) {
      int64_t at = first[context[i]]++;
      named[at] = label[p];
      count[at] = share[i];
    }
  for (uint64_t c = 0; c < contexts; c++) {
    int64_t end = first[c], different = 0;
    for (int64_t i = begin; i < end; i++) {
      int32_t language = named[i];
      if (!(sums[language] > 0)) named[done + different++] = language;
      sums[language] += count[i];
    }
    sort(named + done, different);
    first[c] = done;
    for (int64_t stop = done + different; done < stop; done++) {
      count[done] = sums[named[done]];
      sums[named[done]] = 0;
    }
    begin = end;
  }
  first[contexts] = done;
  return done;
}

int graphlang_link_ratios(uint64_t pages, uint64_t entries, uint64_t contexts, uint64_t known, uint64_t asked,
                          uint64_t languages, const int64_t *start, const int32_t *context, const double *share,
                          const int64_t *first, const int32_t *named, const double *ratio, const int64_t *page,
                          double *sums, graphlang_fault *fault) {
  for (uint64_t k = 0; k < asked; k++) {
    int64_t p = page[k];
    if (!IS_INDEX(p, pages)) return GRAPHLANG_REFUSE(fault, "page", k, p, 0, (int64_t)pages - 1);
    REFUSE_BOUNDS(fault, start, p, entries);
    double *own = sums + k * languages;
    for (int64_t i = start[p]; i < start[p + 1]; i++) {
      int32_t c = context[i];
      if (!IS_INDEX(c, contexts)) return GRAPHLANG_REFUSE(fault, "context", i, c, 0, (int64_t)contexts - 1);
      REFUSE_BOUNDS(fault, first, c, known);
      for (int64_t j = first[c]; j < first[c + 1]; j++) {
        if (!IS_INDEX(named[j], languages))
          return GRAPHLANG_REFUSE(fault, "named", j, named[j], 0, (int64_t)languages - 1);
        own[named[j]] += share[i] * ratio[j];
      }
    }
  }
  return 0;
}
