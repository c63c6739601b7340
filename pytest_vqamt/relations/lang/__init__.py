"""Relations between questions in several languages."""
