"""Scene sources: where pictures, and what is known to be in them, come from."""
