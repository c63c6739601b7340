"""What every adapter does before it can answer: find its files, read them strictly, choose device and precision."""
