"""Adapters: what makes a model answer queries, one file per kind of model."""
