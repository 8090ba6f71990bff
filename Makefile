# `make` lists the targets. Everything runs in .venv, which is made on first use: a clone, Python 3.11+ and make
# are enough.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PEERS := $(VENV)/.peers

.DEFAULT_GOAL := help
.PHONY: help install demo run test lint bench bench-quality bench-mail bench-obfuscation bench-robustness bench-dask hostile-mail hostile-models fuzz doubling crash hardening model docs clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

$(STAMP): pyproject.toml spamnb/_version.py
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

install: $(STAMP) ## make .venv and install spamnb with what the tests need
	@$(BIN)/python -m compileall -q spamnb

demo: install ## train, predict and evaluate on the shipped sample
	$(BIN)/spamnb train data/sms_sample.csv -o $(VENV)/demo.spamnb
	@echo
	printf 'WIN a FREE prize! Call 0909 879 0123 now\nrunning late, home by 7\n' | $(BIN)/spamnb predict -m $(VENV)/demo.spamnb
	@echo
	$(BIN)/spamnb evaluate data/sms_sample.csv --cv 5

run: install ## run a command line: make run ARGS="predict --help"
	@$(BIN)/spamnb $(ARGS)

test: install ## run all tests
	$(BIN)/python -m pytest -q -n auto

lint: install ## ruff, mypy --strict, and pip-audit where its service answers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@$(BIN)/python -m benchmarks.audit

$(PEERS): $(STAMP) benchmarks/install.py
	@$(BIN)/python -m benchmarks.install && touch $@ || true

bench: install $(PEERS) ## speed and memory beside other filters, into docs/benchmarks.md
	$(BIN)/python -m compileall -q benchmarks
	$(BIN)/python -m benchmarks.speed --page docs/benchmarks.md $(ARGS)

bench-quality: install $(PEERS) ## detection beside other filters, into docs/benchmarks.md
	$(BIN)/python -m benchmarks.detection --page docs/benchmarks.md $(ARGS)

bench-mail: install ## mail beside bogofilter: detection, learning as it comes, throughput
	$(BIN)/python -m compileall -q benchmarks
	$(BIN)/python -m benchmarks.mail

hostile-mail: install ## mails made to harm: outcome, time, memory, growth
	$(BIN)/python -m benchmarks.hostile_mail

hostile-models: install ## model files made to harm: 100,000 and more, some minutes
	$(BIN)/python -m benchmarks.hostile_models

fuzz: install ## broken inputs for every reader and parser: make fuzz SECONDS=600
	$(BIN)/python -m benchmarks.fuzz --seconds $(or $(SECONDS),60) $(if $(SEED),--seed $(SEED))

doubling: install ## bad input of every kind: does twice as much take twice as long?
	$(BIN)/python -m benchmarks.doubling

crash: install ## kill learners, let them compete with readers: some minutes
	$(BIN)/python -m benchmarks.crash

hardening: install ## all that is tried to break it, in one table: about half an hour
	$(BIN)/python -m compileall -q spamnb benchmarks
	$(BIN)/python -m benchmarks.hardening

bench-obfuscation: install ## recall on spam in disguise
	$(BIN)/python -m benchmarks.obfuscation

bench-robustness: install ## recall under attacks, undefended and with the defaults
	$(BIN)/python -m benchmarks.robustness

bench-prior: install ## a few messages with a ready-made start, beside either alone: some ten minutes
	$(BIN)/python -m pip install --quiet --disable-pip-version-check names
	$(BIN)/python -m benchmarks.prior

bench-doubt: install ## what tells messages of an unknown kind
	$(BIN)/python -m benchmarks.doubt
	$(BIN)/python -m benchmarks.doubt --corpus spamassassin

bench-dask: install ## count on a local dask cluster whose workers are killed
	$(BIN)/python -m benchmarks.kills

model: install ## build the ready-made models from the corpora in ../shared
	$(BIN)/python -m pip install --quiet --disable-pip-version-check names
	$(BIN)/python -m benchmarks.readymade

docs: install ## write docs/cli.md from the commands' help
	$(BIN)/python -m benchmarks.clidocs

clean: ## remove .venv and caches
	rm -rf $(VENV) build *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
