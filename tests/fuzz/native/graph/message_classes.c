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
  uint8_t how = byte(in);
  Links all = sound_links(in);
  int64_t count = below(in, 12), levels = 33, wanted = 0, hurt = 0;
  int32_t *home = numbers32(in, all.pages, 9), *number = numbers32(in, all.pages, 9), *kin = numbers32(in, all.pages, 9);
  int32_t *order = how & 1 ? all.order : NULL, *sender = how & 1 ? all.source : all.target;
  int64_t *receivers = array(count, 8), *start = how & 1 ? all.into : all.start;
  uint8_t *level = array(all.links, 1);
  float *share = floats(in, all.links, how & 2);
  for (int64_t n = 0; n < all.links; n++) level[n] = (uint8_t)below(in, levels);
  for (int64_t n = 0; n < count; n++) {
    receivers[n] = below(in, all.pages);
    wanted += start[receivers[n] + 1] - start[receivers[n]];
    for (int64_t i = start[receivers[n]]; i < start[receivers[n] + 1]; i++)
      hurt |= !isfinite(share[order ? order[i] : i]);
  }
  if (how & 4) wanted = below(in, wanted + 9);
  if (how & 8) {
    damage64(in, receivers, count, all.pages);
    damage64(in, start, all.pages + 1, all.links + 1);
    damage32(in, all.order, all.links, all.links);
    damage32(in, sender, all.links, all.pages);
    damage32(in, kin, all.pages, all.pages);
    if (all.links) level[below(in, all.links)] = byte(in);
  }
  int32_t *to = array(wanted, 4);
  float *loud = array(wanted, 4);
  int64_t *key = array(wanted, 8), at = 0;
  graphlang_fault fault;
  int done = graphlang_link_messages((uint64_t)wanted, (uint64_t)all.links, (uint64_t)all.pages, (uint64_t)count, levels,
                                     receivers, start, order, sender, share, level, number, kin, home, to, key, loud,
                                     &fault);
  if (how & 12) return;
  CHECK(hurt ? done == GRAPHLANG_NOT_FINITE : done == 1);
  for (int64_t n = 0; n < count && !hurt; n++)
    for (int64_t i = start[receivers[n]]; i < start[receivers[n] + 1]; i++, at++) {
      int64_t link = order ? order[i] : i, from = sender[link], page = receivers[n];
      CHECK(to[at] == number[page] && !memcmp(&loud[at], &share[link], sizeof *loud));
      CHECK(key[at] == (2 * (int64_t)kin[from] + (home[page] != home[from])) * levels + level[link]);
    }
}

static void fuzz_levels(Input *in) {
  uint8_t how = byte(in);
  int64_t count = below(in, 30), bounds = below(in, 40), finite = 1;
  float *coupling = floats(in, count, how & 1), *bound = floats(in, bounds, how & 2);
  uint8_t *level = array(count, 1);
  graphlang_fault fault;
  for (int64_t n = 1; n < bounds && !(how & 2); n++) bound[n] += bound[n - 1];
  for (int64_t n = 0; n < count; n++) finite &= isfinite(coupling[n]) != 0;
  int done = graphlang_coupling_levels((uint64_t)count, (uint64_t)bounds, coupling, bound, level, &fault);
  CHECK(finite ? done == 1 : done == GRAPHLANG_NOT_FINITE && !isfinite(coupling[fault.index]));
  for (int64_t n = 0; n < count && finite; n++) {
    int64_t expected = 0;
    while (expected < bounds && bound[expected] < coupling[n]) expected++;
    CHECK(how & 2 ? level[n] <= bounds : level[n] == expected);
  }
}

void fuzz_message_classes(Input *in) {
  static const Harness each[] = {fuzz_numbers, fuzz_joined, fuzz_carried, fuzz_levels};
  each[byte(in) % 4](in);
}

HARNESS_END
