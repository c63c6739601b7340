"""``vqamt serve``: a model as a Ray Serve deployment, behind an HTTP door of our own."""
