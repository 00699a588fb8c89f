"""Every option of the core has a parameter, and every parameter is an option of the core."""

import inspect
import re

import numpy as np
import pytest

from spcart import SPCArt, _core

PARAMETERS = set(inspect.signature(SPCArt).parameters)

#: Options of single methods are given in `method_params`.
OF_METHODS = {option for method in _core.methods() for option in method.options}

#: Options that have a parameter of another name: a fraction of the variance is a number of
#: components that is not whole.
ELSEWHERE = {"variance": "n_components"}

#: Parameters that are no options of a fit: of reading, preparation and memory, and of Python.
NO_OPTIONS = {
    "center",
    "scale",
    "remove_row_mean",
    "missing",
    "whiten",
    "precision",
    "memory",
    "method_params",
    "verbose",
}


def test_every_option_has_a_parameter():
    wanted = {ELSEWHERE.get(name, name) for name in _core.option_names()} - OF_METHODS
    assert wanted - PARAMETERS == set()


def test_every_parameter_is_an_option():
    assert PARAMETERS - set(_core.option_names()) == NO_OPTIONS


def test_every_parameter_is_documented():
    section = SPCArt.__doc__.partition("Attributes\n")[0]
    documented = re.findall(r"^    (\w+) : ", section, flags=re.MULTILINE)
    assert documented == list(inspect.signature(SPCArt).parameters)
    for name in OF_METHODS:
        assert f"``{name}``" in section


def test_every_option_reaches_the_core():
    for name in _core.option_names():
        _core.Options(**{name: None})  # keeps its default
        with pytest.raises(ValueError, match=f"^{name}=.*: it must be "):
            _core.Options(**{name: object()})


@pytest.mark.parametrize("three", [3, 3.0, np.int64(3), np.float32(3), np.array(3)])
def test_whole_numbers_of_every_type_are_the_same(table, three):
    model = SPCArt(three, nonzeros=three, refine=three).fit(table)
    assert model.nonzeros_.tolist() == [3, 3, 3]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"nonzeros": True}, "nonzeros=True: it must be a whole number"),
        ({"nonzeros": 1e300}, "nonzeros=1e+300: the number is out of range"),
        ({"nonzeros": float("nan")}, "nonzeros=nan: it must be a whole number"),
        ({"nonzeros": 10**30}, "nonzeros=1000000000000000000000000000000: the number is out of"),
        ({"lam": 10**400}, "lam=1000"),
        ({"lam": [0.1]}, "lam=[0.1]: it must be a number"),
        ({"lam": np.array([0.1, 0.2])}, "lam=[0.1 0.2]: it must be a number"),
        ({"nonzeros": np.array([1, 2])}, "nonzeros=[1 2]: it must be a whole number"),
        ({"random_state": 2**64}, "random_state=18446744073709551616: the number is out of"),
        ({"effort": True}, "effort=True: it must be none, normal, thorough or a number of"),
        ({"effort": []}, "effort=[]: it must be none, normal, thorough or a number of"),
        ({"method": 3}, "method=3: it must be one of spcart, pca, "),
        ({"memory": 0}, "memory=0: it must be at least 1 byte"),
        ({"memory": -1}, "memory=-1: it must be at least 1 byte"),
        ({"memory": 10**30}, "memory=1000000000000000000000000000000: it is too large"),
    ],
)
def test_wrong_types_are_named(table, parameters, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        SPCArt(**{"n_components": 2, **parameters}).fit(table)


def test_words_and_numbers_of_the_same_meaning(table):
    yes, true = (
        SPCArt(2, method="gpower", method_params={"post_fit": value}).fit(table)
        for value in ("yes", np.True_)
    )
    np.testing.assert_array_equal(yes.components_, true.components_)
    assert SPCArt(2, lam="0.3").fit(table).lam_ == 0.3
    assert SPCArt(2, memory=2e9).fit(table).cpev_ == SPCArt(2, memory="2G").fit(table).cpev_


def test_every_method_is_in_the_docstring():
    for record in _core.methods():
        assert f'"{record.name}"' in SPCArt.__doc__
