"""Detectors, one file for each family."""
