"""Relations between questions with and without a statement that leads astray."""
