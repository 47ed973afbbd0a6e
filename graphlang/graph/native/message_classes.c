#include "message_classes.h"

#include <math.h>
#include <stdlib.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "checks.h"

enum { AHEAD = 16 }; /* prefetch distance in links */

static int32_t ones(uint64_t word) {
#if defined(__GNUC__)
  return (int32_t)__builtin_popcountll(word);
#else
  int32_t count = 0;
  for (; word; word &= word - 1) count++;
  return count;
#endif
}

int graphlang_give_back(uint64_t but) {
#if defined(__GLIBC__)
  return malloc_trim(but);
#else
  (void)but;
  return 0;
#endif
}

int graphlang_coupling_levels(uint64_t links, uint64_t bounds, const float *coupling, const float *bound, uint8_t *level,
                              graphlang_fault *fault) {
  if (bounds > UINT8_MAX) return GRAPHLANG_WRONG_SIZE; /* so that a level fits */
  for (uint64_t i = 0; i < links; i++) {
    uint64_t low = 0;
    if (!isfinite(coupling[i])) return GRAPHLANG_REFUSE_NUMBER(fault, "coupling", i);
    for (uint64_t left = bounds; left;) { /* binary search without an unpredictable branch */
      uint64_t half = (left + 1) / 2;
      low += bound[low + half - 1] < coupling[i] ? half : 0;
      left -= half;
    }
    level[i] = (uint8_t)low;
  }
  return 1;
}

int graphlang_link_messages(uint64_t message_count, uint64_t links, uint64_t pages, uint64_t count, int64_t levels,
                            const int64_t *receivers, const int64_t *start, const int32_t *order,
                            const int32_t *sender, const float *weight, const uint8_t *level,
                            const int32_t *latent_number, const int32_t *sender_class, const int32_t *host,
                            int32_t *to, int64_t *key, float *link_weight, graphlang_fault *fault) {
  uint64_t out = 0;
  for (uint64_t n = 0; n < count; n++) {
    if (!IS_INDEX(receivers[n], pages))
      return GRAPHLANG_REFUSE(fault, "receivers", n, receivers[n], 0, (int64_t)pages - 1);
    int64_t page = receivers[n];
    REFUSE_BOUNDS(fault, start, page, links);
    if ((uint64_t)(start[page + 1] - start[page]) > message_count - out) return GRAPHLANG_WRONG_SIZE;
    for (int64_t i = start[page]; i < start[page + 1]; i++) {
      int32_t link = order ? order[i] : (int32_t)i;
      if (!IS_INDEX(link, links)) return GRAPHLANG_REFUSE(fault, "order", i, link, 0, (int64_t)links - 1);
      if (order && (uint64_t)i + AHEAD < links && IS_INDEX(order[i + AHEAD], links)) { /* these lie anywhere */
        FETCH(sender + order[i + AHEAD]);
        FETCH(weight + order[i + AHEAD]);
        FETCH(level + order[i + AHEAD]);
      }
      int32_t from = sender[link];
      if (!IS_INDEX(from, pages)) return GRAPHLANG_REFUSE(fault, "sender", link, from, 0, (int64_t)pages - 1);
      if (level[link] >= levels) return GRAPHLANG_REFUSE(fault, "level", link, level[link], 0, levels - 1);
      if (sender_class[from] < 0)
        return GRAPHLANG_REFUSE(fault, "sender_class", from, sender_class[from], 0, INT32_MAX);
      if (!isfinite(weight[link])) return GRAPHLANG_REFUSE_NUMBER(fault, "weight", link);
      to[out] = latent_number[page];
      key[out] = (sender_class[from] * (int64_t)2 + (host[page] != host[from])) * levels + level[link];
      link_weight[out++] = weight[link];
    }
  }
  return out == message_count ? 1 : GRAPHLANG_WRONG_SIZE;
}

static int is_key(int64_t key, uint64_t words) { return key >= 0 && (uint64_t)key / 64 < words; }

int graphlang_mark_keys(uint64_t message_count, uint64_t words, const int64_t *keys, uint64_t *bits, graphlang_fault *fault) {
  for (uint64_t i = 0; i < message_count; i++) {
    if (!is_key(keys[i], words)) return GRAPHLANG_REFUSE(fault, "keys", i, keys[i], 0, (int64_t)words * 64 - 1);
    bits[keys[i] / 64] |= (uint64_t)1 << (keys[i] % 64);
  }
  return 1;
}

int64_t graphlang_rank_keys(uint64_t words, const uint64_t *bits, int32_t *ranks) {
  int64_t total = 0;
  for (uint64_t word = 0; word < words; word++) {
    ranks[word] = (int32_t)total;
    total += ones(bits[word]);
  }
  return total;
}

int graphlang_number_keys(uint64_t message_count, uint64_t words, const int64_t *keys, const uint64_t *bits,
                          const int32_t *ranks, int32_t *numbers, graphlang_fault *fault) {
  for (uint64_t i = 0; i < message_count; i++) {
    if (!is_key(keys[i], words)) return GRAPHLANG_REFUSE(fault, "keys", i, keys[i], 0, (int64_t)words * 64 - 1);
    if (i + AHEAD < message_count && is_key(keys[i + AHEAD], words)) {
      FETCH(bits + keys[i + AHEAD] / 64);
      FETCH(ranks + keys[i + AHEAD] / 64);
    }
    uint64_t below = bits[keys[i] / 64] & (((uint64_t)1 << (keys[i] % 64)) - 1);
    numbers[i] = ranks[keys[i] / 64] + ones(below);
  }
  return 1;
}

int graphlang_list_keys(uint64_t words, uint64_t many, const uint64_t *bits, int64_t *keys) {
  uint64_t found = 0;
  for (uint64_t word = 0; word < words; word++)
    for (uint64_t left = bits[word]; left; left &= left - 1) {
      if (found >= many) return GRAPHLANG_WRONG_SIZE;
      keys[found++] = (int64_t)(word * 64) + ones((left & -left) - 1);
    }
  return found == many ? 1 : GRAPHLANG_WRONG_SIZE;
}

int64_t graphlang_join_links(uint64_t links, uint64_t classes, uint64_t room, int32_t *receiver,
                             int32_t *message_class, float *weight, int32_t *last, int32_t *receivers, double *sums,
                             graphlang_fault *fault) {
  if (links > INT32_MAX) return GRAPHLANG_WRONG_SIZE; /* numbers of links have 32 bits */
  int32_t out = 0, begin = 0, before = 0;
  for (uint64_t i = 0; i < links; i++) {
    int32_t class = message_class[i], page = receiver[i];
    if (!IS_INDEX(class, classes)) return GRAPHLANG_REFUSE(fault, "message_class", i, class, 0, (int64_t)classes - 1);
    float own = weight[i];
    if (i && page != before) {
      for (int32_t at = begin; at < out; at++) weight[at] = (float)sums[at - begin];
      begin = out;
    }
    before = page;
    int32_t at = last[class];
    if (at >= begin && at < out && message_class[at] == class) {
      sums[at - begin] += own;
      continue;
    }
    if ((uint64_t)(out - begin) >= room) return GRAPHLANG_WRONG_SIZE;
    last[class] = out;
    receivers[class]++;
    receiver[out] = page; /* never past the link that is read */
    message_class[out] = class;
    sums[out++ - begin] = own;
  }
  for (int32_t at = begin; at < out; at++) weight[at] = (float)sums[at - begin];
  return out;
}

int graphlang_sort_by_class(uint64_t joined, uint64_t classes, uint64_t entries, const int32_t *joined_receiver,
                            const int32_t *joined_class, const float *joined_weight, int32_t *next, int32_t *receiver,
                            float *weight, graphlang_fault *fault) {
  for (uint64_t i = 0; i < joined; i++) {
    int32_t class = joined_class[i];
    if (i + 2 * AHEAD < joined && IS_INDEX(joined_class[i + 2 * AHEAD], classes)) FETCH(next + joined_class[i + 2 * AHEAD]);
    if (i + AHEAD < joined && IS_INDEX(joined_class[i + AHEAD], classes)) {
      int32_t later = next[joined_class[i + AHEAD]];
      if (IS_INDEX(later, entries)) {
        FETCH(receiver + later);
        FETCH(weight + later);
      }
    }
    if (!IS_INDEX(class, classes)) return GRAPHLANG_REFUSE(fault, "joined_class", i, class, 0, (int64_t)classes - 1);
    int32_t at = next[class];
    if (!IS_INDEX(at, entries)) return GRAPHLANG_REFUSE(fault, "next", class, at, 0, (int64_t)entries - 1);
    next[class] = at + 1;
    receiver[at] = joined_receiver[i];
    weight[at] = joined_weight[i];
  }
  return 1;
}
