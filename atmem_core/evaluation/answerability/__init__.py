"""Training of the answerability judge: frames written by hand, pairs made of them, and a small encoder."""
