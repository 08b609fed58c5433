"""Read path, in order: embed, keyword, candidates, fuse, render."""
