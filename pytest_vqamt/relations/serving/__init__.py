"""Checks of a deployment as relations: they run only where a pattern of relations names them."""
