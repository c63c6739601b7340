"""A sample of cases that a person judges, and what the judgements say of a report."""
