"""Yuan, Wang, Jiang and Chen: Perception Matters. CVPR 2021."""
