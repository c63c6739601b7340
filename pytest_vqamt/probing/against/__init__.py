"""The comparison of two deployments of one model."""
