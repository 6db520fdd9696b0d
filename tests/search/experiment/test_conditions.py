"""What mechanisms are called in rows is what claims read."""

import pytest

from mistrust.errors import MistrustError
from mistrust.publishing.claim_tests.search.reading import WAYS
from mistrust.search.experiment.conditions import NAMED, condition, control, treated
from mistrust.search.mechanisms import MECHANISMS

READ = {"biased_training": "biased", "shift_to_gray": "gray", "overfitting": "overfit"}


def test_every_mechanism_has_a_name_of_its_own():
    assert set(NAMED) == set(MECHANISMS)
    assert len({one.prefix for one in NAMED.values()}) == len(NAMED)


@pytest.mark.parametrize(("mechanism", "way"), READ.items())
def test_conditions_are_those_that_claims_read(mechanism, way):
    assert control(mechanism) == WAYS[way].control
    assert treated(mechanism) == WAYS[way].doses
    known = {condition(mechanism, dose) for dose in MECHANISMS[mechanism].doses}
    assert {WAYS[way].control, *WAYS[way].doses} <= known


def test_a_mechanism_of_one_dose_is_that_dose():
    assert treated("zappos") == ("zappos/75 epochs",)


def test_what_no_mechanism_has_is_refused():
    from mistrust.search.experiment import Parameters

    for given, message in (
        ({"doses": ("200",)}, "200"),
        (
            {"mechanisms": ("few_digits", "overfitting"), "doses": ("20",)},
            "doses names none of mechanism 'overfitting'",
        ),
        ({"mechanisms": ("few_digit",)}, "few_digits"),
        ({"methods": ("adversarial_distanc",)}, "adversarial_distance"),
        ({"methods": ("random",)}, "the first always comes"),
        ({"distance": "deepfol"}, "deepfool"),
        ({"attack_steps": ()}, "one number of attack_steps"),
        ({"authors": 3}, "authors"),
    ):
        with pytest.raises(MistrustError, match=message):
            Parameters.of(given)
