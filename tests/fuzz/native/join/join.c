/* References of a page joined to its URL, and merged.

   Input: a byte of options, one for which allocations fail; then lines: the base, the seeds, the references, of which a
   byte 1 parts one from the next. Where links are gathered: the page's URL, its base, its references, its anchors. */
#include "../failing.h"
#include KERNEL_JOIN
#include "../working.h"

HARNESS_BEGIN

enum { MOST_STRINGS = 300 };

typedef struct {
  const uint8_t *at;
  size_t size;
} String;

static int equal(String one, String other) {
  return one.size == other.size && !memcmp(one.at, other.at, one.size);
}

/* Strings with a zero behind each; the last may lack it. */
static uint32_t parted(const uint8_t *at, uint64_t size, String *found, uint32_t most) {
  uint32_t count = 0;
  if (!size) return 0;
  for (const uint8_t *end = at + size; at < end && count < most;) {
    const uint8_t *stop = memchr(at, 0, (size_t)(end - at));
    if (!stop) stop = end;
    found[count++] = (String){at, (size_t)(stop - at)};
    at = stop + 1;
  }
  return count;
}

static uint8_t *packed(const Input *line, int closed, uint64_t *size) {
  uint8_t *own = copy(line->at, left(line), 1);
  *size = (uint64_t)left(line);
  for (uint64_t n = 0; n < *size; n++)
    if (own[n] == 1) own[n] = 0;
  if (!closed || !*size) return own;
  uint8_t *longer = array((int64_t)++*size, 1);
  memcpy(longer, own, *size - 1);
  longer[*size - 1] = 0;
  return longer;
}

/* What is not left to others is empty or an absolute URL in ASCII without a fragment. */
static void check_url(String url) {
  if (!url.size) return;
  CHECK(url.size > 7 && !memcmp(url.at, "http", 4));
  CHECK(!memcmp(url.at + 4, "://", 3) || !memcmp(url.at + 4, "s://", 4));
  for (size_t n = 0; n < url.size; n++) CHECK(url.at[n] > ' ' && url.at[n] < 0x7F && url.at[n] != '#');
}

/* Join one string; what comes out is a copy. */
static String joined_alone(Joiner *joiner, String reference, String base) {
  uint8_t *own = array((int64_t)reference.size + 1, 1);
  memcpy(own, reference.at, reference.size);
  own[reference.size] = 0;
  graphlang_join_resolved out;
  CHECK(!graphlang_join_resolve(joiner, reference.size + 1, base.size, own, base.at, &out));
  CHECK(out.urls_size && !out.urls[out.urls_size - 1]);
  return (String){copy(out.urls, (int64_t)out.urls_size - 1, 1), out.urls_size - 1};
}

static int is_left(String url) {
  return url.size && *url.at == GRAPHLANG_JOIN_LEFT;
}

static void check_joined(const graphlang_join_resolved *out, const String *references, uint32_t count, String base) {
  static Joiner *other;
  static const char plain[] = "https://other.example:8443/a/b?c";
  const String elsewhere = {(const uint8_t *)plain, sizeof plain - 1};
  String *urls = array(count + 1, sizeof *urls);
  uint32_t unresolved = 0;
  if (!other) CHECK(other = graphlang_join_new(2008));
  int canonical = base.size && !memchr(base.at, 0, base.size) && equal(joined_alone(other, base, elsewhere), base);
  CHECK(parted(out->urls, out->urls_size, urls, count + 1) == count);
  for (uint32_t n = 0; n < count; n++) {
    String alone = joined_alone(other, references[n], base);
    CHECK(equal(urls[n], alone));
    if (is_left(urls[n])) {
      unresolved++;
      CHECK(equal((String){urls[n].at + 1, urls[n].size - 1}, references[n]));
      continue;
    }
    check_url(urls[n]);
    /* What comes of a canonical base is canonical: whatever it is joined to, it stays what it is. */
    if (!canonical || !urls[n].size || urls[n].size > LONGEST_REFERENCE) continue;
    CHECK(equal(joined_alone(other, urls[n], base), urls[n]));
    CHECK(equal(joined_alone(other, urls[n], elsewhere), urls[n]));
  }
  CHECK(unresolved == out->left);
}

/* The same as graphlang_join_merge, one string after the other. */
static void check_merged(const graphlang_join_merged *out, const String *joined, uint32_t count, const String *seeds, uint32_t seed_count,
                         uint64_t longest, uint64_t most) {
  String *targets = array(count, sizeof *targets), *found = array(count, sizeof *found);
  uint8_t *hits = array(seed_count, 1);
  uint32_t number = 0, too_long = 0, skipped = 0, first;
  memset(hits, 0, seed_count);
  for (uint32_t n = 0; n < count; n++) {
    if (!joined[n].size) continue;
    for (first = 0; first < seed_count && !equal(seeds[first], joined[n]); first++) continue;
    if (first < seed_count) {
      hits[first] = 1;
      continue;
    }
    for (first = 0; first < number && !equal(targets[first], joined[n]); first++) continue;
    if (first < number) continue;
    if (joined[n].size > longest)
      too_long++;
    else if (number >= most)
      skipped++;
    else
      targets[number++] = joined[n];
  }
  CHECK(out->count == number && out->too_long == too_long && out->skipped == skipped);
  CHECK(out->hits_size == seed_count && (!seed_count || !memcmp(out->hits, hits, seed_count)));
  CHECK(!out->targets_size || !out->targets[out->targets_size - 1]);
  CHECK(parted(out->targets, out->targets_size, found, count) == number);
  for (uint32_t n = 0; n < number; n++) CHECK(equal(found[n], targets[n]));
}

static void fuzz_join(Input *in) {
  static Joiner *kept;
  uint8_t options = byte(in), plan = byte(in);
  uint64_t longest = options & 4 ? 20 : 2048, most = options & 8 ? 2 : 5000, seeds_size, size;
  Input base_line = section(in, '\n'), seeds_line = section(in, '\n');
  String base = {copy(base_line.at, left(&base_line), 1), (size_t)left(&base_line)};
  uint8_t *seeds = packed(&seeds_line, options & 1, &seeds_size), *data = packed(in, options & 2, &size);
  String *references = array(MOST_STRINGS, sizeof *references), *seed = array(MOST_STRINGS, sizeof *seed);
  uint32_t count = parted(data, size, references, MOST_STRINGS);
  uint32_t seed_count = parted(seeds, seeds_size, seed, MOST_STRINGS);
  if (count == MOST_STRINGS || seed_count == MOST_STRINGS) return;

  if (!kept) CHECK(kept = graphlang_join_new(7));
  graphlang_join_resolved out;
  graphlang_join_merged merged;
  CHECK(!graphlang_join_resolve(kept, size, base.size, data, base.at, &out));
  check_joined(&out, references, count, base);
  String *urls = array(count, sizeof *urls);
  parted(out.urls, out.urls_size, urls, count);
  CHECK(!graphlang_join_merge(kept, out.urls_size, seeds_size, out.urls, seeds, longest, most, &merged));
  check_merged(&merged, urls, count, seed, seed_count, longest, most);

  if (!plan) return; /* out of memory a joiner says so, or what it gives is right; and then it goes on */
  fail_allocations(plan >> 1 & 63, plan & 1);
  Joiner *poor = graphlang_join_new(plan);
  CHECK(poor || failed_allocations());
  for (int again = 0; poor && again < 2; again++) {
    if (!graphlang_join_resolve(poor, size, base.size, data, base.at, &out)) {
      check_joined(&out, references, count, base);
      parted(out.urls, out.urls_size, urls, count);
      if (!graphlang_join_merge(poor, out.urls_size, seeds_size, out.urls, seeds, longest, most, &merged))
        check_merged(&merged, urls, count, seed, seed_count, longest, most);
      else
        CHECK(failed_allocations());
    } else
      CHECK(failed_allocations());
    allow_allocations();
  }
  graphlang_join_free(poor);
}

/* More targets than tables are kept for: so many numbers, of which so many are different, and some are seeds. */
static void fuzz_many(Input *in) {
  static Joiner *kept;
  static const char base[] = "http://a.example/b";
  int64_t number = below(in, 1 << 13), different = 1 + below(in, 1 << 13), known = below(in, 1 << 13), found = 0;
  char *references = array(number * 6 + 1, 1), *seeds = array(known * 24 + 1, 1);
  uint64_t size = 0, seeds_size = 0;
  uint8_t *hits = array(known, 1);
  memset(hits, 0, (size_t)known);
  for (int64_t n = 0; n < number; n++) {
    int64_t own = n * 7919 % different;
    size += (uint64_t)sprintf(references + size, "%d", (int)own) + 1;
    if (own < known) hits[own] = 1;
  }
  for (int64_t n = 0; n < known; n++)
    seeds_size += (uint64_t)sprintf(seeds + seeds_size, "http://a.example/%d", (int)n) + 1;
  uint8_t *seen = array(different, 1);
  memset(seen, 0, (size_t)different);
  for (int64_t n = 0; n < number; n++) {
    int64_t own = n * 7919 % different;
    found += own >= known && !seen[own];
    seen[own] = 1;
  }
  if (!kept) CHECK(kept = graphlang_join_new(7));
  graphlang_join_resolved out;
  graphlang_join_merged merged;
  const uint8_t *given = copy(references, (int64_t)size, 1), *seed = copy(seeds, (int64_t)seeds_size, 1);
  CHECK(!graphlang_join_resolve(kept, size, sizeof base - 1, given, (const uint8_t *)base, &out));
  CHECK(!out.left);
  CHECK(!graphlang_join_merge(kept, out.urls_size, seeds_size, out.urls, seed, 2048, 1 << 20, &merged));
  CHECK(merged.count == (uint64_t)found && merged.hits_size == (uint64_t)known);
  CHECK(!known || !memcmp(merged.hits, hits, (size_t)known));
}

/* What is gathered of a page: distinct URLs but its own, of a kind each, and hreflangs that are not empty. */
static void check_links(const graphlang_join_links *links, String url, uint64_t longest, uint64_t most) {
  uint32_t count = (uint32_t)links->kinds_size, marked = (uint32_t)(links->places_size / sizeof(uint32_t));
  String *found = array(count + 1, sizeof *found), *hreflangs = array(marked + 1, sizeof *hreflangs);
  CHECK(count <= most && parted(links->urls, links->urls_size, found, count + 1) == count);
  for (uint32_t n = 0; n < count; n++) {
    uint8_t kind = links->kinds[n] & 0x7F;
    check_url(found[n]);
    CHECK(found[n].size && found[n].size <= longest && !equal(found[n], url));
    for (uint32_t before = 0; before < n; before++) CHECK(!equal(found[before], found[n]));
    CHECK(kind >= 3 && kind <= 8 && (kind == 7 || kind == 8 || links->kinds[n] < 0x80));
  }
  CHECK(parted(links->hreflangs, links->hreflangs_size, hreflangs, marked + 1) == marked);
  for (uint32_t n = 0; n < marked; n++) {
    CHECK(links->places[n] < count && (!n || links->places[n] > links->places[n - 1]));
    CHECK(hreflangs[n].size && hreflangs[n].size <= 35);
  }
}

static void fuzz_gather(Input *in) {
  static Joiner *kept;
  uint8_t options = byte(in), plan = byte(in);
  uint64_t longest = options & 4 ? 20 : 2048, most = options & 8 ? 2 : MOST_STRINGS, size, anchors_size;
  Input url_line = section(in, '\n'), base_line = section(in, '\n'), references_line = section(in, '\n');
  String url = {copy(url_line.at, left(&url_line), 1), (size_t)left(&url_line)};
  uint64_t base_size = (uint64_t)left(&base_line);
  const uint8_t *base = copy(base_line.at, left(&base_line), 1);
  uint8_t *references = packed(&references_line, options & 1, &size), *anchors = packed(in, options & 2, &anchors_size);
  if (!kept) CHECK(kept = graphlang_join_new(7));
  graphlang_join_links links;
  CHECK(!graphlang_join_gather(kept, size, anchors_size, base_size, url.size, references, anchors, base, url.at,
                               options & 16, longest, most, &links));
  if (!links.left) check_links(&links, url, longest, most);
  if (!plan) return;
  fail_allocations(plan >> 1 & 63, plan & 1);
  Joiner *poor = graphlang_join_new(plan);
  CHECK(poor || failed_allocations());
  for (int again = 0; poor && again < 2; again++) {
    if (graphlang_join_gather(poor, size, anchors_size, base_size, url.size, references, anchors, base, url.at,
                              options & 16, longest, most, &links))
      CHECK(failed_allocations());
    else if (!links.left)
      check_links(&links, url, longest, most);
    allow_allocations();
  }
  graphlang_join_free(poor);
}

const Harness harnesses[] = {fuzz_join, fuzz_join, fuzz_join, fuzz_join, fuzz_join, fuzz_join, fuzz_join, fuzz_many, fuzz_gather, fuzz_gather, fuzz_gather};
const size_t harness_count = sizeof harnesses / sizeof *harnesses;

HARNESS_END
