"""Relations about questions that take for granted what is not there."""
