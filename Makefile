# Every target installs what it needs and can be run again safely.
.PHONY: help setup build build-all demo test test-page test-python web mpi python wheel asan bench perf perf-update format lint install clean
.DEFAULT_GOAL := help

PREFIX ?= /usr/local
sources = $(shell git ls-files --cached --others --exclude-standard '*.cpp' '*.hpp')

help:
	@echo "make demo     install what is missing, build, show what spcart does"
	@echo "make test     the same, and run every test"
	@echo "make build    build the library and the command: build/spcart"
	@echo "make web      build the report page and run its tests in a browser"
	@echo "make mpi      build/spcart-mpi, for tables spread over machines, and run its tests"
	@echo "make python   build the Python package and run its tests"
	@echo "make wheel    build a wheel that includes its own BLAS: build/python/dist"
	@echo "make asan     run every test under the address and undefined-behaviour sanitizers"
	@echo "make bench    measure spcart beside its rooflines and its peers; BENCH='--quick' uses small sizes"
	@echo "make perf     count the instructions of the main kernels, and compare with stored counts"
	@echo "make format   format the sources with clang-format"
	@echo "make lint     check format (clang-format) and code (clang-tidy)"
	@echo "make install  install to PREFIX ($(PREFIX))"

setup:
	@tools/setup

build: setup
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release --target programs

# The programs, and their tests.
build-all: setup
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release

demo:
	@tools/setup page
	@tools/setup
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release --target spcart_command
	@build/spcart demo --out demo

test:
	@tools/setup web
	@tools/setup mpi
	@$(MAKE) --no-print-directory build-all
	@ctest --preset release --parallel $(shell nproc)
	@tools/setup python
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target test-page test-python

# Side by side: each prints what it has to say when it has finished.
test-page:
	@tools/web test
test-python:
	@tools/python test

web:
	@tools/setup web
	@$(MAKE) --no-print-directory build
	@tools/web test

mpi:
	@tools/setup mpi
	@$(MAKE) --no-print-directory build-all
	@ctest --preset release -L mpi

python wheel: build
	@tools/setup python
	@tools/python $(if $(filter wheel,$@),wheel,test)

asan: setup
	@cmake --preset asan --log-level=WARNING
	@cmake --build --preset asan
	@ctest --preset asan --parallel $(shell nproc)

build/bench/benchmarks/kernels: FORCE
	@tools/setup bench
	@cmake --preset bench --log-level=WARNING
	@cmake --build --preset bench

bench: build/bench/benchmarks/kernels
	@python3 -m venv build/bench/venv
	@build/bench/venv/bin/pip install --quiet --requirement benchmarks/requirements.txt
	@mkdir -p build/benchmarks
	@$< --seconds $(if $(findstring --quick,$(BENCH)),0.02,0.5) --benchmark_filter='-^(rotate|growth)' \
	  --benchmark_out=build/benchmarks/kernels.json --benchmark_out_format=json
	@build/bench/venv/bin/python benchmarks/peers.py $(BENCH)

perf: build/bench/benchmarks/kernels
	@ctest --preset bench -L perf

perf-update: build/bench/benchmarks/kernels
	@cmake --build --preset bench --target perf_update

FORCE:

format:
	@tools/setup lint
	@clang-format -i $(sources)
	@[ ! -d web/node_modules ] || npm --prefix web run --silent format

lint:
	@tools/setup lint
	@clang-format --dry-run --Werror $(sources)
	@[ ! -d web/node_modules ] || npm --prefix web run --silent lint
	@cmake --preset lint --log-level=WARNING
	@run-clang-tidy -quiet -p build/lint '^$(CURDIR)/(src|apps|examples)/'

install: build
	@cmake --install build --prefix $(PREFIX)

clean:
	@rm -rf build demo web/node_modules
