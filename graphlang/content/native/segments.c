#include "segments.h"

#include <math.h>
#include <string.h>

#define STATES GRAPHLANG_SEGMENTS_STATES
#define TRIED GRAPHLANG_SEGMENTS_TRIED

typedef struct {
    const float *chances; /* of the units of one text */
    const uint8_t *border;
    int64_t number, width;
    double floor, low; /* the least chance, and its logarithm */
    double at_border, inside;
} Text;

/* The log likelihood of a label for a unit, from that of the floor on. */
static double said(const Text *text, int64_t unit, int64_t label)
{
    double chance = text->chances[unit * text->width + label];
    return chance > text->floor ? log(chance) - text->low : 0;
}

/* The label that is likeliest for all units together, what that comes to, and what one of its own for each would. */
static int64_t alone(const Text *text, double *sums, double *reached, double *most)
{
    memset(sums, 0, (size_t)text->width * sizeof *sums);
    *most = 0;
    for (int64_t unit = 0; unit < text->number; unit++) {
        const float *own = text->chances + unit * text->width;
        double greatest = 0;
        for (int64_t label = 0; label < text->width; label++)
            if (own[label] > text->floor) {
                double more = said(text, unit, label);
                sums[label] += more;
                greatest = more > greatest ? more : greatest;
            }
        *most += greatest;
    }
    int64_t best = 0;
    for (int64_t label = 1; label < text->width; label++)
        if (sums[label] > sums[best])
            best = label;
    *reached = sums[best];
    return best;
}

/* By how much each label could raise the likelihood of a path, if changing to it cost nothing. */
static void gains(const Text *text, const int64_t *path, double *gain)
{
    memset(gain, 0, (size_t)text->width * sizeof *gain);
    for (int64_t unit = 0; unit < text->number; unit++) {
        const float *own = text->chances + unit * text->width;
        double now = said(text, unit, path[unit]);
        for (int64_t label = 0; label < text->width; label++)
            if (own[label] > text->floor) {
                double more = said(text, unit, label) - now;
                if (more > 0)
                    gain[label] += more;
            }
    }
}

static int64_t greatest(const double *values, int64_t number)
{
    int64_t best = 0;
    for (int64_t i = 1; i < number; i++)
        if (values[i] > values[best])
            best = i;
    return best;
}

/* The greatest sum of any way through some states, and the way (Viterbi 1967). */
static double best_way(const Text *text, const int64_t *states, int64_t number, uint8_t *came, uint8_t *way)
{
    double value[STATES];
    for (int64_t state = 0; state < number; state++)
        value[state] = said(text, 0, states[state]);
    for (int64_t unit = 1; unit < text->number; unit++) {
        int64_t best = greatest(value, number);
        double jump = value[best] - (text->border[unit] ? text->at_border : text->inside);
        for (int64_t state = 0; state < number; state++) {
            int stays = value[state] >= jump;
            came[unit * STATES + state] = (uint8_t)(stays ? state : best);
            value[state] = (stays ? value[state] : jump) + said(text, unit, states[state]);
        }
    }
    int64_t last = greatest(value, number);
    way[text->number - 1] = (uint8_t)last;
    for (int64_t unit = text->number - 1; unit > 0; unit--)
        way[unit - 1] = came[unit * STATES + way[unit]];
    return value[last];
}

/* Languages are found one after the other, that which raises the likelihood the most first. */
static void several(const Text *text, double language, double reached, int64_t *path, double *gain, uint8_t *came,
                    uint8_t *way, uint8_t *kept)
{
    int64_t states[STATES] = {path[0]};
    for (int64_t number = 1; number < STATES; number++) {
        gains(text, path, gain);
        for (int64_t state = 0; state < number; state++)
            gain[states[state]] = 0;
        double total = 0;
        int64_t found = -1;
        for (int64_t tried = 0; tried < TRIED; tried++) {
            int64_t next = greatest(gain, text->width);
            double more = gain[next];
            if (!(more > language) || (found >= 0 && reached + more <= total))
                break; /* nor can any that comes after be worth more */
            gain[next] = 0;
            states[number] = next;
            double with_it = best_way(text, states, number + 1, came, way);
            if (found < 0 || with_it > total) {
                total = with_it;
                found = next;
                memcpy(kept, way, (size_t)text->number);
            }
        }
        if (found < 0 || total - reached < language)
            break;
        states[number] = found;
        reached = total;
        for (int64_t unit = 0; unit < text->number; unit++)
            path[unit] = states[kept[unit]];
    }
}

int graphlang_segments_paths(int64_t units, int64_t width, int64_t texts, const float *chances, const int64_t *offsets,
                             const uint8_t *border, double least_chance, double at_border, double inside,
                             double language, double least, int64_t *path, double *missed, double *sums, double *gain,
                             uint8_t *came, uint8_t *way, uint8_t *kept, graphlang_fault *fault)
{
    if (width < 1)
        return texts && units ? GRAPHLANG_WRONG_SIZE : 0;
    for (int64_t i = 0; i < texts; i++) {
        int64_t begin = offsets[i], end = offsets[i + 1];
        if (begin < 0 || begin > units)
            return GRAPHLANG_REFUSE(fault, "offsets", i, begin, 0, units);
        if (end < begin || end > units)
            return GRAPHLANG_REFUSE(fault, "offsets", i + 1, end, begin, units);
        Text text = {chances + begin * width, border + begin, end - begin,   width,
                     least_chance,            log(least_chance), at_border, inside};
        missed[i] = 0;
        if (!text.number)
            continue;
        double reached, most;
        int64_t best = alone(&text, sums, &reached, &most);
        for (int64_t unit = begin; unit < end; unit++)
            path[unit] = best;
        missed[i] = most - reached;
        if (missed[i] > least)
            several(&text, language, reached, path + begin, gain, came, way, kept);
    }
    return 0;
}
