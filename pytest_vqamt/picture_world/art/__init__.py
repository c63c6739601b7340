"""Drawings made by code: things, animals, people and the places they are in."""





