/* How much of a text is left while elements are set apart from it; see `graphlang.ingest.html.boilerplate`.

   The text is UTF-8 whose white space was folded to single blanks: spaces, or line feeds where lines end. `gone` has a byte for each of it: 1 where it was set
   apart, else 0. Elements are those of `graphlang_html_page`: three numbers each, of which the second and third are
   where its text begins and ends; `chosen` are some of them, by their numbers. Characters of what is left are counted
   with white space folded: what was set apart parts words. */
#ifndef GRAPHLANG_BOILERPLATE_H
#define GRAPHLANG_BOILERPLATE_H
#include "kernel.h"

/* Letters that are left: characters but blanks. */
uint64_t graphlang_boilerplate_letters(uint64_t size, const uint8_t text[size], const uint8_t gone[size]);

/* Characters that are left of a span; where there are more than `most`, some number above it. */
int64_t graphlang_boilerplate_left(uint64_t size, const uint8_t text[size], const uint8_t gone[size], uint64_t begin,
                                   uint64_t end, uint64_t most, graphlang_fault *fault);

/* Set the chosen elements apart; `taken` becomes 1 for each. */
int graphlang_boilerplate_take(uint64_t size, uint64_t count, uint64_t chosen_count, const uint32_t elements[count * 3],
                               const uint32_t chosen[chosen_count], uint8_t gone[size], uint8_t taken[count],
                               graphlang_fault *fault);

/* Set the chosen elements apart one after the other, and pass over those of which nothing is left. Stops before one that
   has one of the flags `refused`, or of which more than `longest` characters are left, or when `most` were taken. */
int graphlang_boilerplate_take_each(uint64_t size, uint64_t count, uint64_t chosen_count, const uint8_t text[size],
                                    const uint32_t elements[count * 3], const uint32_t chosen[chosen_count],
                                    uint32_t refused, uint64_t most, uint64_t longest, uint8_t gone[size],
                                    uint8_t taken[count], graphlang_fault *fault);

#endif
