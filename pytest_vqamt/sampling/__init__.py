"""The one source of choice: over Hypothesis, or over a seeded generator."""
