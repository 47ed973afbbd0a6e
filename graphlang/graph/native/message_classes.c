#include "message_classes.h"

#include <math.h>

#include "checks.h"

static int32_t ones(uint64_t word) {
#if defined(__GNUC__)
  return (int32_t)__builtin_popcountll(word);
#else
  int32_t count = 0;
  for (; word; word &= word - 1) count++;
  return count;
#endif
}

int graphlang_link_messages(uint64_t wanted, uint64_t links, uint64_t pages, int64_t levels, const int32_t *numbers,
                            const int32_t *receiver, const int32_t *sender, const float *weight, const int32_t *group,
                            const uint8_t *level, const int32_t *latent_number, const int32_t *sender_class,
                            const int32_t *host, int32_t *to, int64_t *key, float *link_weight,
                            graphlang_fault *fault) {
  for (uint64_t i = 0; i < wanted; i++) {
    int32_t link = numbers[i];
    if (!IS_INDEX(link, links)) return GRAPHLANG_REFUSE(fault, "numbers", i, link, 0, (int64_t)links - 1);
    int32_t from = sender[link], page = receiver[link];
    if (!IS_INDEX(from, pages)) return GRAPHLANG_REFUSE(fault, "sender", link, from, 0, (int64_t)pages - 1);
    if (!IS_INDEX(page, pages)) return GRAPHLANG_REFUSE(fault, "receiver", link, page, 0, (int64_t)pages - 1);
    if (level[link] >= levels) return GRAPHLANG_REFUSE(fault, "level", link, level[link], 0, levels - 1);
    if (sender_class[from] < 0)
      return GRAPHLANG_REFUSE(fault, "sender_class", from, sender_class[from], 0, INT32_MAX);
    if (!isfinite(weight[link])) return GRAPHLANG_REFUSE_NUMBER(fault, "weight", link);
    to[i] = latent_number[page];
    key[i] = (sender_class[from] * (int64_t)2 + (group[link] != host[from])) * levels + level[link];
    link_weight[i] = weight[link];
  }
  return 1;
}

int64_t graphlang_number_keys(uint64_t wanted, uint64_t words, const int64_t *keys, uint64_t *bits, int32_t *ranks,
                              int32_t *numbers, graphlang_fault *fault) {
  for (uint64_t i = 0; i < wanted; i++) {
    if (keys[i] < 0 || (uint64_t)keys[i] / 64 >= words)
      return GRAPHLANG_REFUSE(fault, "keys", i, keys[i], 0, (int64_t)words * 64 - 1);
    bits[keys[i] / 64] |= (uint64_t)1 << (keys[i] % 64);
  }
  int64_t total = 0;
  for (uint64_t word = 0; word < words; word++) {
    ranks[word] = (int32_t)total;
    total += ones(bits[word]);
  }
  for (uint64_t i = 0; i < wanted; i++) {
    uint64_t below = bits[keys[i] / 64] & (((uint64_t)1 << (keys[i] % 64)) - 1);
    numbers[i] = ranks[keys[i] / 64] + ones(below);
  }
  return total;
}

int graphlang_first_of_class(uint64_t wanted, uint64_t classes, const int32_t *message_class, const int32_t *numbers,
                             int32_t *example, graphlang_fault *fault) {
  for (uint64_t i = wanted; i-- > 0;) { /* the first is written last */
    int32_t class = message_class[i];
    if (!IS_INDEX(class, classes)) return GRAPHLANG_REFUSE(fault, "message_class", i, class, 0, (int64_t)classes - 1);
    example[class] = numbers[i];
  }
  return 1;
}

int64_t graphlang_join_links(uint64_t links, uint64_t classes, int32_t *receiver, int32_t *message_class,
                             const float *weight, int64_t *last, int64_t *receivers, double *joined_weight,
                             graphlang_fault *fault) {
  int64_t out = 0, begin = 0;
  int32_t before = 0;
  for (uint64_t i = 0; i < links; i++) {
    int32_t class = message_class[i], page = receiver[i];
    if (!IS_INDEX(class, classes)) return GRAPHLANG_REFUSE(fault, "message_class", i, class, 0, (int64_t)classes - 1);
    if (i && page != before) begin = out;
    before = page;
    int64_t at = last[class];
    if (at >= begin && at < out && message_class[at] == class) {
      joined_weight[at] += weight[i];
      continue;
    }
    last[class] = out;
    receivers[class]++;
    receiver[out] = page; /* never behind the link that is read */
    message_class[out] = class;
    joined_weight[out++] = weight[i];
  }
  return out;
}

int graphlang_sort_by_class(uint64_t entries, uint64_t classes, const int32_t *joined_receiver,
                            const int32_t *joined_class, const double *joined_weight, int64_t *next, int32_t *receiver,
                            float *weight, graphlang_fault *fault) {
  for (uint64_t i = 0; i < entries; i++) {
    int32_t class = joined_class[i];
    if (!IS_INDEX(class, classes)) return GRAPHLANG_REFUSE(fault, "joined_class", i, class, 0, (int64_t)classes - 1);
    int64_t at = next[class];
    if (!IS_INDEX(at, entries)) return GRAPHLANG_REFUSE(fault, "next", class, at, 0, (int64_t)entries - 1);
    next[class] = at + 1;
    receiver[at] = joined_receiver[i];
    weight[at] = (float)joined_weight[i];
  }
  return 1;
}
