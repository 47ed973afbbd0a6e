/* Counting every n-gram of a text, of characters or of bytes; the commonest of them; and what profiles have of them.
 *
 * Pure functions over arrays that the caller owns; no state, no allocation, so that threads may run them side by side.
 * What the steps mean stands in tally.py, keytable.py, ranks.py and profiles.py, which check all sizes before they call;
 * what depends on the content of an array is checked here.
 */
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

#define WRONG (-1)
#define SPACE 0x20u
#define MULTIPLIER 0x9E3779B97F4A7C15u
#define DROP 16
#define MAX_ORDER 7

/* The distinct n-grams of every row, row after row, each with its key, its count, its order and its first place.
 *
 * orders: `number` lengths. words: leave out n-grams with a space inside. slots: 2 ** bits times -1, at least twice as
 * many as a row has n-grams; overwritten. totals: of each row all n-grams. Returns how many entries there are, or WRONG.
 */
int64_t tl_count(const uint32_t *symbols, int64_t size, const int64_t *starts, const int64_t *lengths, int64_t rows,
                 int64_t margin, const uint8_t *orders, int64_t number, int64_t words, int64_t *slots, int64_t bits,
                 int64_t *row_of, uint64_t *key_of, int64_t *count_of, int64_t *order_of, int64_t *place_of,
                 int64_t capacity, int64_t *totals)
{
    int64_t used = 0, highest = 0;
    if (bits < 1 || bits > 40 || margin < 0)
        return WRONG;
    for (int64_t i = 0; i < number; i++) {
        if (orders[i] < 1 || orders[i] > MAX_ORDER)
            return WRONG;
        highest = orders[i] > highest ? orders[i] : highest;
    }
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
    for (int64_t row = 0; row < rows; row++) {
        int64_t start = starts[row], length = lengths[row], base = used, total = 0;
        if (start < 0 || length < 0 || start > size || size - start < (length ? length + margin : 0))
            return WRONG;
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
                if (used >= capacity || used - base >= (int64_t)(mask / 2 + 1))
                    return WRONG;
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

/* The `most` first entries of each row in order. offsets: row r has the entries offsets[r] to offsets[r + 1] - 1.
 *
 * chosen, rank: room for as many of each row as it has, `most` at most. Returns how many are chosen, or WRONG.
 */
int64_t tl_ranks(const int64_t *count, const int64_t *order, const int64_t *place, int64_t size,
                 const int64_t *offsets, int64_t rows, int64_t most, int64_t *chosen, int64_t *rank, int64_t capacity)
{
    int64_t used = 0;
    for (int64_t row = 0; row < rows; row++) {
        int64_t begin = offsets[row], end = offsets[row + 1], held;
        if (begin < 0 || end < begin || end > size || most < 0)
            return WRONG;
        held = end - begin < most ? end - begin : most;
        if (capacity - used < held)
            return WRONG;
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

/* The number of each key in a table of 2 ** bits slots with open addressing, or -1. Returns 0, or WRONG: it is full. */
int64_t tl_find(const uint64_t *keys, int64_t size, const uint64_t *stored, const int32_t *numbers, int64_t bits,
                uint64_t empty, int32_t *found)
{
    if (bits < 1 || bits > 40)
        return WRONG;
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
    for (int64_t i = 0; i < size; i++) {
        uint64_t slot = keys[i] * MULTIPLIER >> (64 - bits), tried = 0;
        while (stored[slot] != keys[i] && stored[slot] != empty) {
            slot = (slot + 1) & mask;
            if (++tried > mask)
                return WRONG;
        }
        found[i] = stored[slot] == keys[i] ? numbers[slot] : -1;
    }
    return 0;
}

/* Inner products of sparse rows with a matrix whose rows are dense (dense_of[f] >= 0) or sparse: (rows, width).
 *
 * Row r has the features feature[offsets[r]..], each `value` times. Products are added in that order.
 */
WIDE
int64_t tl_products(const int32_t *feature, const float *value, const int64_t *offsets, int64_t rows, int64_t size,
                    int64_t features, const int32_t *dense_of, const float *dense, const int64_t *starts,
                    const int32_t *columns, const float *values, int64_t width, float *out)
{
    for (int64_t row = 0; row < rows; row++) {
        float *own = out + row * width;
        if (offsets[row] < 0 || offsets[row + 1] < offsets[row] || offsets[row + 1] > size)
            return WRONG;
        memset(own, 0, (size_t)width * sizeof *own);
        for (int64_t i = offsets[row]; i < offsets[row + 1]; i++) {
            float often = value[i];
            if (feature[i] < 0 || feature[i] >= features)
                return WRONG;
            if (dense_of[feature[i]] >= 0) {
                const float *weights = dense + dense_of[feature[i]] * width;
                for (int64_t j = 0; j < width; j++)
                    own[j] += often * weights[j];
                continue;
            }
            for (int64_t k = starts[feature[i]]; k < starts[feature[i] + 1]; k++)
                own[columns[k]] += often * values[k];
        }
    }
    return 0;
}

/* How far each text's ranks are off from each list's, less what they cost a list that lacks the n-gram (ranks.py).
 *
 * N-gram i of `size`, of text row[i], is feature[i] (below 0: of no list) at rank[i], and costs cost[i] where it is
 * lacking; list owner[k] has feature f at place[k], starts[f] <= k < starts[f + 1]. Added to distances, (rows, lists).
 */
int64_t tl_distances(const int64_t *row, const int64_t *rank, const int64_t *cost, const int32_t *feature, int64_t size,
                     const int64_t *starts, const int64_t *owner, const int64_t *place, int64_t features, int64_t rows,
                     int64_t lists, int64_t *distances)
{
    for (int64_t i = 0; i < size; i++) {
        if (feature[i] < 0)
            continue;
        if (feature[i] >= features || row[i] < 0 || row[i] >= rows)
            return WRONG;
        int64_t *own = distances + row[i] * lists;
        for (int64_t k = starts[feature[i]]; k < starts[feature[i] + 1]; k++) {
            int64_t off = place[k] - rank[i];
            own[owner[k]] += (off < 0 ? -off : off) - cost[i];
        }
    }
    return 0;
}
