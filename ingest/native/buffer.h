/* Bytes that grow. A buffer that could not grow says so once and stays as it is: `failed` is looked at now and then,
   and whoever writes always asks for room first. */
#ifndef GRAPHLANG_BUFFER_H
#define GRAPHLANG_BUFFER_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint8_t *data;
  size_t size, room;
  int failed;
} Buffer;

/* Reserve more bytes; returns false without memory. */
static int more(Buffer *buffer, size_t bytes) {
  if (buffer->room - buffer->size >= bytes) return 1;
  if (buffer->failed || bytes > SIZE_MAX / 4 || buffer->size > SIZE_MAX / 4) {
    buffer->failed = 1;
    return 0;
  }
  size_t room = buffer->room ? buffer->room : 512;
  while (room < buffer->size + bytes) room *= 2;
  uint8_t *data = realloc(buffer->data, room);
  if (!data) {
    buffer->failed = 1;
    return 0;
  }
  buffer->data = data;
  buffer->room = room;
  return 1;
}

static void put(Buffer *buffer, const void *data, size_t size) {
  if (!size || !more(buffer, size)) return;
  memcpy(buffer->data + buffer->size, data, size);
  buffer->size += size;
}

static void put_byte(Buffer *buffer, uint8_t byte) {
  put(buffer, &byte, 1);
}

/* Empty a buffer for the next page; the memory of a giant page is released. */
static void empty(Buffer *buffer) {
  if (buffer->room > (size_t)1 << 22) {
    free(buffer->data);
    buffer->data = NULL;
    buffer->room = 0;
  }
  buffer->size = 0;
  buffer->failed = 0;
}

static void release(Buffer *buffer) {
  free(buffer->data);
}

#endif
