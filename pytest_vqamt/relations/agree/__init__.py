"""One fact in two forms."""
