"""Edits of pictures, one file per edit, and the rendering of a recipe into pixels."""
