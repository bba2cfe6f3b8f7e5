"""What the notebooks of Lockstep import: starting processes, measuring, drawing, asking."""

__version__ = "0.1.0"
