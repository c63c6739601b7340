"""Models behind ``vqamt serve``: the wire format, and the client that speaks it."""

TOKEN_VARIABLE = "VQAMT_SERVE_TOKEN"
"""The environment variable of the token that both sides must have."""
