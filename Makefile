# `make` lists the targets. Everything runs in .venv, which is made on first use: a clone, Python 3.11+ and make are enough.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
PACKAGE := $(VENV)/.package
DEV := $(VENV)/.dev
PEERS := $(VENV)/.peers
PAGE := docs/internals/benchmarks.md
SCAM := Hi mum, my phone is broken. This is my new number, text me on WhatsApp

.DEFAULT_GOAL := help
.PHONY: help install demo run test lint bench bench-quality hardening model docs clean
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20
$(PACKAGE): pyproject.toml spamnb/_version.py
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable . && touch $@
$(DEV): $(PACKAGE)
	$(PIP) --editable '.[dev]' && touch $@
$(PEERS): $(PACKAGE) benchmarks/install_peers.py
	@$(BIN)/python -m benchmarks.install_peers && touch $@ || true
install: $(PACKAGE) ## make .venv and install spamnb
demo: $(PACKAGE) ## a verdict, training, evaluation, a report and an explanation, on the sample
	$(BIN)/spamnb predict -t "WIN a FREE prize" -t "running late, home by 7"
	@echo
	$(BIN)/spamnb train data/sms_sample.csv -o demo
	@echo
	$(BIN)/spamnb evaluate data/sms_sample.csv --holdout 30% --report demo.html -q
	@echo
	$(BIN)/spamnb explain -m demo "$(SCAM)" --top 8
	@echo
	@echo "The report of the evaluation: demo.html (open it in a browser)."
run: $(PACKAGE) ## run a command line: make run ARGS="predict --help"
	@$(BIN)/spamnb $(ARGS)
test: $(DEV) ## run all tests
	$(BIN)/python -m pytest -q -n auto
lint: $(DEV) ## ruff, mypy --strict, and pip-audit where its service answers
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy && $(BIN)/python -m tools.audit
bench: $(PACKAGE) $(PEERS) ## speed and memory beside other filters
	$(BIN)/python -m compileall -q spamnb benchmarks && $(BIN)/python -m benchmarks.speed --page $(PAGE) $(ARGS)
bench-quality: $(PACKAGE) $(PEERS) ## detection beside other filters
	$(BIN)/python -m benchmarks.detection --page $(PAGE) $(ARGS)
hardening: $(DEV) ## all that is tried to break spamnb, in one table: about half an hour
	$(BIN)/python -m compileall -q spamnb tests && $(BIN)/python -m tests.robustness.hardening $(ARGS)
model: $(PACKAGE) ## build the ready-made models from the corpora in ../shared
	$(PIP) names && $(BIN)/python -m tools.ready_made_models
docs: $(DEV) ## write references, manual pages and outputs of examples; build the site in build/site
	for page in command_docs man_pages api_docs; do $(BIN)/python -m tools.$$page || exit; done
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
clean: ## remove .venv and caches
	rm -rf $(VENV) dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
