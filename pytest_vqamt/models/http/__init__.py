"""What every model behind an HTTP server shares: sending, waiting, giving up, and keeping keys to itself."""
