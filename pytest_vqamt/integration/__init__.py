"""What pytest sees: options, items, outcomes, and the hand-over between workers."""
