"""Answers in German, French and Spanish to questions in the same language, read over a gloss of both.

A gloss writes a text word by word in marks that the languages share (a denial, a number, a place, a colour) and keeps
the names of things as stems. What is not sure has no reading: an answer must never be read as its opposite.
"""
