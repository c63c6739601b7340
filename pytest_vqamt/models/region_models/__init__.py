"""Region features: 36 boxes of a picture and what a detector sees in each, for LXMERT and VisualBERT."""
