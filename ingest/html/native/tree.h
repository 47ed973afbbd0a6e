/* Which elements are open: the rules of tree construction (WHATWG HTML 13.2.6) as far as text, links and spans of
   elements depend on them. What is not done here, because nothing that is read off a page depends on it: formatting
   elements are not opened again in the next block, and text that stands in a table outside of its cells stays where it
   was written. The stack is as deep as that of browsers; what lies deeper counts as part of what is open. */
#ifndef GRAPHLANG_TREE_H
#define GRAPHLANG_TREE_H

#include "tags.h"

enum { DEEPEST = 512, NO_RECORD = 0xFFFFFFFFu, OTHER_TAGS = 256 };
enum { DRAWING = 1, FORMULA = 2 };

typedef struct {
  uint32_t tag; /* 0 after a misplaced end tag */
  uint32_t begin; /* where its text begins */
  uint32_t record, link; /* its record and link, or NO_RECORD */
  uint32_t run;          /* of elements of a drawing one within the other, that end no scope: the outermost */
  uint8_t foreign;       /* within a DRAWING or FORMULA */
  uint8_t integration;   /* ... and may contain HTML */
} Open;

typedef struct {
  Open stack[DEEPEST]; /* the first is html and body */
  uint32_t depth;
  uint32_t beyond; /* elements deeper than the stack */
  uint32_t open[TAG_COUNT + OTHER_TAGS]; /* open elements by tag; by hash for other tags */
  uint32_t hiding, content;
  uint64_t looked_at; /* open elements that were compared with a tag */
} Tree;

static void begin_tree(Tree *tree) {
  memset(tree->open, 0, sizeof tree->open);
  memset(tree->stack, 0, sizeof tree->stack[0]);
  tree->stack[0].tag = TAG_BODY;
  tree->stack[0].record = tree->stack[0].link = NO_RECORD;
  tree->depth = 1;
  tree->beyond = tree->hiding = tree->content = 0;
  tree->looked_at = 0;
}

/* The counter of open elements of a tag. */
static uint32_t *count_of(Tree *tree, uint32_t tag) {
  return &tree->open[tag < TAG_COUNT ? tag : TAG_COUNT + tag % OTHER_TAGS];
}

static Open *top(Tree *tree) {
  return &tree->stack[tree->depth - 1];
}

static int in_foreign(Tree *tree) {
  return top(tree)->foreign && !top(tree)->integration;
}

/* Traits of an open element. Of those of a drawing or formula only the places in which HTML may stand have any: they are
   special (13.2.4.2) and end every scope, whatever they are called. */
static uint32_t traits_of(const Open *open) {
  if (!open->foreign) return traits(open->tag);
  return open->integration || open->tag == TAG_ANNOTATION_XML ? SPECIAL | SCOPE : 0;
}

static int is_html(const Open *open, uint32_t tag) {
  return open->tag == tag && !open->foreign;
}

static int has_heading(const Tree *tree) {
  uint32_t count = 0;
  for (int tag = TAG_H1; tag <= TAG_H6; tag++) count += tree->open[tag];
  return count > 0;
}

/* The topmost open HTML element of a tag with none of these traits above it; 0 if there is none. */
static uint32_t find_open(Tree *tree, uint32_t tag, uint32_t barrier) {
  if (!*count_of(tree, tag)) return 0;
  for (uint32_t at = tree->depth - 1; at > 0; at--) {
    const Open *open = &tree->stack[at];
    tree->looked_at++;
    if (is_html(open, tag)) return at;
    if (traits_of(open) & barrier) return 0;
    if (open->foreign && !traits_of(open)) at = open->run; /* none of them is of HTML, or ends a scope */
  }
  return 0;
}

/* The topmost open element of a tag in the open drawing or formula; 0 if there is none. */
static uint32_t find_in_foreign(Tree *tree, uint32_t tag) {
  if (!*count_of(tree, tag)) return 0;
  for (uint32_t at = tree->depth - 1; at > 0 && tree->stack[at].foreign; at--) {
    tree->looked_at++;
    if (tree->stack[at].tag == tag) return at;
  }
  return 0;
}

/* The same, up to a table. */
static uint32_t find_in_table(Tree *tree, uint32_t tag) {
  if (!tree->open[tag]) return 0;
  for (uint32_t at = tree->depth - 1; at > 0; at--) {
    tree->looked_at++;
    if (is_html(&tree->stack[at], tag)) return at;
    if (tree->stack[at].tag == TAG_TABLE || tree->stack[at].tag == TAG_TEMPLATE) return 0;
  }
  return 0;
}

#endif
