"""What leaves a collection: tables, graphs, texts, and indexes and records that tools of web archives read."""
