/* Sums of the weights of features of URLs; see `graphlang.urls.default.model`. */
#ifndef GRAPHLANG_URL_SUMS_H
#define GRAPHLANG_URL_SUMS_H
#include "kernel.h"

/* Add to `sums` the weights of the features of one kind, and to `known` how many of them have any.

   URL u has the features bucket[first[u]] to bucket[first[u + 1] - 1]. row: of each bucket one more than its row in
   `weights`, 0 where it weighs nothing. enough: of a URL with more known features than that, the weights of all are
   multiplied by the root of enough / known, as float32. Those of one URL are added up in their order, as float32, and
   their sum is added to `sums`: no batch and no machine changes it. own: room for one URL's. */
int graphlang_url_sums_add(int64_t urls, int64_t features, int64_t buckets, int64_t rows, int64_t labels,
                           const int64_t bucket[features], const int64_t first[urls + 1], const int32_t row[buckets],
                           const int8_t weights[rows * labels], double enough, float own[labels],
                           float sums[urls * labels], int64_t known[urls], graphlang_fault *fault);

#endif
