/* Messages between neighbours, and their sum for every receiver; see `graphlang.graph.propagation.messages`. */
#ifndef GRAPHLANG_LOG_MESSAGES_H
#define GRAPHLANG_LOG_MESSAGES_H
#include "kernel.h"

enum {
  GRAPHLANG_MESSAGE_SLOTS = 128, /* cached tables of a group and a coupling */
  GRAPHLANG_MESSAGE_ROOM = 3 * GRAPHLANG_MESSAGE_SLOTS + 1, /* scratch numbers per language */
  GRAPHLANG_STRIPE = 64          /* consecutive receivers of one thread */
};

/* Compute messages, whose logarithms the caller takes: a number for each language, and one for all that the sender does
   not name.

   Each group of links has tables of the compatibility; `odds` multiplies the odds of the coupling, up to the `highest`
   coupling or the link's own. Each message has a group, a coupling, a sender, and the group of the sender's prior. A sender
   below `languages` has a one-hot belief in that language; the next senders are the rows of `unsure_belief`. All others are
   latent pages with `width` candidates, whose belief is row `row` of `belief`: of the candidates, and of all other languages
   together. `noise`: uninformative share of every link. `to_target`: 1 along the links, 0 against. `room`: scratch. For
   speed, messages of one group and coupling should be close, since their tables are cached, and messages of one sender
   consecutive. */
int graphlang_messages(uint64_t languages, uint64_t groups, uint64_t prior_groups, uint64_t unsure, uint64_t latent,
                       uint64_t width, uint64_t rows, uint64_t count, const float source_marginal[groups * languages],
                       const float switch_to[groups * languages], const float exclusion[groups * languages],
                       const float odds[groups * languages], const float prior[prior_groups * languages],
                       const float unsure_belief[unsure * languages], const int16_t candidates[latent * width],
                       float noise, float highest, int to_target, const int32_t group[count],
                       const float coupling[count], const int32_t sender[count], const int32_t prior_group[count],
                       const float belief[rows * (width + 1)], const int32_t row[count],
                       float room[GRAPHLANG_MESSAGE_ROOM * languages], float messages[count * (languages + 1)],
                       graphlang_fault *fault);

/* Add log messages to the sums of their receivers, in order: of each receiver's candidates, and of all other languages.
   Class c has receiver[start[c]..start[c+1]-1]. `numbers`: the classes. `touched` is set to 1 for each receiver. Only
   receivers of stripe `stripe` of `stripes` are used, so that threads can add the same messages, each for its own
   receivers. */
int graphlang_accumulate(uint64_t languages, uint64_t width, uint64_t latent, uint64_t classes, uint64_t entries,
                         uint64_t count, uint32_t stripe, uint32_t stripes, const int64_t start[classes + 1],
                         const int32_t receiver[entries],
                         const float weight[entries], const int16_t candidates[latent * width],
                         const int64_t numbers[count], const float messages[count * (languages + 1)],
                         double incoming[latent * (width + 1)], uint8_t touched[latent], graphlang_fault *fault);

#endif
