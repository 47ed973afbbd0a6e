"""Dense ids of URLs: kept `in_memory` by a kernel in C, or asked of the `stored` ones."""
