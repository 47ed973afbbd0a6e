"""What Datasette loads."""
