/* The kernel of markup, for that of ordinary pages; its own properties are those of the target html. */
#include "../failing.h"
#include KERNEL_HTML
#include "../working.h"
