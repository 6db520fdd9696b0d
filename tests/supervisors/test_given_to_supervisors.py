"""What is given to supervisors and monitors in place of names, layers, classifiers or members."""

import pytest

from mistrust.errors import MistrustError, UnknownName
from mistrust.evaluation import between_models
from mistrust.supervisors import Monitor, make_supervisor, needed
from mistrust.supervisors.made_up import made_up


@pytest.fixture(scope="module")
def monitor():
    it = made_up()
    return Monitor.fit(it.classifier, make_supervisor("max_softmax"), it.training, it.nominal)


@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        ("mdsa", "covariance"),
        ("ash", "variant"),
        ("autoencoder", "error"),
        ("dissector", "growth"),
        ("alooc", "optimiser"),
    ],
)
@pytest.mark.parametrize("value", [["a"], {}, None, 3])
def test_a_name_that_is_none(name, parameter, value):
    with pytest.raises(UnknownName, match=r"There is no .* Known: "):
        make_supervisor(name, **{parameter: value})


@pytest.mark.parametrize("value", [["logit"], {}, None])
def test_a_scale_that_is_none(value):
    with pytest.raises(MistrustError, match=r"There is no scale .* Known: angle, .*, identity"):
        between_models([0.5, 0.6], scale=value)


@pytest.mark.parametrize("layers", [None, 3, [1], [["hidden"]]])
def test_layers_that_are_no_names(layers):
    for call in (lambda: make_supervisor("dissector", layers=layers), lambda: needed([], layers=layers)):
        with pytest.raises(MistrustError, match=r"layers hold .*, expected names of layers"):
            call()


def test_one_layer_is_not_its_letters():
    assert needed([], layers="hidden") == {"layers": ["hidden"]}
    assert make_supervisor("dissector", layers="hidden").layers == ("hidden",)


@pytest.mark.parametrize("value", [None, 3, 1j])
def test_supervisors_that_are_no_list(value):
    with pytest.raises(MistrustError, match="needed takes a list of supervisors, got"):
        needed(value)


@pytest.mark.parametrize("value", ["abc", None, 3, [1, 2], int])
def test_a_monitor_of_what_is_no_classifier(monitor, value):
    with pytest.raises(MistrustError, match=r"The classifier is a .*, expected a Classifier"):
        Monitor(value, monitor.supervisor, monitor.threshold)
    with pytest.raises(MistrustError, match=r"members hold a .*, expected classifiers"):
        Monitor(monitor.classifier, monitor.supervisor, monitor.threshold, value)
