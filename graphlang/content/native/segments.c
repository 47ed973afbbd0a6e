#include "segments.h"

#include <string.h>

#define STATES GRAPHLANG_SEGMENTS_STATES
#define TRIED GRAPHLANG_SEGMENTS_TRIED

typedef struct {
    const int64_t *starts; /* of the units of one text */
    const int64_t *label;
    const double *support;
    const uint8_t *border;
    int64_t number;
    int64_t *likely, active; /* labels with any support, and their number */
    double at_border, inside, language, resemblance;
} Text;

/* Look up the support of a unit for a label. */
static double find_support(const Text *text, int64_t unit, int64_t label)
{
    for (int64_t i = text->starts[unit]; i < text->starts[unit + 1]; i++)
        if (text->label[i] == label)
            return text->support[i];
    return 0;
}

/* Find the likely label with the greatest value; ties go to the smallest label. Return its place. */
static int64_t find_greatest(const Text *text, const double *values)
{
    int64_t best = 0;
    for (int64_t i = 1; i < text->active; i++) {
        double value = values[text->likely[i]], best_value = values[text->likely[best]];
        if (value > best_value || (value == best_value && text->likely[i] < text->likely[best]))
            best = i;
    }
    return best;
}

/* List the labels with support and sum the support of each; return the sum of the greatest support of each unit. */
static double sum_support(Text *text, double *sums, uint8_t *is_listed)
{
    double total = 0;
    text->active = 0;
    for (int64_t unit = 0; unit < text->number; unit++) {
        double maximum = 0;
        for (int64_t i = text->starts[unit]; i < text->starts[unit + 1]; i++) {
            int64_t label = text->label[i];
            if (!is_listed[label]) {
                is_listed[label] = 1;
                sums[label] = 0;
                text->likely[text->active++] = label;
            }
            sums[label] += text->support[i];
            maximum = text->support[i] > maximum ? text->support[i] : maximum;
        }
        total += maximum;
    }
    for (int64_t i = 0; i < text->active; i++)
        is_listed[text->likely[i]] = 0;
    return total;
}

/* Compute how much each likely label adds to the likelihood of a path, the cost of changes apart. */
static void compute_gains(const Text *text, const int64_t *path, double *gain)
{
    for (int64_t i = 0; i < text->active; i++)
        gain[text->likely[i]] = 0;
    for (int64_t unit = 0; unit < text->number; unit++) {
        double current = find_support(text, unit, path[unit]);
        for (int64_t i = text->starts[unit]; i < text->starts[unit + 1]; i++)
            if (text->support[i] > current)
                gain[text->label[i]] += text->support[i] - current;
    }
}

static int64_t find_best_state(const double *values, int64_t number)
{
    int64_t best = 0;
    for (int64_t i = 1; i < number; i++)
        if (values[i] > values[best])
            best = i;
    return best;
}

/* Find the best path through states (Viterbi 1967); return its likelihood. */
static double find_best_path(const Text *text, const int64_t *states, int64_t number, uint8_t *previous, uint8_t *sequence)
{
    double value[STATES];
    for (int64_t state = 0; state < number; state++)
        value[state] = find_support(text, 0, states[state]);
    for (int64_t unit = 1; unit < text->number; unit++) {
        int64_t best = find_best_state(value, number);
        double jump = value[best] - (text->border[unit] ? text->at_border : text->inside);
        for (int64_t state = 0; state < number; state++) {
            int stays = value[state] >= jump;
            previous[unit * STATES + state] = (uint8_t)(stays ? state : best);
            value[state] = (stays ? value[state] : jump) + find_support(text, unit, states[state]);
        }
    }
    int64_t last = find_best_state(value, number);
    sequence[text->number - 1] = (uint8_t)last;
    for (int64_t unit = text->number - 1; unit > 0; unit--)
        sequence[unit - 1] = previous[unit * STATES + sequence[unit]];
    return value[last];
}

/* Compute the support that contradicts a path with the last state: of units in it for another state, and of units in another
   state for it. It is small if the text changes its language, and great if the language is doubtful throughout. */
static double compute_contradiction(const Text *text, const int64_t *states, int64_t number, const uint8_t *sequence)
{
    double total = 0;
    int64_t last = number - 1;
    for (int64_t unit = 0; unit < text->number; unit++) {
        double current = find_support(text, unit, states[sequence[unit]]), maximum = current;
        for (int64_t state = sequence[unit] == last ? 0 : last; state < number; state++) {
            double other = find_support(text, unit, states[state]);
            maximum = other > maximum ? other : maximum;
        }
        total += maximum - current;
    }
    return total;
}

/* Add languages one after the other, the one that raises the likelihood most first. */
static void add_languages(const Text *text, double current, int64_t *path, double *gain, uint8_t *previous, uint8_t *sequence,
                    uint8_t *best_sequence)
{
    int64_t states[STATES] = {path[0]};
    for (int64_t number = 1; number < STATES; number++) {
        compute_gains(text, path, gain);
        for (int64_t state = 0; state < number; state++)
            gain[states[state]] = 0;
        double total = current, likelihood = current; /* total: likelihood minus the cost of the language */
        int64_t chosen = -1;
        for (int64_t attempt = 0; attempt < TRIED; attempt++) {
            int64_t next = text->likely[find_greatest(text, gain)];
            if (!(current + (gain[next] - text->language) > total))
                break; /* the gains of all later labels are smaller */
            gain[next] = 0;
            states[number] = next;
            double extended = find_best_path(text, states, number + 1, previous, sequence);
            double cost = text->language + text->resemblance * compute_contradiction(text, states, number + 1, sequence);
            if (extended - cost > total) {
                total = extended - cost;
                likelihood = extended;
                chosen = next;
                memcpy(best_sequence, sequence, (size_t)text->number);
            }
        }
        if (chosen < 0)
            break;
        states[number] = chosen;
        current = likelihood;
        for (int64_t unit = 0; unit < text->number; unit++)
            path[unit] = states[best_sequence[unit]];
    }
}

int graphlang_segments_paths(int64_t units, int64_t width, int64_t edges, int64_t entries, const int64_t *starts,
                             const int64_t *label, const double *support, const int64_t *offsets, const uint8_t *border,
                             double at_border, double inside, double language, double resemblance, int64_t *path,
                             double *sums, double *gain, uint8_t *is_listed, int64_t *likely, uint8_t *previous, uint8_t *sequence,
                             uint8_t *best_sequence, graphlang_fault *fault)
{
    if (width < 1)
        return units ? GRAPHLANG_WRONG_SIZE : 0;
    for (int64_t unit = 0; unit <= units; unit++) {
        int64_t least = unit ? starts[unit - 1] : 0;
        if (starts[unit] < least || starts[unit] > entries)
            return GRAPHLANG_REFUSE(fault, "starts", unit, starts[unit], least, entries);
    }
    for (int64_t i = 0; i < entries; i++)
        if (label[i] < 0 || label[i] >= width)
            return GRAPHLANG_REFUSE(fault, "label", i, label[i], 0, width - 1);
    memset(is_listed, 0, (size_t)width);
    for (int64_t i = 0; i < edges - 1; i++) {
        int64_t begin = offsets[i], end = offsets[i + 1];
        if (begin < 0 || begin > units)
            return GRAPHLANG_REFUSE(fault, "offsets", i, begin, 0, units);
        if (end < begin || end > units)
            return GRAPHLANG_REFUSE(fault, "offsets", i + 1, end, begin, units);
        Text text = {starts + begin, label, support, border + begin, end - begin, likely, 0, at_border, inside, language, resemblance};
        double total = sum_support(&text, sums, is_listed);
        int64_t best = text.active ? likely[find_greatest(&text, sums)] : 0;
        for (int64_t unit = begin; unit < end; unit++)
            path[unit] = best;
        if (text.active && total - sums[best] > language)
            add_languages(&text, sums[best], path + begin, gain, previous, sequence, best_sequence);
    }
    return 0;
}
