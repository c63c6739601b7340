"""Where things are: left, right, higher and lower in the picture, by their boxes."""
