"""Adapters of transformers' checkpoints: files, strict loading, device and precision, one module per kind of model."""
