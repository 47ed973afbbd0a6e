/* What of a page is no content: what stands around it, and what no visitor sees.

   It is set apart because it says little of the page's own language: a menu of forty language names is in forty
   languages, and a cookie banner in that of the visitor. Set apart, in this order:

   1. <nav>; <header>, <footer> and <aside> outside of articles, in which they hold headline and notes.
   2. What no visitor sees as the page loads (`hidden`, `style`, `aria-hidden`, a <dialog> that is not open), if content
      is left without it: a heading, or as much text, or CONTENT_LEFT letters.
   3. Elements whose class or id is the name of what holds no content (`class_words.h`): footers, sidebars, comments,
      share bars, related pages, choices of language; menus and headers only where half of their letters are links.
      One that holds the page's first-level heading or its <main> is the page, whatever its name.
   4. Elements of the ARIA roles navigation, banner and contentinfo; cookie banners.
   5. Templates of client code that nothing expanded: "{{ title | translate }}".
   6. Runs of lines that are nothing but links, whatever their markup is: menus of languages, and lists of links while
      some other text is left. Within an article or <main> they are content unless they are many.
   7. All that is outside of <main>, where that has text.

   Where next to nothing is left, no first-level heading among it, and one of these elements has sentences, it is no
   boilerplate but the page: sites put all of it into <header>, or never close a <nav>. That element is then left in its
   place. Footers and comments are only where they hold the heading, or nothing else is left: some have 3,000 letters.

   The text of the page has a line for each block, so that lists, tables, definition lists and lines of links with bars
   between them look alike. Time is linear in the page: what is counted is bounded by a budget. */
#ifndef GRAPHLANG_AROUND_H
#define GRAPHLANG_AROUND_H

#include "left.h"
#include "page.h"

enum {
  HOLDS_CONTENT = GRAPHLANG_HOLDS_MAIN | GRAPHLANG_HOLDS_ARTICLE,
  IS_PAGE = GRAPHLANG_IS_CONTENT | GRAPHLANG_HOLDS_MAIN,
  CONTENT_FLAGS = GRAPHLANG_IS_CONTENT | HOLDS_CONTENT,
  IS_NAMED = GRAPHLANG_IS_NAMED | GRAPHLANG_NAMES_LINKS,
  REFUSED = 2,         /* in `taken`: an element that was removed, but is the page */
  ATTEMPTS = 3,        /* nested elements that may turn out to be the page */
  MOST_HEADINGS = 16,
  LIST_LINKS = 4,      /* links that make a list */
  EDGE_LINKS = 2,      /* ... before and behind all sentences */
  MENU_NAMES = 3,      /* names of languages that make a menu */
  MENU_SHARE = 24,     /* letters of a menu for each name in it, at most */
  BRIDGE = 30,         /* letters of a line between two of links that belongs to them, at most: a heading, a date */
  SENTENCE = 60,       /* bytes of a line that are no links: then it has sentences */
  PAGE_LETTERS = 200,  /* letters of sentences that make an element the page ... */
  PAGE_TIMES = 4,      /* ... if they are this many times as many as are left without it */
  TEMPLATE_LONGEST = 200
};

static const Record NOTHING = {0, 0, 0};

typedef struct {
  uint32_t begin, end;
} Span;

/* A run of lines with links only. */
typedef struct {
  uint32_t begin, end, links, names, letters, is_content;
  uint32_t bridge; /* letters of the short line between it and the run before; 0 where there is none */
} Run;

typedef struct {
  const uint8_t *text;
  uint64_t size;
  const Record *records;
  uint32_t count;
  const LinkRecord *links; /* in the order in which they begin */
  uint32_t link_count;
  const LanguageNames *names;
  uint8_t *gone, *taken; /* by byte of the text, by element: 1 if it was removed */
  Buffer *spans, *runs;
  uint64_t letters, budget;          /* remaining letters; bytes that may still be read */
  uint64_t rest, content, sentences; /* letters that are left besides lists of links; within <main> or an article; in sentences outside of <main> */
  uint32_t first_sentence, behind_sentences; /* where the first line with sentences begins, where the last one ends */
  uint32_t titles[MOST_HEADINGS], title_count;
} Apart;

static void add_span(Buffer *spans, uint32_t begin, uint32_t end) {
  Span span = {begin, end};
  if (begin < end) put(spans, &span, sizeof span);
}

static int is_outer(uint32_t flags) {
  return flags & GRAPHLANG_IS_NAV || (flags & (GRAPHLANG_IS_OUTER | GRAPHLANG_IN_CONTENT)) == GRAPHLANG_IS_OUTER;
}

/* Remaining letters of a span; 0 if the budget is spent. */
static uint64_t letters_of(Apart *apart, uint32_t begin, uint32_t end) {
  if (end - begin > apart->budget) return 0;
  apart->budget -= end - begin;
  return letters_left(apart->text, apart->gone, begin, end);
}

static void mark_gone(Apart *apart, uint32_t begin, uint32_t end) {
  apart->letters -= letters_left(apart->text, apart->gone, begin, end);
  memset(apart->gone + begin, 1, end - begin);
}

static void set_apart(Apart *apart, uint32_t n) {
  mark_gone(apart, apart->records[n].begin, apart->records[n].end);
  apart->taken[n] = 1;
}

/* True if an <h1> remains outside an element (is_inside 0), or inside it. */
static int has_title(const Apart *apart, const Record *record, int is_inside) {
  for (uint32_t n = 0; n < apart->title_count; n++) {
    const Record *title = &apart->records[apart->titles[n]];
    int stands_in = title->begin >= record->begin && title->end <= record->end;
    if (stands_in == is_inside && next_gone(apart->gone, title->begin, title->end, 0) < title->end) return 1;
  }
  return 0;
}

static int holds_title(const Apart *apart, const Record *record) {
  for (uint32_t n = 0; n < apart->title_count; n++) {
    const Record *title = &apart->records[apart->titles[n]];
    if (title->begin >= record->begin && title->end <= record->end) return 1;
  }
  return 0;
}

/* The first link that begins at or after an offset of the text. */
static uint32_t link_from(const Apart *apart, uint32_t place) {
  uint32_t first = 0, behind = apart->link_count;
  while (first < behind) {
    uint32_t middle = first + (behind - first) / 2;
    if (apart->links[middle].begin < place)
      first = middle + 1;
    else
      behind = middle;
  }
  return first;
}

/* ---- elements ---- */

static void take_outer(Apart *apart) {
  uint32_t reach = 0;
  for (uint32_t n = 0; n < apart->count; n++) {
    const Record *record = &apart->records[n];
    if (!is_outer(record->flags) || record->flags & HOLDS_CONTENT || apart->taken[n] || record->end <= reach) continue;
    set_apart(apart, n);
    reach = record->end;
  }
}

/* Teasers are articles, but a <header> that is never closed holds them all: it is set apart if enough is left. */
static void take_holders(Apart *apart) {
  for (uint32_t n = 0; n < apart->count; n++) {
    const Record *record = &apart->records[n];
    if (!is_outer(record->flags) || !(record->flags & HOLDS_CONTENT) || record->flags & GRAPHLANG_HOLDS_MAIN || apart->taken[n]) continue;
    uint64_t own = letters_of(apart, record->begin, record->end);
    if (own && apart->letters - own >= own + GRAPHLANG_CONTENT_LEFT) set_apart(apart, n);
  }
}

static void take_hidden(Apart *apart) {
  for (uint32_t n = 0; n < apart->count; n++) {
    const Record *record = &apart->records[n];
    if (!(record->flags & GRAPHLANG_IS_HIDDEN) || record->flags & CONTENT_FLAGS || apart->taken[n]) continue;
    uint64_t own = letters_of(apart, record->begin, record->end), rest = apart->letters - own;
    if (own && (rest >= own || rest >= GRAPHLANG_CONTENT_LEFT || has_title(apart, record, 0))) set_apart(apart, n);
  }
}

/* True if half of the remaining letters of an element are links. */
static int is_of_links(Apart *apart, const Record *record, uint64_t letters) {
  uint64_t linked = 0;
  for (uint32_t n = link_from(apart, record->begin); n < apart->link_count && apart->links[n].begin < record->end; n++) {
    uint32_t end = apart->links[n].end < record->end ? apart->links[n].end : record->end;
    if (end > apart->links[n].begin) linked += letters_of(apart, apart->links[n].begin, end);
  }
  return linked * 2 >= letters;
}

/* Bytes of links between two places, from link number `first` on; returns the first link that ends behind them. */
static uint32_t count_linked(const Apart *apart, uint32_t first, uint32_t begin, uint32_t end, uint32_t *bytes) {
  while (first < apart->link_count && apart->links[first].end <= begin) first++;
  for (*bytes = 0; first < apart->link_count && apart->links[first].begin < end; first++) {
    const LinkRecord *link = &apart->links[first];
    uint32_t from = link->begin > begin ? link->begin : begin, to = link->end < end ? link->end : end;
    if (to > from) {
      *bytes += to - from;
      begin = to;
    }
    if (link->end > end) break;
  }
  return first;
}

/* Letters of the sentences in an element. */
static uint64_t sentences_of(const Apart *apart, const Record *record) {
  uint32_t link = link_from(apart, record->begin), linked;
  uint64_t letters = 0;
  for (uint32_t at = record->begin, end; at < record->end; at = end + 1) {
    end = (uint32_t)(find(apart->text + at, apart->text + record->end, '\n') - apart->text);
    link = count_linked(apart, link, at, end, &linked);
    if (end - at >= SENTENCE + linked && linked * 2 < end - at) letters += count_letters(apart->text, at, end);
  }
  return letters;
}

/* True if an element has more sentences than twice the text that remains without it. */
static int has_most_sentences(const Apart *apart, const Record *record, uint64_t own, uint64_t rest) {
  if (record->flags & GRAPHLANG_IS_SURE || own < PAGE_LETTERS || own <= 2 * rest) return 0;
  uint64_t sentences = sentences_of(apart, record);
  return sentences >= PAGE_LETTERS && sentences > 2 * rest;
}

/* A footer is removed even if nothing else remains, if the heading was removed: then that element is the page. */
static void take_named(Apart *apart) {
  for (uint32_t n = 0; n < apart->count; n++) {
    const Record *record = &apart->records[n];
    if (!(record->flags & IS_NAMED) || record->flags & (GRAPHLANG_HOLDS_MAIN | GRAPHLANG_IS_MAIN) || apart->taken[n]) continue;
    uint64_t own = letters_of(apart, record->begin, record->end), rest = apart->letters - own;
    int has_lost_title = record->flags & GRAPHLANG_IS_SURE && apart->title_count && !has_title(apart, &NOTHING, 0);
    if (!own || (!rest && !has_lost_title) || (record->flags & CONTENT_FLAGS && rest < own + GRAPHLANG_CONTENT_LEFT)) continue;
    if (has_title(apart, record, 1) || has_most_sentences(apart, record, own, rest)) continue;
    if (record->flags & GRAPHLANG_IS_NAMED || is_of_links(apart, record, own)) set_apart(apart, n);
  }
}

/* Remove elements by their attributes, unless one of these is the page itself. */
static void take_told(Apart *apart, uint32_t wanted, uint32_t unwanted) {
  for (uint32_t n = 0; n < apart->count; n++) {
    const Record *record = &apart->records[n];
    if (!(record->flags & wanted) || record->flags & unwanted || apart->taken[n]) continue;
    uint64_t own = letters_of(apart, record->begin, record->end);
    if (!own) continue;
    if (record->flags & IS_PAGE || own > GRAPHLANG_OUTER_SIZE) break;
    set_apart(apart, n);
  }
}

static int speaks_of_cookies(const uint8_t *text, uint64_t size) {
  for (const uint8_t *at = text, *end = text + size; (at = find(at, end, 'k')) < end; at++)
    if (at - text >= 2 && end - at >= 3 && !memcmp(at - 2, "ookie", 5)) return 1;
  return 0;
}

/* ---- lines ---- */

/* Remove templates that client code should have expanded. */
static void take_templates(Apart *apart) {
  const uint8_t *end = apart->text + apart->size;
  for (const uint8_t *at = apart->text; (at = find(at, end, '{')) < end; at++) {
    if (end - at < 4 || at[1] != '{' || apart->gone[at - apart->text]) continue;
    const uint8_t *stop = at + 2, *limit = end - at > TEMPLATE_LONGEST ? at + TEMPLATE_LONGEST : end;
    while (stop < limit && *stop != '{' && *stop != '}' && *stop != '\n') stop++;
    if (limit - stop < 2 || stop[0] != '}' || stop[1] != '}') continue;
    uint32_t begin = (uint32_t)(at - apart->text), behind = (uint32_t)(stop + 2 - apart->text);
    mark_gone(apart, begin, behind);
    add_span(apart->spans, begin, behind);
    at = stop + 1;
  }
}

typedef struct {
  uint32_t begin, end, letters, linked, links, names, unlinked_bytes;
} Line;

/* State of a walk over the lines: next link, end of the counted links, language of the last hreflang. */
typedef struct {
  uint32_t link, counted, language;
} Walk;

static void count_link(const Apart *apart, Walk *walk, Line *line, const LinkRecord *link) {
  uint32_t begin = link->begin > walk->counted ? link->begin : walk->counted;
  uint32_t end = link->end < line->end ? link->end : line->end;
  if (begin < line->begin) begin = line->begin;
  if (begin >= end) return;
  walk->counted = end;
  uint64_t letters = letters_left(apart->text, apart->gone, begin, end);
  if (!letters) return;
  line->linked += (uint32_t)letters;
  line->unlinked_bytes -= end - begin;
  if (link->begin < line->begin) return; /* it was counted in the line in which it begins */
  line->links++;
  if (is_language(apart->names, apart->text + begin, apart->text + end) || (link->language && link->language != walk->language))
    line->names++;
  if (link->language) walk->language = link->language;
}

/* Read the line that begins at a place. */
static void read_line(const Apart *apart, Walk *walk, Line *line, uint32_t begin) {
  const uint8_t *stop = find(apart->text + begin, apart->text + apart->size, '\n');
  memset(line, 0, sizeof *line);
  line->begin = begin;
  line->end = (uint32_t)(stop - apart->text);
  line->letters = (uint32_t)letters_left(apart->text, apart->gone, begin, line->end);
  if (!line->letters) return;
  line->unlinked_bytes = line->end - begin;
  while (walk->link < apart->link_count && apart->links[walk->link].end <= begin) walk->link++;
  for (; walk->link < apart->link_count && apart->links[walk->link].begin < line->end; walk->link++) {
    count_link(apart, walk, line, &apart->links[walk->link]);
    if (apart->links[walk->link].end > line->end) break; /* it reaches into the next line */
  }
}

/* True if a line is only links: four fifths of its letters, or all but two letters for each. */
static int is_linked(const Line *line) {
  uint32_t others = line->letters - line->linked;
  return line->linked && (others * 4 <= line->linked || others <= 2 * line->links);
}

static int is_menu(const Run *run) {
  if (run->names < MENU_NAMES) return run->names > 1 && run->names == run->links && run->letters <= run->names * MENU_SHARE;
  return run->letters <= run->names * MENU_SHARE;
}

static void end_run(Apart *apart, Run *run) {
  if (run->links) put(apart->runs, run, sizeof *run);
  memset(run, 0, sizeof *run);
}

static void add_line(Run *run, const Line *line) {
  if (!run->letters) run->begin = line->begin;
  run->end = line->end;
  run->links += line->links;
  run->names += line->names;
  run->letters += line->letters;
}

/* Find the runs of lines of links, and count the remaining letters. */
static void find_runs(Apart *apart) {
  Walk walk = {0, 0, 0};
  Run run = {0, 0, 0, 0, 0, 0, 0};
  Line line;
  uint32_t record = 0, content_end = 0, main_end = 0, bridge = 0;
  empty(apart->runs);
  apart->content = apart->sentences = 0;
  apart->first_sentence = (uint32_t)apart->size;
  apart->behind_sentences = 0;
  for (uint64_t at = next_gone(apart->gone, 0, apart->size, 0); at < apart->size;
       at = next_gone(apart->gone, line.end + (uint64_t)1, apart->size, 0)) {
    read_line(apart, &walk, &line, (uint32_t)at);
    for (; record < apart->count && apart->records[record].begin < line.end; record++) {
      const Record *next = &apart->records[record];
      if (next->flags & GRAPHLANG_IS_CONTENT && next->end > content_end) content_end = next->end;
      if (next->flags & GRAPHLANG_IS_MAIN && next->end > main_end) main_end = next->end;
    }
    if (!line.letters) continue;
    uint32_t is_content = line.begin < content_end;
    if (is_linked(&line)) {
      if (run.letters && run.is_content != is_content) end_run(apart, &run);
      if (!run.letters) {
        run.is_content = is_content;
        run.bridge = bridge;
      }
      add_line(&run, &line);
      bridge = 0;
      continue;
    }
    bridge = run.letters && run.is_content == is_content && line.letters <= BRIDGE ? line.letters : 0;
    end_run(apart, &run);
    if (is_content) apart->content += line.letters;
    if (line.unlinked_bytes < SENTENCE) continue;
    if (!apart->behind_sentences) apart->first_sentence = line.begin;
    apart->behind_sentences = line.end;
    if (line.begin >= main_end) apart->sentences += line.letters - line.linked;
  }
  end_run(apart, &run);
}

static int is_list(const Apart *apart, const Run *run) {
  int is_at_edge = !run->is_content && (run->end <= apart->first_sentence || run->begin >= apart->behind_sentences);
  return is_menu(run) || run->links >= (is_at_edge ? EDGE_LINKS : LIST_LINKS);
}

/* Runs that short lines join, from number `n` on, as one; returns the number behind them. */
static uint64_t join_runs(const Run *runs, uint64_t count, uint64_t n, int is_joined, Run *joined) {
  *joined = runs[n];
  while (++n < count && is_joined && runs[n].bridge && runs[n].is_content == joined->is_content) {
    joined->end = runs[n].end;
    joined->links += runs[n].links;
    joined->names += runs[n].names;
    joined->letters += runs[n].letters + runs[n].bridge;
  }
  return n;
}

/* Set apart the runs of links that are no content. Short lines between them belong to them if there is content elsewhere:
   of a short page they may be all there is. */
static void take_runs(Apart *apart) {
  const Run *runs = (const Run *)(const void *)apart->runs->data;
  uint64_t count = apart->runs->size / sizeof(Run);
  int is_joined = 1;
  Run run;
  for (;; is_joined = 0) {
    apart->rest = apart->letters;
    for (uint64_t n = 0; n < count;) {
      n = join_runs(runs, count, n, is_joined, &run);
      if (is_list(apart, &run)) apart->rest -= run.letters;
    }
    if (!is_joined || apart->rest >= GRAPHLANG_CONTENT_LEFT) break;
  }
  for (uint64_t n = 0; n < count;) {
    n = join_runs(runs, count, n, is_joined, &run);
    uint64_t least = run.is_content ? GRAPHLANG_CONTENT_LEFT : 1;
    if (!is_list(apart, &run) || (!is_menu(&run) && apart->rest < least)) continue;
    mark_gone(apart, run.begin, run.end);
    add_span(apart->spans, run.begin, run.end);
  }
}

/* Remove the text outside of <main>. */
static void take_outside(Apart *apart) {
  Record all = {0, 0, 0};
  for (uint32_t n = 0; n < apart->count; n++) {
    const Record *record = &apart->records[n];
    if (!(record->flags & GRAPHLANG_IS_MAIN) || next_gone(apart->gone, record->begin, record->end, 0) == record->end) continue;
    if (!all.end) all.begin = record->begin;
    if (record->end > all.end) all.end = record->end;
  }
  if (!all.end) return;
  uint64_t own = letters_left(apart->text, apart->gone, all.begin, all.end);
  if (!own || (!has_title(apart, &all, 1) && apart->sentences > own * PAGE_TIMES)) return;
  if (apart->letters == own) return;
  mark_gone(apart, 0, all.begin);
  mark_gone(apart, all.end, (uint32_t)apart->size);
  add_span(apart->spans, 0, all.begin);
  add_span(apart->spans, all.end, (uint32_t)apart->size);
}

/* ---- the page ---- */

/* The removed element that is the page, or NO_RECORD. */
static uint32_t misjudged(Apart *apart) {
  uint32_t best = NO_RECORD, reach = 0;
  uint64_t most = 0;
  if (apart->content || apart->rest * PAGE_TIMES > apart->size || has_title(apart, &NOTHING, 0)) return NO_RECORD;
  for (uint32_t n = 0; n < apart->count; n++) {
    const Record *record = &apart->records[n];
    if (apart->taken[n] != 1 || record->end <= reach || record->flags & (GRAPHLANG_IS_HIDDEN | GRAPHLANG_ASKS_CONSENT)) continue;
    reach = record->end;
    int has_own_title = holds_title(apart, record), is_doubtful = (record->flags & (GRAPHLANG_IS_SURE | IS_NAMED)) != 0;
    if (has_own_title && record->flags & GRAPHLANG_IS_UNCLOSED && !is_doubtful) return n;
    if (is_doubtful && apart->rest > 2 && !has_own_title) continue;
    uint64_t own = sentences_of(apart, record), least = has_own_title && apart->rest <= 2 ? 1 : PAGE_LETTERS;
    if (own < least || own < apart->rest * PAGE_TIMES) continue;
    if (has_own_title || !is_doubtful) own += (uint64_t)1 << 32; /* footers and comments are the last choice */
    if (own <= most) continue;
    most = own;
    best = n;
  }
  return best;
}

static void take_all(Apart *apart, uint32_t every) {
  take_outer(apart);
  if (every & HOLDS_CONTENT) take_holders(apart);
  if (every & GRAPHLANG_IS_HIDDEN) take_hidden(apart);
  if (every & IS_NAMED) take_named(apart);
  if (every & GRAPHLANG_IS_NAVIGATION) take_told(apart, GRAPHLANG_HAS_ROLE, 0);
  if (every & GRAPHLANG_ASKS_CONSENT && speaks_of_cookies(apart->text, apart->size))
    take_told(apart, GRAPHLANG_ASKS_CONSENT, IS_PAGE);
  take_templates(apart);
  find_runs(apart);
  take_runs(apart);
  if (every & GRAPHLANG_IS_MAIN) take_outside(apart);
}

/* Separate the text around the content. */
static void take_around(Apart *apart) {
  uint32_t every = 0;
  uint64_t letters = count_letters(apart->text, 0, apart->size);
  apart->title_count = 0;
  for (uint32_t n = 0; n < apart->count; n++) {
    every |= apart->records[n].flags;
    if (apart->records[n].flags & GRAPHLANG_IS_TITLE && apart->title_count < MOST_HEADINGS) apart->titles[apart->title_count++] = n;
  }
  apart->budget = 64 * apart->size + 65536;
  for (int attempt = 0;; attempt++) {
    apart->letters = letters;
    take_all(apart, every);
    uint32_t page = attempt < ATTEMPTS ? misjudged(apart) : NO_RECORD;
    if (page == NO_RECORD) break;
    apart->taken[page] = REFUSED;
    for (uint32_t n = 0; n < apart->count; n++) apart->taken[n] &= REFUSED;
    memset(apart->gone, 0, apart->size);
    empty(apart->spans);
  }
}

#endif
