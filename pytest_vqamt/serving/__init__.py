"""``vqamt serve``: a model as a Ray Serve deployment, behind an HTTP application of our own."""
