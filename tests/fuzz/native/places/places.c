/* Places of URLs beside slow loops.

   Input: up to a byte 1 the rules, a line each, of which the first byte says the kinds; then URLs, a line each. */
#include "../harness.h"
#include KERNEL_PLACES

HARNESS_BEGIN

enum { MOST = 64 };

typedef struct {
  const uint8_t *at;
  size_t size;
  uint8_t kinds;
} Line;

static uint64_t lines(Input *in, Line *found, int has_kinds) {
  uint64_t count = 0;
  while (in->at < in->end && count < MOST) {
    Input line = section(in, '\n');
    uint8_t kinds = has_kinds ? byte(&line) & 7 : 0;
    found[count++] = (Line){line.at, (size_t)left(&line), kinds};
  }
  return count;
}

/* With a zero behind each; what holds one ends there. */
static uint8_t *packed(Line *all, uint64_t count, uint64_t *size) {
  *size = 0;
  for (uint64_t n = 0; n < count; n++) {
    const uint8_t *zero = all[n].size ? memchr(all[n].at, 0, all[n].size) : NULL;
    if (zero) all[n].size = (size_t)(zero - all[n].at);
    *size += all[n].size + 1;
  }
  uint8_t *out = array((int64_t)*size, 1), *at = out;
  for (uint64_t n = 0; n < count; n++) {
    if (all[n].size) memcpy(at, all[n].at, all[n].size);
    at[all[n].size] = 0;
    at += all[n].size + 1;
  }
  return out;
}

/* The kinds of the first rule for a name, as the table has it; those of an empty one are never asked for. */
static uint8_t kinds_of_name(const Line *rules, uint64_t count, const uint8_t *name, size_t size) {
  for (uint64_t n = 0; n < count; n++)
    if (rules[n].size == size && size && !memcmp(rules[n].at, name, size)) return rules[n].kinds;
  return 0;
}

/* As `graphlang.public_suffix.find_suffix` has it: the longest name decides. */
static size_t slow_suffix(const Line *rules, uint64_t count, const uint8_t *host, size_t size) {
  size_t before = 0, at = 0;
  for (;;) {
    const uint8_t *dot = memchr(host + at, '.', size - at);
    size_t next = dot ? (size_t)(dot - host) + 1 : size;
    uint8_t kinds = kinds_of_name(rules, count, host + at, size - at);
    if (kinds & GRAPHLANG_PLACES_NOT) return dot ? next : at; /* nobody takes a last label out of anything */
    if (kinds & GRAPHLANG_PLACES_BELOW) return before;
    if (kinds || !dot) return at;
    before = at;
    at = next;
  }
}

static void fuzz_places(Input *in) {
  static Line rules[MOST], urls[MOST];
  Input first = section(in, 1);
  uint64_t rule_count = lines(&first, rules, 1), count = lines(in, urls, 0), names_size, size;
  uint8_t *names = packed(rules, rule_count, &names_size), *given = packed(urls, count, &size);
  uint8_t *kinds = array((int64_t)rule_count, 1);
  for (uint64_t n = 0; n < rule_count; n++) kinds[n] = rules[n].kinds;
  graphlang_places *places = graphlang_places_new(names_size, rule_count, names, kinds);
  CHECK(places);
  int32_t *ends[5];
  for (int n = 0; n < 5; n++) ends[n] = array((int64_t)count, sizeof **ends);
  CHECK(!graphlang_places_find(places, size, count, given, ends[0], ends[1], ends[2], ends[3], ends[4]));
  for (uint64_t n = 0; n < count; n++) {
    size_t begin = (size_t)ends[0][n], end = (size_t)ends[1][n], domain = (size_t)ends[2][n], suffix = (size_t)ends[3][n],
           label = (size_t)ends[4][n];
    if (!end) {
      CHECK(!begin && !domain && !suffix && !label);
      continue;
    }
    const uint8_t *url = urls[n].at, *host = url + begin;
    CHECK((begin == 7 && !memcmp(url, "http://", 7)) || (begin == 8 && !memcmp(url, "https://", 8)));
    CHECK(begin < label && label < end && end < urls[n].size && (url[end] == '/' || url[end] == ':'));
    for (size_t at = begin; at < end; at++) CHECK(url[at] != '/' && url[at] != ':' && url[at] != '@' && url[at] < 0x80);
    for (size_t at = label; at < end; at++) CHECK(url[at] >= 'a' && url[at] <= 'z');
    CHECK(url[label - 1] == '.' && suffix == begin + slow_suffix(rules, rule_count, host, end - begin));
    if (suffix == begin) {
      CHECK(domain == end);
      continue;
    }
    CHECK(domain >= begin && domain < suffix && (domain == begin || url[domain - 1] == '.'));
    CHECK(url[suffix - 1] == '.' && !memchr(url + domain, '.', suffix - 1 - domain));
  }
  graphlang_places_free(places);
}

const Harness harnesses[] = {fuzz_places};
const size_t harness_count = sizeof harnesses / sizeof *harnesses;

HARNESS_END
