"""From cases to verdicts: planning, batches, rendering ahead, the answer cache."""
