"""The picture world: scenes drawn by our own code, of which everything is known."""
