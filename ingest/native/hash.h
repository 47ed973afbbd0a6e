/* A keyed hash of a string, for tables that a page must not be able to fill with collisions. */
#ifndef GRAPHLANG_HASH_H
#define GRAPHLANG_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Never 0, which marks a free slot. */
static uint32_t hash_of(uint32_t seed, const uint8_t *at, size_t size) {
  uint64_t mixed = 0x9E3779B97F4A7C15u ^ seed;
  for (; size >= 8; at += 8, size -= 8) {
    uint64_t word;
    memcpy(&word, at, 8);
    mixed = (mixed ^ word) * 0xD6E8FEB86659FD93u;
    mixed ^= mixed >> 32;
  }
  uint64_t word = size;
  memcpy(&word, at, size);
  mixed = (mixed ^ word ^ (uint64_t)size << 56) * 0xD6E8FEB86659FD93u;
  return (uint32_t)(mixed >> 32) | 1;
}

#endif
