# The front door. Every target sets up what it needs and may be run again without harm.
.PHONY: help setup build demo test asan format lint install clean
.DEFAULT_GOAL := help

PREFIX ?= /usr/local
sources = $(shell git ls-files --cached --others --exclude-standard '*.cpp' '*.hpp')

help:
	@echo "make demo     install what is missing, build, show what spcart does"
	@echo "make test     the same, and run every test"
	@echo "make build    build the library and the command: build/spcart"
	@echo "make asan     run every test under the address and undefined-behaviour sanitizers"
	@echo "make format   lay out the sources by .clang-format"
	@echo "make lint     check layout (clang-format) and code (clang-tidy)"
	@echo "make install  install to PREFIX ($(PREFIX))"

setup:
	@tools/setup

build: setup
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release

demo: build
	@build/spcart demo --out demo

test: build
	@ctest --preset release

asan: setup
	@cmake --preset asan --log-level=WARNING
	@cmake --build --preset asan
	@ctest --preset asan

format:
	@tools/setup lint
	@clang-format -i $(sources)

lint:
	@tools/setup lint
	@clang-format --dry-run --Werror $(sources)
	@cmake --preset release --log-level=WARNING
	@run-clang-tidy -quiet -p build '^$(CURDIR)/(src|apps|examples)/'

install: build
	@cmake --install build --prefix $(PREFIX)

clean:
	@rm -rf build demo
