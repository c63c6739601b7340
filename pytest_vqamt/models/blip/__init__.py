"""BLIP: an encoder of pictures, and heads that answer, describe or match."""
