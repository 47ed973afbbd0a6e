/* The kernel of links, for that of ordinary pages; its own properties are those of the target join. */
#include "../failing.h"
#include KERNEL_JOIN
#include "../working.h"
