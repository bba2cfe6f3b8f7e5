# `make book` and `make test` need Python 3.11 to 3.13, git and make; they set up the rest in .venv.
PYTHON ?= python3
VENV ?= .venv
RUN := $(VENV)/bin/python
SLUG ?=
NAME ?=
PART ?=
PORT ?= 8000

.DEFAULT_GOAL := help
.PHONY: help env book pdf test check serve notebook chapter mutants assignment answers release \
  constraints tables lint format address clean

help:
	@echo "make book                 execute what changed, build the HTML book in _build/html"
	@echo "make test                 every test: lint, units, notebooks, book, browser, Colab path"
	@echo "make check                about four minutes of it: lint, unit tests, notebook structure"
	@echo "make pdf                  print the built book into _build/html/lockstep.pdf, with Chromium"
	@echo "make serve                show the built book on http://localhost:$(PORT) (PORT=8000)"
	@echo "make notebook NAME=slug   execute one notebook now, changed or not"
	@echo "make chapter NAME=slug    start a new chapter, with a question and its proof"
	@echo "make mutants NAME=slug    try the mutants of a chapter (no NAME: all that changed)"
	@echo "make assignment NAME=slug start a new assignment in exercises/"
	@echo "make answers NAME=slug    grade the answers to an assignment (no NAME: to all that changed)"
	@echo "make release NAME=slug    make what students get of an assignment (no NAME: of all)"
	@echo "make constraints          pin the newest of what comes along with requirements.txt"
	@echo "make tables               measure the tables of the book again: 131 cells, 20 minutes"
	@echo "make lint                 ruff, also on scripts in notebooks, and mypy"
	@echo "make format               lay out the code, also of scripts in notebooks; name new cells"
	@echo "make address SLUG=o/n     set the public GitHub repository everywhere"
	@echo "make clean                remove the book and all stored outputs; .venv stays"
	@echo "Options: PYTHON=python3.12 creates .venv with it; VENV=folder uses another environment."

env:
	@command -v $(PYTHON) >/dev/null || { \
	  echo "$(PYTHON) was not found: install Python 3.11, 3.12 or 3.13, or name it with PYTHON=..."; \
	  exit 1; }
	@$(PYTHON) tools/environment/install.py $(VENV)

book: env
	@$(RUN) -m tools.site.build

test: env
	@$(RUN) -m tools.testing

check: env
	@$(RUN) -m tools.testing lint unit

pdf: env
	@$(RUN) -m tools.site.pdf

serve: env
	@$(RUN) -m tools.site.serve $(PORT)

notebook: env
	@$(RUN) -m tools.notebooks.execute "$(NAME)"

chapter: env
	@$(RUN) -m tools.notebooks.chapter "$(NAME)" "$(PART)"

mutants: env
	@$(RUN) -m tools.notebooks.mutants $(NAME)

assignment: env
	@$(RUN) -m tools.assignments.releases new "$(NAME)"

answers: env
	@$(RUN) -m tools.assignments.grade "$(NAME)"

release: env
	@$(RUN) -m tools.assignments.releases release "$(NAME)"

constraints: env
	@$(RUN) -m tools.environment.constraints

tables: env
	@$(RUN) -m experiments.tables

lint: env
	@$(RUN) -m tools.testing lint

format: env
	@$(RUN) -m ruff check --fix-only .
	@failed=0; for tool in "ruff format" "tools.notebooks.scripts format" tools.notebooks.ids \
	  tools.notebooks.folds "ruff check"; do \
	  $(RUN) -m $$tool || failed=1; done; exit $$failed

address:
	@$(PYTHON) -m tools.site.address "$(SLUG)"

clean:
	rm -rf _build .cache .pytest_cache .mypy_cache .ruff_cache
