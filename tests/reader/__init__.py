"""A reader of English questions, written for the tests alone: it shares no code with what writes them."""
