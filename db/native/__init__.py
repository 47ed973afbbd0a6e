"""The kernels of the collection: ids of texts (`ids.h`) and rows of links (`link_rows.h`)."""
