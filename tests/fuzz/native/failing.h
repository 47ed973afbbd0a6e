/* Included before a kernel, so that its allocations can be made to fail; working.h ends it. */
#include "harness.h"

#define malloc failing_malloc
#define calloc failing_calloc
#define realloc failing_realloc
