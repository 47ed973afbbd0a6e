/* Messages between neighbours, and the sum of them for every page that receives some; see
   `graphlang.graph.propagation.messages`. */
#ifndef GRAPHLANG_LOG_MESSAGES_H
#define GRAPHLANG_LOG_MESSAGES_H
#include "kernel.h"

enum {
  GRAPHLANG_MESSAGE_SLOTS = 128, /* groups and couplings of links whose tables are at hand */
  GRAPHLANG_MESSAGE_ROOM = 3 * GRAPHLANG_MESSAGE_SLOTS + 1, /* numbers for each language, to work in */
  GRAPHLANG_STRIPE = 64          /* receivers side by side that one thread adds up for */
};

/* Some messages, whose logarithms the caller takes: a number for each language, and one for all that the sender does not
   name.

   Of each group of links: tables of the compatibility, `odds` being what those of the coupling are multiplied by, up to
   the `highest` coupling or the link's own. Of each message: its group and coupling, the sender, and the group of
   the sender's prior. A sender below `languages` is sure of that language; the next ones are the rows of
   `unsure_belief`; and from there on it is a latent page, which has `kept` of the languages as candidates, and whose
   belief is row `row` of `belief`: of its candidates, and of all other languages together. `noise`: the part of every link that says nothing. `to_target`: 1 along the links, 0 against.
   `room`: to work in. Messages through links of one group and coupling had better not be far from each other: what these
   have in common is worked out again when too many others came in between. Those of one sender had better follow each
   other: what it gathered is worked out once. */
int graphlang_messages(uint64_t languages, uint64_t groups, uint64_t prior_groups, uint64_t unsure, uint64_t latent,
                       uint64_t kept, uint64_t rows, uint64_t count, const float source_marginal[groups * languages],
                       const float switch_to[groups * languages], const float exclusion[groups * languages],
                       const float odds[groups * languages], const float prior[prior_groups * languages],
                       const float unsure_belief[unsure * languages], const int16_t candidates[latent * kept],
                       float noise, float highest, int to_target, const int32_t group[count],
                       const float coupling[count], const int32_t sender[count], const int32_t prior_group[count],
                       const float belief[rows * (kept + 1)], const int32_t row[count],
                       float room[GRAPHLANG_MESSAGE_ROOM * languages], float messages[count * (languages + 1)],
                       graphlang_fault *fault);

/* Add log messages to the sums of their receivers, in the order given: of each receiver's candidates, and of all other
   languages. Those of class c go to receiver[start[c]..start[c+1]-1]. `numbers`: the classes. `touched` becomes 1 of each
   receiver. Only receivers of one of several stripes count: each `stripes`-th few of them, so that several threads can add
   up the same messages, each for its own receivers. */
int graphlang_accumulate(uint64_t languages, uint64_t kept, uint64_t latent, uint64_t classes, uint64_t entries,
                         uint64_t count, uint32_t stripe, uint32_t stripes, const int64_t start[classes + 1],
                         const int32_t receiver[entries],
                         const float weight[entries], const int16_t candidates[latent * kept],
                         const int64_t numbers[count], const float messages[count * (languages + 1)],
                         double incoming[latent * (kept + 1)], uint8_t touched[latent], graphlang_fault *fault);

#endif
