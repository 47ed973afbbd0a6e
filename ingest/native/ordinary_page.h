/* A page of HTML in UTF-8 in two calls: its text, and its links; see `graphlang.ingest.page`.

   The kernels of markup and of links do the work; nothing goes through Python between them. Strings have a zero behind
   each. */
#ifndef GRAPHLANG_ORDINARY_PAGE_H
#define GRAPHLANG_ORDINARY_PAGE_H
#include "kernel.h"

typedef struct graphlang_ordinary_page graphlang_ordinary_page;

/* `seed` is the key of the hashes. */
graphlang_ordinary_page *graphlang_ordinary_page_new(uint32_t seed);
void graphlang_ordinary_page_free(graphlang_ordinary_page *reader);

/* The strings of a page, in the reader's memory, valid until the next page. */
typedef struct {
  const uint8_t *text;    /* visible: the content first, then the text around it; see `graphlang_html_parted` */
  const uint8_t *title;   /* as written */
  const uint8_t *strings; /* the others, as in `graphlang_html_page` */
  const uint8_t *references, *anchors; /* as there */
  uint64_t text_size, title_size, strings_size, references_size, anchors_size; /* bytes */
  uint64_t main_length; /* characters of the content */
  uint32_t left; /* 1 if the page is left to the caller; then all else is empty, and it has no links */
} graphlang_ordinary_page_result;

/* Read the page that begins at `body` of a block; `most` and `depth` as in `graphlang_html_read`. Left are: no page at
   all, one that begins neither with markup nor with white space of ASCII, bytes that are not UTF-8 or look encoded
   twice, elements nested too deep, references beyond the limit, and a text of which Python knows what stands around the
   content; and where nobody says that the page is UTF-8 (`undeclared`), zeros and what begins text in ISO 2022 or HZ.
   Refuses a `body` beyond the block. */
int graphlang_ordinary_page_read(graphlang_ordinary_page *reader, uint64_t size, const uint8_t block[size], uint64_t body,
                                 uint32_t most, uint32_t depth, int32_t undeclared, graphlang_ordinary_page_result *result);

/* The links of the last page, in the reader's memory, valid until its next call. */
typedef struct {
  const uint8_t *urls;  /* this and what follows: see `graphlang_join_links` */
  const uint8_t *kinds;
  const uint32_t *places;
  const uint8_t *hreflangs;
  uint64_t urls_size, kinds_size, places_size, hreflangs_size; /* bytes */
  uint32_t left; /* 1 if a reference is left to the caller, or left out; then all else is empty */
} graphlang_ordinary_page_links;

/* Bring the references of the page together; `base`, `url`, `nofollow`, `longest` and `most` as in
   `graphlang_join_gather`. */
int graphlang_ordinary_page_gather(graphlang_ordinary_page *reader, uint64_t base_size, uint64_t url_size,
                                   const uint8_t base[base_size], const uint8_t url[url_size], int32_t nofollow,
                                   uint64_t longest, uint64_t most, graphlang_ordinary_page_links *links);

#endif
