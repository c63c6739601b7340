"""Relations between counts that no paper has."""
