"""The progress bar of verbose=1."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._typing import ShowProgress

_WORDS = {
    "prepare": "preparing the data",
    "pca": "finding principal components",
    "rotate": "finding sparse components",
    "refit": "refitting",
    "refine": "refining",
    "search": "searching for better ones",
    "score": "evaluating the components",
    "certify": "proving what is possible",
    "bootstrap": "fitting resamples",
    "permute": "permuting the data",
    "read": "counting variables to read",
    "validate": "predicting held-out entries",
}


def _words(stage: str) -> str:
    return _WORDS.get(stage, stage)


class Progress:
    """Shows how far a stage is: by tqdm if that is installed, else in words on stderr."""

    def __init__(self) -> None:
        self._stage: str | None = None
        self._bar: Any = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def __call__(self, stage: str, fraction: float, note: str) -> None:
        if stage != self._stage:
            self._end()
            self._begin(stage)
        if self._bar is not None:
            self._bar.n = round(100 * min(fraction, 1.0))
            self._bar.set_description_str(note or _words(stage))

    def _begin(self, stage: str) -> None:
        self._stage = stage
        words = _words(stage)
        try:
            from tqdm.auto import tqdm
        except ImportError:
            print(f"spcart: {words} ...", file=sys.stderr, flush=True)
        else:
            self._bar = tqdm(
                total=100, desc=words, bar_format="{desc:<28} {percentage:3.0f}%|{bar}|"
            )

    def _end(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def progress(verbose: int) -> AbstractContextManager[ShowProgress]:
    """What to give to the core as `progress`, as a context."""
    return Progress() if verbose else nullcontext()
