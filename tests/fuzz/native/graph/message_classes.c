/* Which page hears which voice: joined, sorted and numbered as slow loops do it; any number is checked. */
#include "graph.h"
#include KERNEL_GRAPH_MESSAGE_CLASSES

HARNESS_BEGIN

enum { MOST_VOICES = 20 };

static void fuzz_numbers(Input *in) {
  int64_t words = 1 + below(in, 5), count = below(in, 60), hurt = 0, different = 0;
  int64_t *keys = array(count, 8);
  for (int64_t n = 0; n < count; n++) {
    keys[n] = damaged(in, words * 64);
    hurt |= keys[n] < 0 || keys[n] >= words * 64;
  }
  uint64_t *bits = array(words, 8);
  int32_t *ranks = array(words, 4), *numbers = array(count, 4);
  memset(bits, 0, (size_t)words * 8);
  graphlang_fault fault;
  int done = graphlang_mark_keys((uint64_t)count, (uint64_t)words, keys, bits, &fault);
  int64_t found = graphlang_rank_keys((uint64_t)words, bits, ranks);
  CHECK_DONE(done, !hurt);
  CHECK_DONE(graphlang_number_keys((uint64_t)count, (uint64_t)words, keys, bits, ranks, numbers, &fault), !hurt);
  if (hurt) CHECK_FAULT("keys", keys, count);
  if (hurt) return;
  for (int64_t n = 0; n < count; n++) {
    int64_t smaller = 0, first = 1;
    for (int64_t i = 0; i < count; i++) {
      int seen = 0;
      for (int64_t j = 0; j < i && !seen; j++) seen = keys[j] == keys[i];
      smaller += !seen && keys[i] < keys[n];
      first &= i >= n || keys[i] != keys[n];
    }
    different += first;
    CHECK(numbers[n] == smaller);
  }
  CHECK(found == different);
  int64_t room = byte(in) & 1 ? found : below(in, found + 2), *listed = array(room, 8);
  CHECK(graphlang_list_keys((uint64_t)words, (uint64_t)room, bits, listed) == (room == found ? 1 : GRAPHLANG_WRONG_SIZE));
  for (int64_t n = 0; n < count && room == found; n++) CHECK(listed[numbers[n]] == keys[n]);
}

static void fuzz_joined(Input *in) {
  uint8_t how = byte(in);
  int64_t voices = 1 + below(in, MOST_VOICES), links = below(in, 80), hurt = 0;
  int32_t *row = array(links, 4), *column = array(links, 4);
  float *share = floats(in, links, 0);
  int32_t *last = array(voices, 4), *count = array(voices, 4);
  int64_t room = how & 1 ? below(in, links + 1) : links;
  double *sums = array(room, 8), said = 0, heard = 0;
  for (int64_t n = 0, page = 0; n < links; n++) { /* those of a page one after the other */
    uint8_t own = byte(in);
    page += own % 4 == 3;
    row[n] = (int32_t)page;
    column[n] = (int32_t)damaged(in, voices);
    hurt |= column[n] < 0 || column[n] >= voices;
  }
  for (int64_t n = 0; n < voices; n++) last[n] = -1;
  for (int64_t n = 0; n < links; n++) said += (double)share[n];
  memset(count, 0, (size_t)voices * 4);
  graphlang_fault fault;
  int64_t entries = graphlang_join_links((uint64_t)links, (uint64_t)voices, (uint64_t)room, row, column, share, last,
                                         count, sums, &fault);
  if (how & 1 && entries == GRAPHLANG_WRONG_SIZE) return; /* there was no room for the links of a page */
  CHECK(hurt ? entries == GRAPHLANG_OUT_OF_RANGE : entries >= 0 && entries <= links);
  if (hurt) CHECK_FAULT("message_class", column, links);
  if (hurt) return;
  for (int64_t n = 0; n < entries; n++) {
    heard += (double)share[n];
    for (int64_t i = n + 1; i < entries; i++) CHECK(row[i] != row[n] || column[i] != column[n]);
  }
  CHECK(said - heard < 1e-4 && heard - said < 1e-4);
  int32_t *next = array(voices, 4), *rows = array(entries, 4), begin = 0;
  float *values = array(entries, 4);
  for (int64_t n = 0; n < voices; n++) {
    next[n] = begin;
    begin += count[n];
  }
  CHECK(begin == entries);
  uint64_t all = (uint64_t)entries, middle = (uint64_t)below(in, entries + 1);
  CHECK(graphlang_sort_by_class(middle, (uint64_t)voices, all, row, column, share, next, rows, values, &fault) == 1);
  CHECK(graphlang_sort_by_class(all - middle, (uint64_t)voices, all, row + middle, column + middle, share + middle, next,
                                rows, values, &fault) == 1);
  for (int64_t n = 0, end = 0; n < voices; n++) CHECK(next[n] == (end += count[n]));
  damage32(in, next, voices, entries);
  damage32(in, column, entries, voices);
  graphlang_sort_by_class(all, (uint64_t)voices, all, row, column, share, next, rows, values, &fault);
}

static void fuzz_carried(Input *in) {
  Links all = sound_links(in);
  int64_t count = below(in, 40), levels = 33, hurt = 0;
  int32_t *part = array(count, 4), *home = numbers32(in, all.pages, 9);
  int32_t *number = numbers32(in, all.pages, 9), *kin = numbers32(in, all.pages, 9), *to = array(count, 4);
  uint8_t *level = array(all.links, 1);
  float *share = floats(in, all.links, 1), *loud = array(count, 4);
  int64_t *key = array(count, 8);
  for (int64_t n = 0; n < all.links; n++) level[n] = (uint8_t)below(in, levels);
  for (int64_t n = 0; n < count; n++) part[n] = (int32_t)damaged(in, all.links);
  damage32(in, all.source, all.links, all.pages);
  damage32(in, all.target, all.links, all.pages);
  damage32(in, kin, all.pages, all.pages);
  for (int64_t n = 0; n < count && !hurt; n++) {
    hurt = part[n] < 0 || part[n] >= all.links;
    if (hurt) break;
    int32_t s = all.source[part[n]], t = all.target[part[n]];
    hurt = s < 0 || t < 0 || s >= all.pages || t >= all.pages;
    if (!hurt) hurt = kin[s] < 0 || !isfinite(share[part[n]]);
  }
  graphlang_fault fault;
  int done = graphlang_link_messages((uint64_t)count, (uint64_t)all.links, (uint64_t)all.pages, levels, part, all.target,
                                     all.source, share, level, number, kin, home, to, key, loud, &fault);
  CHECK(hurt ? done < 0 : done == 1);
  for (int64_t n = 0; n < count && !hurt; n++) {
    int64_t from = all.source[part[n]];
    CHECK(to[n] == number[all.target[part[n]]] && !memcmp(&loud[n], &share[part[n]], sizeof *loud));
    CHECK(key[n] == (2 * (int64_t)kin[from] + (home[all.target[part[n]]] != home[from])) * levels + level[part[n]]);
  }
}

void fuzz_message_classes(Input *in) {
  static const Harness each[] = {fuzz_numbers, fuzz_joined, fuzz_carried};
  each[byte(in) % 3](in);
}

HARNESS_END
