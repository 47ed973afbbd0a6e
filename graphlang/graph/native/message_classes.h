/* Which page receives which message, with what weight: the links of every receiver, joined by message class; see
   `graphlang.graph.propagation.shared_messages`. */
#ifndef GRAPHLANG_MESSAGE_CLASSES_H
#define GRAPHLANG_MESSAGE_CLASSES_H
#include "kernel.h"

/* What some links (`numbers`) carry, and to whom. `to` becomes the number of the receiver among the latent pages (-1: it
   is none), `key` the number of the message class: of the sender's class and the level of the coupling, apart for links
   within a host and for the others; `link_weight` the weight. */
int graphlang_link_messages(uint64_t wanted, uint64_t links, uint64_t pages, int64_t levels,
                            const int32_t numbers[wanted], const int32_t receiver[links], const int32_t sender[links],
                            const float weight[links], const int32_t group[links], const uint8_t level[links],
                            const int32_t latent_number[pages], const int32_t sender_class[pages],
                            const int32_t host[pages], int32_t to[wanted], int64_t key[wanted],
                            float link_weight[wanted], graphlang_fault *fault);

/* Number the different keys, all below 64 * words, in ascending order. `bits` is all zeros before; `ranks` is room to
   work in. Returns how many there are. */
int64_t graphlang_number_keys(uint64_t wanted, uint64_t words, const int64_t keys[wanted], uint64_t bits[words],
                              int32_t ranks[words], int32_t numbers[wanted], graphlang_fault *fault);

/* The first link of each class, in the order given: `example[c]` becomes the first of `numbers` that carries class c. */
int graphlang_first_of_class(uint64_t wanted, uint64_t classes, const int32_t message_class[wanted],
                             const int32_t numbers[wanted], int32_t example[classes], graphlang_fault *fault);

/* Join the links that carry messages of one class to one page, adding their weights; those to a page stand one after the
   other. `last` is -1 for each class; `receivers`, zeros before, becomes the number of pages that receive each class.
   What comes out stands at the beginning of `receiver` and `message_class`, in place of the links, and in
   `joined_weight`, receivers in the order given. Returns how many there are. */
int64_t graphlang_join_links(uint64_t links, uint64_t classes, int32_t receiver[links], int32_t message_class[links],
                             const float weight[links], int64_t last[classes], int64_t receivers[classes],
                             double joined_weight[links], graphlang_fault *fault);

/* The same sorted by class, receivers in the order given. `next` holds where those of each class begin, and is used
   up. */
int graphlang_sort_by_class(uint64_t entries, uint64_t classes, const int32_t joined_receiver[entries],
                            const int32_t joined_class[entries], const double joined_weight[entries],
                            int64_t next[classes], int32_t receiver[entries], float weight[entries],
                            graphlang_fault *fault);

#endif
