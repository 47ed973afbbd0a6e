"""The tables: how they come to be and grow (`migrations`), what each column means (`column_docs`), and their page."""
