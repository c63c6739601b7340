"""``vqamt probe``: checks that a deployment of a model answers about the picture that it is sent."""
