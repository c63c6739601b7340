"""HTTP for every model behind a server: client, retries, API keys and settings."""
