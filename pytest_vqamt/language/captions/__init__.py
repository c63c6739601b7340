"""What captions name: classes of things with their forms, and what must become of them once a thing was inserted."""
