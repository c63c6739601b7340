"""Detectors: what is in a photo that nobody has annotated. One file for each family."""
