"""Answers read back into values: numbers, yes and no, options, labels."""
