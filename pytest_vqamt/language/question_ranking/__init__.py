"""Basic questions: pools of them, and their rankings by how near they are to a main question.

Huang, Dao, Alfadly and Ghanem, "A Novel Framework for Robustness Analysis of Visual QA Models", AAAI 2019.
"""
