"""The noise floor: what a model violates although nothing was changed."""
