/* Ordinary pages: what they say, and where they lead, is what the kernels of markup and of links say of them.

   Input: a byte of options, one for which allocations fail, one for the depth; then lines: the page's URL, the base, what
   stands before the page; then the page. */
#include "../failing.h"
#include KERNEL_ORDINARY_PAGE
#include "../working.h"

HARNESS_BEGIN

enum { FEW = 3, MANY = 4000 };

typedef struct {
  const uint8_t *block, *url, *base;
  uint64_t size, body, url_size, base_size;
  uint64_t longest, most;
  uint32_t kept, depth;
  int32_t undeclared, nofollow;
} Given;

static int equal(const void *one, uint64_t size, const void *other, uint64_t other_size) {
  return size == other_size && (!size || !memcmp(one, other, size));
}

static int may_be_ordinary(const Given *given) {
  const uint8_t *at = given->block + given->body;
  uint64_t size = given->size - given->body;
  if (!size || !memchr("< \t\n\r", *at, 5) || !graphlang_html_is_utf8(size, at)) return 0;
  return !given->undeclared || !(memchr(at, 0, size) || graphlang_html_holds_escapes(size, at));
}

/* Whether what a page says has a character from C0 to FF, and the page looks as if it had been encoded twice. */
static int seems_encoded_twice(const Given *given, const graphlang_html_page *page) {
  int said = (page->text_size && memchr(page->text, 0xC3, page->text_size)) ||
             (page->strings_size && memchr(page->strings, 0xC3, page->strings_size));
  return said && graphlang_html_looks_encoded_twice(given->size - given->body, given->block + given->body);
}

/* Of the strings of the page all but the first title, and that apart, in their order. */
static void check_strings(const graphlang_html_page *page, const graphlang_ordinary_page_result *said) {
  int titles = 0;
  if (!page->strings_size) {
    CHECK(!said->strings_size && !said->title_size);
    return;
  }
  const uint8_t *at = page->strings, *end = at + page->strings_size, *strings = copy(said->strings, (int64_t)said->strings_size, 1);
  const uint8_t *other = strings;
  while (at < end) {
    const uint8_t *stop = memchr(at, 0, (size_t)(end - at));
    CHECK(stop);
    if (*at == 'T' && !titles++)
      CHECK(equal(at + 1, (uint64_t)(stop - at - 1), said->title, said->title_size));
    else {
      CHECK((uint64_t)(stop - at) < said->strings_size - (uint64_t)(other - strings));
      CHECK(!memcmp(at, other, (size_t)(stop - at) + 1));
      other += stop - at + 1;
    }
    at = stop + 1;
  }
  CHECK(other == strings + said->strings_size && (titles || !said->title_size));
}

/* The kernels are asked one by one. */
static void check_said(const Given *given, const graphlang_ordinary_page_result *said) {
  static graphlang_html *html;
  graphlang_html_page page;
  graphlang_html_parted parted;
  if (!html) CHECK(html = graphlang_html_new(4));
  CHECK(!graphlang_html_read(html, given->size - given->body, given->block + given->body, given->kept, given->depth, &page));
  int twice = seems_encoded_twice(given, &page);
  CHECK(!graphlang_html_part(html, &parted));
  CHECK(said->left == !(may_be_ordinary(given) && !page.flattened && !page.skipped && !twice));
  if (said->left) {
    CHECK(!said->text_size && !said->title_size && !said->strings_size && !said->references_size && !said->anchors_size);
    return;
  }
  CHECK(equal(said->text, said->text_size, parted.text, parted.text_size) && said->main_length == parted.main_length);
  CHECK(equal(said->references, said->references_size, page.references, page.references_size));
  CHECK(equal(said->anchors, said->anchors_size, page.anchors, page.anchors_size));
  check_strings(&page, said);
}

static void check_links(const Given *given, const graphlang_ordinary_page_result *said,
                        const graphlang_ordinary_page_links *links) {
  static graphlang_join *join;
  graphlang_join_links found;
  if (!join) CHECK(join = graphlang_join_new(5));
  CHECK(!graphlang_join_gather(join, said->references_size, said->anchors_size, given->base_size, given->url_size,
                               copy(said->references, (int64_t)said->references_size, 1),
                               copy(said->anchors, (int64_t)said->anchors_size, 1), given->base, given->url,
                               given->nofollow, given->longest, given->most, &found));
  CHECK(links->left == (found.left || found.too_long || found.skipped));
  if (links->left) return;
  CHECK(equal(links->urls, links->urls_size, found.urls, found.urls_size));
  CHECK(equal(links->kinds, links->kinds_size, found.kinds, found.kinds_size));
  CHECK(equal(links->places, links->places_size, found.places, found.places_size));
  CHECK(equal(links->hreflangs, links->hreflangs_size, found.hreflangs, found.hreflangs_size));
}

/* Read a page and gather its links; whether there was memory for both. */
static int read_page(Reader *reader, const Given *given) {
  graphlang_ordinary_page_result said;
  graphlang_ordinary_page_links links;
  int failed = graphlang_ordinary_page_read(reader, given->size, given->block, given->body, given->kept, given->depth,
                                            given->undeclared, &said);
  CHECK(!failed || (failed == GRAPHLANG_NO_MEMORY && failed_allocations()));
  if (failed) return 0;
  failed = graphlang_ordinary_page_gather(reader, given->base_size, given->url_size, given->base, given->url,
                                          given->nofollow, given->longest, given->most, &links);
  CHECK(!failed || (failed == GRAPHLANG_NO_MEMORY && failed_allocations()));
  if (failed) return 0;
  allow_allocations(); /* for the kernels that it is held against */
  check_said(given, &said);
  check_links(given, &said, &links);
  return 1;
}

static void fuzz_page(Input *in) {
  static Reader *kept;
  uint8_t options = byte(in), plan = byte(in), depth = byte(in);
  Input url = section(in, '\n'), base = section(in, '\n'), before = section(in, '\n');
  Given given = {.url = copy(url.at, left(&url), 1), .url_size = (uint64_t)left(&url),
                 .base = copy(base.at, left(&base), 1), .base_size = (uint64_t)left(&base),
                 .body = (uint64_t)left(&before), .size = (uint64_t)(left(&before) + left(in)),
                 .longest = options & 1 ? 20 : 2048, .most = options & 2 ? FEW : MANY,
                 .kept = options & 4 ? FEW : MANY, .depth = 2u * depth,
                 .undeclared = !!(options & 8), .nofollow = !!(options & 16)};
  uint8_t *block = array((int64_t)given.size, 1);
  if (given.body) memcpy(block, before.at, given.body);
  if (left(in)) memcpy(block + given.body, in->at, (size_t)left(in));
  given.block = block;

  graphlang_ordinary_page_result said;
  if (!kept) CHECK(kept = graphlang_ordinary_page_new(6));
  CHECK(graphlang_ordinary_page_read(kept, given.size, block, given.size + 1, MANY, 99, 0, &said) == GRAPHLANG_WRONG_SIZE);
  CHECK(said.left);
  CHECK(read_page(kept, &given)); /* with a reader that has read others, as with a new one below */

  fail_allocations(plan ? plan >> 1 & 63 : -1, plan & 1);
  Reader *fresh = graphlang_ordinary_page_new(plan);
  CHECK(fresh || failed_allocations());
  if (fresh && !read_page(fresh, &given)) {
    allow_allocations();
    CHECK(read_page(fresh, &given));
  }
  allow_allocations();
  graphlang_ordinary_page_free(fresh);
}

const Harness harnesses[] = {fuzz_page};
const size_t harness_count = sizeof harnesses / sizeof *harnesses;

HARNESS_END
