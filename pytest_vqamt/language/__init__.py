"""Texts: questions written from meanings, answers read back into values."""
