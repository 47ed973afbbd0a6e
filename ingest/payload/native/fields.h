/* Header fields of a WARC record or an HTTP message; see `graphlang.ingest.payload.http`. */
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

/* Take a WARC record apart whose block is an answer of HTTP, as nearly all pages are. Writes its parts to `parts`, a zero
   behind each, in this order, those that are missing as nothing: of the record warc-target-uri, warc-date and
   warc-payload-digest, of the answer content-type, content-language, x-robots-tag, location, refresh, link,
   content-encoding and transfer-encoding. `places` becomes the status, and where in the block the payload begins. Fields
   of the answer end within `longest` bytes. Returns the bytes written, or `FIELDS_LEFT` where anything is unusual: a
   record that is no response or has other fields that matter, a field that comes twice, an interim answer, a header
   without an end, what `fields_read` leaves, or parts without room. */
int64_t graphlang_fields_answer(uint64_t head_size, uint64_t size, uint64_t room, const uint8_t head[head_size],
                                const uint8_t block[size], uint64_t longest, uint8_t parts[room], int64_t places[2]);

enum { GRAPHLANG_FIELDS_PARTS = 11 };

/* Take a gzip member apart that holds one WARC record, whole, and nothing else but line ends behind it. `places` becomes
   where the header ends, where the block ends, and the two places of `fields_answer`. Returns the bytes written to `parts`,
   0 where `fields_answer` leaves the record, or `FIELDS_LEFT`, where nothing is known: the member begins otherwise, its
   header has more than `longest` bytes or does not state the length as nearly all do, the block has more than `largest`
   bytes, or something follows it. */
int64_t graphlang_fields_member(uint64_t size, uint64_t room, const uint8_t member[size], uint64_t longest, uint64_t largest,
                                uint8_t parts[room], int64_t places[4]);

#endif
