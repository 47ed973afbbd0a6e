/* References as nearly all pages write them, resolved as the WHATWG's URL standard has it (sections 4.4 and 5.2, special
   schemes). Whatever is unusual is left to the library that knows all of it: `SLOW` is always a right answer. */
#ifndef GRAPHLANG_URL_H
#define GRAPHLANG_URL_H

#include "../../native/buffer.h"
#include "../../native/utf8.h"

enum { RESOLVED, NOWHERE, SLOW };
enum { /* classes of bytes */
  IN_PATH = 1,   /* literal in a path */
  IN_QUERY = 2,  /* ... in a query */
  IN_SCHEME = 4, /* allowed in a scheme after the first letter */
  IN_HOST = 8,
  ENCODED = 16   /* percent-encoded in path and query, except as IN_PATH and IN_QUERY allow */
};
enum { LONGEST_REFERENCE = 1 << 15, LONGEST_HOST = 200 };

typedef struct {
  const uint8_t *data;
  size_t origin; /* bytes of the origin: what follows is the first slash of the path */
  size_t folder; /* bytes up to and with the last slash of the path */
  size_t path;   /* bytes before the query */
} Base;

static int letter(uint8_t byte) {
  return (byte | 32) >= 'a' && (byte | 32) <= 'z';
}

static int digit(uint8_t byte) {
  return byte >= '0' && byte <= '9';
}

static void lay_url_classes(uint8_t classes[256]) {
  memset(classes, 0, 256);
  for (int byte = 0x20; byte < 256; byte++) {
    uint8_t c = (uint8_t)byte;
    if (letter(c) || digit(c)) {
      classes[byte] = IN_PATH | IN_QUERY | IN_SCHEME | IN_HOST;
    } else if (byte >= 0x80) {
      classes[byte] = ENCODED;
    } else if (byte != 0x7F) {
      classes[byte] = IN_PATH | IN_QUERY;
      if (strchr(" \"<>", byte)) classes[byte] = ENCODED;
      if (strchr("`{}", byte)) classes[byte] = ENCODED | IN_QUERY;
      if (byte == '\'') classes[byte] = ENCODED | IN_PATH;
      if (strchr("\\^", byte)) classes[byte] = IN_QUERY; /* a slash; encoded or not by the year of the standard */
      if (strchr("+-.", byte)) classes[byte] |= IN_SCHEME;
      if (strchr("-_.", byte)) classes[byte] |= IN_HOST;
    }
  }
  classes['#'] = 0;
}

/* Write bytes of a path or query, those encoded that must be; there is room for three times as many. Returns the end of
   what was written, or NULL where a byte is not for us. */
static uint8_t *put_encoded(uint8_t *out, const uint8_t classes[256], int where, const uint8_t *at, const uint8_t *end) {
  static const char digits[] = "0123456789ABCDEF";
  while (at < end) {
    uint8_t byte = *at, class = classes[byte];
    if (class & where) {
      *out++ = byte;
      at++;
      continue;
    }
    if (!(class & ENCODED)) return NULL;
    size_t size = byte < 0x80 ? 1 : character(at, end);
    if (!size) return NULL;
    for (; size; size--, at++) {
      *out++ = '%';
      *out++ = (uint8_t)digits[*at >> 4];
      *out++ = (uint8_t)digits[*at & 15];
    }
  }
  return out;
}

/* Dots of a dot segment, encoded or not: 0, 1 or 2; 3 for a segment left to the caller. */
static int dots(const uint8_t *at, const uint8_t *end) {
  size_t size = (size_t)(end - at);
  if (!size || size > 6 || (*at != '.' && *at != '%')) return 0;
  if (size <= 2 && at[0] == '.' && at[size - 1] == '.') return (int)size;
  while (at < end) {
    if (*at == '.')
      at++;
    else if (end - at >= 3 && at[0] == '%' && at[1] == '2' && (at[2] | 32) == 'e')
      at += 3;
    else
      return 0;
  }
  return memchr(end - size, '%', size) ? 3 : 0;
}

/* Path and query of a reference behind what is written already, which ends in a slash; `root` is where its path begins.
   There is room. */
static uint8_t *put_path(
  uint8_t *out, uint8_t *root, const uint8_t classes[256], const uint8_t *at, const uint8_t *end) {
  const uint8_t *query = memchr(at, '?', (size_t)(end - at));
  const uint8_t *stop = query ? query : end;
  while (at < stop) {
    const uint8_t *slash = memchr(at, '/', (size_t)(stop - at));
    const uint8_t *behind = slash ? slash : stop;
    int kind = dots(at, behind);
    if (kind == 3) return NULL;
    if (kind == 2) {
      if (out - 1 > root)
        do
          out--;
        while (out[-1] != '/');
    } else if (!kind) {
      out = put_encoded(out, classes, IN_PATH, at, behind);
      if (!out) return NULL;
      if (slash) *out++ = '/';
    }
    at = slash ? slash + 1 : stop;
  }
  return stop < end ? put_encoded(out, classes, IN_QUERY, stop, end) : out;
}

/* Write host and port, in lower case and without the default port; returns where the path begins. */
static const uint8_t *put_place(uint8_t **to, const uint8_t classes[256], const uint8_t *at, const uint8_t *end, int safe) {
  uint8_t *out = *to;
  const uint8_t *begin = at, *label = at;
  for (; at < end && classes[*at] & IN_HOST; at++) {
    if (*at == '.') {
      if (at == label) return NULL;
      label = at + 1;
    }
    if (*at == '-' && at > begin && at[-1] == '-') return NULL; /* it may be IDNA */
    *out++ = letter(*at) ? *at | 32 : *at;
  }
  if (at == label || digit(*label) || at - begin > LONGEST_HOST) return NULL; /* a number is an address */
  if (at < end && *at == ':') {
    const uint8_t *port = ++at;
    uint32_t number = 0;
    for (; at < end && digit(*at) && at - port < 6; at++) number = number * 10 + (uint32_t)(*at - '0');
    if (at == port || *port == '0' || number > 65535) return NULL;
    if (number != (safe ? 443 : 80)) {
      *out++ = ':';
      memcpy(out, port, (size_t)(at - port));
      out += at - port;
    }
  }
  if (at < end && *at != '/' && *at != '?') return NULL;
  *to = out;
  return at;
}

static uint8_t *put_absolute(uint8_t *out, const uint8_t classes[256], const uint8_t *at, const uint8_t *end, int safe) {
  memcpy(out, safe ? "https://" : "http://", safe ? 8 : 7);
  out += safe ? 8 : 7;
  at = put_place(&out, classes, at, end, safe);
  if (!at) return NULL;
  uint8_t *root = out;
  *out++ = '/';
  return put_path(out, root, classes, at + (at < end && *at == '/'), end);
}

static int is_blank(uint8_t byte) { /* white space of Python's among the ASCII characters */
  return byte == ' ' || (byte >= 9 && byte <= 13) || (byte >= 28 && byte <= 31);
}

static int may_be_blank(uint8_t first) { /* first byte of white space beyond ASCII, and of much else */
  return first == 0xC2 || first == 0xE1 || first == 0xE2 || first == 0xE3;
}

/* Resolve a reference; the URL goes to `out` without its fragment. */
static int resolve(Buffer *out, const uint8_t classes[256], const uint8_t *at, const uint8_t *end, const Base *base) {
  while (at < end && is_blank(*at)) at++;
  while (at < end && is_blank(end[-1])) end--;
  if (at == end) return NOWHERE;
  const uint8_t *last = end - 1;
  while (last > at && (*last & 0xC0) == 0x80) last--;
  if (may_be_blank(*at) || may_be_blank(*last)) return SLOW;
  const uint8_t *hash = memchr(at, '#', (size_t)(end - at));
  if (hash) end = hash;
  if (at == end) return NOWHERE;
  if (end - at > LONGEST_REFERENCE) return SLOW;
  if (!more(out, base->path + 3 * (size_t)(end - at) + 16)) return SLOW;
  uint8_t *begin = out->data + out->size, *to = begin;
  const uint8_t *scheme = at;
  if (letter(*at))
    while (scheme < end && classes[*scheme] & IN_SCHEME) scheme++;
  if (scheme > at && scheme < end && *scheme == ':') {
    size_t size = (size_t)(scheme - at);
    int safe = size == 5;
    if ((size != 4 && size != 5) || (at[0] | 32) != 'h' || (at[1] | 32) != 't' || (at[2] | 32) != 't' ||
        (at[3] | 32) != 'p' || (safe && (at[4] | 32) != 's'))
      return NOWHERE;
    if (end - scheme < 4 || scheme[1] != '/' || scheme[2] != '/') return SLOW;
    to = put_absolute(to, classes, scheme + 3, end, safe);
  } else if (*at == '?') {
    memcpy(to, base->data, base->path);
    to = put_encoded(to + base->path, classes, IN_QUERY, at, end);
  } else if (*at == '/' && end - at > 1 && at[1] == '/') {
    to = put_absolute(to, classes, at + 2, end, base->data[4] == 's');
  } else {
    size_t kept = *at == '/' ? base->origin + 1 : base->folder;
    memcpy(to, base->data, kept);
    to = put_path(to + kept, to + base->origin, classes, at + (*at == '/'), end);
  }
  if (!to) return SLOW;
  out->size += (size_t)(to - begin);
  return RESOLVED;
}

/* Split a base URL; 0 if it is left to the caller. */
static int read_base(Base *base, const uint8_t *url, size_t size) {
  if (size < 8 || memcmp(url, "http", 4) || (memcmp(url + 4, "://", 3) && memcmp(url + 4, "s://", 4))) return 0;
  for (size_t n = 0; n < size; n++)
    if (url[n] <= ' ' || url[n] >= 0x7F || url[n] == '#') return 0;
  size_t host = url[4] == 's' ? 8 : 7;
  const uint8_t *slash = memchr(url + host, '/', size - host);
  const uint8_t *query = memchr(url + host, '?', size - host);
  if (!slash || slash == url + host || (query && query < slash)) return 0;
  base->data = url;
  base->origin = (size_t)(slash - url);
  base->path = query ? (size_t)(query - url) : size;
  base->folder = base->path;
  while (url[base->folder - 1] != '/') base->folder--;
  return 1;
}

#endif
