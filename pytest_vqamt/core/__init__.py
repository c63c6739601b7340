"""The frozen types that everything else is made of."""
