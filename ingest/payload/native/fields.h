/* Header fields of a WARC record or an HTTP message; see `graphlang.ingest.payload.http_response`. */
#ifndef GRAPHLANG_FIELDS_H
#define GRAPHLANG_FIELDS_H
#include "kernel.h"

/* Write name and value of each field in the order of the lines, a zero behind each; names are in lower case, and there
   is no white space around values. Lines that are no fields are passed over, and those whose name is not among the
   `wanted` ones, which have a zero behind each; none means all. Returns the bytes written, or `FIELDS_LEFT` where the
   block is not for us: it has bytes beyond ASCII, zeros, or lines that go on in the next. */
int64_t graphlang_fields_read(uint64_t size, uint64_t wanted_size, const uint8_t block[size],
                              const uint8_t wanted[wanted_size], uint8_t out[2 * size + 2]);

enum { GRAPHLANG_FIELDS_LEFT = 0x40000000 };

#endif
