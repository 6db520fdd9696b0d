"""The key of a classifier follows its weights, and what its network cannot take is told."""

import pickle
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.networks import Classifier, check_images, observe, wrap
from mistrust.supervisors import Fixed, Monitor, make_supervisor

CLASSES = ("cat", "dog")


def network(weight=0.5):
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten(), nn.Linear(8, 2))
    for values in net.parameters():
        nn.init.constant_(values, weight)
    return net.to(memory_format=torch.channels_last)


class TestKey:
    def test_golden_keys_that_stores_hold(self):
        assert wrap(network(), CLASSES).key == "03ca7fcd93b3f1e9da26"
        assert wrap(network(), CLASSES, name="mine").key == "5e1a5935a0213771f6b0"
        assert wrap(torch.flatten, CLASSES).key == "5eb2da9c26b65531549c"
        assert wrap(network(), CLASSES, key="given").key == "given"

    @pytest.mark.parametrize("key", [None, "given"])
    def test_weights_that_change_in_place_change_it_and_back(self, key):
        one = wrap(network(), CLASSES, key=key)
        before = one.key
        for change in (
            lambda net: net[0].weight.data.mul_(2),  # which torch does not count
            lambda net: net.load_state_dict(network(0.1).state_dict()),
            lambda net: net[1].running_mean.add_(1),
            lambda net: net.double(),
        ):
            change(one.network)
            assert one.key != before
            assert one.key == wrap(one.network, CLASSES).key
            one.network.float().load_state_dict(network().state_dict())
            assert one.key == before

    def test_copies_elsewhere_keep_it(self):
        one = wrap(network(), CLASSES, key="given")
        for other in (one.to("cpu"), deepcopy(one), pickle.loads(pickle.dumps(one)), replace(one, mean=(0.5,))):
            assert other.key == "given"
        with torch.no_grad():
            one.network[0].weight.add_(1)
        assert one.to("cpu").key == one.key != "given"

    def test_no_key_without_plain_weights_but_the_one_that_is_given(self):
        class Stateful(nn.Flatten):
            def get_extra_state(self):
                return object()

            def set_extra_state(self, state):
                pass

        assert wrap(Stateful(), CLASSES, key="given").key == "given"
        with pytest.raises(MistrustError, match=r"cannot be told from others: .*wrap\(\.\.\., key="):
            wrap(Stateful(), CLASSES).key  # noqa: B018

    def test_a_classifier_needs_one(self):
        with pytest.raises(TypeError, match="key"):
            Classifier(network(), CLASSES, "mine")


class TestImages:
    @pytest.mark.parametrize(
        ("images", "message"),
        [
            (
                torch.zeros(2, 1, 9, 9),
                r"'yours' failed on images of shape \(2, 1, 9, 9\) \(torch.float32\): mat1 and mat2",
            ),
            (torch.zeros(2, 3, 4, 4), r"shape \(2, 3, 4, 4\) .* Give it images of the size, the channels and the type"),
            (torch.zeros(2, 1, 4, 4).double(), r"shape \(2, 1, 4, 4\) \(torch.float64\)"),
            (torch.zeros(2, 1, 4, 4).numpy(), r"of type ndarray, expected a torch tensor: torch.as_tensor\(images\)"),
            ([[0.5]], "of type list, expected a torch tensor"),
            (None, "of type NoneType, expected a torch tensor"),
        ],
    )
    def test_what_the_network_cannot_take(self, images, message):
        with pytest.raises(MistrustError, match=message):
            wrap(network(), CLASSES)(images)

    def test_a_set_and_an_array(self):
        images = ImageSet("two", torch.zeros(2, 1, 4, 4), torch.arange(2), torch.arange(2), CLASSES)
        with pytest.raises(
            MistrustError, match=r"of type ImageSet, .*: images.images, or observe\(classifier, images\)"
        ):
            wrap(network(), CLASSES)(images)
        with pytest.raises(MistrustError, match="of type ndarray, expected a torch tensor"):
            check_images(images.images.numpy())

    def test_the_cause_is_kept(self):
        with pytest.raises(MistrustError) as caught:
            wrap(network(), CLASSES)(torch.zeros(2, 1, 9, 9))
        assert isinstance(caught.value.__cause__, RuntimeError)

    def test_memory_that_does_not_suffice_is_no_wrong_image(self):
        def greedy(images):
            raise torch.OutOfMemoryError("no memory")

        with pytest.raises(torch.OutOfMemoryError):
            wrap(greedy, CLASSES)(torch.zeros(2, 1, 4, 4))

    @pytest.mark.parametrize("dtype", [torch.int64, torch.bool])
    def test_zeros_and_ones_may_be_whole_numbers(self, dtype):
        images = torch.eye(4).expand(2, 1, 4, 4)
        one = wrap(network(), CLASSES, mean=0.3, std=0.7)
        assert torch.equal(one(images.to(dtype)), one(images))


@pytest.mark.parametrize("given", [0.5, torch.tensor(0.5), np.float32(0.5), torch.tensor([0.5]), np.array([0.5])])
def test_mean_and_std_are_kept_as_plain_numbers(given):
    one = wrap(torch.nn.Flatten(), ["a", "b"], mean=given, std=given)
    assert one.mean == one.std == (0.5,)
    assert {type(number) for number in (*one.mean, *one.std)} == {float}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wrap(torch.nn.Flatten(), 10), "classes are 10, expected their names"),
        (lambda: wrap(torch.nn.Flatten(), ["a", "b"], mean="half"), "mean is 'half', expected a number"),
        (lambda: wrap(torch.nn.Flatten(), ["a", "b"], std=[[0.5], None]), "std is .*, expected a number"),
        (lambda: wrap(torch.nn.Flatten(), ["a", "b"], std=0), "std is 0, expected numbers above 0: the network sees"),
        (lambda: wrap(torch.nn.Flatten(), ["a", "b"], std=[0.5, float("nan")]), "std is .*, expected .* all finite"),
        (lambda: wrap(torch.nn.Flatten(), ["a", "b"], std=float("inf")), "std is inf, expected .* all finite"),
        (lambda: wrap(torch.nn.Flatten(), ["a", "b"], mean=float("nan")), "mean is nan, expected .* all finite"),
        (lambda: wrap(torch.nn.Flatten(), ["a", "b"], mean=[]), r"mean is \[\], expected a number"),
        (lambda: wrap(torch.nn.Flatten(), ["a", "b"], name=None), "name is None, expected a text"),
        (lambda: wrap(torch.nn.Flatten(), ["a", "b"], name=5), "name is 5, expected a text"),
        (lambda: wrap(torch.nn.Flatten(), "cat"), "classes are 'cat', expected their names"),
        (lambda: wrap("net.pt", ["a", "b"]), "The network is a str, expected a torch module or a function of images"),
    ],
)
def test_what_wrap_cannot_take(call, message):
    with pytest.raises(MistrustError, match=message):
        call()


@pytest.mark.parametrize("kind", [torch.float64, torch.float16])
def test_a_network_of_another_kind_of_numbers_is_told_the_way_out(kind):
    network = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(4, 2)).to(kind)
    with pytest.raises(MistrustError, match=rf"Its weights are {kind}, .* wrap\(network.float\(\), ...\)"):
        wrap(network, ["a", "b"])(torch.zeros(3, 1, 2, 2))


class TestProbabilities:
    IMAGES = torch.zeros(3, 1, 2, 2)

    @pytest.mark.parametrize(
        ("rows", "message"),
        [
            ([[2.0, -1.0], [0.5, 0.5], [0.5, 0.5]], r"'yours' gives numbers down to -1, .* Take outputs=.logits"),
            ([[0.5, 0.5], [0.0, 0.0], [0.5, 0.5]], r"sum to between 0 and 1, .* promises 1\. Take outputs=.logits"),
            ([[90.0, 10.0], [50.0, 50.0], [1.0, 99.0]], r"sum to between 100 and 100, .*divide percentages by 100"),
            ([[0.5, 0.6], [0.5, 0.5], [0.5, 0.5]], r"sum to between 1 and 1.1"),
        ],
    )
    @pytest.mark.parametrize("kind", [torch.float16, torch.float32, torch.float64])
    def test_rows_that_are_none(self, rows, message, kind):
        with pytest.raises(MistrustError, match=message):
            wrap(lambda _: torch.tensor(rows, dtype=kind), CLASSES, outputs="probabilities")(self.IMAGES)

    @pytest.mark.parametrize("classes", [2, 10, 1000])
    @pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16, torch.float32, torch.float64])
    def test_rounding_is_none_of_their_faults(self, classes, kind):
        drawn = 5 * torch.randn(400, classes, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
        rows = drawn.softmax(1).to(kind)
        one = wrap(lambda _: rows, [str(i) for i in range(classes)], outputs="probabilities")
        assert torch.equal(one(torch.zeros(400, 1, 2, 2)).argmax(1), rows.argmax(1))

    def test_two_digits_and_a_difference_that_rounds_below_0(self):
        for rows in ([[0.33, 0.33, 0.33]] * 3, [[1.0, 3e-8, -3e-8]] * 3):
            given = torch.tensor(rows)
            said = wrap(lambda _, given=given: given, ["a", "b", "c"], outputs="probabilities")(self.IMAGES)
            assert torch.equal(said.argmax(1), torch.zeros(3, dtype=torch.int64))

    def test_no_images_and_nan_are_for_others(self):
        one = wrap(lambda x: x.flatten(1)[:, :2] + torch.nan, CLASSES, outputs="probabilities")
        assert one(self.IMAGES[:0]).shape == (0, 2)
        assert bool(one(self.IMAGES).isnan().all())


class TestWaysOut:
    IMAGES = torch.rand(6, 1, 2, 2, generator=torch.Generator().manual_seed(1))

    def test_of_other_outputs(self):
        network = nn.Sequential(nn.Flatten(), nn.Linear(4, 2))
        for given, told in (
            (lambda x: {"loss": 0, "logits": network(x)}, r"gave a dict, .*\[.logits.\], classes\)"),
            (lambda x: (network(x), x), r"gave a tuple, .*network\(x\)\[0\], classes\)"),
            (lambda x: network(x).detach().numpy(), r"gave a ndarray, .*torch.as_tensor\(network\(x\)\)"),
            (lambda x: None, "gave a NoneType, .* Wrap a function that takes"),
        ):
            with pytest.raises(MistrustError, match=told):
                wrap(given, CLASSES)(self.IMAGES)

    def test_of_one_logit_or_probability(self):
        network = nn.Sequential(nn.Flatten(), nn.Linear(4, 1))
        with pytest.raises(MistrustError, match=r"of shape \(6, 1\), expected \(6, 2\).*logit z .*-z / 2, z / 2"):
            wrap(network, CLASSES)(self.IMAGES)
        with pytest.raises(MistrustError) as told:
            wrap(network, ("a", "b", "c"))(self.IMAGES)
        assert "sigmoid" not in str(told.value)

        def logits(x):
            z = network(x)
            return torch.cat([-z / 2, z / 2], 1)

        def probabilities(x):
            p = network(x).sigmoid()
            return torch.cat([1 - p, p], 1)

        expected = network(self.IMAGES).sigmoid()[:, 0]
        for one in (wrap(logits, CLASSES), wrap(probabilities, CLASSES, outputs="probabilities")):
            torch.testing.assert_close(one(self.IMAGES).softmax(1)[:, 1], expected)

    def test_of_scikit_learn(self):
        model = LogisticRegression().fit(self.IMAGES.flatten(1).numpy(), [0, 1, 0, 1, 0, 1])
        with pytest.raises(MistrustError, match=r"is a LogisticRegression, expected .*predict_proba\(x.flatten\(1\)"):
            wrap(model, CLASSES)
        with pytest.raises(MistrustError, match=r"failed on images .*predict_proba\(x.flatten\(1\)\.numpy"):
            wrap(model.predict_proba, CLASSES)(self.IMAGES)
        said = wrap(
            lambda x: torch.as_tensor(model.predict_proba(x.flatten(1).numpy())), CLASSES, outputs="probabilities"
        )
        expected = model.predict_proba(self.IMAGES.flatten(1).numpy())
        np.testing.assert_allclose(said(self.IMAGES).softmax(1).numpy(), expected)

    def test_of_a_loader(self):
        images = ImageSet("six", self.IMAGES, torch.arange(6) % 2, torch.arange(6), CLASSES)
        loader = DataLoader(TensorDataset(images.images, images.labels), 4)
        one = wrap(nn.Sequential(nn.Flatten(), nn.Linear(4, 2)), CLASSES)
        monitor = Monitor.fit(one, make_supervisor("max_softmax"), images, images, Fixed(0.0))
        for asked in (
            lambda: one(loader),
            lambda: monitor(loader),
            lambda: ImageSet("six", loader, images.labels, images.ids, CLASSES),
        ):
            with pytest.raises(MistrustError, match=r"DataLoader.*torch.cat\(\[x for x, _ in loader\]\)"):
                asked()
        assert torch.equal(torch.cat([x for x, _ in loader]), images.images)

    def test_of_a_tensor_that_observe_is_given(self):
        one = wrap(nn.Sequential(nn.Flatten(), nn.Linear(4, 2)), CLASSES)
        with pytest.raises(MistrustError, match=r"arange\(n\), classes\)\. Of a tensor alone classifier\(images\)"):
            observe(one, self.IMAGES)
