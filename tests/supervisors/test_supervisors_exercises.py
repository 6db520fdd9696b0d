"""A supervisor of one's own beside the chapter's: layers are named for it, and what is none is refused at once."""

import pytest

from mistrust.errors import MistrustError
from mistrust.networks import observe
from mistrust.supervisors import SUPERVISORS, exercises, make_supervisor
from mistrust.supervisors.experiment import Parameters
from mistrust.supervisors.made_up import LAYERS, made_up


class MadeUpClassifier:
    """In place of the chapter's first classifier, which takes a minute to train."""

    architecture, features = "ambiguess-conv", "dropped"

    def __init__(self, *_):
        self.it = made_up()
        self.sets = {"nominal": self.it.nominal, "ambiguous/made up": self.it.ambiguous, "invalid/other": self.it.novel}

    def seen(self, images):
        return observe(self.it.classifier, images, layers=["dropped", *LAYERS])

    def fitted(self, lines):
        record = self.seen(self.it.training)
        return [line for line in lines if line.supervisor.fit(record)]

    def scored(self, images, lines):
        return {line.name: line.supervisor.score(self.seen(images)) for line in lines}


def test_a_supervisor_that_names_no_layer_reads_what_the_last_layer_gets(monkeypatch):
    monkeypatch.setattr(exercises, "UnderTest", MadeUpClassifier)
    yours = make_supervisor("mdsa")
    found = exercises.beside(yours, Parameters()).set_index("supervisor")
    assert found.columns.tolist() == ["ambiguous", "invalid"]
    assert found.loc["yours", "invalid"] == 1
    assert yours.layer == ""  # what was given stays as it was
    named = exercises.beside(make_supervisor("mdsa", layer="dropped"), Parameters()).set_index("supervisor")
    assert named.equals(found)
    plain = exercises.beside(make_supervisor("max_softmax"), Parameters()).set_index("supervisor")
    assert plain.loc["yours"].tolist() == plain.loc["Max Softmax"].tolist()


def test_several_layers_are_those_of_dissector():
    one, told = make_supervisor("dissector"), ("relu1", "pool1", "relu2", "pool2")
    assert exercises._told(one, MadeUpClassifier()).layers == told
    assert exercises._told(make_supervisor("dissector", layers=("pool1",)), MadeUpClassifier()).layers == ("pool1",)


@pytest.mark.parametrize(("wrong", "said"), [(SUPERVISORS["mdsa"], "the class MDSA"), ("mdsa", "is the name of a")])
def test_what_is_no_supervisor_is_refused_before_anything_is_trained(monkeypatch, wrong, said):
    monkeypatch.setattr(exercises, "UnderTest", None)
    with pytest.raises(MistrustError, match=said):
        exercises.beside(wrong, Parameters())
