# The command surface.  `make help` lists it; the lines that begin with two hashes are what it prints.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PACKAGES := $(patsubst packages/%/pyproject.toml,%,$(wildcard packages/*/pyproject.toml))
ENVIRONMENTS := $(filter-out rlenv-% env-recipe,$(PACKAGES))
TRAINED := $(foreach p,$(ENVIRONMENTS),$(if $(shell grep -ls "hyperparameters={" packages/$(p)/*/*/verification/__init__.py),$(p)))
REFERENCES := $(patsubst references/%/pin.json,%,$(wildcard references/*/pin.json))
TESTED_REFERENCES := $(patsubst references/%/tests/mutations.toml,%,$(wildcard references/*/tests/mutations.toml))

# Settings: make setup PYTHON=…   make bench-puffer-pong ARGS='…'
VENV ?= .venv
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done || true)
CONSTRAINTS ?= ci/constraints-py311.txt
GPU_VENV ?= .cache/gpu-venv
GPU_PYTHON ?= $(shell for p in python3.12 python3.13 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null && echo $$p && break; done || true)
GPU_CONSTRAINTS ?= ci/constraints-py312-gpu.txt
AGENT_VENV ?= .cache/agent-venv
AGENT_CONSTRAINTS ?= ci/constraints-py311-agent.txt
DOORS_VENV ?= .cache/doors-venv
DOORS_CONSTRAINTS ?= ci/constraints-py311-doors.txt
EXTRA ?=
ARGS ?=
WORKERS ?= 2

export PATH := $(abspath $(VENV))/bin:$(PATH)
export JAX_COMPILATION_CACHE_DIR ?= $(CURDIR)/.cache/jax
export PIP_DISABLE_PIP_VERSION_CHECK := 1
unexport PYTHONPATH
unexport PYTHONDONTWRITEBYTECODE # tests start hundreds of processes; without compiled modules each imports JAX for 2 s more

PY := $(VENV)/bin/python
# Build tools are installed first and used for every package: isolated builds would fetch them again each time.
PIP_INSTALL := $(PY) -m pip install --quiet --no-compile --constraint $(CONSTRAINTS)
PYTEST = $(PY) -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --durations=40 --durations-min=5 --junitxml=.cache/reports/$@.xml
SOURCES = $(wildcard shared/src packages/*/src packages/*/python references/*/src)
# For interpreters in which nothing of ours is installed: that with the CUDA compiler, and whatever a GPU machine has.
empty :=
FROM_SOURCE = PYTHONPATH=$(subst $(empty) $(empty),:,$(abspath $(SOURCES)))
CRATES := $(wildcard shared/rust/*/Cargo.toml packages/*/Cargo.toml)
# Workspaces that are checked one after the other build what they depend on once.
CARGO_TOGETHER := CARGO_TARGET_DIR=$(CURDIR)/.cache/cargo
BUILD_REFERENCES = for reference in $$($(PY) -m ci.workspace references $*); do $(MAKE) refs-$$reference; done

.PHONY: help
help:
	@awk '/^## / { sub(/^## /, ""); i = index($$0, ": "); printf "  %-18s %s\n", substr($$0, 1, i - 1), substr($$0, i + 2) }' \
		$(firstword $(MAKEFILE_LIST))
	@echo "  packages: $(PACKAGES)"
	@echo "  references: $(REFERENCES)"

# --- the two commands --------------------------------------------------------------------------------------------

## demo: both halves below, one after the other
## demo-pong: train PPO on JAX Pong, evaluate it in the original C, write a GIF
## demo-pokejax: a policy's battle of pokejax, played in Showdown too, as a page
.PHONY: demo demo-pong demo-pokejax
demo: demo-pong demo-pokejax
demo-pong: setup-puffer-pong refs-puffer_pong
	$(PY) packages/puffer-pong/examples/demo.py $(ARGS)
demo-pokejax: setup-pokejax refs-showdown
	$(PY) packages/pokejax/examples/demo.py

## test: set up and check everything that CI checks
.PHONY: test ci
test ci:
	@bash ci/run.sh

# --- set-up ------------------------------------------------------------------------------------------------------

## setup: make .venv and install shared and every package into it, with all extras
.PHONY: setup
setup: $(VENV)/.setup-everything

## setup-<pkg>: install one package and what it needs, nothing else
.PHONY: $(PACKAGES:%=setup-%) setup-shared
$(PACKAGES:%=setup-%) setup-shared: setup-%: $(VENV)/.setup-%

$(VENV)/.setup-tools: pyproject.toml $(CONSTRAINTS)
	@bash ci/check_tools.sh "python=$(PYTHON)"
	@echo "setup: $(VENV) with the build and lint tools"
	@test -x $(PY) || $(PYTHON) -m venv $(VENV)
	@mkdir -p .cache
	@$(PIP_INSTALL) --upgrade pip
	@$(PIP_INSTALL) --group build --group lint $(EXTRA)
	@touch $@

# A changed manifest or Rust source installs a package again; Python sources are used in place.
.SECONDEXPANSION:
RUST_SOURCES = $(shell find $(1) shared/rust -name target -prune -o \( -name Cargo.toml -o -name '*.rs' \) -print 2>/dev/null)

# All at once, because each package by itself would install its libraries once more.
$(VENV)/.setup-everything: $(VENV)/.setup-tools ci/workspace.py $$(wildcard shared/pyproject.toml packages/*/pyproject.toml) \
		$$(call RUST_SOURCES,packages)
	@bash ci/check_tools.sh cargo
	@echo "setup: shared, docs and notebooks, $(PACKAGES)"
	@$(PIP_INSTALL) --no-build-isolation --group docs $$($(PY) -m ci.workspace install-args shared $(PACKAGES))
	@touch $(VENV)/.setup-shared $(VENV)/.setup-docs $(PACKAGES:%=$(VENV)/.setup-%) $@

$(VENV)/.setup-%: $(VENV)/.setup-tools shared/pyproject.toml ci/workspace.py $$(wildcard packages/$$*/pyproject.toml) \
		$$(call RUST_SOURCES,packages/$$*)
	@if [ -e packages/$*/Cargo.toml ]; then bash ci/check_tools.sh cargo; fi
	@echo "setup: $*"
	@$(PIP_INSTALL) --no-build-isolation $$($(PY) -m ci.workspace install-args $*)
	@touch $@

$(VENV)/.setup-docs: $(VENV)/.setup-tools
	@echo "setup: docs and notebooks"
	@$(PIP_INSTALL) --group docs
	@touch $@

## setup-gpu-report: the CUDA compiler in its own environment (several GB, needs no GPU), for `make gpu-compile`
.PHONY: setup-gpu-report
setup-gpu-report: $(GPU_VENV)/.setup

$(GPU_VENV)/.setup: $(GPU_CONSTRAINTS)
	@bash ci/check_tools.sh "python3.12=$(GPU_PYTHON)"
	@echo "setup: $(GPU_VENV) with JAX and the CUDA compiler"
	@test -x $(GPU_VENV)/bin/python || $(GPU_PYTHON) -m venv $(GPU_VENV)
	@$(GPU_VENV)/bin/python -m pip install --quiet --no-compile --constraint $(GPU_CONSTRAINTS) \
		'jax[cuda13]' nvidia-cuda-nvcc nvidia-cuda-nvdisasm jaxtyping
	@touch $@

## setup-doors: PyTorch and the libraries on it in their own environment (5 GB), for `make verify-doors`
.PHONY: setup-doors
setup-doors: $(DOORS_VENV)/.setup

# The environment is laid over the repository's own: JAX, Gymnasium and our packages come from there.
# torch is PyPI's with the CUDA libraries it asks for: without them its import fails (libcudart), the only index in use
# has no CPU wheel for Linux, and Debian 12's python3-torch is 1.13.1, older than stable-baselines3 and TorchRL take.
$(DOORS_VENV)/.setup: $(VENV)/.setup-cartpole-jax $(VENV)/.setup-puffer-pong $(VENV)/.setup-rlenv-games $(VENV)/.setup-pokejax $(VENV)/.setup-tcgjax $(DOORS_CONSTRAINTS)
	@echo "setup: $(DOORS_VENV) with PyTorch, stable-baselines3, TorchRL and PufferLib's trainer"
	@test -x $(DOORS_VENV)/bin/python || $(PY) -m venv --without-pip $(DOORS_VENV)
	@echo "import site; site.addsitedir('$$($(PY) -c 'import sysconfig; print(sysconfig.get_path("purelib"))')')" \
		> $$(echo $(DOORS_VENV)/lib/python*/site-packages)/below.pth
	@$(PY) -m pip --python $(DOORS_VENV)/bin/python install --quiet --no-compile --constraint $(DOORS_CONSTRAINTS) \
		torch stable-baselines3 sb3-contrib torchrl tensordict \
		heavyball psutil rich rich-argparse pyro-ppl gym ninja  # the rest is what PufferLib's trainer imports
	@PATH=$(abspath $(DOORS_VENV))/bin:$$PATH $(DOORS_VENV)/bin/python -m ci.doors.pufferlib --install
	@touch $@

## refs: fetch and build every reference at its pinned version
.PHONY: refs
refs: $(REFERENCES:%=refs-%)

## refs-<ref>: fetch and build one reference
.PHONY: $(REFERENCES:%=refs-%)
$(REFERENCES:%=refs-%): refs-%: $(VENV)/.setup-shared
	@$(PY) -m ci.refs $*

## drift-showdown: what a newer, built source tree of Pokémon Showdown does otherwise than the pinned one (SRC=DIR)
.PHONY: drift-showdown
drift-showdown: refs-showdown
	$(PY) -m references.showdown.drift "$(SRC)" $(ARGS)

# --- tests -------------------------------------------------------------------------------------------------------

## test-<pkg>: every quick test of one package
.PHONY: $(PACKAGES:%=test-%) test-shared
$(PACKAGES:%=test-%): test-%: $(VENV)/.setup-%
	@$(BUILD_REFERENCES)
	$(PYTEST) packages/$* $(ARGS)
test-shared: $(VENV)/.setup-rlenv-games # two tiny games of which carry the tests
	$(PYTEST) shared $(ARGS)

## test-<ref>: every quick test of a reference that has tests of its own
.PHONY: $(TESTED_REFERENCES:%=test-%)
$(TESTED_REFERENCES:%=test-%): test-%: refs-%
	$(PYTEST) references/$* $(ARGS)

## test-quick: L1, L2 and L3 in one run, as `make test` does
.PHONY: test-quick
test-quick: setup
	$(PYTEST) -m "not (l4 or slow or bench or gpu)" $(ARGS)

## test-l1: self-consistency of all packages, and the tests of shared and ci
.PHONY: test-l1
test-l1: setup
	$(PYTEST) -m "not (l2 or l3 or l4 or slow or bench or gpu)" $(ARGS)

## test-l2: every mechanic against its reference
## test-l3: whole episodes against the reference, quick set
## test-l4: transfer of learning, quick set
.PHONY: test-l2 test-l3 test-l4
test-l2 test-l3 test-l4: test-%: setup
	$(PYTEST) -m "$* and not (slow or bench or gpu)" $(ARGS)

## test-rust: the crates' own tests
.PHONY: test-rust
test-rust:
	@bash ci/check_tools.sh cargo
	@for manifest in $(CRATES); do $(CARGO_TOGETHER) cargo test --quiet --manifest-path $$manifest --workspace --exclude '*-py'; done

## test-emitted: L2 of four environments and their native L3, Skirmish and Hand against their twins, all by native steps
.PHONY: test-emitted
EMITTED := cartpole-jax acrobot-jax puffer-pong halfcheetah-jax
test-emitted: setup
	$(PYTEST) --backend emit -m "not slow" $(EMITTED:%=packages/%/tests/l2_interaction) $(EMITTED:%=packages/%/tests/l3_rollout/test_emitted.py) $(ARGS)
	$(PY) -m rlenv_games.twins --games 2048 --backend emit

## verify-<pkg>: the full verification: every rollout of L3, then the training runs of L4 (long)
.PHONY: $(ENVIRONMENTS:%=verify-%)
$(ENVIRONMENTS:%=verify-%): verify-%: $(VENV)/.setup-%
	@$(BUILD_REFERENCES)
	$(PY) -m rlenv_shared.verification $* verify $(ARGS)

## verify-rlenv-emit: native functions against XLA: every float32 of each function, 28,000 random programs, the slow tests (hours)
.PHONY: verify-rlenv-emit
verify-rlenv-emit: $(VENV)/.setup-rlenv-emit
	JAX_ENABLE_X64=1 $(PY) -m rlenv_emit.fuzz.functions --out packages/rlenv-emit/results/functions.json
	JAX_ENABLE_X64=1 $(PY) -m rlenv_emit.fuzz --out packages/rlenv-emit/results/fuzz.json
	JAX_ENABLE_X64=1 $(PY) -m rlenv_emit.fuzz.structure --out packages/rlenv-emit/results/structure.json
	$(PYTEST) -m slow packages/rlenv-emit/tests
	$(MAKE) test-emitted

## agent-emurust: one agent script, trained by Stable-Baselines3, in PyBoy and in emurust (own environment, several GB)
.PHONY: agent-emurust
agent-emurust: $(AGENT_VENV)/.setup
	$(AGENT_VENV)/bin/python packages/emurust/tests/compat/agent.py --compare $(ARGS)

$(AGENT_VENV)/.setup: $(AGENT_CONSTRAINTS) $(wildcard packages/emurust/crates/*/src/*.rs packages/emurust/crates/*/src/*/*.rs)
	@bash ci/check_tools.sh "python=$(PYTHON)" cargo
	@echo "setup: $(AGENT_VENV) with Stable-Baselines3"
	@test -x $(AGENT_VENV)/bin/python || $(PYTHON) -m venv $(AGENT_VENV)
	@$(AGENT_VENV)/bin/python -m pip install --quiet --no-compile --constraint $(AGENT_CONSTRAINTS) \
		stable-baselines3 torch pyboy gymnasium ./shared ./packages/emurust
	@touch $@

## mutate-<pkg>: break the code on purpose, once per entry of tests/mutations.toml, and expect the named tests to fail
.PHONY: $(PACKAGES:%=mutate-%) mutate-shared
$(PACKAGES:%=mutate-%) mutate-shared: mutate-%: $(VENV)/.setup-%
	@$(BUILD_REFERENCES)
	$(PY) -m ci.mutate $* $(ARGS)

## mutate-<ref>: the same for a reference that has tests of its own
.PHONY: $(TESTED_REFERENCES:%=mutate-%)
$(TESTED_REFERENCES:%=mutate-%): mutate-%: refs-%
	$(PY) -m ci.mutate $* $(ARGS)

## verify-doors: stable-baselines3, sb3-contrib, TorchRL and PufferLib, as published, on our environments; writes the results (long)
.PHONY: verify-doors
DOORS := sb3 maskable games torchrl pufferlib
verify-doors: $(DOORS_VENV)/.setup
	$(DOORS_VENV)/bin/python -m pytest -n 0 -m "slow or not slow" shared/tests/test_sb3.py shared/tests/test_dlpack.py shared/tests/test_flat.py
	@for door in $(DOORS); do $(DOORS_VENV)/bin/python -m ci.doors.$$door; done
	$(PY) -m ci.readme_tables

## test-matrix: quick tests with other versions of JAX, Gymnasium and Python, as far as they can be installed (long)
.PHONY: test-matrix
test-matrix: setup
	$(PY) -m ci.matrix $(ARGS)
	$(PY) -m ci.readme_tables

## check-mutations: every L2 and L3 test is named by a mutation, and every mutation still applies
.PHONY: check-mutations
check-mutations: setup
	$(PY) -m ci.mutate shared $(PACKAGES) $(TESTED_REFERENCES) --check-coverage

## fuzz: damage files of every kind at random and expect typed errors (ARGS='--count 3000 trajectory.npz')
.PHONY: fuzz
fuzz: $(VENV)/.setup-rlenv-learn $(VENV)/.setup-rlenv-bench
	$(PY) -m ci.fuzz $(ARGS)

# --- speed and training ------------------------------------------------------------------------------------------

## bench: measure every package against its reference on this machine
.PHONY: bench
bench: $(ENVIRONMENTS:%=bench-%)

## bench-<pkg>: measure one package, on the CPU or the GPU, whatever is present
# (rlenv_bench holds a lock while it measures: two runs at once would measure each other)
.PHONY: $(ENVIRONMENTS:%=bench-%)
$(ENVIRONMENTS:%=bench-%): bench-%: $(VENV)/.setup-%
	@$(BUILD_REFERENCES)
	$(PY) -m rlenv_shared.verification $* bench $(ARGS)

## train-<pkg>: train PPO on one package that declares how
.PHONY: $(TRAINED:%=train-%)
$(TRAINED:%=train-%): train-%: $(VENV)/.setup-%
	$(PY) -m rlenv_shared.verification $* train $(ARGS)

## games-twins: Skirmish and Hand against their twins in plain Python, 2,048 games each
.PHONY: games-twins
games-twins: $(VENV)/.setup-rlenv-games
	$(PY) -m rlenv_games.twins $(ARGS)

## games-skirmish: train PPO with memory against an opponent who looks one turn ahead, and write the result
## games-hand: train self-play in Hand and a best response to it now and then, and write the result
.PHONY: games-skirmish games-hand
games-skirmish games-hand: games-%: $(VENV)/.setup-rlenv-learn
	$(PY) packages/rlenv-learn/examples/games.py $* $(ARGS)
	$(PY) packages/rlenv-learn/examples/games.py table

# --- GPUs --------------------------------------------------------------------------------------------------------

## gpu-compile: compile every package for an H200 that is not there and write the reports (needs setup-gpu-report)
.PHONY: gpu-compile
gpu-compile: setup $(GPU_VENV)/.setup
	$(FROM_SOURCE) $(GPU_VENV)/bin/python -m ci.gpu_compile --also $(PY) $(ARGS)

## check-gpu: no committed report of gpu-compile is missing, stale or over its declared budget (needs no CUDA)
.PHONY: check-gpu
check-gpu: setup
	$(PY) -m ci.gpu_compile --check $(ARGS)

## gpu-report: measure what is due on the GPU that is here (reduced on a CPU), resumable; writes to OUT (ARGS=--plan)
OUT ?= build/gpu-report
REPORT_PYTHON ?= $(if $(wildcard $(PY)),$(PY),python3)
.PHONY: gpu-report
gpu-report:
	$(FROM_SOURCE) $(REPORT_PYTHON) -m ci.gpu_report --out $(OUT) $(ARGS)

## gpu-wheels: fetch what gpu-report needs beyond JAX as wheels, for a machine without a network
.PHONY: gpu-wheels
gpu-wheels:
	@bash ci/check_tools.sh "python3.12=$(GPU_PYTHON)"
	$(GPU_PYTHON) -m pip download --quiet --no-deps --only-binary=:all: --python-version 3.12 --implementation cp \
		--platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64 --platform manylinux2014_x86_64 \
		--constraint $(GPU_CONSTRAINTS) --dest build/gpu-wheels --requirement ci/gpu-wheels.txt
	@du -sh build/gpu-wheels

# --- checks ------------------------------------------------------------------------------------------------------

## lint: style of the Python and Rust sources
.PHONY: lint
lint: lint-python lint-rust

.PHONY: lint-python
lint-python: setup
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .

.PHONY: lint-rust
lint-rust:
	@bash ci/check_tools.sh cargo
	@for manifest in $(CRATES); do \
		cargo fmt --manifest-path $$manifest --all --check; \
		$(CARGO_TOGETHER) cargo clippy --quiet --manifest-path $$manifest --workspace --all-targets --all-features -- -D warnings; done

## fmt: apply the style where a tool can
.PHONY: fmt
fmt: setup
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .
	@for manifest in $(CRATES); do cargo fmt --manifest-path $$manifest --all; done

## types: mypy --strict over the public modules
.PHONY: types
types: setup
	$(VENV)/bin/mypy $(SOURCES)

## check-layout: tree, layers, declared dependencies, file sizes, README headings
.PHONY: check-layout
check-layout: setup
	$(PY) -m ci.check_layout
	$(PY) -m ci.layers
	@for package in shared $(PACKAGES:%=packages/%); do (cd $$package && \
		deptry $$(ls -d src python 2>/dev/null) --ignore DEP002 $$([ $$package = shared ] || echo --optional-dependencies-dev-groups test)); done

## check-results: recompute every committed verdict and median from its raw samples
.PHONY: check-results
check-results: setup
	$(PY) -m ci.check_results
	$(PY) -m ci.readme_tables --check

## report: fill the tables of the READMEs from the committed results
.PHONY: report
report: setup
	$(PY) -m ci.readme_tables

## notebooks: run a copy of every example notebook with tiny settings, which `make docs` shows
.PHONY: notebooks
notebooks: setup $(VENV)/.setup-docs
	@rm -rf build/notebooks && mkdir -p build/notebooks
	@cp --parents packages/*/examples/*.ipynb build/notebooks
	NOTEBOOK_SMALL=1 $(PYTEST) --nbmake --overwrite --nbmake-kernel=python3 --nbmake-timeout=600 --timeout=600 build/notebooks/packages/*/examples/*.ipynb
	@touch build/notebooks/.executed

# A fresh clone has no executed copies, and a notebook that changed has an old one.
build/notebooks/.executed: $(wildcard packages/*/examples/*.ipynb)
	@$(MAKE) notebooks

## docs: build the documentation site from the READMEs into build/site
.PHONY: docs
docs: $(VENV)/.setup-docs build/notebooks/.executed
	$(PY) -m ci.docs build

## docs-pictures: pages as headless Chromium shows them, into build/pictures; code that scrolls sideways is an error
.PHONY: docs-pictures
docs-pictures: docs
	$(PY) -m ci.docs_pictures build/site build/pictures

## wheels: build the wheels of shared and every package into dist/
.PHONY: wheels
wheels: wheels-shared $(PACKAGES:%=wheels-%)

## wheels-<pkg>: build one wheel
.PHONY: $(PACKAGES:%=wheels-%) wheels-shared
$(PACKAGES:%=wheels-%): wheels-%: $(VENV)/.setup-tools
	@$(PY) -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist ./packages/$*
wheels-shared: $(VENV)/.setup-tools
	@$(PY) -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist ./shared # a bare `shared` would name somebody's distribution

## clean-install: each wheel alone in an empty environment: import, reset, step
.PHONY: clean-install
clean-install: wheels
	bash ci/clean_install.sh $(ENVIRONMENTS)

## clean: remove everything that was built, fetched or cached
.PHONY: clean
clean:
	rm -rf $(VENV) .cache dist shared/dist $(PACKAGES:%=packages/%/dist) $(PACKAGES:%=packages/%/target)
	find shared packages references ci \( -name __pycache__ -o -name '*.egg-info' -o -name '_core*.so' \) -prune -exec rm -rf {} +
