"""``openai:MODEL@URL``: a model behind an HTTP endpoint of the form that OpenAI's chat completions have."""
