"""``report.html``: one file that people open to see what got worse, and why."""
