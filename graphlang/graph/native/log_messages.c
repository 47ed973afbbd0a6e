#include "log_messages.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "checks.h"
#include "wide.h"

enum {
  LINE = 8,      /* numbers of a sum in a cache line */
  AHEAD = 8,     /* prefetch distance in receivers */
  TOGETHER = 128 /* messages delivered in one batch */
};

/* The tables of all groups; see the header. */
typedef struct {
  int64_t languages;
  const float *source_marginal, *switch_to, *exclusion, *odds;
  float noise, highest;
} Model;

/* Coefficients of all messages through links of one group and coupling: message = keep * evidence + share * (sum of
   weight * evidence). */
typedef struct {
  float *keep, *share, *weight;
} Link;

INLINE float dot(const float *restrict one, const float *restrict other, int64_t size) {
  float sum[4] = {0, 0, 0, 0}; /* independent partial sums */
  int64_t i = 0;
  for (; i + 3 < size; i += 4)
    for (int j = 0; j < 4; j++) sum[j] += one[i + j] * other[i + j];
  for (; i < size; i++) sum[0] += one[i] * other[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Coupling of links from pages in language x. */
INLINE float keeps(const Model *model, const float *odds, float coupling, int64_t x) {
  float most = coupling > model->highest ? coupling : model->highest, mine = coupling * odds[x];
  mine /= mine + 1 - coupling;
  return mine < most ? mine : most;
}

/* Coefficients along a link, relative to a source without evidence. */
INLINE void along(const Model *model, int64_t group, float coupling, Link *restrict link) {
  int64_t size = model->languages, at = group * size;
  const float *restrict source_marginal = model->source_marginal + at, *restrict switch_to = model->switch_to + at;
  const float *restrict exclusion = model->exclusion + at, *restrict odds = model->odds + at;
  float *restrict keep = link->keep, *restrict share = link->share, *restrict weight = link->weight, all = 0;
  for (int64_t x = 0; x < size; x++) {
    keep[x] = keeps(model, odds, coupling, x);
    weight[x] = (1 - keep[x]) * source_marginal[x] / (1 - exclusion[x] * switch_to[x] + 1e-9f);
  }
  for (int64_t x = 0; x < size; x++) all += weight[x];
  for (int64_t x = 0; x < size; x++) {
    float purpose = keep[x] * source_marginal[x], back = exclusion[x] * weight[x];
    float heard = (1 - model->noise) / (purpose + switch_to[x] * (all - back));
    keep[x] = heard * (purpose - switch_to[x] * back);
    share[x] = heard * switch_to[x];
  }
}

INLINE void against(const Model *model, int64_t group, float coupling, Link *restrict link) {
  int64_t size = model->languages, at = group * size;
  const float *restrict switch_to = model->switch_to + at;
  const float *restrict exclusion = model->exclusion + at, *restrict odds = model->odds + at;
  float *restrict keep = link->keep, *restrict share = link->share, heeded = 1 - model->noise;
  for (int64_t x = 0; x < size; x++) {
    float purpose = keeps(model, odds, coupling, x);
    share[x] = heeded * (1 - purpose) / (1 - exclusion[x] * switch_to[x] + 1e-9f);
    keep[x] = heeded * purpose - share[x] * exclusion[x] * switch_to[x];
  }
  memcpy(link->weight, switch_to, (uint64_t)size * sizeof *switch_to);
}

/* Cache slot of the links of a group and coupling. */
INLINE uint32_t slot_of(int32_t group, float coupling) {
  uint32_t bits;
  memcpy(&bits, &coupling, sizeof bits);
  bits = ((uint32_t)group * 0x9E3779B1u) ^ (bits * 0x85EBCA6Bu);
  return (bits ^ bits >> 16) % GRAPHLANG_MESSAGE_SLOTS;
}

/* The prior of all languages except the candidates. */
INLINE float unlisted(const int16_t *candidates, int64_t width, const float *prior) {
  float left = 1;
  for (int64_t i = 0; i < width; i++) left -= prior[candidates[i]];
  return left;
}

/* The evidence of a latent page: that of its candidates, and that of all other languages together for each of these. */
INLINE void spread_out(int64_t languages, const int16_t *candidates, int64_t width, const float *belief,
                       const float *prior, float *out) {
  float left = unlisted(candidates, width, prior), others = left > 1e-6f ? belief[width] / left : 0;
  for (int64_t i = 0; i < languages; i++) out[i] = others;
  for (int64_t i = 0; i < width; i++) out[candidates[i]] = belief[i] / prior[candidates[i]];
}

/* The mean message of the languages that are not candidates of the sender, weighted by its prior, for receivers
   that do not have them as candidates either. */
INLINE float mean_of_others(const Model *model, const int16_t *candidates, int64_t width, const float *prior,
                            const float *out) {
  float left = unlisted(candidates, width, prior), sum = dot(prior, out, model->languages);
  for (int64_t i = 0; i < width; i++) sum -= prior[candidates[i]] * out[candidates[i]];
  return left > 1e-3f && sum > left * model->noise ? sum / left : left > 1e-3f ? model->noise : 1;
}

/* Position of the first number that is not finite, -1 if there is none. */
INLINE int64_t not_finite(const float *numbers, int64_t size) {
  int wrong = 0;
  for (int64_t i = 0; i < size; i++) wrong |= !(fabsf(numbers[i]) <= FLT_MAX); /* no branches, so that compilers vectorise */
  if (!wrong) return -1;
  for (int64_t i = 0; i < size; i++)
    if (!isfinite(numbers[i])) return i;
  return -1; /* not reached */
}

/* Position of the first candidate of a page that is not a language, -1 if there is none. */
INLINE int64_t no_language(const int16_t *candidates, int64_t width, int64_t languages) {
  int wrong = 0;
  for (int64_t i = 0; i < width; i++) wrong |= candidates[i] < 0 || candidates[i] >= languages;
  if (!wrong) return -1;
  for (int64_t i = 0; i < width; i++)
    if (candidates[i] < 0 || candidates[i] >= languages) return i;
  return -1; /* not reached */
}

WIDE int graphlang_messages(uint64_t languages, uint64_t groups, uint64_t prior_groups, uint64_t unsure, uint64_t latent,
                       uint64_t width, uint64_t rows, uint64_t count, const float *source_marginal,
                       const float *switch_to, const float *exclusion, const float *odds, const float *prior,
                       const float *unsure_belief, const int16_t *candidates, float noise, float highest, int to_target,
                       const int32_t *group, const float *coupling, const int32_t *sender, const int32_t *prior_group,
                       const float *belief, const int32_t *row, float *room, float *messages, graphlang_fault *fault) {
  int64_t size = (int64_t)languages;
  if (!languages || languages > INT16_MAX || width > languages) return GRAPHLANG_WRONG_SIZE;
  uint64_t fixed = languages + unsure; /* senders with a constant belief */
  Model model = {size, source_marginal, switch_to, exclusion, odds, noise, highest};
  int32_t group_of[GRAPHLANG_MESSAGE_SLOTS]; /* group of the links whose tables are in a slot of the room, -1 none */
  float coupling_of[GRAPHLANG_MESSAGE_SLOTS];
  for (int n = 0; n < GRAPHLANG_MESSAGE_SLOTS; n++) group_of[n] = -1;
  /* Evidence and candidates of the sender, cached because it mostly sends several messages. */
  float *restrict evidence = room + (int64_t)GRAPHLANG_MESSAGE_SLOTS * 3 * size;
  const int16_t *named = candidates;
  int16_t best = 0;
  int64_t many = (int64_t)width;
  for (uint64_t i = 0; i < count; i++) {
    if (!IS_INDEX(group[i], groups)) return GRAPHLANG_REFUSE(fault, "group", i, group[i], 0, (int64_t)groups - 1);
    if (!IS_INDEX(prior_group[i], prior_groups))
      return GRAPHLANG_REFUSE(fault, "prior_group", i, prior_group[i], 0, (int64_t)prior_groups - 1);
    if (!IS_INDEX(sender[i], fixed + latent))
      return GRAPHLANG_REFUSE(fault, "sender", i, sender[i], 0, (int64_t)(fixed + latent) - 1);
    if (!isfinite(coupling[i])) return GRAPHLANG_REFUSE_NUMBER(fault, "coupling", i);
    const float *start = prior + prior_group[i] * size; /* prior belief of the sender */
    float *restrict out = messages + i * (languages + 1);
    if (!i || sender[i] != sender[i - 1] || prior_group[i] != prior_group[i - 1] || row[i] != row[i - 1]) {
      many = (int64_t)width;
      if (sender[i] < size) { /* one-hot belief */
        best = (int16_t)sender[i];
        for (int64_t x = 0; x < size; x++) evidence[x] = 0;
        evidence[best] = 1 / start[best];
        named = &best;
        many = 1;
      } else if ((uint64_t)sender[i] < fixed) {
        const float *belief_row = unsure_belief + (sender[i] - size) * size;
        best = 0;
        if ((int64_t)width < size) /* else all languages are candidates */
          for (int64_t x = 0; x < size; x++)
            if (belief_row[x] > belief_row[best]) best = (int16_t)x;
        for (int64_t x = 0; x < size; x++) evidence[x] = belief_row[x] / start[x];
        named = &best;
        many = 1;
      } else {
        if (!IS_INDEX(row[i], rows)) return GRAPHLANG_REFUSE(fault, "row", i, row[i], 0, (int64_t)rows - 1);
        int64_t at = (sender[i] - (int64_t)fixed) * many, wrong;
        named = candidates + at;
        if ((wrong = no_language(named, many, size)) >= 0)
          return GRAPHLANG_REFUSE(fault, "candidates", at + wrong, named[wrong], 0, size - 1);
        const float *belief_row = belief + row[i] * (many + 1);
        if ((wrong = not_finite(belief_row, many + 1)) >= 0)
          return GRAPHLANG_REFUSE_NUMBER(fault, "belief", row[i] * (many + 1) + wrong);
        spread_out(size, named, many, belief_row, start, evidence);
      }
    }
    uint32_t slot = slot_of(group[i], coupling[i]);
    float *tables = room + (int64_t)slot * 3 * size;
    Link link = {tables, tables + size, tables + 2 * size};
    if (group_of[slot] != group[i] || coupling_of[slot] != coupling[i]) {
      (to_target ? along : against)(&model, group[i], coupling[i], &link);
      group_of[slot] = group[i], coupling_of[slot] = coupling[i];
    }
    float sum = dot(link.weight, evidence, size);
    const float *restrict keep = link.keep, *restrict share = link.share;
    for (int64_t x = 0; x < size; x++) {
      float message = keep[x] * evidence[x] + share[x] * sum; /* may be a small negative number if a language is excluded */
      out[x] = (message > 0 ? message : 0) + noise;
    }
    out[size] = (int64_t)width < size ? mean_of_others(&model, named, many, start, out) : 1;
  }
  return 1;
}

/* True if a page is in a stripe of every `stripes`-th block: pages with close numbers often receive the same messages, so
   that all stripes have about the same work. */
INLINE int is_mine(int32_t page, uint32_t stripe, uint32_t stripes) {
  uint32_t number = (uint32_t)page / GRAPHLANG_STRIPE; /* a division would double the time */
  return (stripes & (stripes - 1) ? number % stripes : number & (stripes - 1)) == stripe;
}

/* A message, and its entry in the lists of receivers. */
typedef struct {
  uint64_t at;
  const float *message;
} Delivery;

/* Receivers of messages; see the header. */
typedef struct {
  uint64_t languages, width;
  const int32_t *receiver;
  const float *weight;
  const int16_t *candidates;
  double *incoming;
  uint8_t *touched;
} Receivers;

/* Prefetch the sum of the messages to a page: `many` numbers, not aligned to a cache line. */
INLINE void ask_for_sum(const double *sum, uint64_t many) {
  for (uint64_t x = 0; x < many; x += LINE) FETCH(sum + x);
  FETCH(sum + many - 1);
}

/* Add some messages to the sums, which are prefetched. */
INLINE int deliver(const Receivers *to, const Delivery *messages, uint64_t count, graphlang_fault *fault) {
  uint64_t languages = to->languages, width = to->width;
  for (uint64_t n = 0; n < count + AHEAD; n++) {
    if (n < count) ask_for_sum(to->incoming + (uint64_t)to->receiver[messages[n].at] * (width + 1), width + 1);
    if (n < AHEAD) continue;
    uint64_t at = messages[n - AHEAD].at, page = (uint64_t)to->receiver[at];
    if (!isfinite(to->weight[at])) return GRAPHLANG_REFUSE_NUMBER(fault, "weight", at);
    double *restrict sum = to->incoming + page * (width + 1); /* a hub receives millions */
    double loud = to->weight[at];
    const float *restrict message = messages[n - AHEAD].message;
    if (width == languages)
      for (uint64_t x = 0; x < width; x++) sum[x] += loud * (double)message[x];
    else {
      const int16_t *restrict named = to->candidates + page * width;
      int64_t wrong = no_language(named, (int64_t)width, (int64_t)languages);
      if (wrong >= 0)
        return GRAPHLANG_REFUSE(fault, "candidates", page * width + (uint64_t)wrong, named[wrong], 0,
                                (int64_t)languages - 1);
      for (uint64_t x = 0; x < width; x++) sum[x] += loud * (double)message[named[x]];
    }
    sum[width] += loud * (double)message[languages];
    to->touched[page] = 1;
  }
  return 1;
}

WIDE int graphlang_accumulate(uint64_t languages, uint64_t width, uint64_t latent, uint64_t classes, uint64_t entries,
                         uint64_t count, uint32_t stripe, uint32_t stripes, const int64_t *start,
                         const int32_t *receiver, const float *weight, const int16_t *candidates,
                         const int64_t *numbers, const float *messages, double *incoming, uint8_t *touched,
                         graphlang_fault *fault) {
  if (!languages || width > languages) return GRAPHLANG_WRONG_SIZE;
  if (!stripes) return GRAPHLANG_REFUSE(fault, "stripes", 0, 0, 1, UINT32_MAX);
  Receivers to = {languages, width, receiver, weight, candidates, incoming, touched};
  Delivery own[TOGETHER]; /* those of the stripe are selected first, which avoids unpredictable branches */
  uint64_t waiting = 0;
  for (uint64_t i = 0; i < count; i++) {
    int64_t class = numbers[i], wrong;
    if (!IS_INDEX(class, classes)) return GRAPHLANG_REFUSE(fault, "numbers", i, class, 0, (int64_t)classes - 1);
    REFUSE_BOUNDS(fault, start, class, entries);
    const float *message = messages + i * (languages + 1);
    if ((wrong = not_finite(message, (int64_t)languages + 1)) >= 0)
      return GRAPHLANG_REFUSE_NUMBER(fault, "messages", i * (languages + 1) + (uint64_t)wrong);
    for (int64_t at = start[class]; at < start[class + 1]; at++) {
      int32_t page = receiver[at];
      if (!IS_INDEX(page, latent)) return GRAPHLANG_REFUSE(fault, "receiver", at, page, 0, (int64_t)latent - 1);
      own[waiting] = (Delivery){(uint64_t)at, message};
      waiting += is_mine(page, stripe, stripes);
      if (waiting == TOGETHER) {
        int result = deliver(&to, own, waiting, fault);
        if (result != 1) return result;
        waiting = 0;
      }
    }
  }
  return deliver(&to, own, waiting, fault);
}
