"""Links between notes: made by hand, by import or by a model; walked when a note is released."""
