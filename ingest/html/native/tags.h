/* Elements in the rules of tree construction (WHATWG HTML 13.2.6), with their traits. */
#ifndef GRAPHLANG_TAGS_H
#define GRAPHLANG_TAGS_H

#include <stdint.h>
#include <string.h>

enum {
  SPECIAL = 1 << 0,     /* 13.2.4.2: the search for the element of an end tag ends here */
  SCOPE = 1 << 1,       /* 13.2.4.2: ends most scopes */
  FORMATTING = 1 << 2,  /* 13.2.4.3 */
  VOID = 1 << 3,        /* never has content */
  BLOCK = 1 << 4,       /* its start tag closes a paragraph, its end tag whatever is open in it */
  IMPLIED = 1 << 5,     /* 13.2.6.3: its end tag may be left out */
  HEADING = 1 << 6,     /* h1 to h6 */
  BREAKOUT = 1 << 7,    /* 13.2.6.5: its start tag ends drawings and formulas */
  NO_FRAMES = 1 << 8,   /* no frameset may follow it */
  MARKER = 1 << 9,      /* formatting elements are not reopened in it */
  RAW = 1 << 10,        /* raw text: 13.2.5.3 */
  DECODED = 1 << 11,    /* ... but for character references: 13.2.5.2 */
  HIDING = 1 << 12,     /* its content is invisible */
  OUTER = 1 << 13,      /* may surround the content of a page */
  CONTENT = 1 << 14,    /* holds content */
  TABLE_PART = 1 << 15, /* has no meaning outside of a table */
  INTEGRATION = 1 << 16 /* in drawings and formulas: may contain HTML (13.2.6, integration points) */
};

#define TAGS(X) \
  X(A, "a", FORMATTING) \
  X(ADDRESS, "address", SPECIAL | BLOCK) \
  X(ANNOTATION_XML, "annotation-xml", 0) \
  X(APPLET, "applet", SPECIAL | SCOPE | MARKER | NO_FRAMES | HIDING) \
  X(AREA, "area", SPECIAL | VOID | NO_FRAMES) \
  X(ARTICLE, "article", SPECIAL | BLOCK | CONTENT) \
  X(ASIDE, "aside", SPECIAL | BLOCK | OUTER) \
  X(AUDIO, "audio", HIDING) \
  X(B, "b", FORMATTING | BREAKOUT) \
  X(BASE, "base", SPECIAL | VOID) \
  X(BASEFONT, "basefont", SPECIAL | VOID) \
  X(BDI, "bdi", 0) \
  X(BGSOUND, "bgsound", SPECIAL | VOID) \
  X(BIG, "big", FORMATTING | BREAKOUT) \
  X(BLOCKQUOTE, "blockquote", SPECIAL | BLOCK | BREAKOUT) \
  X(BODY, "body", SPECIAL | BREAKOUT) \
  X(BR, "br", SPECIAL | VOID | BREAKOUT | NO_FRAMES) \
  X(BUTTON, "button", SPECIAL | BLOCK | NO_FRAMES) \
  X(CANVAS, "canvas", HIDING) \
  X(CAPTION, "caption", SPECIAL | SCOPE | MARKER | TABLE_PART) \
  X(CENTER, "center", SPECIAL | BLOCK | BREAKOUT) \
  X(CODE, "code", FORMATTING | BREAKOUT) \
  X(COL, "col", SPECIAL | VOID | TABLE_PART) \
  X(COLGROUP, "colgroup", SPECIAL | TABLE_PART) \
  X(DATALIST, "datalist", HIDING) \
  X(DD, "dd", SPECIAL | IMPLIED | BREAKOUT | NO_FRAMES) \
  X(DESC, "desc", INTEGRATION) \
  X(DETAILS, "details", SPECIAL | BLOCK) \
  X(DIALOG, "dialog", SPECIAL | BLOCK) \
  X(DIR, "dir", SPECIAL | BLOCK) \
  X(DIV, "div", SPECIAL | BLOCK | BREAKOUT) \
  X(DL, "dl", SPECIAL | BLOCK | BREAKOUT) \
  X(DT, "dt", SPECIAL | IMPLIED | BREAKOUT | NO_FRAMES) \
  X(EM, "em", FORMATTING | BREAKOUT) \
  X(EMBED, "embed", SPECIAL | VOID | BREAKOUT | NO_FRAMES) \
  X(FIELDSET, "fieldset", SPECIAL | BLOCK) \
  X(FIGCAPTION, "figcaption", SPECIAL | BLOCK) \
  X(FIGURE, "figure", SPECIAL | BLOCK) \
  X(FONT, "font", FORMATTING) \
  X(FOOTER, "footer", SPECIAL | BLOCK | OUTER) \
  X(FOREIGN_OBJECT, "foreignobject", INTEGRATION) \
  X(FORM, "form", SPECIAL) \
  X(FRAME, "frame", SPECIAL | VOID) \
  X(FRAMESET, "frameset", SPECIAL) \
  X(H1, "h1", SPECIAL | HEADING | BREAKOUT) \
  X(H2, "h2", SPECIAL | HEADING | BREAKOUT) \
  X(H3, "h3", SPECIAL | HEADING | BREAKOUT) \
  X(H4, "h4", SPECIAL | HEADING | BREAKOUT) \
  X(H5, "h5", SPECIAL | HEADING | BREAKOUT) \
  X(H6, "h6", SPECIAL | HEADING | BREAKOUT) \
  X(HEAD, "head", SPECIAL | BREAKOUT) \
  X(HEADER, "header", SPECIAL | BLOCK | OUTER) \
  X(HGROUP, "hgroup", SPECIAL | BLOCK) \
  X(HR, "hr", SPECIAL | VOID | BREAKOUT | NO_FRAMES) \
  X(HTML, "html", SPECIAL | SCOPE) \
  X(I, "i", FORMATTING | BREAKOUT) \
  X(IFRAME, "iframe", SPECIAL | RAW | HIDING | NO_FRAMES) \
  X(IMAGE, "image", VOID | NO_FRAMES) \
  X(IMG, "img", SPECIAL | VOID | BREAKOUT | NO_FRAMES) \
  X(INPUT, "input", SPECIAL | VOID | NO_FRAMES) \
  X(KEYGEN, "keygen", SPECIAL | VOID | NO_FRAMES) \
  X(LI, "li", SPECIAL | IMPLIED | BREAKOUT | NO_FRAMES) \
  X(LINK, "link", SPECIAL | VOID) \
  X(LISTING, "listing", SPECIAL | BLOCK | BREAKOUT | NO_FRAMES) \
  X(MAIN, "main", SPECIAL | BLOCK | CONTENT) \
  X(MALIGNMARK, "malignmark", 0) \
  X(MARQUEE, "marquee", SPECIAL | SCOPE | MARKER | NO_FRAMES) \
  X(MATH, "math", 0) \
  X(MENU, "menu", SPECIAL | BLOCK | BREAKOUT) \
  X(META, "meta", SPECIAL | VOID | BREAKOUT) \
  X(MGLYPH, "mglyph", 0) \
  X(MI, "mi", INTEGRATION) \
  X(MN, "mn", INTEGRATION) \
  X(MO, "mo", INTEGRATION) \
  X(MS, "ms", INTEGRATION) \
  X(MTEXT, "mtext", INTEGRATION) \
  X(NAV, "nav", SPECIAL | BLOCK | OUTER) \
  X(NOBR, "nobr", FORMATTING | BREAKOUT) \
  X(NOEMBED, "noembed", SPECIAL | RAW | HIDING) \
  X(NOFRAMES, "noframes", SPECIAL | RAW | HIDING) \
  X(NOSCRIPT, "noscript", SPECIAL | RAW | HIDING) \
  X(OBJECT, "object", SPECIAL | SCOPE | MARKER | NO_FRAMES | HIDING) \
  X(OL, "ol", SPECIAL | BLOCK | BREAKOUT) \
  X(OPTGROUP, "optgroup", IMPLIED) \
  X(OPTION, "option", IMPLIED | HIDING) \
  X(P, "p", SPECIAL | IMPLIED | BREAKOUT) \
  X(PARAM, "param", SPECIAL | VOID) \
  X(PLAINTEXT, "plaintext", SPECIAL) \
  X(PRE, "pre", SPECIAL | BLOCK | BREAKOUT | NO_FRAMES) \
  X(RB, "rb", IMPLIED) \
  X(RP, "rp", IMPLIED) \
  X(RT, "rt", IMPLIED) \
  X(RTC, "rtc", IMPLIED) \
  X(RUBY, "ruby", BREAKOUT) \
  X(S, "s", FORMATTING | BREAKOUT) \
  X(SCRIPT, "script", SPECIAL | RAW | HIDING) \
  X(SEARCH, "search", SPECIAL | BLOCK) \
  X(SECTION, "section", SPECIAL | BLOCK) \
  X(SELECT, "select", SPECIAL | SCOPE | NO_FRAMES) \
  X(SMALL, "small", FORMATTING | BREAKOUT) \
  X(SOURCE, "source", SPECIAL | VOID) \
  X(SPAN, "span", BREAKOUT) \
  X(STRIKE, "strike", FORMATTING | BREAKOUT) \
  X(STRONG, "strong", FORMATTING | BREAKOUT) \
  X(STYLE, "style", SPECIAL | RAW | HIDING) \
  X(SUB, "sub", BREAKOUT) \
  X(SUMMARY, "summary", SPECIAL | BLOCK) \
  X(SUP, "sup", BREAKOUT) \
  X(SVG, "svg", HIDING) \
  X(TABLE, "table", SPECIAL | SCOPE | BREAKOUT | NO_FRAMES) \
  X(TBODY, "tbody", SPECIAL | TABLE_PART) \
  X(TD, "td", SPECIAL | SCOPE | MARKER | TABLE_PART) \
  X(TEMPLATE, "template", SPECIAL | SCOPE | MARKER | HIDING) \
  X(SHADOW_ROOT, "#shadow-root", SPECIAL | SCOPE | MARKER) /* a visible template; no tag has this name */ \
  X(TEXTAREA, "textarea", SPECIAL | DECODED | HIDING | NO_FRAMES) \
  X(TFOOT, "tfoot", SPECIAL | TABLE_PART) \
  X(TH, "th", SPECIAL | SCOPE | MARKER | TABLE_PART) \
  X(THEAD, "thead", SPECIAL | TABLE_PART) \
  X(TITLE, "title", SPECIAL | DECODED | HIDING | INTEGRATION) \
  X(TR, "tr", SPECIAL | TABLE_PART) \
  X(TRACK, "track", SPECIAL | VOID) \
  X(TT, "tt", FORMATTING | BREAKOUT) \
  X(U, "u", FORMATTING | BREAKOUT) \
  X(UL, "ul", SPECIAL | BLOCK | BREAKOUT) \
  X(VAR, "var", BREAKOUT) \
  X(VIDEO, "video", HIDING) \
  X(WBR, "wbr", SPECIAL | VOID | NO_FRAMES) \
  X(XMP, "xmp", SPECIAL | RAW | NO_FRAMES)

typedef enum {
  OTHER,
#define X(id, name, traits) TAG_##id,
  TAGS(X)
#undef X
  TAG_COUNT
} Tag;

static const char *const TAG_NAME[TAG_COUNT] = {
  "",
#define X(id, name, traits) name,
  TAGS(X)
#undef X
};

static const uint32_t TRAITS[TAG_COUNT] = {
  0,
#define X(id, name, traits) traits,
  TAGS(X)
#undef X
};

/* Elements are numbered: by Tag, all others by a hash of their names above it. */
enum { TAG_SLOTS = 512, TAG_LONGEST = 14 };
#define UNNAMED 0x80000000u

typedef struct {
  uint64_t name[2]; /* sixteen bytes of the name in lower case */
  uint32_t tag;
} TagSlot;

static uint32_t name_hash(const uint64_t name[2]) {
  uint64_t mixed = (name[0] ^ name[1] * 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u;
  return (uint32_t)(mixed >> 32);
}

static void lay_tags(TagSlot slots[TAG_SLOTS]) {
  memset(slots, 0, TAG_SLOTS * sizeof *slots);
  for (uint32_t tag = 1; tag < TAG_COUNT; tag++) {
    uint64_t name[2] = {0, 0};
    memcpy(name, TAG_NAME[tag], strlen(TAG_NAME[tag]));
    uint32_t at = name_hash(name) % TAG_SLOTS;
    while (slots[at].tag) at = (at + 1) % TAG_SLOTS;
    slots[at].name[0] = name[0];
    slots[at].name[1] = name[1];
    slots[at].tag = tag;
  }
}

static uint32_t tag_of(const TagSlot slots[TAG_SLOTS], const uint64_t name[2]) {
  uint32_t hash = name_hash(name), at = hash % TAG_SLOTS;
  while (slots[at].tag) {
    if (slots[at].name[0] == name[0] && slots[at].name[1] == name[1]) return slots[at].tag;
    at = (at + 1) % TAG_SLOTS;
  }
  return hash | UNNAMED;
}

static uint32_t traits(uint32_t tag) {
  return tag < TAG_COUNT ? TRAITS[tag] : 0;
}

/* Whether a tag begins or ends a line, where one that sets words apart does: cells of tables stand in the line of their
   row, and what shows no text of its own ends none. */
static int ends_line(const uint8_t *name) {
  uint8_t second = name[1], third = name[2];
  switch (name[0]) {
    case 't': return second != 'd' && !(second == 'h' && !third);
    case 'l': return second != 'a' && !(second == 'i' && third == 'n');
    case 'p': return second != 'a' && second != 'i';
    case 'o': return second == 'l';
    case 's': return third != 'l';
    case 'm': return third != 't';
    case 'a': return third != 'e';
    case 'i': return 0;
    default: return 1;
  }
}

/* Whether a tag sets words apart: any but those of inline elements, by the first letters of the name. No inline
   element begins with p, h, l or o, but for <label>, which stands by itself. */
static int sets_apart(const uint8_t *name) { /* four bytes, zeros behind the name */
  uint8_t second = name[1];
  switch (name[0]) {
    case 'p':
    case 'h':
    case 'l':
    case 'o': return 1;
    case 't': return second != 't' && second != 'i' && second != 'e';
    case 'd': return second != 'e' && second != 'f' && second != 'a';
    case 'u': return second == 'l';
    case 'b': return second == 'l' || second == 'r' || second == 'o';
    case 'c': return second == 'e' || second == 'a';
    case 'f': return second == 'i' || (second == 'o' && (name[2] == 'o' || name[2] == 'r'));
    case 'n': return second == 'a';
    case 'm': return second == 'e' || (second == 'a' && name[2] == 'i');
    case 's': return second == 'e' || (second == 'u' && name[2] == 'm');
    case 'a': return second == 'r' || second == 's' || second == 'd';
    case 'x': return second == 'm' && name[2] == 'p';
    case 'i': return second == 'f' && name[2] == 'r';
    default: return 0;
  }
}

#endif
