/* Where pages are by the hosts of their URLs; see `graphlang.ingest.links.canonical`.

   Strings are packed: a zero behind each; behind the last it may be missing. */
#ifndef GRAPHLANG_PLACES_H
#define GRAPHLANG_PLACES_H
#include "kernel.h"

/* Which rules of the public suffix list there are for a name: it is a suffix, all names right below it are, or it is none
   though its like are. */
enum { GRAPHLANG_PLACES_EXACT = 1, GRAPHLANG_PLACES_BELOW = 2, GRAPHLANG_PLACES_NOT = 4 };

typedef struct graphlang_places graphlang_places;

/* A table of names and of the kinds of rules that there are for each; NULL without memory, and where there are fewer or more
   names than kinds. */
graphlang_places *graphlang_places_new(uint64_t size, uint64_t count, const uint8_t names[size], const uint8_t kinds[count]);
void graphlang_places_free(graphlang_places *places);

/* Where in each URL its host begins and ends, and where the registered domain, the public suffix and the last label begin,
   which end with the host; a domain that begins at the end is none. All is 0 where a URL is not for us: no http or https, a
   host of one label or with characters other than a-z, 0-9, "-" and "_" in its labels and a-z in the last one, or what is
   no port behind it. Refuses a `count` that is not the number of URLs. */
int graphlang_places_find(const graphlang_places *places, uint64_t size, uint64_t count, const uint8_t urls[size],
                          int32_t begins[count], int32_t ends[count], int32_t domains[count], int32_t suffixes[count],
                          int32_t labels[count]);

#endif
