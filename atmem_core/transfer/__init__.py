"""Moving records out of a file and into one: the lossless export, and what other programs write."""
