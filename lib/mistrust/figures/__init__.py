"""Figures: take rows, give a picture with its alt text. One module a chapter, one style, and the interactive kinds."""
