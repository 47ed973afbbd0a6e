# Everything a newcomer or CI needs; all of it works on a machine with Python 3.11+, make and nothing else.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DATA ?= $(or $(GRAPHLANG_DATA),../shared/data)
# Without what the build writes beside them: a part of 'make' would find one file more than that before it, and build anew.
SOURCES := $(filter-out %/entities.h,$(sort $(shell find graphlang db ingest -name '*.py' -o -name '*.sql' -o -name '*.[ch]' -o -path '*/data/*')))
KERNELS := $(filter %.c %.h %/make_entities.py graphlang/native/build.py graphlang/native/wrapper.py,$(SOURCES))
STAMP := $(VENV)/installed

.PHONY: demo help test check explore fuzz fuzz-native kill pairs altered soak lint types docs site wheels lowest lock cluster model content-models \
  url-models example bench clean weights

demo: $(STAMP)  ## the main job on the example crawl
	rm -f demo.db demo.db-wal demo.db-shm
	$(BIN)/graphlang run examples/crawl.warc.gz --db demo.db

help:  ## what can be made
	@sed -n 's/^\([a-z-]*\):.*  ## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 16

# Not 'python -m pytest': that would put this folder before the installed package, and graphlang.db is only in the latter.
# A file's tests stay together: they share what the file makes once. Files that take long come first (tests/conftest.py).
CORES ?= auto
test: $(STAMP)  ## all tests, doctests included, on CORES cores (all, at most 8)
	$(BIN)/pytest --numprocesses $(CORES) --maxprocesses 8 --dist loadfile --no-loadscope-reorder ./tests \
	  --pyargs graphlang

check: lint types test  ## what CI runs

KILLS ?= 50
kill: $(STAMP)  ## kill every verb that writes at random moments, KILLS times each, and compare with a clean run
	GRAPHLANG_KILLS=$(KILLS) $(BIN)/pytest -s ./tests/cli/test_stop_and_go_on.py

explore: $(STAMP)  ## the tests of properties with other examples than 'make test', a thousand each
	$(BIN)/pytest -m hypothesis --hypothesis-profile explore ./tests

RUNS ?= 15
soak: $(STAMP)  ## the main job over 60,000 pages, RUNS times with two and with four workers, against that of one
	$(BIN)/python tests/benchmarks/soak.py --runs $(RUNS)

OFFSETS ?= 20
pairs: $(STAMP)  ## start every pair of verbs that write at OFFSETS offsets from one another, and compare with one after the other
	GRAPHLANG_PAIRS=$(OFFSETS) $(BIN)/pytest -s ./tests/cli/test_pairs.py

VERBS ?=
altered: $(STAMP)  ## all verbs (or VERBS, with commas between) over some hundred databases that strangers altered
	$(BIN)/python tests/benchmarks/altered_runs.py $(if $(VERBS),--verbs $(VERBS))

wheels: $(VENV)/packaging  ## build the sdist and the wheel, twice, and install it into every Python of this machine
	$(BIN)/python tests/packaging/wheels.py

lowest: $(VENV)/packaging  ## try the lowest versions of other packages that pyproject.toml allows
	$(BIN)/python tests/packaging/lowest.py

LOCK := tests/packaging/requirements-dev.txt
lock: $(VENV)/packaging  ## write down the versions and digests of all that developers install
	$(BIN)/python -m uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes \
	  --no-header --upgrade --quiet --output-file $(LOCK)

site: $(VENV)/site  ## the documents as web pages, in build/site; a link that leads nowhere is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict

cluster: $(VENV)/spark  ## the tests of Spark, in an environment of their own: pyspark is 400 MB; needs Java 17
	$(VENV)-spark/bin/pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder ./tests/cluster

SECONDS ?= 60
INPUTS ?=
SEED ?=
fuzz: $(STAMP)  ## throw damaged input at every reader for SECONDS, or with so many INPUTS
	$(BIN)/python tests/fuzz/fuzz_ingest.py --seconds $(SECONDS) $(addprefix --inputs ,$(INPUTS)) $(addprefix --seed ,$(SEED))

TARGETS ?= html join places page fields ngrams segments urls db graph
JOBS ?= 1
fuzz-native: $(STAMP)  ## coverage-guided fuzzing of the kernels in C (clang): SECONDS (or INPUTS) for each of TARGETS, JOBS at a time
	GRAPHLANG_DATA=$(DATA) $(BIN)/python tests/fuzz/native/fuzz_native.py --seconds $(SECONDS) $(addprefix --runs ,$(INPUTS)) $(addprefix --seed ,$(SEED)) --jobs $(JOBS) $(TARGETS)

lint: $(STAMP)  ## rules and format, by ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/types  ## the package by mypy; the examples, as users' code, by mypy and pyright
	$(BIN)/mypy -p graphlang
	$(BIN)/mypy examples/library.py examples/run_notebook.py
	$(BIN)/basedpyright --pythonpath $(BIN)/python

docs: $(STAMP)  ## the pages that are made from the code
	$(BIN)/python -P -m graphlang.cli.reference
	$(BIN)/python docs/picture.py
	$(BIN)/python docs/known_languages.py
	$(BIN)/python -P docs/lists.py
	$(BIN)/python tests/examples/test_walkthrough.py
	$(BIN)/python examples/run_notebook.py examples/notebook.ipynb

model: $(STAMP)  ## train the shipped default model from the text and word lists in $(DATA), and words of Debian packages
	mkdir -p build/model
	$(BIN)/python tests/content/fetch_words.py $(DATA) build/model
	$(BIN)/python tests/content/make_sources.py $(DATA)
	$(BIN)/graphlang train build/model/nfc.npz $(DATA)/train --method nfc --words $(DATA)/reference/freqwords \
	  --messages $(DATA)/train-software --messages build/model/words
	$(BIN)/python tests/content/make_added.py $(DATA) build/model/added
	$(BIN)/graphlang train --extend build/model/nfc.npz build/model/added -o graphlang/data/nfc.npz \
	  --option bare=0 --option bare_least=0  # without lines that lost their diacritics, as they were measured
	$(BIN)/python tests/content/make_relatives.py $(DATA)

content-models: model  ## train every shipped model that reads text: the same data gives the same bytes
	for method in nfc-2004 byte-trigrams; do \
	  $(BIN)/graphlang train graphlang/data/$$method.npz $(DATA)/train --method $$method || exit 1; done

URL_METHODS := $(foreach set,words trigrams custom,$(foreach learner,nb re me,url-$(set)-$(learner))) url-custom-dt

url-models: $(STAMP)  ## train the shipped URL models from the labelled URLs in $(DATA)
	$(BIN)/python tests/urls/make_lists.py $(DATA)
	$(BIN)/graphlang train graphlang/data/url.npz $(DATA)/urls/train.tsv --method url --text $(DATA)/train
	for method in $(URL_METHODS); do \
	  $(BIN)/graphlang train graphlang/data/$$method.npz $(DATA)/urls/train.tsv --method $$method || exit 1; done

LABELLED := docs-short30 docs-short60 httpd2006-short30 docs-full
weights: $(STAMP)  ## fit the shipped weights of the inference, from what they are, on the labelled collections in $(DATA)
	rm -rf build/weights && mkdir -p build/weights
	for set in $(LABELLED); do \
	  $(BIN)/graphlang ingest build/weights/$$set.db $(DATA)/web/$$set.warc.gz --quiet && \
	  $(BIN)/graphlang classify build/weights/$$set.db --quiet || exit 1; done
	$(BIN)/graphlang tune build/weights/$(firstword $(LABELLED)).db \
	  --gold $(DATA)/web/$(firstword $(LABELLED)).gold.tsv \
	  $(foreach set,$(wordlist 2,9,$(LABELLED)),--also build/weights/$(set).db $(DATA)/web/$(set).gold.tsv) \
	  -o graphlang/data/weights.json

example: $(STAMP)  ## build the example crawl again
	$(BIN)/python examples/make_crawl.py

bench: $(STAMP)  ## timings and accuracy beside named peers; needs the data, and the peers for their columns
	$(BIN)/python tests/benchmarks/pipeline.py

# An editable install in strict mode is a farm of links, which has to be laid anew when files come or go: the list of
# files is part of the stamp's name for that reason.
FILES := $(VENV)/files-$(shell printf '%s' '$(SOURCES)' | cksum | cut -d' ' -f1)

# The version that is installed comes from graphlang/__init__.py.
$(STAMP): pyproject.toml setup.py graphlang/__init__.py $(KERNELS) $(FILES)
	$(BIN)/python -m pip install --quiet --upgrade pip
ifdef LOCKED
	$(BIN)/python -m pip install --quiet --require-hashes --requirement $(LOCK)
	$(BIN)/python -m pip install --quiet --no-deps --config-settings editable_mode=strict --editable .
else
	$(BIN)/python -m pip install --quiet --config-settings editable_mode=strict --editable .
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

clean:  ## take away all that was made, the environments too
	rm -rf $(VENV) $(VENV)-spark build dist *.egg-info demo.db demo.db-wal demo.db-shm .mypy_cache .ruff_cache .pytest_cache
