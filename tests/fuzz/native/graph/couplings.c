/* Couplings and probabilities of links: within their bounds, and one and the same where nothing but the link differs. */
#include "graph.h"
#include KERNEL_GRAPH_COUPLINGS

HARNESS_BEGIN

void fuzz_couplings(Input *in) {
  uint8_t how = byte(in);
  Links all = sound_links(in);
  int64_t groups = 1 + below(in, 6), classes = 1 + below(in, 3);
  int32_t *host = numbers32(in, all.pages, groups);
  float *told = floats(in, all.links, how & 1), *p_same = how & 2 ? array(all.links, 4) : NULL;
  float *coupling = array(all.links, 4);
  double *of_group = array(classes * groups, 8), *by_chance = array(groups, 8), *of_kind = array(256, 8);
  uint8_t *kind = array(all.links, 1), *class_of = array(256, 1), *shown = array(256, 1);
  for (int64_t n = 0; n < classes * groups; n++) of_group[n] = (double)byte(in) / 16 - 8;
  for (int64_t n = 0; n < groups; n++) by_chance[n] = (double)byte(in) / 256;
  for (int64_t n = 0; n < all.links; n++) kind[n] = byte(in);
  for (int n = 0; n < 256; n++) {
    class_of[n] = (uint8_t)(n % classes);
    shown[n] = n % 7 == 1;
    of_kind[n] = n / 32.0 - 4;
  }
  if (how & 4) {
    damage32(in, all.source, all.links, all.pages);
    damage32(in, all.target, all.links, all.pages);
    damage32(in, host, all.pages, groups);
    class_of[byte(in)] = byte(in);
  }
  graphlang_fault fault;
  int done = graphlang_couplings((uint64_t)all.pages, (uint64_t)all.links, (uint64_t)groups, (uint64_t)classes, 0.005,
                                 0.98, all.source, all.target, kind, told, host, of_group, by_chance, of_kind, class_of,
                                 shown, p_same, coupling, &fault);
  CHECK(done == 1 || (how & 4 && done == GRAPHLANG_OUT_OF_RANGE) ||
        (done == GRAPHLANG_NOT_FINITE && !isfinite(told[fault.index])));
  if (done != 1) return;
  for (int64_t n = 0; n < all.links; n++) {
    CHECK(coupling[n] >= 0 && coupling[n] <= 0.98f);
    CHECK(!p_same || (p_same[n] >= 0.005f && p_same[n] <= 0.98f && p_same[n] >= coupling[n]));
    if (shown[kind[n]]) CHECK(coupling[n] == 0.98f);
  }
}

HARNESS_END
