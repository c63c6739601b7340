"""Relations between questions with a list of options."""
