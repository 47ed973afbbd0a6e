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
  REFUSED = 2,         /* in `verdicts`: an element that was removed, but is the page */
  ATTEMPTS = 3,        /* nested elements that may turn out to be the page */
  MOST_HEADINGS = 16,
  LIST_LINKS = 4,      /* links that make a list */
  EDGE_LINKS = 2,      /* ... before and behind all sentences */
  MENU_NAMES = 3,      /* names of languages that make a menu */
  MENU_SHARE = 24,     /* letters of a menu for each name in it, at most */
  BRIDGE = 30,         /* letters of a line between two of links that belongs to them, at most: a heading, a date */
  SENTENCE = 60,       /* bytes of a line that are no links: then it has sentences */
  PAGE_LETTERS = 200,  /* letters of sentences that make an element the page ... */
  PAGE_TIMES = 4,      /* ... if they are this many times as many as remain without it */
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
  uint8_t *removed, *verdicts; /* by byte of the text, by element: 1 if it was removed */
  Buffer *spans, *runs;
  uint64_t letters, budget;          /* remaining letters; bytes that may still be read */
  uint64_t rest, content, sentences; /* letters that are left besides lists of links; within <main> or an article; in sentences outside of <main> */
  uint32_t first_sentence, behind_sentences; /* where the first line with sentences begins, where the last one ends */
  uint32_t titles[MOST_HEADINGS], title_count;
} Boilerplate;

static void add_span(Buffer *spans, uint32_t begin, uint32_t end) {
  Span span = {begin, end};
  if (begin < end) put(spans, &span, sizeof span);
}

static int is_outer(uint32_t flags) {
  return flags & GRAPHLANG_IS_NAV || (flags & (GRAPHLANG_IS_OUTER | GRAPHLANG_IN_CONTENT)) == GRAPHLANG_IS_OUTER;
}

/* Remaining letters of a span; 0 if the budget is spent. */
static uint64_t count_affordable(Boilerplate *state, uint32_t begin, uint32_t end) {
  if (end - begin > state->budget) return 0;
  state->budget -= end - begin;
  return count_remaining(state->text, state->removed, begin, end);
}

static void remove_span(Boilerplate *state, uint32_t begin, uint32_t end) {
  state->letters -= count_remaining(state->text, state->removed, begin, end);
  memset(state->removed + begin, 1, end - begin);
}

static void remove_element(Boilerplate *state, uint32_t n) {
  remove_span(state, state->records[n].begin, state->records[n].end);
  state->verdicts[n] = 1;
}

/* True if an <h1> remains outside an element (is_inside 0), or inside it. */
static int has_title(const Boilerplate *state, const Record *record, int is_inside) {
  for (uint32_t n = 0; n < state->title_count; n++) {
    const Record *title = &state->records[state->titles[n]];
    int is_within = title->begin >= record->begin && title->end <= record->end;
    if (is_within == is_inside && next_removed(state->removed, title->begin, title->end, 0) < title->end) return 1;
  }
  return 0;
}

static int holds_title(const Boilerplate *state, const Record *record) {
  for (uint32_t n = 0; n < state->title_count; n++) {
    const Record *title = &state->records[state->titles[n]];
    if (title->begin >= record->begin && title->end <= record->end) return 1;
  }
  return 0;
}

/* The first link that begins at or after an offset of the text. */
static uint32_t link_from(const Boilerplate *state, uint32_t place) {
  uint32_t first = 0, behind = state->link_count;
  while (first < behind) {
    uint32_t middle = first + (behind - first) / 2;
    if (state->links[middle].begin < place)
      first = middle + 1;
    else
      behind = middle;
  }
  return first;
}

/* ---- elements ---- */

static void remove_outer(Boilerplate *state) {
  uint32_t reach = 0;
  for (uint32_t n = 0; n < state->count; n++) {
    const Record *record = &state->records[n];
    if (!is_outer(record->flags) || record->flags & HOLDS_CONTENT || state->verdicts[n] || record->end <= reach) continue;
    remove_element(state, n);
    reach = record->end;
  }
}

/* Teasers are articles, but a <header> that is never closed holds them all: it is set apart if enough is left. */
static void remove_holders(Boilerplate *state) {
  for (uint32_t n = 0; n < state->count; n++) {
    const Record *record = &state->records[n];
    if (!is_outer(record->flags) || !(record->flags & HOLDS_CONTENT) || record->flags & GRAPHLANG_HOLDS_MAIN || state->verdicts[n]) continue;
    uint64_t inside = count_affordable(state, record->begin, record->end);
    if (inside && state->letters - inside >= inside + GRAPHLANG_CONTENT_LEFT) remove_element(state, n);
  }
}

static void remove_hidden(Boilerplate *state) {
  for (uint32_t n = 0; n < state->count; n++) {
    const Record *record = &state->records[n];
    if (!(record->flags & GRAPHLANG_IS_HIDDEN) || record->flags & CONTENT_FLAGS || state->verdicts[n]) continue;
    uint64_t inside = count_affordable(state, record->begin, record->end), rest = state->letters - inside;
    if (inside && (rest >= inside || rest >= GRAPHLANG_CONTENT_LEFT || has_title(state, record, 0))) remove_element(state, n);
  }
}

/* True if half of the remaining letters of an element are links. */
static int is_of_links(Boilerplate *state, const Record *record, uint64_t letters) {
  uint64_t linked = 0;
  for (uint32_t n = link_from(state, record->begin); n < state->link_count && state->links[n].begin < record->end; n++) {
    uint32_t end = state->links[n].end < record->end ? state->links[n].end : record->end;
    if (end > state->links[n].begin) linked += count_affordable(state, state->links[n].begin, end);
  }
  return linked * 2 >= letters;
}

/* Bytes of links between two places, from link number `first` on; returns the first link that ends behind them. */
static uint32_t count_linked(const Boilerplate *state, uint32_t first, uint32_t begin, uint32_t end, uint32_t *bytes) {
  while (first < state->link_count && state->links[first].end <= begin) first++;
  for (*bytes = 0; first < state->link_count && state->links[first].begin < end; first++) {
    const LinkRecord *link = &state->links[first];
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
static uint64_t count_sentences(const Boilerplate *state, const Record *record) {
  uint32_t link = link_from(state, record->begin), linked;
  uint64_t letters = 0;
  for (uint32_t at = record->begin, end; at < record->end; at = end + 1) {
    end = (uint32_t)(find(state->text + at, state->text + record->end, '\n') - state->text);
    link = count_linked(state, link, at, end, &linked);
    if (end - at >= SENTENCE + linked && linked * 2 < end - at) letters += count_letters(state->text, at, end);
  }
  return letters;
}

/* True if an element has more sentences than twice the text that remains without it. */
static int has_most_sentences(const Boilerplate *state, const Record *record, uint64_t inside, uint64_t rest) {
  if (record->flags & GRAPHLANG_IS_SURE || inside < PAGE_LETTERS || inside <= 2 * rest) return 0;
  uint64_t sentences = count_sentences(state, record);
  return sentences >= PAGE_LETTERS && sentences > 2 * rest;
}

/* A footer is removed even if nothing else remains, if the heading was removed: then that element is the page. */
static void remove_named(Boilerplate *state) {
  for (uint32_t n = 0; n < state->count; n++) {
    const Record *record = &state->records[n];
    if (!(record->flags & IS_NAMED) || record->flags & (GRAPHLANG_HOLDS_MAIN | GRAPHLANG_IS_MAIN) || state->verdicts[n]) continue;
    uint64_t inside = count_affordable(state, record->begin, record->end), rest = state->letters - inside;
    int has_lost_title = record->flags & GRAPHLANG_IS_SURE && state->title_count && !has_title(state, &NOTHING, 0);
    if (!inside || (!rest && !has_lost_title) || (record->flags & CONTENT_FLAGS && rest < inside + GRAPHLANG_CONTENT_LEFT)) continue;
    if (has_title(state, record, 1) || has_most_sentences(state, record, inside, rest)) continue;
    if (record->flags & GRAPHLANG_IS_NAMED || is_of_links(state, record, inside)) remove_element(state, n);
  }
}

/* Remove elements by their attributes, unless one of these is the page itself. */
static void remove_flagged(Boilerplate *state, uint32_t flags, uint32_t exceptions) {
  for (uint32_t n = 0; n < state->count; n++) {
    const Record *record = &state->records[n];
    if (!(record->flags & flags) || record->flags & exceptions || state->verdicts[n]) continue;
    uint64_t inside = count_affordable(state, record->begin, record->end);
    if (!inside) continue;
    if (record->flags & IS_PAGE || inside > GRAPHLANG_OUTER_SIZE) break;
    remove_element(state, n);
  }
}

static int mentions_cookies(const uint8_t *text, uint64_t size) {
  for (const uint8_t *at = text, *end = text + size; (at = find(at, end, 'k')) < end; at++)
    if (at - text >= 2 && end - at >= 3 && !memcmp(at - 2, "ookie", 5)) return 1;
  return 0;
}

/* ---- lines ---- */

/* Remove templates that client code should have expanded. */
static void remove_templates(Boilerplate *state) {
  const uint8_t *end = state->text + state->size;
  for (const uint8_t *at = state->text; (at = find(at, end, '{')) < end; at++) {
    if (end - at < 4 || at[1] != '{' || state->removed[at - state->text]) continue;
    const uint8_t *stop = at + 2, *limit = end - at > TEMPLATE_LONGEST ? at + TEMPLATE_LONGEST : end;
    while (stop < limit && *stop != '{' && *stop != '}' && *stop != '\n') stop++;
    if (limit - stop < 2 || stop[0] != '}' || stop[1] != '}') continue;
    uint32_t begin = (uint32_t)(at - state->text), behind = (uint32_t)(stop + 2 - state->text);
    remove_span(state, begin, behind);
    add_span(state->spans, begin, behind);
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

static void count_link(const Boilerplate *state, Walk *walk, Line *line, const LinkRecord *link) {
  uint32_t begin = link->begin > walk->counted ? link->begin : walk->counted;
  uint32_t end = link->end < line->end ? link->end : line->end;
  if (begin < line->begin) begin = line->begin;
  if (begin >= end) return;
  walk->counted = end;
  uint64_t letters = count_remaining(state->text, state->removed, begin, end);
  if (!letters) return;
  line->linked += (uint32_t)letters;
  line->unlinked_bytes -= end - begin;
  if (link->begin < line->begin) return; /* it was counted in the line in which it begins */
  line->links++;
  if (is_language(state->names, state->text + begin, state->text + end) || (link->language && link->language != walk->language))
    line->names++;
  if (link->language) walk->language = link->language;
}

/* Read the line that begins at a place. */
static void read_line(const Boilerplate *state, Walk *walk, Line *line, uint32_t begin) {
  const uint8_t *stop = find(state->text + begin, state->text + state->size, '\n');
  memset(line, 0, sizeof *line);
  line->begin = begin;
  line->end = (uint32_t)(stop - state->text);
  line->letters = (uint32_t)count_remaining(state->text, state->removed, begin, line->end);
  if (!line->letters) return;
  line->unlinked_bytes = line->end - begin;
  while (walk->link < state->link_count && state->links[walk->link].end <= begin) walk->link++;
  for (; walk->link < state->link_count && state->links[walk->link].begin < line->end; walk->link++) {
    count_link(state, walk, line, &state->links[walk->link]);
    if (state->links[walk->link].end > line->end) break; /* it reaches into the next line */
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

static void end_run(Boilerplate *state, Run *run) {
  if (run->links) put(state->runs, run, sizeof *run);
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
static void find_runs(Boilerplate *state) {
  Walk walk = {0, 0, 0};
  Run run = {0, 0, 0, 0, 0, 0, 0};
  Line line;
  uint32_t record = 0, content_end = 0, main_end = 0, bridge = 0;
  empty(state->runs);
  state->content = state->sentences = 0;
  state->first_sentence = (uint32_t)state->size;
  state->behind_sentences = 0;
  for (uint64_t at = next_removed(state->removed, 0, state->size, 0); at < state->size;
       at = next_removed(state->removed, line.end + (uint64_t)1, state->size, 0)) {
    read_line(state, &walk, &line, (uint32_t)at);
    for (; record < state->count && state->records[record].begin < line.end; record++) {
      const Record *next = &state->records[record];
      if (next->flags & GRAPHLANG_IS_CONTENT && next->end > content_end) content_end = next->end;
      if (next->flags & GRAPHLANG_IS_MAIN && next->end > main_end) main_end = next->end;
    }
    if (!line.letters) continue;
    uint32_t is_content = line.begin < content_end;
    if (is_linked(&line)) {
      if (run.letters && run.is_content != is_content) end_run(state, &run);
      if (!run.letters) {
        run.is_content = is_content;
        run.bridge = bridge;
      }
      add_line(&run, &line);
      bridge = 0;
      continue;
    }
    bridge = run.letters && run.is_content == is_content && line.letters <= BRIDGE ? line.letters : 0;
    end_run(state, &run);
    if (is_content) state->content += line.letters;
    if (line.unlinked_bytes < SENTENCE) continue;
    if (!state->behind_sentences) state->first_sentence = line.begin;
    state->behind_sentences = line.end;
    if (line.begin >= main_end) state->sentences += line.letters - line.linked;
  }
  end_run(state, &run);
}

static int is_list(const Boilerplate *state, const Run *run) {
  int is_at_edge = !run->is_content && (run->end <= state->first_sentence || run->begin >= state->behind_sentences);
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
static void remove_runs(Boilerplate *state) {
  const Run *runs = (const Run *)(const void *)state->runs->data;
  uint64_t count = state->runs->size / sizeof(Run);
  int is_joined = 1;
  Run run;
  for (;; is_joined = 0) {
    state->rest = state->letters;
    for (uint64_t n = 0; n < count;) {
      n = join_runs(runs, count, n, is_joined, &run);
      if (is_list(state, &run)) state->rest -= run.letters;
    }
    if (!is_joined || state->rest >= GRAPHLANG_CONTENT_LEFT) break;
  }
  for (uint64_t n = 0; n < count;) {
    n = join_runs(runs, count, n, is_joined, &run);
    uint64_t least = run.is_content ? GRAPHLANG_CONTENT_LEFT : 1;
    if (!is_list(state, &run) || (!is_menu(&run) && state->rest < least)) continue;
    remove_span(state, run.begin, run.end);
    add_span(state->spans, run.begin, run.end);
  }
}

/* Remove the text outside of <main>. */
static void remove_outside_main(Boilerplate *state) {
  Record all = {0, 0, 0};
  for (uint32_t n = 0; n < state->count; n++) {
    const Record *record = &state->records[n];
    if (!(record->flags & GRAPHLANG_IS_MAIN) || next_removed(state->removed, record->begin, record->end, 0) == record->end) continue;
    if (!all.end) all.begin = record->begin;
    if (record->end > all.end) all.end = record->end;
  }
  if (!all.end) return;
  uint64_t inside = count_remaining(state->text, state->removed, all.begin, all.end);
  if (!inside || (!has_title(state, &all, 1) && state->sentences > inside * PAGE_TIMES)) return;
  if (state->letters == inside) return;
  remove_span(state, 0, all.begin);
  remove_span(state, all.end, (uint32_t)state->size);
  add_span(state->spans, 0, all.begin);
  add_span(state->spans, all.end, (uint32_t)state->size);
}

/* ---- the page ---- */

/* The removed element that is the page, or NO_RECORD. */
static uint32_t find_misjudged(Boilerplate *state) {
  uint32_t best = NO_RECORD, reach = 0;
  uint64_t most = 0;
  if (state->content || state->rest * PAGE_TIMES > state->size || has_title(state, &NOTHING, 0)) return NO_RECORD;
  for (uint32_t n = 0; n < state->count; n++) {
    const Record *record = &state->records[n];
    if (state->verdicts[n] != 1 || record->end <= reach || record->flags & (GRAPHLANG_IS_HIDDEN | GRAPHLANG_ASKS_CONSENT)) continue;
    reach = record->end;
    int has_own_title = holds_title(state, record), is_doubtful = (record->flags & (GRAPHLANG_IS_SURE | IS_NAMED)) != 0;
    if (has_own_title && record->flags & GRAPHLANG_IS_UNCLOSED && !is_doubtful) return n;
    if (is_doubtful && state->rest > 2 && !has_own_title) continue;
    uint64_t inside = count_sentences(state, record), least = has_own_title && state->rest <= 2 ? 1 : PAGE_LETTERS;
    if (inside < least || inside < state->rest * PAGE_TIMES) continue;
    if (has_own_title || !is_doubtful) inside += (uint64_t)1 << 32; /* footers and comments are the last choice */
    if (inside <= most) continue;
    most = inside;
    best = n;
  }
  return best;
}

static void remove_all(Boilerplate *state, uint32_t all_flags) {
  remove_outer(state);
  if (all_flags & HOLDS_CONTENT) remove_holders(state);
  if (all_flags & GRAPHLANG_IS_HIDDEN) remove_hidden(state);
  if (all_flags & IS_NAMED) remove_named(state);
  if (all_flags & GRAPHLANG_IS_NAVIGATION) remove_flagged(state, GRAPHLANG_HAS_ROLE, 0);
  if (all_flags & GRAPHLANG_ASKS_CONSENT && mentions_cookies(state->text, state->size))
    remove_flagged(state, GRAPHLANG_ASKS_CONSENT, IS_PAGE);
  remove_templates(state);
  find_runs(state);
  remove_runs(state);
  if (all_flags & GRAPHLANG_IS_MAIN) remove_outside_main(state);
}

/* Separate the text around the content. */
static void remove_boilerplate(Boilerplate *state) {
  uint32_t all_flags = 0;
  uint64_t letters = count_letters(state->text, 0, state->size);
  state->title_count = 0;
  for (uint32_t n = 0; n < state->count; n++) {
    all_flags |= state->records[n].flags;
    if (state->records[n].flags & GRAPHLANG_IS_TITLE && state->title_count < MOST_HEADINGS) state->titles[state->title_count++] = n;
  }
  state->budget = 64 * state->size + 65536;
  for (int attempt = 0;; attempt++) {
    state->letters = letters;
    remove_all(state, all_flags);
    uint32_t page = attempt < ATTEMPTS ? find_misjudged(state) : NO_RECORD;
    if (page == NO_RECORD) break;
    state->verdicts[page] = REFUSED;
    for (uint32_t n = 0; n < state->count; n++) state->verdicts[n] &= REFUSED;
    memset(state->removed, 0, state->size);
    empty(state->spans);
  }
}

#endif
