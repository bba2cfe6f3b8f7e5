"""What the Makefile calls: the environment, executing notebooks, building and testing the book."""
