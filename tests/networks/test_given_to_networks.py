"""What is given in place of a number, a name, a module, a plan or a path: each is told what was expected."""

import re

import pytest
import torch

from mistrust.data import load
from mistrust.errors import MistrustError
from mistrust.networks import (
    Plan,
    Recipe,
    depth,
    device,
    initialise,
    looks_like_probabilities,
    network_spec,
    observe,
    one_hot,
    parameter_count,
    save,
    train,
    trained,
    trained_members,
    wrap,
)  # fmt: skip
from mistrust.networks import load as load_weights

PLAN = Plan("mlm-cnn", (1, 8, 8), tuple("0123456789"))
MODULE = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64, 10))


@pytest.fixture(scope="module")
def digits():
    return load("digits", "test").take(torch.arange(4))


@pytest.fixture(scope="module")
def classifier(digits):
    return wrap(MODULE, digits.classes)


@pytest.mark.parametrize("name", ["rate", "momentum", "decay", "epsilon", "validation", "penalty"])
@pytest.mark.parametrize("value", ["0.1", None, [0.1], {}, 1j, True, torch.ones(2), float("nan"), float("inf"), -1])
def test_a_recipe_of_what_is_no_number_of_use(name, value):
    with pytest.raises(MistrustError, match=f" is {re.escape(repr(value))}, expected "):
        Recipe(**{name: value})


@pytest.mark.parametrize("name", ["epochs", "batch"])
@pytest.mark.parametrize("value", ["3", 2.0, True, int, torch.ones(2)])
def test_a_recipe_of_what_is_no_whole_number(name, value):
    with pytest.raises(MistrustError, match=f"{name}, is {re.escape(repr(value))}, expected a whole number"):
        Recipe(**{name: value})


def test_numbers_of_any_library_are_numbers():
    import numpy as np

    assert Recipe(rate=np.float32(0.5), epochs=np.int64(2), decay=np.float64(0)).rate_in(0) == 0.5


@pytest.mark.parametrize("layers", [None, 3, [0], [["1"]], [None]])
def test_layers_that_are_no_names(classifier, digits, layers):
    with pytest.raises(MistrustError, match=r"layers hold .*, expected names of layers, as layer_names\(classifier\)"):
        observe(classifier, digits, layers=layers)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"architecture": "mlm-cn"}, "Did you mean 'mlm-cnn'"),
        ({"architecture": None}, "There is no architecture 'None'"),
        ({"shape": None}, r"shape is None, expected \(channels, height, width\)"),
        ({"shape": (28, 28)}, r"shape is \(28, 28\)"),
        ({"shape": (1, 8, 0)}, r"shape is \(1, 8, 0\)"),
        ({"shape": (1, 8.0, 8)}, r"shape is \(1, 8\.0, 8\)"),
        ({"classes": None}, "classes are None, expected their names"),
        ({"classes": 10}, "classes are 10"),
        ({"classes": "ab"}, "classes are 'ab'"),
        ({"classes": (0, 1)}, r"classes are \(0, 1\)"),
    ],
)
def test_a_plan_of_no_network(given, message):
    with pytest.raises(MistrustError, match=message):
        Plan(**{"architecture": "mlm-cnn", "shape": (1, 8, 8), "classes": ("a", "b")} | given)


def test_a_plan_takes_lists_and_is_the_same():
    assert Plan("mlm-cnn", [1, 8, 8], list("ab")) == Plan("mlm-cnn", (1, 8, 8), ("a", "b"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda one: PLAN.classifier(None, "k"), r"not those of a 'mlm-cnn' .*dict-like.* state_dict\(\)"),
        (lambda one: PLAN.classifier({}, "k"), "not those of a 'mlm-cnn' .*Missing key"),
        (lambda one: save(None, one, "x"), r"The plan is None, expected a Plan\("),
        (lambda one: save(PLAN, MODULE, "x"), "The classifier is a Sequential, expected a Classifier"),
        (lambda one: save(PLAN, one, None), "path is None, expected where the file lies"),
        (lambda one: load_weights(None), "path is None"),
        (lambda one: load_weights(3), "path is 3"),
        (lambda one: parameter_count(one), "is a Classifier, expected a torch module. Take what it wraps"),
        (lambda one: depth(one, (1, 8, 8)), "is a Classifier, expected a torch module"),
        (lambda one: initialise(None, 0), "is a NoneType, expected a torch module"),
        (lambda one: looks_like_probabilities([[0.5, 0.5]]), r"expected a tensor \(n, k\): torch.as_tensor"),
        (lambda one: one_hot(torch.tensor([0, 1])), "Images are a Tensor, expected an ImageSet"),
        (lambda one: network_spec("mlm-cnn", torch.zeros(2, 1, 8, 8), Recipe(), 0), "expected an ImageSet"),
        (lambda one: train(PLAN, torch.zeros(2, 1, 8, 8), Recipe(), 0), "expected an ImageSet"),
        (lambda one: trained("mlm-cnn", None, Recipe(), 0), "expected an ImageSet"),
        (lambda one: trained_members("mlm-cnn", None, Recipe(), [0]), "expected an ImageSet"),
        (lambda one: Recipe(validation=0.5).split("8", 0), "n is '8', expected how many images"),
        (lambda one: device(torch.device("cpu")), r"expected its name: .* of a torch.device, str\(device\)"),
        (lambda one: device("cpu:first"), "There is no device 'cpu:first'"),
        (lambda one: wrap(MODULE, ["a", "b"], key=3), "key is 3, expected a text"),
        (lambda one: wrap(MODULE, ["a", "b"], mean=10**400), "mean is 1000.*, expected a number"),
    ],
)
def test_what_is_something_else(classifier, call, message):
    with pytest.raises(MistrustError, match=message):
        call(classifier)


@pytest.mark.parametrize("recipe", [None, {"epochs": 1}, 5])
def test_a_recipe_that_is_none(digits, recipe):
    for call in (lambda: train(PLAN, digits, recipe, 0), lambda: trained("mlm-cnn", digits, recipe, 0)):
        with pytest.raises(MistrustError, match=r"The recipe is .*, expected a Recipe, such as Recipe\(epochs=5"):
            call()


def test_any_object_of_a_path_is_one(tmp_path):
    class Place:
        def __fspath__(self):
            return str(tmp_path / "mine.safetensors")

    save(PLAN, PLAN.classifier(PLAN.build().state_dict(), key="mine"), Place())
    assert load_weights(Place()).key == "mine"
