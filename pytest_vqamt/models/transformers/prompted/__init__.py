"""``hf:PATH``: image-text-to-text checkpoints, each kind through its own template and prompts. One file a kind."""
