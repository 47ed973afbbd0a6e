"""What the links say: pure functions over arrays of pages and links."""
