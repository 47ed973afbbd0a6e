#include "couplings.h"

#include <math.h>

#include "checks.h"

enum { AHEAD = 16 }; /* prefetch distance in links */
static const double STEEPEST = 40; /* larger log-odds are cut */

static double between(double x, double least, double most) { return x < least ? least : x > most ? most : x; }

int graphlang_couplings(uint64_t pages, uint64_t links, uint64_t groups, uint64_t classes, double least, double most,
                        const int32_t *source, const int32_t *target, const uint8_t *kind, const float *feature_log_odds,
                        const int32_t *host, const double *of_group, const double *by_chance, const double *of_kind,
                        const uint8_t *class_of, const uint8_t *forwards, float *p_same, float *coupling,
                        graphlang_fault *fault) {
  for (uint64_t i = 0; i < links; i++) {
    int32_t s = source[i], t = target[i];
    if (i + AHEAD < links && IS_INDEX(target[i + AHEAD], pages)) FETCH(host + target[i + AHEAD]); /* it lies anywhere */
    if (!IS_INDEX(s, pages)) return GRAPHLANG_REFUSE(fault, "source", i, s, 0, (int64_t)pages - 1);
    if (!IS_INDEX(t, pages)) return GRAPHLANG_REFUSE(fault, "target", i, t, 0, (int64_t)pages - 1);
    int64_t group = host[s] == host[t] ? host[s] : (int64_t)groups - 1, class = class_of[kind[i]];
    if (!IS_INDEX(group, groups)) return GRAPHLANG_REFUSE(fault, "host", s, group, 0, (int64_t)groups - 1);
    if (class >= (int64_t)classes) return GRAPHLANG_REFUSE(fault, "class_of", kind[i], class, 0, (int64_t)classes - 1);
    if (!isfinite(feature_log_odds[i])) return GRAPHLANG_REFUSE_NUMBER(fault, "feature_log_odds", i);
    double log_odds = (double)feature_log_odds[i] + of_kind[kind[i]] + of_group[class * (int64_t)groups + group];
    double probability = 1 / (1 + exp(-between(log_odds, -STEEPEST, STEEPEST))), chance = by_chance[group];
    float same = forwards[kind[i]] ? (float)most : (float)between(probability, least, most);
    coupling[i] = forwards[kind[i]] ? (float)most : (float)between(((double)same - chance) / (1 - chance), 0, most);
    if (!isfinite(coupling[i])) return GRAPHLANG_REFUSE_NUMBER(fault, "coupling", i); /* from its tables */
    if (p_same) p_same[i] = same;
  }
  return 1;
}
