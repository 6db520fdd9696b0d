"""What all calls ask of numbers, of several numbers, and of sets of images."""

from math import inf, isnan, nan

import numpy as np
import pytest
import torch

from mistrust.data import load
from mistrust.errors import MistrustError
from mistrust.inputs import to_uint8
from mistrust.inputs.limits import as_tensor, check_made, check_set, number, whole, whole_numbers, within


@pytest.mark.parametrize("value", [2, 2.0, np.int64(2), np.float32(2), torch.tensor(2), torch.tensor([2.0])])
def test_numbers_of_any_kind_are_numbers(value):
    assert number("it", value) == within("it", value, 0) == whole("it", value, 0, 2) == 2
    assert isinstance(whole("it", value, 0), int)


def test_a_whole_number_beyond_those_that_floats_tell_apart_stays_what_it_is():
    assert whole("it", 2**53 + 1, -inf) == 2**53 + 1


@pytest.mark.parametrize("value", ["2", b"2", None, [2], 2j, torch.ones(2), np.ones(2), 10**400])
def test_what_is_none_is_refused(value):
    for call in (number, lambda what, one: within(what, one, 0), lambda what, one: whole(what, one, 0)):
        with pytest.raises(MistrustError, match=r"^it is .*, expected a number\.$"):
            call("it", value)


@pytest.mark.parametrize(
    ("value", "low", "high", "message"),
    [
        (3, 0, 2, r"it is 3, expected a number in \[0, 2\]"),
        (-1, 0, inf, "it is -1, expected a number of at least 0"),
        (nan, 0, inf, "it is nan, expected a number of at least 0"),
        (inf, 0, inf, "it is inf, expected a number of at least 0"),
        (nan, -inf, inf, "it is nan, expected a number that is finite"),
    ],
)
def test_limits(value, low, high, message):
    for call in (within, whole):
        with pytest.raises(MistrustError, match=message):
            call("it", value, low, high)


def test_infinite_numbers_and_nan_are_numbers():
    assert number("it", inf) == inf
    assert isnan(number("it", nan))


def test_several_numbers_become_a_tensor():
    for values in ([1, 2], (1, 2), np.array([1, 2]), torch.tensor([1, 2]), range(1, 3)):
        assert torch.equal(as_tensor("They", values), torch.tensor([1, 2]))
        assert torch.equal(whole_numbers("They", values), torch.tensor([1, 2]))
    assert whole_numbers("They", []).dtype == torch.int64
    for wrong, told in ((None, "None"), ("ab", "'ab'"), (["a"], r"\['a'\]"), ([[1], [2, 3]], r"\[\[1\], \[2, 3\]\]")):
        with pytest.raises(MistrustError, match=f"They are {told}, expected numbers: a tensor, an array or a list"):
            as_tensor("They", wrong)
    for wrong in ([0.5, 1.0], [True, False], [1j]):
        with pytest.raises(MistrustError, match=r"They are torch\..*, expected whole numbers such as int64"):
            whole_numbers("They", wrong)


def test_a_set_of_images():
    check_set("this", load("digits", "test"))
    with pytest.raises(
        MistrustError, match=r"this takes an ImageSet, .* got Tensor\. Make one: ImageSet\(name, images,"
    ):
        check_set("this", torch.zeros(1, 1, 2, 2))
    with pytest.raises(
        MistrustError, match=r"this takes an ImageSet, got the name 'digits'\. Read it: load\('digits', 'test'\)\."
    ):
        check_set("this", "digits")


def test_images_that_were_made_have_the_shape_of_what_they_were_made_of():
    check_made("This", torch.zeros(4, 1, 2, 2), torch.Size((4, 1, 2, 2)))
    check_made("This", torch.zeros(0, 1, 2, 2), (0, 1, 2, 2))
    for made, found in (
        (torch.zeros(1, 1, 2, 2), r"shape \(1, 1, 2, 2\)"),
        (torch.zeros(1, 2, 2), r"shape \(1, 2, 2\)"),
        (torch.zeros(()), r"shape \(\)"),
        (np.zeros((4, 1, 2, 2)), "type ndarray"),
    ):
        with pytest.raises(MistrustError, match=rf"^This gives images of {found}, expected .* shape \(4, 1, 2, 2\): "):
            check_made("This", made, (4, 1, 2, 2))


@pytest.mark.parametrize(
    ("images", "message"),
    [
        ([[0.5]], "Images are of type list, expected a torch tensor"),
        (None, "Images are of type NoneType"),
        (torch.ones(1, 1, 2, 2, dtype=torch.uint8), r"are torch\.uint8, expected floats in \[0, 1\]"),
    ],
)
def test_grey_levels_of_what_are_no_images(images, message):
    with pytest.raises(MistrustError, match=message):
        to_uint8(images)
