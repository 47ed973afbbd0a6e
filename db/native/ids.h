/* Dense ids for strings; see `graphlang.db.url_ids`.

   Strings are packed: a zero behind each; behind the last it may be missing. */
#ifndef GRAPHLANG_IDS_H
#define GRAPHLANG_IDS_H
#include "kernel.h"

/* An open-addressing table of ids over 96 bits of a keyed hash. */
typedef struct graphlang_ids graphlang_ids;

/* `slots` is a power of two; `secret` is the key of the hash. */
graphlang_ids *graphlang_ids_new(uint64_t slots, const uint64_t secret[2]);
void graphlang_ids_free(graphlang_ids *table);

/* How many ids there are, and the bytes that they take. */
uint64_t graphlang_ids_count(const graphlang_ids *table);
uint64_t graphlang_ids_bytes(const graphlang_ids *table);

/* What an assignment found new. */
typedef struct {
  uint64_t count; /* strings */
  uint64_t bytes; /* that they take, packed */
} graphlang_ids_added;

/* Give ids to `count` strings. What is new goes to `fresh`, packed in the same way, and its positions among the strings
   to `places`. Refuses a `count` that is not the number of strings, and a `fresh` shorter than they and a zero. */
int graphlang_ids_assign(graphlang_ids *table, uint64_t size, uint64_t count, uint64_t room, const uint8_t texts[size],
                         int64_t ids[count], int64_t places[count], uint8_t fresh[room], graphlang_ids_added *added);

/* Ids of strings, 0 for those that have none. Refuses a `count` that is not the number of strings. */
int graphlang_ids_find(const graphlang_ids *table, uint64_t size, uint64_t count, const uint8_t texts[size],
                       int64_t ids[count]);

/* What stands in URLs between the second slash and the third, packed like the URLs. Returns the bytes written. */
uint64_t graphlang_ids_authorities(uint64_t size, const uint8_t urls[size], uint8_t out[size + 1]);

#endif
