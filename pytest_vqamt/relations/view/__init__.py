"""Other views of a picture: moved, padded, scaled, saved as JPEG, with a thing in another colour."""
