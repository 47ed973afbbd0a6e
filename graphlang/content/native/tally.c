#include "tally.h"

#include <string.h>

#include "common.h"

#define MULTIPLIER 0x9E3779B97F4A7C15u
#define DROP 16
#define MAX_ORDER 7
#define PREFETCH_FEATURES 4 /* prefetch distance in features */
#define LINE 16             /* floats in a cache line */

/* Compute the logarithm of a power of two; 0 for another number. */
static int log_2(int64_t size)
{
    return size > 0 && !(size & (size - 1)) ? __builtin_ctzll((uint64_t)size) : 0;
}

int64_t graphlang_tally_count(int64_t size, int64_t rows, int64_t number, int64_t slots_size, int64_t room,
                              const uint32_t *symbols, const int64_t *starts, const int64_t *lengths, int64_t margin,
                              const uint8_t *orders, int64_t within_words, int64_t *slots, int64_t *entry_row,
                              uint64_t *entry_key, int64_t *entry_count, int64_t *entry_order, int64_t *entry_place,
                              int64_t *totals, graphlang_fault *fault)
{
    int64_t used = 0;
    const int bits = log_2(slots_size);
    if (bits < 1 || margin < 0 || margin > size)
        return rows ? GRAPHLANG_WRONG_SIZE : 0;
    for (int64_t i = 0; i < number; i++)
        if (orders[i] < 1 || orders[i] > MAX_ORDER)
            return GRAPHLANG_REFUSE(fault, "orders", i, orders[i], 1, MAX_ORDER);
    memset(slots, 0xFF, (size_t)slots_size * sizeof *slots); /* -1: free */
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
    for (int64_t row = 0; row < rows; row++) {
        int64_t start = starts[row], length = lengths[row], base = used, total = 0;
        if (start < 0 || start > size)
            return GRAPHLANG_REFUSE(fault, "starts", row, start, 0, size);
        if (length < 0 || (length && length > size - start - margin))
            return GRAPHLANG_REFUSE(fault, "lengths", row, length, 0, size - start - margin);
        for (int64_t i = 0; i < length; i++) {
            for (int64_t n = 0; n < number; n++) {
                int64_t order = orders[n], inner = 0;
                const uint32_t *gram = symbols + start + i;
                if (i + order > length + margin)
                    continue;
                uint64_t value = (gram[0] + (uint64_t)order) * MULTIPLIER;
                for (int64_t j = 1; j < order; j++) {
                    value = (value + gram[j]) * MULTIPLIER;
                    value ^= value >> 29;
                    inner += j < order - 1 && gram[j] == SPACE;
                }
                if (within_words && inner)
                    continue;
                total++;
                uint64_t key = value >> DROP, slot = key * MULTIPLIER >> (64 - bits);
                while (slots[slot] >= base && entry_key[slots[slot]] != key) /* entries of other rows are free */
                    slot = (slot + 1) & mask;
                if (slots[slot] >= base) {
                    entry_count[slots[slot]]++;
                    continue;
                }
                if (used >= room || used - base >= (int64_t)(mask / 2 + 1))
                    return GRAPHLANG_WRONG_SIZE;
                slots[slot] = used;
                entry_row[used] = row;
                entry_key[used] = key;
                entry_count[used] = 1;
                entry_order[used] = order;
                entry_place[used++] = start + i;
            }
        }
        totals[row] = total;
    }
    return used;
}

/* True if entry a ranks before entry b: it is more frequent; then shorter; then earlier. */
static inline int precedes(int64_t a, int64_t b, const int64_t *count, const int64_t *order, const int64_t *place)
{
    if (count[a] != count[b])
        return count[a] > count[b];
    return order[a] != order[b] ? order[a] < order[b] : place[a] < place[b];
}

/* Sift an entry down a heap whose top ranks last. */
static void sink(int64_t *heap, int64_t size, int64_t at, const int64_t *count, const int64_t *order,
                 const int64_t *place)
{
    int64_t entry = heap[at];
    for (int64_t child; (child = 2 * at + 1) < size; at = child) {
        if (child + 1 < size && precedes(heap[child], heap[child + 1], count, order, place))
            child++;
        if (!precedes(entry, heap[child], count, order, place))
            break;
        heap[at] = heap[child];
    }
    heap[at] = entry;
}

int64_t graphlang_tally_ranks(int64_t size, int64_t edges, int64_t room, const int64_t *count, const int64_t *order,
                              const int64_t *place, const int64_t *offsets, int64_t limit, int64_t *chosen,
                              int64_t *rank, graphlang_fault *fault)
{
    int64_t used = 0;
    if (edges < 1 || limit < 0)
        return GRAPHLANG_WRONG_SIZE;
    for (int64_t row = 0; row < edges - 1; row++) {
        int64_t begin = offsets[row], end = offsets[row + 1], row_size;
        if (begin < 0 || begin > size)
            return GRAPHLANG_REFUSE(fault, "offsets", row, begin, 0, size);
        if (end < begin || end > size)
            return GRAPHLANG_REFUSE(fault, "offsets", row + 1, end, begin, size);
        row_size = end - begin < limit ? end - begin : limit;
        if (room - used < row_size)
            return GRAPHLANG_WRONG_SIZE;
        int64_t *heap = chosen + used;
        for (int64_t i = 0; i < row_size; i++)
            heap[i] = begin + i;
        for (int64_t i = row_size / 2 - 1; i >= 0; i--)
            sink(heap, row_size, i, count, order, place);
        for (int64_t i = begin + row_size; row_size && i < end; i++)
            if (precedes(i, heap[0], count, order, place)) {
                heap[0] = i;
                sink(heap, row_size, 0, count, order, place);
            }
        for (int64_t left = row_size - 1; left > 0; left--) {
            int64_t last = heap[0];
            heap[0] = heap[left];
            heap[left] = last;
            sink(heap, left, 0, count, order, place);
        }
        for (int64_t i = 0; i < row_size; i++)
            rank[used++] = i + 1;
    }
    return used;
}

int graphlang_tally_find(int64_t size, int64_t slots, const uint64_t *keys, const uint64_t *stored,
                         const int32_t *numbers, uint64_t empty, int32_t *indices)
{
    const int bits = log_2(slots);
    if (bits < 1)
        return GRAPHLANG_WRONG_SIZE;
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
    for (int64_t i = 0; i < size; i++) {
        uint64_t slot = keys[i] * MULTIPLIER >> (64 - bits), tried = 0;
        while (stored[slot] != keys[i] && stored[slot] != empty) {
            slot = (slot + 1) & mask;
            if (++tried > mask)
                return GRAPHLANG_WRONG_SIZE;
        }
        indices[i] = stored[slot] == keys[i] ? numbers[slot] : -1;
    }
    return 0;
}

WIDE
int graphlang_tally_products(int64_t size, int64_t rows, int64_t features, int64_t common, int64_t width,
                             int64_t entries, const int32_t *feature, const float *value, const int64_t *offsets,
                             const int32_t *dense_row, const float *dense, const int64_t *starts,
                             const int32_t *columns, const float *values, float *out, graphlang_fault *fault)
{
    for (int64_t row = 0; row < rows; row++) {
        float *row_out = out + row * width;
        int64_t begin = offsets[row], end = offsets[row + 1];
        if (begin < 0 || begin > size)
            return GRAPHLANG_REFUSE(fault, "offsets", row, begin, 0, size);
        if (end < begin || end > size)
            return GRAPHLANG_REFUSE(fault, "offsets", row + 1, end, begin, size);
        memset(row_out, 0, (size_t)width * sizeof *row_out);
        for (int64_t i = begin; i < end; i++) {
            int64_t f = feature[i];
            float factor = value[i];
            if (f < 0 || f >= features)
                return GRAPHLANG_REFUSE(fault, "feature", i, f, 0, features - 1);
            if (dense_row[f] >= 0) {
                int64_t later = i + PREFETCH_FEATURES < end ? feature[i + PREFETCH_FEATURES] : -1;
                if (later >= 0 && later < features && dense_row[later] >= 0 && dense_row[later] < common)
                    for (int64_t j = 0; j < width; j += LINE)
                        __builtin_prefetch(dense + dense_row[later] * width + j);
                if (dense_row[f] >= common)
                    return GRAPHLANG_REFUSE(fault, "dense_row", f, dense_row[f], -1, common - 1);
                const float *weights = dense + dense_row[f] * width;
                for (int64_t j = 0; j < width; j++)
                    row_out[j] += factor * weights[j];
                continue;
            }
            if (starts[f] < 0 || starts[f] > entries)
                return GRAPHLANG_REFUSE(fault, "starts", f, starts[f], 0, entries);
            if (starts[f + 1] > entries)
                return GRAPHLANG_REFUSE(fault, "starts", f + 1, starts[f + 1], 0, entries);
            for (int64_t k = starts[f]; k < starts[f + 1]; k++) {
                if (columns[k] < 0 || columns[k] >= width)
                    return GRAPHLANG_REFUSE(fault, "columns", k, columns[k], 0, width - 1);
                row_out[columns[k]] += factor * values[k];
            }
        }
    }
    return 0;
}

int graphlang_tally_distances(int64_t size, int64_t edges, int64_t entries, int64_t rows, int64_t lists,
                              const int64_t *row, const int64_t *rank, const int64_t *cost, const int32_t *feature,
                              const int64_t *starts, const int64_t *owner, const int64_t *place, int64_t *distances,
                              graphlang_fault *fault)
{
    for (int64_t i = 0; i < size; i++) {
        int64_t f = feature[i];
        if (f < 0)
            continue;
        if (f >= edges - 1)
            return GRAPHLANG_REFUSE(fault, "feature", i, f, -1, edges - 2);
        if (row[i] < 0 || row[i] >= rows)
            return GRAPHLANG_REFUSE(fault, "row", i, row[i], 0, rows - 1);
        if (starts[f] < 0 || starts[f] > entries)
            return GRAPHLANG_REFUSE(fault, "starts", f, starts[f], 0, entries);
        if (starts[f + 1] > entries)
            return GRAPHLANG_REFUSE(fault, "starts", f + 1, starts[f + 1], 0, entries);
        int64_t *text_distances = distances + row[i] * lists;
        for (int64_t k = starts[f]; k < starts[f + 1]; k++) {
            if (owner[k] < 0 || owner[k] >= lists)
                return GRAPHLANG_REFUSE(fault, "owner", k, owner[k], 0, lists - 1);
            int64_t difference = place[k] - rank[i];
            text_distances[owner[k]] += (difference < 0 ? -difference : difference) - cost[i];
        }
    }
    return 0;
}
