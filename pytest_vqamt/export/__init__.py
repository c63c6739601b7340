"""Files made from a run for other work: retraining sets and review sheets."""
