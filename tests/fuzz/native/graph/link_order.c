/* What stands beside each page in lists, of graphs sound and damaged. */
#include "graph.h"
#include KERNEL_GRAPH_LINK_ORDER

HARNESS_BEGIN

void fuzz_link_order(Input *in) {
  uint8_t how = byte(in);
  Links all = sound_links(in);
  int64_t hosts = 1 + below(in, 6), languages = 1 + below(in, 5), farthest = 1 + below(in, 9), longest = 0;
  int16_t *ordinal = array(all.links, 2), *label = array(all.pages, 2);
  uint8_t *chosen = array(hosts, 1);
  int32_t *host = numbers32(in, all.pages, hosts);
  for (int64_t n = 0; n < all.links; n++) {
    uint8_t own = byte(in);
    ordinal[n] = (int16_t)(own < 128 ? n - all.start[all.source[n]] : own == 255 ? INT16_MAX : own - 136);
  }
  for (int64_t p = 0; p < all.pages; p++) label[p] = (int16_t)(below(in, languages + 1) - 1);
  for (int64_t n = 0; n < hosts; n++) chosen[n] = byte(in) & 1;
  for (int64_t p = 0; p < all.pages; p++)
    longest = all.start[p + 1] - all.start[p] > longest ? all.start[p + 1] - all.start[p] : longest;
  if (how & 2) {
    damage64(in, all.start, all.pages + 1, all.links + 1);
    damage32(in, all.target, all.links, all.pages);
    damage32(in, host, all.pages, hosts);
    for (int64_t n = below(in, 4); n > 0; n--) {
      int64_t page = below(in, all.pages);
      label[page] = (int16_t)damaged(in, languages);
    }
  }
  int64_t *found = array(longest, 8), *key = array(all.links, 8);
  int32_t *page = array(all.links, 4);
  graphlang_fault fault;
  int64_t count = graphlang_link_contexts((uint64_t)all.pages, (uint64_t)all.links, (uint64_t)hosts, (uint64_t)longest,
                                          languages, farthest, how & 1, all.start, all.target, ordinal, host, label,
                                          chosen, found, page, key, &fault);
  CHECK(count <= all.links && (count >= 0 || how & 2));
  CHECK(count >= 0 || count == GRAPHLANG_OUT_OF_RANGE || count == GRAPHLANG_WRONG_SIZE);
  int64_t named = 0;
  for (int64_t n = 0; n < count; n++) {
    CHECK(page[n] >= 0 && page[n] < all.pages && chosen[host[page[n]]]);
    CHECK(key[n] >= 0 && key[n] < hosts * farthest * (languages + 1));
    CHECK(key[n] / (languages + 1) / farthest == host[page[n]]);
  }
  if (how & 2) return;
  for (int64_t n = 0; n < all.links; n++)
    named += ordinal[n] >= 0 && host[all.source[n]] == host[all.target[n]] && chosen[host[all.source[n]]];
  CHECK(count == named);
}

HARNESS_END
