"""Counts that can be added up, and what is computed from them: rates, intervals, gates."""
