/* What stands between the words of a text whose white space was folded: a space, or a line feed where a line ends. */
#ifndef GRAPHLANG_BLANK_H
#define GRAPHLANG_BLANK_H

#include <stdint.h>

static int is_blank(uint8_t byte) {
  return (byte == ' ') | (byte == '\n');
}

#endif
