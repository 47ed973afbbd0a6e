#include "segments.h"

#include <string.h>

#define STATES GRAPHLANG_SEGMENTS_STATES
#define TRIED GRAPHLANG_SEGMENTS_TRIED

typedef struct {
    const int64_t *starts; /* of the units of one text */
    const int64_t *label;
    const double *said;
    const uint8_t *border;
    int64_t number;
    int64_t *likely, active; /* labels for which some unit says anything */
    double at_border, inside, language, resemblance;
} Text;

/* What a unit says for a label. */
static double said_for(const Text *text, int64_t unit, int64_t label)
{
    for (int64_t i = text->starts[unit]; i < text->starts[unit + 1]; i++)
        if (text->label[i] == label)
            return text->said[i];
    return 0;
}

/* Of the likely labels the place of that which has the greatest value, of equal ones the first label. */
static int64_t greatest(const Text *text, const double *values)
{
    int64_t best = 0;
    for (int64_t i = 1; i < text->active; i++) {
        double one = values[text->likely[i]], other = values[text->likely[best]];
        if (one > other || (one == other && text->likely[i] < text->likely[best]))
            best = i;
    }
    return best;
}

/* Which labels are likely, and the sum of what is said for each, and what a label of its own for each unit would come to. */
static double add_up(Text *text, double *sums, uint8_t *seen)
{
    double all = 0;
    text->active = 0;
    for (int64_t unit = 0; unit < text->number; unit++) {
        double most = 0;
        for (int64_t i = text->starts[unit]; i < text->starts[unit + 1]; i++) {
            int64_t label = text->label[i];
            if (!seen[label]) {
                seen[label] = 1;
                sums[label] = 0;
                text->likely[text->active++] = label;
            }
            sums[label] += text->said[i];
            most = text->said[i] > most ? text->said[i] : most;
        }
        all += most;
    }
    for (int64_t i = 0; i < text->active; i++)
        seen[text->likely[i]] = 0;
    return all;
}

/* By how much each likely label could raise the likelihood of a path, if changing to it cost nothing. */
static void gains(const Text *text, const int64_t *path, double *gain)
{
    for (int64_t i = 0; i < text->active; i++)
        gain[text->likely[i]] = 0;
    for (int64_t unit = 0; unit < text->number; unit++) {
        double now = said_for(text, unit, path[unit]);
        for (int64_t i = text->starts[unit]; i < text->starts[unit + 1]; i++)
            if (text->said[i] > now)
                gain[text->label[i]] += text->said[i] - now;
    }
}

static int64_t best_state(const double *values, int64_t number)
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
        value[state] = said_for(text, 0, states[state]);
    for (int64_t unit = 1; unit < text->number; unit++) {
        int64_t best = best_state(value, number);
        double jump = value[best] - (text->border[unit] ? text->at_border : text->inside);
        for (int64_t state = 0; state < number; state++) {
            int stays = value[state] >= jump;
            came[unit * STATES + state] = (uint8_t)(stays ? state : best);
            value[state] = (stays ? value[state] : jump) + said_for(text, unit, states[state]);
        }
    }
    int64_t last = best_state(value, number);
    way[text->number - 1] = (uint8_t)last;
    for (int64_t unit = text->number - 1; unit > 0; unit--)
        way[unit - 1] = came[unit * STATES + way[unit]];
    return value[last];
}

/* What units say against a way as far as one of the states is concerned, the last: those on it for another one, and
   those on another one for it. Little where a text changes its language, and much where that is always in doubt. */
static double against(const Text *text, const int64_t *states, int64_t number, const uint8_t *way)
{
    double all = 0;
    int64_t last = number - 1;
    for (int64_t unit = 0; unit < text->number; unit++) {
        double own = said_for(text, unit, states[way[unit]]), most = own;
        for (int64_t state = way[unit] == last ? 0 : last; state < number; state++) {
            double other = said_for(text, unit, states[state]);
            most = other > most ? other : most;
        }
        all += most - own;
    }
    return all;
}

/* Languages are found one after the other, that which raises the likelihood the most first. */
static void several(const Text *text, double reached, int64_t *path, double *gain, uint8_t *came, uint8_t *way,
                    uint8_t *kept)
{
    int64_t states[STATES] = {path[0]};
    for (int64_t number = 1; number < STATES; number++) {
        gains(text, path, gain);
        for (int64_t state = 0; state < number; state++)
            gain[states[state]] = 0;
        double total = reached, likelihood = reached; /* total: less what the language costs */
        int64_t found = -1;
        for (int64_t tried = 0; tried < TRIED; tried++) {
            int64_t next = text->likely[greatest(text, gain)];
            double more = gain[next] - text->language;
            if (!(reached + more > total))
                break; /* nor can any that comes after be worth more */
            gain[next] = 0;
            states[number] = next;
            double with_it = best_way(text, states, number + 1, came, way);
            double cost = text->language + text->resemblance * against(text, states, number + 1, way);
            if (with_it - cost > total) {
                total = with_it - cost;
                likelihood = with_it;
                found = next;
                memcpy(kept, way, (size_t)text->number);
            }
        }
        if (found < 0)
            break;
        states[number] = found;
        reached = likelihood;
        for (int64_t unit = 0; unit < text->number; unit++)
            path[unit] = states[kept[unit]];
    }
}

int graphlang_segments_paths(int64_t units, int64_t width, int64_t edges, int64_t entries, const int64_t *starts,
                             const int64_t *label, const double *said, const int64_t *offsets, const uint8_t *border,
                             double at_border, double inside, double language, double resemblance, int64_t *path,
                             double *sums, double *gain, uint8_t *seen, int64_t *likely, uint8_t *came, uint8_t *way,
                             uint8_t *kept, graphlang_fault *fault)
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
    memset(seen, 0, (size_t)width);
    for (int64_t i = 0; i < edges - 1; i++) {
        int64_t begin = offsets[i], end = offsets[i + 1];
        if (begin < 0 || begin > units)
            return GRAPHLANG_REFUSE(fault, "offsets", i, begin, 0, units);
        if (end < begin || end > units)
            return GRAPHLANG_REFUSE(fault, "offsets", i + 1, end, begin, units);
        Text text = {starts + begin, label, said, border + begin, end - begin, likely, 0, at_border, inside, language, resemblance};
        double all = add_up(&text, sums, seen);
        int64_t best = text.active ? likely[greatest(&text, sums)] : 0;
        for (int64_t unit = begin; unit < end; unit++)
            path[unit] = best;
        if (text.active && all - sums[best] > language)
            several(&text, sums[best], path + begin, gain, came, way, kept);
    }
    return 0;
}
