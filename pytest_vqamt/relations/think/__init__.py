"""Answers with and without reasoning."""
