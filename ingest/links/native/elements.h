/* Kind, rel and hreflang of links, from the elements of a page, in ASCII. */
#ifndef GRAPHLANG_ELEMENTS_H
#define GRAPHLANG_ELEMENTS_H

#include "url.h"

enum { /* kinds of links; see `graphlang.db.records.LinkKind` */
  CANONICAL = 3, FRAME, IFRAME, ALTERNATE, ANCHOR, AREA,
  NOFOLLOW = 0x80, /* added to a kind */
  LONGEST_HREFLANG = 35
};

typedef struct {
  const uint8_t *at, *end;
} Piece;

/* The next of some strings that end with a zero; that of the last may be missing. */
static Piece next(const uint8_t **at, const uint8_t *end) {
  Piece found = {*at, *at < end ? memchr(*at, 0, (size_t)(end - *at)) : end};
  if (!found.end) found.end = end;
  *at = found.end < end ? found.end + 1 : end;
  return found;
}

static int is_ascii(Piece text) {
  for (const uint8_t *at = text.at; at < text.end; at++)
    if (*at & 0x80) return 0;
  return 1;
}

/* True if a text begins with a word, given in lower case, in any case. */
static int begins(const uint8_t *at, const uint8_t *end, const char *word) {
  for (; *word; word++, at++)
    if (at == end || (letter(*at) ? *at | 32 : *at) != (uint8_t)*word) return 0;
  return 1;
}

static int contains(Piece text, const char *word) {
  for (; text.at < text.end; text.at++)
    if (begins(text.at, text.end, word)) return 1;
  return 0;
}

/* True if it is one of the words of a text, between white space. */
static int has_word(Piece text, const char *word) {
  while (text.at < text.end) {
    while (text.at < text.end && is_blank(*text.at)) text.at++;
    const uint8_t *stop = text.at;
    while (stop < text.end && !is_blank(*stop)) stop++;
    if ((size_t)(stop - text.at) == strlen(word) && begins(text.at, stop, word)) return 1;
    text.at = stop;
  }
  return 0;
}

typedef struct {
  uint8_t kind; /* 0 for none */
  int nofollow;
  Piece hreflang;
} LinkProperties;

/* Read the kind, rel and hreflang of an element. */
static LinkProperties read_properties(Piece tag, Piece rel, Piece hreflang, int nofollow) {
  LinkProperties properties = {0, 0, {hreflang.at, hreflang.at}};
  Piece language = hreflang;
  if (language.at < language.end) language.at++; /* a plus sign */
  while (language.at < language.end && is_blank(*language.at)) language.at++;
  while (language.at < language.end && is_blank(language.end[-1])) language.end--;
  if (language.end - language.at > LONGEST_HREFLANG) language.end = language.at + LONGEST_HREFLANG;
  size_t size = (size_t)(tag.end - tag.at);
  if (size == 4 && !memcmp(tag.at, "link", 4)) {
    if (has_word(rel, "canonical"))
      properties.kind = CANONICAL;
    else if (language.at < language.end && has_word(rel, "alternate") && !has_word(rel, "stylesheet")) {
      properties.kind = ALTERNATE;
      properties.hreflang = language;
    }
    return properties;
  }
  int followed = size == 5; /* frames are */
  if (size == 1 && *tag.at == 'a') properties.kind = ANCHOR;
  if (size == 4 && !memcmp(tag.at, "area", 4)) properties.kind = AREA;
  if (size == 5 && !memcmp(tag.at, "frame", 5)) properties.kind = FRAME;
  if (size == 6 && !memcmp(tag.at, "iframe", 6)) properties.kind = IFRAME, followed = 1;
  properties.nofollow = !followed && (nofollow || contains(rel, "nofollow"));
  properties.hreflang = language;
  return properties;
}

#endif
