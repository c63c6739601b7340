"""``served:URL``: a model that ``vqamt serve`` holds, asked over HTTP."""
