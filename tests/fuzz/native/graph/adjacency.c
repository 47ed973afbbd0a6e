/* Walks over sorted lists of links: right for a sound graph; a damaged page is refused, and nothing is written beyond. */
#include "graph.h"
#include KERNEL_GRAPH_ADJACENCY

HARNESS_BEGIN

static int64_t step(int64_t at, int64_t to, int64_t pages) { /* a walk over all pairs of pages */
  return at * pages + to;
}

/* Which pages a chain of links joins, by as many rounds as there are pages. */
static void check_reached(const Links *all, const uint8_t *silent) {
  int32_t *parent = array(all->pages + 1, 4);
  uint8_t *heard = array(all->pages, 1), *expected = array(all->pages, 1);
  graphlang_fault fault;
  CHECK(graphlang_links_reached((uint64_t)all->pages, (uint64_t)all->links, all->source, all->target, silent, parent,
                                heard, &fault) == 1);
  for (int64_t p = 0; p < all->pages; p++) expected[p] = !silent[p];
  for (int64_t round = 0; round < all->pages; round++)
    for (int64_t n = 0; n < all->links; n++)
      expected[all->source[n]] = expected[all->target[n]] = expected[all->source[n]] | expected[all->target[n]];
  for (int64_t p = 0; p < all->pages; p++) CHECK(heard[p] == (silent[p] && expected[p]));
}

static void check_sound(Input *in, const Links *all) {
  int64_t *start = array(all->pages + 1, 8), *next = copy(all->into, all->pages + 1, 8);
  int32_t *origin = array(all->links, 4), *order = array(all->links, 4);
  uint8_t *back = array(all->links, 1), *silent = array(all->pages, 1);
  uint8_t *linked = array(all->pages * all->pages, 1);
  uint64_t pages = (uint64_t)all->pages, links = (uint64_t)all->links;
  graphlang_fault fault;
  memset(start, 0, (size_t)(all->pages + 1) * 8);
  memset(linked, 0, (size_t)(all->pages * all->pages));
  CHECK(graphlang_links_are_sorted(links, all->source, all->target));
  uint64_t middle = (uint64_t)below(in, all->links + 1);
  CHECK(graphlang_links_starts(pages, links, 0, links, all->target, start, &fault) == 1);
  CHECK(!memcmp(start, all->into, (size_t)(all->pages + 1) * 8));
  CHECK(graphlang_links_sources(pages, links, 0, middle, all->source, all->target, next, origin, &fault) == 1);
  CHECK(graphlang_links_sources(pages, links, middle, links, all->source, all->target, next, origin, &fault) == 1);
  next = copy(all->into, all->pages + 1, 8);
  CHECK(graphlang_links_order(pages, links, 0, middle, all->target, next, order, &fault) == 1);
  CHECK(graphlang_links_order(pages, links, middle, links, all->target, next, order, &fault) == 1);
  CHECK(!memcmp(origin, all->origin, (size_t)all->links * 4) && !memcmp(order, all->order, (size_t)all->links * 4));
  memset(back, 0, (size_t)all->links);
  int32_t *mutual = array(all->pages, 4);
  uint64_t half = pages / 2;
  CHECK(graphlang_links_reciprocal(pages, links, 0, half, all->start, all->target, all->into, all->origin, back, mutual,
                                   &fault) == 1);
  CHECK(graphlang_links_reciprocal(pages, links, half, pages, all->start, all->target, all->into, all->origin, back,
                                   mutual, &fault) == 1);
  for (int64_t n = 0; n < all->links; n++) linked[step(all->source[n], all->target[n], all->pages)] = 1;
  for (int64_t n = 0; n < all->links; n++) CHECK(back[n] == linked[step(all->target[n], all->source[n], all->pages)]);
  for (int64_t n = 0; n < all->links; n++) mutual[all->source[n]] -= back[n];
  for (int64_t p = 0; p < all->pages; p++) CHECK(!mutual[p]);
  for (int64_t p = 0; p < all->pages; p++) silent[p] = byte(in) & 1;
  check_reached(all, silent);
  int64_t many = graphlang_links_reaching(pages, links, links - middle, middle, links, all->source, all->target, silent,
                                          origin, &fault);
  for (int64_t n = (int64_t)middle, at = 0; n < all->links; n++)
    if (silent[all->source[n]] || silent[all->target[n]]) CHECK(at < many && origin[at++] == n);
}

static void try_damaged(Input *in, Links *all) {
  int64_t *start = array(all->pages + 1, 8), *next = copy(all->into, all->pages + 1, 8);
  int32_t *found = array(all->links, 4), *parent = array(all->pages + 1, 4);
  uint8_t *heard = array(all->pages, 1), *silent = array(all->pages, 1), *back = array(all->links, 1);
  uint64_t pages = (uint64_t)all->pages, links = (uint64_t)all->links;
  int sound = 1;
  graphlang_fault fault;
  memset(start, 0, (size_t)(all->pages + 1) * 8);
  memset(silent, byte(in) & 1, (size_t)all->pages);
  damage32(in, all->source, all->links, all->pages);
  damage32(in, all->target, all->links, all->pages);
  damage32(in, all->origin, all->links, all->pages);
  damage64(in, next, all->pages, all->links);
  for (int64_t n = 0; n < all->links; n++) sound &= all->target[n] >= 0 && all->target[n] < all->pages;
  int64_t *again = copy(next, all->pages + 1, 8);
  graphlang_links_are_sorted(links, all->source, all->target);
  CHECK_DONE(graphlang_links_starts(pages, links, 0, links, all->target, start, &fault), sound);
  if (!sound) CHECK_FAULT("ends", all->target, all->links);
  int of_sources = graphlang_links_sources(pages, links, 0, links, all->source, all->target, next, found, &fault);
  int of_order = graphlang_links_order(pages, links, 0, links, all->target, again, found, &fault);
  CHECK(of_sources == of_order && (sound || of_order < 0));
  for (int64_t n = 0; n < all->links; n++) sound &= all->source[n] >= 0 && all->source[n] < all->pages;
  CHECK_DONE(graphlang_links_reached(pages, links, all->source, all->target, silent, parent, heard, &fault), sound);
  uint8_t *kind = array(all->links, 1), *left_out = array(256, 1);
  uint64_t *key = array(all->pages, 8), *hash = array(all->links, 8);
  for (int64_t n = 0; n < all->links; n++) kind[n] = byte(in);
  for (int64_t n = 0; n < 256; n++) left_out[n] = byte(in) & 1;
  for (int64_t p = 0; p < all->pages; p++) key[p] = (uint64_t)byte(in) << 56;
  int64_t many = graphlang_links_reaching(pages, links, links, 0, links, all->source, all->target, silent, found, &fault);
  CHECK(sound ? many >= 0 && many <= all->links : many == GRAPHLANG_OUT_OF_RANGE);
  many = graphlang_links_drawn(pages, links, links, 0, links, (uint64_t)byte(in) << 56, all->source, all->target, kind,
                               left_out, silent, key, found, hash, &fault);
  CHECK(sound ? many >= 0 && many <= all->links : many == GRAPHLANG_OUT_OF_RANGE);
  damage64(in, all->start, all->pages + 1, all->links + 1);
  damage64(in, all->into, all->pages + 1, all->links + 1);
  graphlang_links_reciprocal(pages, links, 0, pages, all->start, all->target, all->into, all->origin, back, parent,
                             &fault);
}

void fuzz_adjacency(Input *in) {
  uint8_t hurt = byte(in) & 1;
  Links all = sound_links(in);
  check_sound(in, &all);
  if (hurt) try_damaged(in, &all);
}

HARNESS_END
