"""Captions of pictures from which a thing was taken, or in which things were moved."""
