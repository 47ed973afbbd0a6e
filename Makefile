# Everything that a newcomer or CI needs; it works with Python 3.11+, make and a C compiler.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Tests start hundreds of processes, each of which would compile all modules again.
export PYTHONDONTWRITEBYTECODE :=
DATA ?= $(or $(GRAPHLANG_DATA),../shared/data)
# Without generated files: they would change the list of sources during a build, and cause another build.
SOURCES := $(filter-out %/entities.h,$(sort $(shell find graphlang db ingest -name '*.py' -o -name '*.sql' -o -name '*.[ch]' -o -path '*/data/*')))
KERNELS := $(filter %.c %.h %/make_entities.py graphlang/native/build.py graphlang/native/wrapper.py,$(SOURCES))
STAMP := $(VENV)/installed

.PHONY: demo help test check explore fuzz fuzz-native kill pairs altered soak lint types docs site wheels lowest lock cluster model content-models \
  url-models example bench clean weights

demo: $(VENV)/package  ## the main job on the example crawl
	rm -f demo.db demo.db-wal demo.db-shm
	$(BIN)/graphlang run examples/crawl.warc.gz --db demo.db --report demo.html
	@echo "To type graphlang: source $(BIN)/activate"

help:  ## list all targets
	@sed -n 's/^\([a-z-]*\):.*  ## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 16

# Not 'python -m pytest': it would import this folder instead of the installed package, which alone has graphlang.db.
# Tests of a file run on one core, since they share fixtures. Slow files come first (tests/conftest.py).
CORES ?= auto
test: $(STAMP)  ## all tests, doctests included, on CORES cores (all, at most 8)
	$(BIN)/pytest --numprocesses $(CORES) --maxprocesses 8 --dist loadfile --no-loadscope-reorder ./tests \
	  --pyargs graphlang

check: $(VENV)/types  ## what CI runs: rules, types and tests, beside one another
	$(MAKE) --jobs --output-sync=none lint types test

KILLS ?= 50
kill: $(STAMP)  ## kill each writing verb KILLS times at random, and compare with a clean run
	GRAPHLANG_KILLS=$(KILLS) $(BIN)/pytest -s ./tests/cli/test_stop_and_go_on.py

PROFILE ?= explore
explore: $(STAMP)  ## property tests with a thousand other examples each; with PROFILE=more, always the same 150
	$(BIN)/pytest -m hypothesis --hypothesis-profile $(PROFILE) ./tests

RUNS ?= 15
soak: $(STAMP)  ## the main job over 60,000 pages, RUNS times with two and four workers; results must equal those of one
	$(BIN)/python tests/benchmarks/soak.py --runs $(RUNS)

OFFSETS ?= 20
pairs: $(STAMP)  ## run each pair of writing verbs at once, at OFFSETS offsets, and compare with running them in turn
	GRAPHLANG_PAIRS=$(OFFSETS) $(BIN)/pytest -s ./tests/cli/test_pairs.py

VERBS ?=
altered: $(STAMP)  ## run all verbs (or VERBS, separated by commas) on some hundred altered databases
	$(BIN)/python tests/benchmarks/altered_runs.py $(if $(VERBS),--verbs $(VERBS))

wheels: $(VENV)/packaging  ## build sdist and wheel twice, and install the wheel into every Python of this machine
	$(BIN)/python tests/packaging/wheels.py

lowest: $(VENV)/packaging  ## test with the lowest versions that pyproject.toml allows
	$(BIN)/python tests/packaging/lowest.py

LOCK := tests/packaging/requirements-dev.txt
lock: $(VENV)/packaging  ## write the versions and digests of development packages
	$(BIN)/python -m uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes \
	  --no-header --upgrade --quiet --output-file $(LOCK)

site: $(VENV)/site  ## build the web site in build/site; a broken link is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict

cluster: $(VENV)/spark  ## the Spark tests, in a separate environment (pyspark is 400 MB); needs Java 17
	$(VENV)-spark/bin/pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder ./tests/cluster

SECONDS ?= 60
INPUTS ?=
SEED ?=
fuzz: $(STAMP)  ## feed damaged input to every reader for SECONDS, or INPUTS inputs
	$(BIN)/python tests/fuzz/fuzz_ingest.py --seconds $(SECONDS) $(addprefix --inputs ,$(INPUTS)) $(addprefix --seed ,$(SEED))

TARGETS ?= html join places page fields ngrams segments urls db graph
JOBS ?= 1
fuzz-native: $(STAMP)  ## fuzz the C kernels (needs clang): SECONDS or INPUTS for each of TARGETS, JOBS at a time
	GRAPHLANG_DATA=$(DATA) $(BIN)/python tests/fuzz/native/fuzz_native.py --seconds $(SECONDS) $(addprefix --runs ,$(INPUTS)) $(addprefix --seed ,$(SEED)) --jobs $(JOBS) $(TARGETS)

lint: $(STAMP)  ## check rules and format with ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/types  ## check the package with mypy, and the examples with mypy and pyright
	$(BIN)/mypy -p graphlang -p graphlang.db -p graphlang.ingest
	$(BIN)/mypy examples/library.py examples/run_notebook.py
	$(BIN)/basedpyright --pythonpath $(BIN)/python

docs: $(STAMP)  ## write the generated pages
	$(BIN)/python -P docs/commands.py
	$(BIN)/python docs/picture.py
	$(BIN)/python docs/known_languages.py
	$(BIN)/python -P docs/lists.py
	$(BIN)/python tests/examples/test_walkthrough.py
	$(BIN)/python examples/run_notebook.py examples/notebook.ipynb

model: $(STAMP)  ## train the default model from text and word lists in $(DATA) and words of Debian packages
	mkdir -p build/model
	$(BIN)/python tests/content/fetch_words.py $(DATA) build/model
	$(BIN)/python tests/content/make_corpus.py $(DATA) build/model
	$(BIN)/graphlang train graphlang/data/nfc.npz build/model/corpus --method nfc --words $(DATA)/reference/freqwords \
	  --messages $(DATA)/train-software --messages build/model/words
	$(BIN)/python tests/content/make_contrast.py build/model graphlang/data/nfc.npz
	$(BIN)/python tests/content/make_unknown.py $(DATA) build/model
	$(BIN)/python tests/content/make_further.py corpus $(DATA) build/model
	$(BIN)/graphlang train graphlang/data/nfc-further.npz build/model/further --method nfc --option features=400000 \
	  --option minimum=4000 --option table=6000000 --option lm_gain=0,0,0,0,0,0,0
	$(BIN)/python tests/content/make_further.py join build/model
	$(BIN)/python tests/content/make_sources.py $(DATA)
	$(BIN)/python tests/content/make_relatives.py $(DATA) build/model
	$(BIN)/python tests/content/make_languages.py $(DATA) build/model

ELEVEN := da de en es fi fr it nl nb pt sv
content-models: model  ## train every shipped text model; the same data give the same bytes
	rm -rf build/eleven && mkdir -p build/eleven
	ln -s $(foreach code,$(ELEVEN),$(abspath $(DATA))/train/$(code)) build/eleven
	$(BIN)/graphlang train graphlang/data/nfc-2004-11.npz build/eleven --method nfc-2004
	for method in nfc-2004 byte-trigrams; do \
	  $(BIN)/graphlang train graphlang/data/$$method.npz $(DATA)/train --method $$method || exit 1; done

URL_METHODS := $(foreach set,words trigrams custom,$(foreach learner,nb re me,url-$(set)-$(learner))) url-custom-dt

url-models: $(STAMP)  ## train the shipped URL models from the labelled URLs in $(DATA)
	$(BIN)/python tests/urls/make_lists.py $(DATA)
	$(BIN)/graphlang train graphlang/data/url.npz $(DATA)/urls/train.tsv --method url --text $(DATA)/train
	for method in $(URL_METHODS); do \
	  $(BIN)/graphlang train graphlang/data/$$method.npz $(DATA)/urls/train.tsv --method $$method || exit 1; done

LABELLED := docs-short30 docs-short60 httpd2006-short30 docs-full
weights: $(STAMP)  ## fit the shipped weights of the inference on the labelled collections in $(DATA)
	rm -rf build/weights && mkdir -p build/weights
	for set in $(LABELLED); do \
	  $(BIN)/graphlang ingest build/weights/$$set.db $(DATA)/web/$$set.warc.gz --quiet && \
	  $(BIN)/graphlang classify build/weights/$$set.db --quiet || exit 1; done
	$(BIN)/graphlang tune build/weights/$(firstword $(LABELLED)).db \
	  --gold $(DATA)/web/$(firstword $(LABELLED)).gold.tsv \
	  $(foreach set,$(wordlist 2,9,$(LABELLED)),--also build/weights/$(set).db $(DATA)/web/$(set).gold.tsv) \
	  -o graphlang/data/weights.json

example: $(STAMP)  ## build the example crawl
	$(BIN)/python examples/make_crawl.py

bench: $(STAMP)  ## timings and accuracy beside peers; needs the data, and the peers for their columns
	$(BIN)/python tests/benchmarks/pipeline.py

# An editable install in strict mode is a farm of links, which is renewed when files come or go. So the name of the
# stamp contains a checksum of the list of files.
FILES := $(VENV)/files-$(shell printf '%s' '$(SOURCES)' | cksum | cut -d' ' -f1)

# The version that is installed comes from graphlang/__init__.py.
$(VENV)/package: pyproject.toml setup.py graphlang/__init__.py $(KERNELS) $(FILES)
	$(BIN)/python -m pip install --quiet --upgrade pip
ifdef LOCKED
	$(BIN)/python -m pip install --quiet --require-hashes --requirement $(LOCK)
	$(BIN)/python -m pip install --quiet --no-deps --config-settings editable_mode=strict --editable .
else
	$(BIN)/python -m pip install --quiet --config-settings editable_mode=strict --editable .
endif
	touch $@

# With the packages for tests, which a first look does without.
$(STAMP): $(VENV)/package
ifndef LOCKED
	$(BIN)/python -m pip install --quiet --group dev
endif
	touch $@

# Groups that only some need.
$(VENV)/packaging $(VENV)/site $(VENV)/types: $(STAMP)
	$(BIN)/python -m pip install --quiet --group $(notdir $@)
	touch $@

$(VENV)/spark: $(STAMP)
	$(PYTHON) -m venv $(VENV)-spark
	$(VENV)-spark/bin/python -m pip install --quiet --config-settings editable_mode=strict --editable '.[spark]'
	$(VENV)-spark/bin/python -m pip install --quiet pytest pytest-xdist hypothesis duckdb
	touch $@

$(FILES):
	$(PYTHON) -m venv $(VENV)
	rm -f $(VENV)/files-*
	touch $@

clean:  ## remove everything that was built, environments included
	rm -rf $(VENV) $(VENV)-spark build dist *.egg-info demo.db demo.db-wal demo.db-shm demo.html .mypy_cache .ruff_cache .pytest_cache
