"""nbgrader's settings for this course. It is run in this folder, or in a copy of it.

Where the exchange is, and who is in the course, depends on your machines: README.md.
"""

c = get_config()  # noqa: F821, nbgrader puts it there

# Students name it too: `nbgrader fetch_assignment NAME --course lockstep`.
c.CourseDirectory.course_id = "lockstep"

# A student who has not written a function yet reads this when a test calls it.
c.ClearSolutions.code_stub = {
    "python": 'raise NotImplementedError("Write your code here, in place of this line.")'
}
c.ClearSolutions.text_stub = "*Write your answer here, in place of this line.*"

# Seconds. A set-up cell imports TensorFlow and torch, and a test may start processes; on two busy
# cores that takes longer than the 30 s a cell that nbgrader allows.
c.Execute.timeout = 120
c.Execute.startup_timeout = 120
# After 4 s without a message of a cell that has ended, nbgrader gives the whole submission up.
c.Execute.iopub_timeout = 60

# nbgrader's own feedback shows the hidden tests, in the source and in tracebacks, and the mark
# scheme. Names and not classes, so that only this command needs what they name.
c.GenerateFeedback.preprocessors = [
    "nbgrader.preprocessors.GetGrades",
    "lockstep.grading.feedback.HideHiddenTests",
    "nbgrader.preprocessors.ClearMarkScheme",
    "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
]
