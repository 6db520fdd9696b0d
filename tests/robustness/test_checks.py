"""Each wrong classifier, image and setting, with its message; the misclassified kept apart."""

import pytest
import torch
from linear_rows import CLASSES, image_set, linear, random_linear
from torch import nn
from torch.nn import functional

from mistrust import random
from mistrust.errors import MistrustError
from mistrust.networks import wrap
from mistrust.robustness.breaking import breaking
from mistrust.robustness.checks import check_block, check_seeds, forward, probability_of, starting_points, steps
from mistrust.robustness.ddn import ddn
from mistrust.robustness.gradient import linear_estimate

TWO = linear([[0.0, 0.0], [1.0, -1.0]], [0.0, 0.0])
ROWS = image_set([[0.9, 0.1], [0.1, 0.9], [0.8, 0.1]], [1, 0, 0], [11, 4, 7])


def flat(module):
    return wrap(nn.Sequential(nn.Flatten(), module), CLASSES, name="mine")


class TestStartingPoints:
    def test_the_misclassified_are_kept_apart(self):
        start = starting_points(TWO, ROWS)
        assert start.images.ids.tolist() == [11, 4]
        assert start.misclassified.tolist() == [7]
        assert torch.allclose(start.logits, torch.tensor([[0, 0.8], [0, -0.8]]).double(), atol=1e-6)
        assert start.pixels.dtype == torch.float64
        assert torch.equal(start.pixels.float(), start.images.images)

    @pytest.mark.parametrize("block", [1, 7, 1000])
    def test_blocks_change_nothing(self, block):
        network, images, _, _ = random_linear(wrong=5)
        start = starting_points(network, images, block)
        assert torch.equal(start.misclassified, images.ids[:5])
        assert torch.equal(start.images.ids, images.ids[5:])
        assert torch.allclose(start.logits, starting_points(network, images).logits, rtol=1e-12)

    def test_none_right(self):
        wrong = image_set([[0.9, 0.1], [0.8, 0.1]], [0, 0])
        with pytest.raises(MistrustError, match=r"Of 2 images of 'rows', 'linear' classifies none correctly.*mean and"):
            starting_points(TWO, wrong)

    def test_no_images(self):
        with pytest.raises(MistrustError, match="holds no image: there is no prediction to change"):
            starting_points(TWO, ROWS.take([]))

    def test_a_tensor(self):
        with pytest.raises(MistrustError, match="Images are a Tensor, expected an ImageSet"):
            starting_points(TWO, ROWS.images)

    def test_pixels_outside_0_to_1(self):
        with pytest.raises(MistrustError, match=r"reach from 0.1 to 9, expected \[0, 1\]"):
            starting_points(TWO, image_set([[9, 0.1]], [1]))

    def test_other_classes(self):
        with pytest.raises(MistrustError, match=r"'linear' knows the classes \('0', '1'\), the images of 'rows' have"):
            starting_points(TWO, image_set([[0.9, 0.1]], [1], classes=("cat", "dog")))

    def test_no_room(self):
        with pytest.raises(MistrustError, match="block is 0, expected the number of images"):
            starting_points(TWO, ROWS, 0)


class TestOutputs:
    def test_probabilities_in_place_of_logits(self):
        with pytest.raises(
            MistrustError, match=r"'mine' seems to give probabilities.*Wrap it with outputs=.probabilities"
        ):
            starting_points(flat(nn.Sequential(nn.Linear(2, 2), nn.Softmax(1))), ROWS)

    def test_probabilities_that_are_said_to_be_some_are_well(self):
        said = wrap(lambda x: forward(TWO, x.double()).softmax(1), CLASSES, outputs="probabilities")
        start = starting_points(said, ROWS)
        assert start.misclassified.tolist() == [7]
        assert torch.allclose(start.logits.softmax(1), starting_points(TWO, ROWS).logits.softmax(1))

    def test_pixels_beyond_0_to_1_and_a_row_that_sums_to_1_pass_later_on(self):
        beyond = torch.tensor([[[[2.0, 1.0]]]]).double()
        assert torch.equal(forward(TWO, beyond), torch.tensor([[0.0, 1.0]]).double())
        with pytest.raises(MistrustError, match="Images range from 1 to 2"):
            TWO(beyond)

    def test_not_finite(self):
        with pytest.raises(MistrustError, match=r"'mine' gave NaN or infinite outputs. Check its weights"):
            starting_points(wrap(lambda x: x.flatten(1) / 0, CLASSES, name="mine"), ROWS)

    def test_not_finite_in_a_later_block(self):
        """argmax of a row of NaN is its first class: the image would count as right."""

        def last(x):
            logits = 10 * torch.stack([1 - x.flatten(1)[:, 0], x.flatten(1)[:, 0]], 1)
            logits[x.flatten(1)[:, 0] > 0.85] = torch.nan
            return logits

        images = image_set([[0.8, 0.1], [0.1, 0.9], [0.9, 0.1]], [1, 0, 0])
        for search in (starting_points, linear_estimate, ddn, breaking):
            with pytest.raises(MistrustError, match="'mine' gave NaN or infinite outputs"):
                search(flat(Given(last)), images, block=2)


class Given(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


class TestChance:
    def test_a_network_in_training_mode(self):
        network = flat(nn.Linear(2, 2))
        network.module.train()
        with pytest.raises(MistrustError, match=r"'mine' is in training mode \(the whole network, 0, 1\).*module.eval"):
            starting_points(network, ROWS)

    def test_dropout_left_on_by_itself(self):
        network = flat(nn.Sequential(nn.Linear(2, 8), nn.Dropout(), nn.Linear(8, 2)))
        network.module[1][1].train()
        with pytest.raises(MistrustError, match=r"'mine' is in training mode \(1.1\)"):
            starting_points(network, ROWS)

    def test_dropout_that_is_no_layer(self):
        fields = iter(random.normal(0, "dropout", torch.arange(200), (3, 2)))
        two_passes = wrap(lambda x: functional.relu(next(fields)[: len(x)]) * x.flatten(1), CLASSES, name="mine")
        with pytest.raises(
            MistrustError, match=r"'mine' gives logits that differ by .* in two passes.*dropout left on"
        ):
            starting_points(two_passes, ROWS)


class TestSettings:
    def test_steps(self):
        assert steps(1, 4).tolist() == [1, 2, 3, 4]
        assert len(steps(0.1, 51)) == 510

    @pytest.mark.parametrize(
        ("step", "cap", "message"),
        [
            (4, 510, "cap is 510, expected a whole multiple of step 4, such as 512"),
            (600, 510, "cap is 510, expected a whole multiple of step 600, such as 600"),
            (0, 510, "step is 0, expected a number of at least"),
            (1, -3, "cap is -3, expected a number of at least"),
        ],
    )
    def test_wrong_ones(self, step, cap, message):
        with pytest.raises(MistrustError, match=message):
            steps(step, cap)

    @pytest.mark.parametrize("seeds", [(), (1, 2, 1)])
    def test_seeds(self, seeds):
        with pytest.raises(MistrustError, match="expected at least one, and no two alike"):
            check_seeds(seeds)

    def test_probabilities_lie_below_1(self):
        assert (probability_of("p", 0.5, 0.5), probability_of("p", 1 - 1e-12)) == (0.5, 1 - 1e-12)
        for low, limits in ((0.0, r"\(0, 1\)"), (0.5, r"\[0.5, 1\)")):
            for value in (1, 1.5, 0, -0.1, float("nan")):
                with pytest.raises(MistrustError, match=rf"p is {value:g}, expected a number in {limits}"):
                    probability_of("p", value, low)
        with pytest.raises(MistrustError, match="p is 'x', expected a number"):
            probability_of("p", "x")

    def test_block(self):
        with pytest.raises(MistrustError, match="block is -1"):
            check_block(-1)
