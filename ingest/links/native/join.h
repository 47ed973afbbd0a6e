/* References of a page -> canonical URLs -> the distinct targets of its links; see `graphlang.ingest.links.resolve`.

   Strings are packed: a zero behind each; behind the last it may be missing. */
#ifndef GRAPHLANG_JOIN_H
#define GRAPHLANG_JOIN_H
#include "kernel.h"

enum { GRAPHLANG_JOIN_LEFT = 1 }; /* the byte before a reference that is left to the caller */

typedef struct graphlang_join graphlang_join;

/* `seed` is the key of the hash of targets. */
graphlang_join *graphlang_join_new(uint32_t seed);
void graphlang_join_free(graphlang_join *joiner);

/* Joined references, in the joiner's memory, valid until its next call. */
typedef struct {
  const uint8_t *urls; /* of each reference: its URL, empty if it has none, or JOIN_LEFT and the reference */
  uint64_t urls_size;  /* bytes */
  uint64_t left;       /* references that are left to the caller */
} graphlang_join_resolved;

/* Join references to a base URL. */
int graphlang_join_resolve(graphlang_join *joiner, uint64_t size, uint64_t base_size, const uint8_t references[size],
                           const uint8_t base[base_size], graphlang_join_resolved *resolved);

/* Merged targets, in the joiner's memory, valid until its next call. */
typedef struct {
  const uint8_t *targets; /* distinct, none of the seeds */
  const uint8_t *hits;    /* for each seed 1 if it is a target, else 0 */
  uint64_t targets_size, hits_size; /* bytes */
  uint64_t count;         /* of targets */
  uint64_t too_long, skipped; /* left out: longer than the limit; beyond the limit */
} graphlang_join_merged;

/* Bring equal URLs together. Empty ones are passed over, and those of more than `longest` bytes; of new ones no more
   than `most` are taken. */
int graphlang_join_merge(graphlang_join *joiner, uint64_t size, uint64_t seeds_size, const uint8_t urls[size],
                         const uint8_t seeds[seeds_size], uint64_t longest, uint64_t most,
                         graphlang_join_merged *merged);

/* The links of a page, in the joiner's memory, valid until its next call. */
typedef struct {
  const uint8_t *urls;      /* distinct targets in the order in which they are first named; not the page itself */
  const uint8_t *kinds;     /* a byte each: the kind, plus 128 for nofollow */
  const uint32_t *places;   /* which of them have an hreflang, ascending */
  const uint8_t *hreflangs; /* ... and these, packed */
  uint64_t urls_size, kinds_size, places_size, hreflangs_size; /* bytes */
  uint64_t too_long, skipped; /* left out: longer than the limit; beyond the limit */
  uint32_t left; /* 1 if a reference is left to the caller; then all else is empty */
} graphlang_join_links;

/* Bring the references of a page together, one link for each target: `references` as `graphlang_html_page` has them, then
   plain `anchors`. `base` is that of the page as written, or nothing; `url` its own, which is canonical. Anchors are
   nofollow where the page says so. `longest` and `most` are as above. */
int graphlang_join_gather(graphlang_join *joiner, uint64_t size, uint64_t anchors_size, uint64_t base_size,
                          uint64_t url_size, const uint8_t references[size], const uint8_t anchors[anchors_size],
                          const uint8_t base[base_size], const uint8_t url[url_size], int32_t nofollow,
                          uint64_t longest, uint64_t most, graphlang_join_links *links);

#endif
