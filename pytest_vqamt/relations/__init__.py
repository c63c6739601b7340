"""Metamorphic relations: each derives cases from scenes and judges the answers."""
