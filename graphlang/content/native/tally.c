#include "tally.h"

#include <string.h>

#include "common.h"

#define MULTIPLIER 0x9E3779B97F4A7C15u
#define DROP 16
#define MAX_ORDER 7
#define SOON 4  /* features */
#define LINE 16 /* numbers of a line of the cache */

/* The logarithm of a power of two; 0 of another number. */
static int log_2(int64_t size)
{
    return size > 0 && !(size & (size - 1)) ? __builtin_ctzll((uint64_t)size) : 0;
}

int64_t graphlang_tally_count(int64_t size, int64_t rows, int64_t number, int64_t slots_size, int64_t room,
                              const uint32_t *symbols, const int64_t *starts, const int64_t *lengths, int64_t margin,
                              const uint8_t *orders, int64_t words, int64_t *slots, int64_t *row_of, uint64_t *key_of,
                              int64_t *count_of, int64_t *order_of, int64_t *place_of, int64_t *totals,
                              graphlang_fault *fault)
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
                if (words && inner)
                    continue;
                total++;
                uint64_t key = value >> DROP, slot = key * MULTIPLIER >> (64 - bits);
                while (slots[slot] >= base && key_of[slots[slot]] != key) /* what stands there from other rows is free */
                    slot = (slot + 1) & mask;
                if (slots[slot] >= base) {
                    count_of[slots[slot]]++;
                    continue;
                }
                if (used >= room || used - base >= (int64_t)(mask / 2 + 1))
                    return GRAPHLANG_WRONG_SIZE;
                slots[slot] = used;
                row_of[used] = row;
                key_of[used] = key;
                count_of[used] = 1;
                order_of[used] = order;
                place_of[used++] = start + i;
            }
        }
        totals[row] = total;
    }
    return used;
}

/* Whether entry a goes before entry b: the commoner, of equal ones the shorter, then the one that stands first. */
static inline int before(int64_t a, int64_t b, const int64_t *count, const int64_t *order, const int64_t *place)
{
    if (count[a] != count[b])
        return count[a] > count[b];
    return order[a] != order[b] ? order[a] < order[b] : place[a] < place[b];
}

/* Let the entry at the top of a heap, whose top is the last of all, sink to where it belongs. */
static void sink(int64_t *heap, int64_t size, int64_t at, const int64_t *count, const int64_t *order,
                 const int64_t *place)
{
    int64_t entry = heap[at];
    for (int64_t child; (child = 2 * at + 1) < size; at = child) {
        if (child + 1 < size && before(heap[child], heap[child + 1], count, order, place))
            child++;
        if (!before(entry, heap[child], count, order, place))
            break;
        heap[at] = heap[child];
    }
    heap[at] = entry;
}

int64_t graphlang_tally_ranks(int64_t size, int64_t edges, int64_t room, const int64_t *count, const int64_t *order,
                              const int64_t *place, const int64_t *offsets, int64_t most, int64_t *chosen,
                              int64_t *rank, graphlang_fault *fault)
{
    int64_t used = 0;
    if (edges < 1 || most < 0)
        return GRAPHLANG_WRONG_SIZE;
    for (int64_t row = 0; row < edges - 1; row++) {
        int64_t begin = offsets[row], end = offsets[row + 1], held;
        if (begin < 0 || begin > size)
            return GRAPHLANG_REFUSE(fault, "offsets", row, begin, 0, size);
        if (end < begin || end > size)
            return GRAPHLANG_REFUSE(fault, "offsets", row + 1, end, begin, size);
        held = end - begin < most ? end - begin : most;
        if (room - used < held)
            return GRAPHLANG_WRONG_SIZE;
        int64_t *heap = chosen + used;
        for (int64_t i = 0; i < held; i++)
            heap[i] = begin + i;
        for (int64_t i = held / 2 - 1; i >= 0; i--)
            sink(heap, held, i, count, order, place);
        for (int64_t i = begin + held; held && i < end; i++)
            if (before(i, heap[0], count, order, place)) {
                heap[0] = i;
                sink(heap, held, 0, count, order, place);
            }
        for (int64_t left = held - 1; left > 0; left--) {
            int64_t last = heap[0];
            heap[0] = heap[left];
            heap[left] = last;
            sink(heap, left, 0, count, order, place);
        }
        for (int64_t i = 0; i < held; i++)
            rank[used++] = i + 1;
    }
    return used;
}

int graphlang_tally_find(int64_t size, int64_t slots, const uint64_t *keys, const uint64_t *stored,
                         const int32_t *numbers, uint64_t empty, int32_t *found)
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
        found[i] = stored[slot] == keys[i] ? numbers[slot] : -1;
    }
    return 0;
}

WIDE
WIDE int graphlang_tally_products(int64_t size, int64_t rows, int64_t features, int64_t common, int64_t width, int64_t entries,
                             const int32_t *feature, const float *value, const int64_t *offsets,
                             const int32_t *dense_of, const float *dense, const int64_t *starts,
                             const int32_t *columns, const float *values, float *out, graphlang_fault *fault)
{
    for (int64_t row = 0; row < rows; row++) {
        float *own = out + row * width;
        int64_t begin = offsets[row], end = offsets[row + 1];
        if (begin < 0 || begin > size)
            return GRAPHLANG_REFUSE(fault, "offsets", row, begin, 0, size);
        if (end < begin || end > size)
            return GRAPHLANG_REFUSE(fault, "offsets", row + 1, end, begin, size);
        memset(own, 0, (size_t)width * sizeof *own);
        for (int64_t i = begin; i < end; i++) {
            int64_t f = feature[i];
            float often = value[i];
            if (f < 0 || f >= features)
                return GRAPHLANG_REFUSE(fault, "feature", i, f, 0, features - 1);
            if (dense_of[f] >= 0) {
                int64_t later = i + SOON < end ? feature[i + SOON] : -1;
                if (later >= 0 && later < features && dense_of[later] >= 0 && dense_of[later] < common)
                    for (int64_t j = 0; j < width; j += LINE)
                        __builtin_prefetch(dense + dense_of[later] * width + j);
                if (dense_of[f] >= common)
                    return GRAPHLANG_REFUSE(fault, "dense_of", f, dense_of[f], -1, common - 1);
                const float *weights = dense + dense_of[f] * width;
                for (int64_t j = 0; j < width; j++)
                    own[j] += often * weights[j];
                continue;
            }
            if (starts[f] < 0 || starts[f] > entries)
                return GRAPHLANG_REFUSE(fault, "starts", f, starts[f], 0, entries);
            if (starts[f + 1] > entries)
                return GRAPHLANG_REFUSE(fault, "starts", f + 1, starts[f + 1], 0, entries);
            for (int64_t k = starts[f]; k < starts[f + 1]; k++) {
                if (columns[k] < 0 || columns[k] >= width)
                    return GRAPHLANG_REFUSE(fault, "columns", k, columns[k], 0, width - 1);
                own[columns[k]] += often * values[k];
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
        int64_t *own = distances + row[i] * lists;
        for (int64_t k = starts[f]; k < starts[f + 1]; k++) {
            if (owner[k] < 0 || owner[k] >= lists)
                return GRAPHLANG_REFUSE(fault, "owner", k, owner[k], 0, lists - 1);
            int64_t off = place[k] - rank[i];
            own[owner[k]] += (off < 0 ? -off : off) - cost[i];
        }
    }
    return 0;
}
