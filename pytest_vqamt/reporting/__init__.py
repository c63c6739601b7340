"""A finished run written down, one file per format."""
