/* Where tags, attributes, comments and raw text end: the tokenizer of WHATWG HTML 13.2.5, for what is wanted here.
   Every function goes forward only, and returns a place within what it was given. */
#ifndef GRAPHLANG_TOKENS_H
#define GRAPHLANG_TOKENS_H

#include "references.h"
#include "tags.h"

typedef enum {
  HREF, SRC, REL, HREFLANG, NAME, CONTENT_, HTTP_EQUIV, LANG, XML_LANG, ID, CLASS, ROLE, ENCODING, FONT,
  HIDDEN, OPEN, TYPE, STYLE, ARIA_HIDDEN, SHADOW, SRCDOC, XLINK_HREF,
  ATTRIBUTES
} Attribute;

typedef struct {
  uint32_t tag;
  uint8_t first[4];     /* letters that the name begins with, in lower case */
  int self_closing;
  uint32_t have;        /* attributes that are there, by their bits */
  const uint8_t *value[ATTRIBUTES];
  uint32_t length[ATTRIBUTES];
} Token;

static int has(const Token *token, Attribute attribute) {
  return token->have >> attribute & 1;
}

static int is_space(uint8_t byte) {
  return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r' || byte == '\f';
}

static int same(const uint8_t *at, const char *name, size_t size) {
  for (size_t n = 0; n < size; n++)
    if (lower(at[n]) != (uint8_t)name[n]) return 0;
  return 1;
}

static const uint8_t *find(const uint8_t *at, const uint8_t *end, uint8_t byte) {
  const uint8_t *found = at < end ? memchr(at, byte, (size_t)(end - at)) : NULL;
  return found ? found : end;
}

static Attribute attribute_named(const uint8_t *at, size_t size) {
#define IS(name, attribute) \
  if (same(at, name, size)) return attribute
  switch (size) {
    case 2: IS("id", ID); break;
    case 3:
      IS("rel", REL);
      IS("src", SRC);
      break;
    case 4:
      IS("href", HREF);
      IS("name", NAME);
      IS("role", ROLE);
      IS("lang", LANG);
      IS("open", OPEN);
      IS("type", TYPE);
      IS("face", FONT);
      IS("size", FONT);
      break;
    case 5:
      IS("class", CLASS);
      IS("color", FONT);
      IS("style", STYLE);
      break;
    case 6:
      IS("hidden", HIDDEN);
      IS("srcdoc", SRCDOC);
      break;
    case 7: IS("content", CONTENT_); break;
    case 8:
      IS("hreflang", HREFLANG);
      IS("xml:lang", XML_LANG);
      IS("encoding", ENCODING);
      break;
    case 10:
      IS("http-equiv", HTTP_EQUIV);
      IS("shadowroot", SHADOW); /* its name before 2023 */
      IS("xlink:href", XLINK_HREF);
      break;
    case 11: IS("aria-hidden", ARIA_HIDDEN); break;
    case 14: IS("shadowrootmode", SHADOW); break;
    default: break;
  }
#undef IS
  return ATTRIBUTES;
}

/* 13.2.5.8 and 13.2.5.32 to 13.2.5.40: read name and attributes of the tag whose name begins at `at`.
   Returns what is behind its ">", or NULL where the page ends before. */
static const uint8_t *read_tag(const TagSlot *slots, const uint8_t *at, const uint8_t *end, Token *token) {
  union {
    uint64_t words[2];
    uint8_t bytes[16];
  } name = {{0, 0}};
  uint32_t hash = 2166136261u;
  size_t size = 0;
  for (; at < end && *at != '>' && *at != '/' && !is_space(*at); at++, size++) {
    uint8_t byte = lower(*at);
    if (size < 16)
      name.bytes[size] = byte;
    else
      hash = (hash ^ byte) * 16777619u;
  }
  token->tag = tag_of(slots, name.words);
  if (size > 16) token->tag = ((token->tag ^ hash) & 0x7FFFFFFF) | UNNAMED;
  memcpy(token->first, name.bytes, 4);
  token->have = 0;
  token->self_closing = 0;
  while (at < end) {
    if (is_space(*at)) {
      at++;
      continue;
    }
    if (*at == '>') return at + 1;
    if (*at == '/') {
      if (++at < end && *at == '>') {
        token->self_closing = 1;
        return at + 1;
      }
      continue;
    }
    const uint8_t *begin = at++; /* a name may begin with "=" */
    while (at < end && *at != '=' && *at != '>' && *at != '/' && !is_space(*at)) at++;
    Attribute attribute = attribute_named(begin, (size_t)(at - begin));
    while (at < end && is_space(*at)) at++;
    const uint8_t *value = at, *behind = at;
    if (at < end && *at == '=') {
      at++;
      while (at < end && is_space(*at)) at++;
      value = behind = at;
      if (at < end && (*at == '"' || *at == '\'')) {
        value = at + 1;
        behind = find(value, end, *at);
        if (behind == end) return NULL;
        at = behind + 1;
      } else {
        while (at < end && *at != '>' && !is_space(*at)) at++;
        behind = at;
      }
    }
    if (attribute < ATTRIBUTES && !has(token, attribute)) { /* of several of one name the first stands */
      token->have |= 1u << attribute;
      token->value[attribute] = value;
      token->length[attribute] = (uint32_t)(behind - value);
    }
  }
  return NULL;
}

/* 13.2.5.43 to 13.2.5.52: what is behind the comment whose "<!--" ends at `begin`. */
static const uint8_t *comment_end(const uint8_t *begin, const uint8_t *end) {
  if (begin < end && *begin == '>') return begin + 1;
  if (end - begin >= 2 && begin[0] == '-' && begin[1] == '>') return begin + 2;
  for (const uint8_t *at = begin; at < end; at++) {
    at = find(at, end, '>');
    if (at == end) break;
    if (at - begin >= 2 && at[-1] == '-' && at[-2] == '-') return at + 1;
    if (at - begin >= 3 && at[-1] == '!' && at[-2] == '-' && at[-3] == '-') return at + 1;
  }
  return end;
}

/* 13.2.5.69 to 13.2.5.71: what is behind the CDATA section that begins here; `text_end` is where its text ends. */
static const uint8_t *cdata_end(const uint8_t *begin, const uint8_t *end, const uint8_t **text_end) {
  for (const uint8_t *at = begin; at < end; at++) {
    at = find(at, end, '>');
    if (at == end) break;
    if (at - begin >= 2 && at[-1] == ']' && at[-2] == ']') {
      *text_end = at - 2;
      return at + 1;
    }
  }
  *text_end = end;
  return end;
}

/* Whether a tag of this name begins at `at`, behind its "<" or "</". */
static int is_tag(const uint8_t *at, const uint8_t *end, const char *name, size_t size) {
  if ((size_t)(end - at) <= size || !same(at, name, size)) return 0;
  return at[size] == '>' || at[size] == '/' || is_space(at[size]);
}

/* 13.2.5.9 to 13.2.5.14: where the end tag of raw text begins. */
static const uint8_t *raw_end(const uint8_t *at, const uint8_t *end, const char *name) {
  size_t size = strlen(name);
  for (; at < end; at++) {
    at = find(at, end, '<');
    if (end - at > 2 && at[1] == '/' && is_tag(at + 2, end, name, size)) return at;
  }
  return end;
}

/* 13.2.5.15 to 13.2.5.31: where the end tag of a script begins, which within a comment may hold others. */
static const uint8_t *script_end(const uint8_t *at, const uint8_t *end) {
  int escaped = 0; /* 1: within a comment, 2: within a script in a comment */
  const uint8_t *since = at;
  while (at < end) {
    if (!escaped) {
      at = find(at, end, '<');
    } else {
      while (at < end && *at != '<' && *at != '>') at++;
    }
    if (at >= end) break;
    if (*at == '>') {
      if (at - since >= 2 && at[-1] == '-' && at[-2] == '-') escaped = 0;
      at++;
    } else if (end - at > 2 && at[1] == '/' && is_tag(at + 2, end, "script", 6)) {
      if (escaped < 2) return at;
      escaped = 1;
      at += 2;
    } else if (escaped == 1 && is_tag(at + 1, end, "script", 6)) {
      escaped = 2;
      at++;
    } else if (!escaped && end - at > 3 && at[1] == '!' && at[2] == '-' && at[3] == '-') {
      escaped = 1;
      since = at + 2;
      at += 4;
    } else {
      at++;
    }
  }
  return end;
}

#endif
