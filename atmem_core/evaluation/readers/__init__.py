"""One module a layout: a file of that layout to stores and questions."""
