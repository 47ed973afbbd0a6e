/* Which page receives which message, with what weight: the links of every receiver, joined by message class; see
   `graphlang.graph.propagation.messages`. */
#ifndef GRAPHLANG_MESSAGE_CLASSES_H
#define GRAPHLANG_MESSAGE_CLASSES_H
#include "kernel.h"

/* Give memory that was freed back to the system, but for so many bytes: much of it would be kept for arrays of other sizes,
   and never asked for again. Returns 1 if some was given back, 0 if none, or where the C library has no such function. */
int graphlang_give_back(uint64_t but);

/* The level of each coupling: how many of the bounds between them, which ascend, are below it. */
int graphlang_coupling_levels(uint64_t links, uint64_t bounds, const float coupling[links], const float bound[bounds],
                              uint8_t level[links], graphlang_fault *fault);

/* What the links to some latent pages (`receivers`: their rows) carry. The links to page p are order[start[p]] to
   order[start[p + 1] - 1] or, without an order, those numbers themselves. Page by page, `to` becomes the number of the
   receiver among the latent pages, `key` the number of the message class: of the sender's class and the level of the
   coupling, apart for links within a host and for the others; `link_weight` the weight. */
int graphlang_link_messages(uint64_t wanted, uint64_t links, uint64_t pages, uint64_t count, int64_t levels,
                            const int64_t receivers[count], const int64_t start[pages + 1],
                            OPTIONAL const int32_t order[links], const int32_t sender[links], const float weight[links],
                            const uint8_t level[links], const int32_t latent_number[pages],
                            const int32_t sender_class[pages], const int32_t host[pages], int32_t to[wanted],
                            int64_t key[wanted], float link_weight[wanted], graphlang_fault *fault);

/* Different keys, all below 64 * words, are numbered in ascending order in three steps: bits[k / 64] gets a mark for each
   key k; from all marks, ranks[w] becomes how many keys are below 64 * w, and how many there are is returned; then the
   number of each key is looked up. `bits` is all zeros before. */
int graphlang_mark_keys(uint64_t wanted, uint64_t words, const int64_t keys[wanted], uint64_t bits[words],
                        graphlang_fault *fault);
int64_t graphlang_rank_keys(uint64_t words, const uint64_t bits[words], int32_t ranks[words]);
int graphlang_number_keys(uint64_t wanted, uint64_t words, const int64_t keys[wanted], const uint64_t bits[words],
                          const int32_t ranks[words], int32_t numbers[wanted], graphlang_fault *fault);

/* All keys that have a mark, ascending; there are as many as was returned above. */
int graphlang_list_keys(uint64_t words, uint64_t many, const uint64_t bits[words], int64_t keys[many]);

/* Join the links that carry messages of one class to one page, adding their weights; those to a page stand one after the
   other. `last` is -1 for each class; `receivers`, zeros before, becomes the number of pages that receive each class.
   What comes out stands at the beginning of `receiver`, `message_class` and `weight`, in place of the links, receivers in
   the order given. `sums`: to work in, for as many links as come out for any page. Returns how many there are. */
int64_t graphlang_join_links(uint64_t links, uint64_t classes, uint64_t room, int32_t receiver[links],
                             int32_t message_class[links], float weight[links], int32_t last[classes],
                             int32_t receivers[classes], double sums[room], graphlang_fault *fault);

/* The same sorted by class, receivers in the order given: `next` says where, among the entries of all, the next one of
   each class comes, and is moved on. */
int graphlang_sort_by_class(uint64_t joined, uint64_t classes, uint64_t entries, const int32_t joined_receiver[joined],
                            const int32_t joined_class[joined], const float joined_weight[joined],
                            int32_t next[classes], int32_t receiver[entries], float weight[entries],
                            graphlang_fault *fault);

#endif
