#include "url_sums.h"

#include <math.h>

#define INLINE static inline __attribute__((always_inline))
#define LONGEST GRAPHLANG_URL_LONGEST
#define BITS 22 /* bits of a hash that are its bucket */
#define WORD 64 /* buckets in a word of the bitmap */
#define LINE 64 /* bytes of a cache line */
#define SHORTEST 2 /* minimum letters of a word */
#define SHORT 3 /* maximum letters of a token whose position counts; minimum of one with n-grams */
#define ORDER 4 /* maximum letters of an n-gram: they fit in 64 bits */

/* As `urls.tokens` has them. */
#define MIX 0xD6E8FEB86659FD93u
#define BASE 0x9E3779B97F4A7C15u
#define POSITIONED 0xA24BAED4963EE407u
#define STEP 0x9E3779B97F4A7C15u
#define LETTER ((uint64_t)1 << 40)
#define BLOCK ((uint64_t)1 << 41)
#define ASCII 128
enum { SCHEME, HOST, TLD, PATH };
enum { OTHER, SLASH, DOT, HYPHEN, UNDERSCORE, CLASSES = 6 };

/* The same code for machines with wider vectors, chosen when the library is loaded. Nothing is contracted or reordered,
   so that both give the same answers. Sanitisers are not ready when it is chosen. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

struct token {
    int32_t begin, end; /* the place after its last letter */
    uint64_t hash;
    uint8_t zone, left, right;
};

/* One URL, and the features of one of its kinds. */
struct url {
    const uint32_t *characters;
    const uint16_t *letters;
    const uint8_t *marks;
    const uint64_t *weighs;
    const int32_t *before;
    int64_t begin, stop; /* the place of the line feed behind it */
    int64_t tokens, features;
    struct token token[LONGEST / 2 + 1];
    uint32_t bucket[LONGEST];
};

INLINE uint64_t mixed(uint64_t value)
{
    value = (value ^ value >> 32) * MIX;
    return (value ^ value >> 32) * MIX;
}

INLINE uint16_t letter(const struct url *url, int64_t at)
{
    uint32_t character = url->characters[at];
    return url->letters[character < GRAPHLANG_URL_LETTERS ? character : GRAPHLANG_URL_LETTERS - 1];
}

INLINE uint8_t mark(const struct url *url, int64_t at)
{
    uint32_t character = at < 0 ? '\n' : url->characters[at];
    return url->marks[character < GRAPHLANG_URL_MARKS ? character : GRAPHLANG_URL_MARKS - 1];
}

INLINE void put(struct url *url, uint64_t hash)
{
    uint32_t bucket = (uint32_t)(hash >> (64 - BITS));
    __builtin_prefetch(url->weighs + bucket / WORD);
    url->bucket[url->features++] = bucket;
}

INLINE void cut(struct url *url)
{
    url->tokens = 0;
    for (int64_t i = url->begin; i < url->stop; i++) {
        uint64_t hash = 0, power = BASE;
        int64_t begin = i;
        for (uint16_t own; i < url->stop && (own = letter(url, i)); i++) {
            hash += own * power;
            power *= BASE;
        }
        if (i > begin)
            url->token[url->tokens++] = (struct token){(int32_t)(begin - url->begin), (int32_t)(i - url->begin),
                                                       mixed(hash), PATH, mark(url, begin - 1), mark(url, i)};
    }
}

/* The zone of each token: `tokens.find_zones`. */
INLINE void find_zones(struct url *url)
{
    const uint32_t *own = url->characters + url->begin;
    int64_t length = url->stop - url->begin, slash = 0, start = 0, end;
    while (slash < length && own[slash] != '/')
        slash++;
    if (slash < length && own[slash + 1] == '/')
        start = slash + 2;
    for (end = start; end < length && own[end] != '/' && own[end] != '?' && own[end] != '#';)
        end++;
    for (int64_t i = end - 1; i >= start; i--)
        if (own[i] == '@') {
            start = i + 1;
            break;
        }
    struct token *last = 0;
    for (int64_t t = 0; t < url->tokens && url->token[t].begin < end; t++) {
        last = url->token + t;
        last->zone = last->begin < start ? SCHEME : HOST;
    }
    if (last && last->begin > start && own[last->begin - 1] == '.')
        last->zone = TLD;
}

/* The number of a token's position: `tokens.find_positions`. */
INLINE uint64_t position(const struct url *url, int64_t t)
{
    const struct token *own = url->token + t;
    uint8_t right = own->right;
    if ((right == HYPHEN || right == UNDERSCORE) && own->end - own->begin == 2 && t + 1 < url->tokens &&
        own[1].begin == own->end + 1 && own[1].end - own[1].begin == 2 && own[1].right != right && own->left != right)
        right = SLASH;
    return (uint64_t)((own->zone * CLASSES + own->left) * CLASSES + right);
}

INLINE int is_word(const struct token *token)
{
    return token->zone != SCHEME && token->zone != TLD && token->end - token->begin >= SHORTEST;
}

INLINE void put_words(struct url *url)
{
    for (int64_t t = 0; t < url->tokens; t++)
        if (is_word(url->token + t))
            put(url, url->token[t].hash);
}

INLINE void put_places(struct url *url)
{
    for (int64_t t = 0; t < url->tokens; t++) {
        const struct token *own = url->token + t;
        int64_t length = own->end - own->begin;
        if (own->zone == TLD || (own->zone != SCHEME && length <= SHORT && length >= SHORTEST))
            put(url, mixed(own->hash + POSITIONED + position(url, t) * STEP));
    }
}

INLINE void put_ngrams(struct url *url)
{
    for (int64_t t = 0; t < url->tokens; t++) {
        const struct token *own = url->token + t;
        if (!is_word(own) || own->end - own->begin < SHORT)
            continue;
        uint64_t four = 0; /* the first letter in the low bits, and a 0 before and behind the token */
        for (int64_t i = own->begin; i <= own->end; i++) {
            four = four >> 16 | (i < own->end ? (uint64_t)letter(url, url->begin + i) << 48 : 0);
            if (i - own->begin >= ORDER - 2)
                put(url, mixed(four + ORDER));
        }
    }
}

INLINE void put_letters(struct url *url, uint64_t first, uint32_t together)
{
    for (int64_t i = url->begin; i < url->stop; i++)
        if (url->characters[i] >= ASCII)
            put(url, mixed(url->characters[i] / together + first));
}

/* own += factor * weights */
INLINE void add(float *restrict own, const int8_t *restrict weights, float factor, int64_t labels)
{
    for (int64_t j = 0; j < labels; j++)
        own[j] += factor * (float)weights[j];
}

/* The row of a bucket plus 1, 0 if it has none. */
INLINE int64_t row_of(const struct url *url, uint32_t bucket)
{
    uint64_t word = url->weighs[bucket / WORD], bit = (uint64_t)1 << bucket % WORD;
    return word & bit ? url->before[bucket / WORD] + (int64_t)__builtin_popcountll(word & (bit - 1)) + 1 : 0;
}

/* Add the weights of the features of one kind. Returns how many have weights, or an error for a row out of range. */
INLINE int64_t add_kind(struct url *url, const int8_t *weights, int64_t rows, int64_t labels, double enough, float *own,
                        float *sums, graphlang_fault *fault)
{
    int64_t known = 0;
    for (int64_t i = 0; i < url->features; i++) {
        int64_t found = row_of(url, url->bucket[i]);
        if (found < 0 || found > rows)
            return GRAPHLANG_REFUSE(fault, "before", url->bucket[i] / WORD, found, 0, rows);
        for (int64_t j = 0; found && j < labels; j += LINE)
            __builtin_prefetch(weights + (found - 1) * labels + j);
        url->bucket[known] = (uint32_t)found;
        known += found != 0;
    }
    float factor = (double)known > enough ? sqrtf((float)(enough / (double)known)) : 1.0f;
    if (known) {
        for (int64_t j = 0; j < labels; j++)
            own[j] = 0.0f;
        for (int64_t i = 0; i < known; i++)
            add(own, weights + (int64_t)(url->bucket[i] - 1) * labels, factor, labels);
        for (int64_t j = 0; j < labels; j++)
            sums[j] += own[j];
    }
    url->features = 0;
    return known;
}

WIDE
int graphlang_url_sums(int64_t size, int64_t urls, int64_t rows, int64_t labels, const uint32_t *characters,
                       const int64_t *first, const uint16_t *letters, const uint8_t *marks, const uint64_t *weighs,
                       const int32_t *before, const int8_t *weights, double enough, float *own, float *sums,
                       int64_t *known, graphlang_fault *fault)
{
    struct url url;
    url.characters = characters;
    url.letters = letters;
    url.marks = marks;
    url.weighs = weighs;
    url.before = before;
    url.features = 0;
    for (int64_t u = 0; u < urls; u++) {
        if (first[u] < 0 || first[u] > size)
            return GRAPHLANG_REFUSE(fault, "first", u, first[u], 0, size);
        int64_t longest = size - first[u] < LONGEST + 1 ? size - first[u] : LONGEST + 1;
        if (first[u + 1] <= first[u] || first[u + 1] - first[u] > longest)
            return GRAPHLANG_REFUSE(fault, "first", u + 1, first[u + 1], first[u] + 1, first[u] + longest);
        url.begin = first[u];
        url.stop = first[u + 1] - 1;
        cut(&url);
        find_zones(&url);
        known[u] = 0;
        for (int kind = 0; kind < 5; kind++) {
            switch (kind) {
            case 0: put_words(&url); break;
            case 1: put_places(&url); break;
            case 2: put_ngrams(&url); break;
            case 3: put_letters(&url, LETTER, 1); break;
            default: put_letters(&url, BLOCK, ASCII);
            }
            int64_t found = add_kind(&url, weights, rows, labels, kind == 2 ? enough : INFINITY, own, sums + u * labels,
                                     fault);
            if (found < 0)
                return (int)found;
            known[u] += found;
        }
    }
    return 0;
}
