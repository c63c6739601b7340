"""Baselines of Chang et al., VEglue, that change nothing but the text of a hypothesis."""
