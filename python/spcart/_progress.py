"""The progress bar of verbose=1."""

import sys

_WORDS = {
    "prepare": "preparing the data",
    "pca": "finding principal components",
    "rotate": "finding sparse components",
    "refit": "refitting",
    "refine": "refining",
    "search": "searching for better ones",
    "score": "evaluating the components",
    "bootstrap": "fitting resamples",
    "permute": "permuting the data",
    "read": "counting variables to read",
    "validate": "predicting held-out entries",
}


class Progress:
    """Shows how far a stage is: by tqdm where that is installed, else in words on stderr."""

    def __init__(self):
        self._stage = None
        self._bar = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._end()

    def __call__(self, stage, fraction):
        if stage != self._stage:
            self._end()
            self._begin(stage)
        if self._bar is not None:
            self._bar.n = round(100 * min(fraction, 1.0))
            self._bar.refresh()

    def _begin(self, stage):
        self._stage = stage
        words = _WORDS.get(stage, stage)
        try:
            from tqdm.auto import tqdm
        except ImportError:
            print(f"spcart: {words} ...", file=sys.stderr, flush=True)
        else:
            self._bar = tqdm(
                total=100, desc=words, bar_format="{desc:<28} {percentage:3.0f}%|{bar}|"
            )

    def _end(self):
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class Silence:
    """No progress at all."""

    def __enter__(self):
        return None

    def __exit__(self, *_):
        pass


def progress(verbose):
    """What to give to the core as `progress`, as a context."""
    return Progress() if verbose else Silence()
