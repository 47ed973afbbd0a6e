/* Receivers and weights of each class of equal messages; see `graphlang.graph.propagation.messages`. */
#ifndef GRAPHLANG_MESSAGE_CLASSES_H
#define GRAPHLANG_MESSAGE_CLASSES_H
#include "kernel.h"

/* Return freed memory to the system, except `but` bytes. Return 1 if some was returned, 0 if none, or if the C library has
   no such function. */
int graphlang_give_back(uint64_t but);

/* Compute the level of each coupling: the number of bounds (ascending) below it. */
int graphlang_coupling_levels(uint64_t links, uint64_t bounds, const float coupling[links], const float bound[bounds],
                              uint8_t level[links], graphlang_fault *fault);

/* List the messages through links to some latent pages (`receivers`: their rows). The links to page p are
   order[start[p]]..order[start[p + 1] - 1] or, without an order, these numbers themselves. Page by page, `to` gets the index
   of the receiver among the latent pages, `link_weight` the weight, and `key` the message class: from the sender's class,
   the level of the coupling, and whether the link is within a host. */
int graphlang_link_messages(uint64_t message_count, uint64_t links, uint64_t pages, uint64_t count, int64_t levels,
                            const int64_t receivers[count], const int64_t start[pages + 1],
                            OPTIONAL const int32_t order[links], const int32_t sender[links], const float weight[links],
                            const uint8_t level[links], const int32_t latent_number[pages],
                            const int32_t sender_class[pages], const int32_t host[pages], int32_t to[message_count],
                            int64_t key[message_count], float link_weight[message_count], graphlang_fault *fault);

/* Number distinct keys below 64 * words in ascending order, in three steps: mark each key k in bits[k / 64]; set ranks[w] to
   the number of keys below 64 * w, and return their count; look up the number of each key. `bits` must be zero. */
int graphlang_mark_keys(uint64_t message_count, uint64_t words, const int64_t keys[message_count], uint64_t bits[words],
                        graphlang_fault *fault);
int64_t graphlang_rank_keys(uint64_t words, const uint64_t bits[words], int32_t ranks[words]);
int graphlang_number_keys(uint64_t message_count, uint64_t words, const int64_t keys[message_count], const uint64_t bits[words],
                          const int32_t ranks[words], int32_t numbers[message_count], graphlang_fault *fault);

/* List the marked keys, ascending; `many` is their count from above. */
int graphlang_list_keys(uint64_t words, uint64_t many, const uint64_t bits[words], int64_t keys[many]);

/* Join the links with messages of one class to one page, adding their weights; links to a page must be consecutive. `last`
   must be -1 for each class; `receivers`, zero before, gets the number of receivers of each class. The result overwrites
   `receiver`, `message_class` and `weight` from their start, in the order of receivers. `sums`: scratch for the largest
   number of classes of a page. Return how many there are. */
int64_t graphlang_join_links(uint64_t links, uint64_t classes, uint64_t room, int32_t receiver[links],
                             int32_t message_class[links], float weight[links], int32_t last[classes],
                             int32_t receivers[classes], double sums[room], graphlang_fault *fault);

/* Sort joined links by class, keeping the order of receivers. `next`: index of the next entry of each class; updated. */
int graphlang_sort_by_class(uint64_t joined, uint64_t classes, uint64_t entries, const int32_t joined_receiver[joined],
                            const int32_t joined_class[joined], const float joined_weight[joined],
                            int32_t next[classes], int32_t receiver[entries], float weight[entries],
                            graphlang_fault *fault);

#endif
