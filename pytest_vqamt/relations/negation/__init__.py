"""Relations about the scope of a negation."""
