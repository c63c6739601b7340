"""The checks of ``vqamt probe``, a module for each kind."""
