"""What an instructor's nbgrader imports: `pip install "lockstep-course[grading]"`."""
