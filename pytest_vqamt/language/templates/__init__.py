"""The question templates of CARETS: seven types, each in many wordings."""
