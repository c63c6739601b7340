"""Robustness against basic questions: Huang, Dao, Alfadly and Ghanem, AAAI 2019."""
