"""Intervals, tests, power and gates, all computed from counts that can be added up."""
