"""Relations about words that are written in the picture."""
