"""The probe by scores, which needs a model that gives log-probabilities and no model that reads."""
