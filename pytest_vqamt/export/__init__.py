"""Files made from a run for other work: labelled sets to train on."""
