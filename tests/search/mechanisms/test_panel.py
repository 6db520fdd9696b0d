"""Panels: what a trained network gives to a search, and the gates before a conclusion."""

import numpy as np
import pytest
import torch

from mistrust.errors import MistrustError
from mistrust.networks import Recipe, observe
from mistrust.search import calibration
from mistrust.search.mechanisms import MECHANISMS, Sizes, features, panel, panel_spec
from mistrust.search.pool import Pool
from mistrust.search.tables.panels import network
from mistrust.store.specs import canonical

SIZES, RECIPE = Sizes(40, 60, 300), Recipe(epochs=6, batch=32, rate=1e-3, optimiser="adam")
SMALL = dict(sizes=SIZES, recipe=RECIPE)


@pytest.fixture(scope="module")
def small(tmp_path_factory, cellar):
    """One panel for all tests, in a store of its own."""
    patch = pytest.MonkeyPatch()
    patch.setenv("MISTRUST_STORE", str(tmp_path_factory.mktemp("store")))
    patch.setenv("MISTRUST_CACHE", str(cellar))
    yield panel("few_digits", "30", 0, device="cpu", **SMALL)
    patch.undo()


class TestPanel:
    def test_its_parts_and_recipe_are_the_mechanisms(self, small):
        parts = MECHANISMS["few_digits"].parts("30", 0, SIZES)
        assert small.parts.train.checksum == parts.train.checksum
        assert small.parts.test.checksum == parts.test.checksum
        assert small.classes == ("3", "5")
        assert small.accuracy["train"] > 0.8

    def test_confidence_is_the_calibrated_softmax_in_float64(self, small):
        validation = observe(small.classifier, small.parts.validation)
        again = calibration.fit_temperature(validation.logits, validation.labels)
        assert small.temperature == again
        shares = torch.from_numpy(small.logits).div(again.value).softmax(1)
        assert small.confidence.dtype == np.float64
        assert np.abs(shares.max(1).values.numpy() - small.confidence).max() < 1e-12
        # Calibration changes no class: that is why the attack may ask the network as it is.
        test = observe(small.classifier, small.parts.test)
        assert np.array_equal(test.predicted.numpy(), small.predicted)
        assert np.array_equal(~test.correct.numpy(), small.errors)
        assert small.accuracy["test"] == pytest.approx(1 - small.errors.mean())

    @pytest.mark.parametrize("critical", ["3", "5"])
    def test_the_pool_is_what_is_called_critical_with_confidence_strictly_above(self, small, critical):
        pool, label = small.pool(critical), small.classes.index(critical)
        assert isinstance(pool, Pool)
        test = small.parts.test
        expected = [
            (int(test.ids[i]), small.confidence[i], tuple(small.features[i]))
            for i in range(len(test))
            if small.predicted[i] == label and small.confidence[i] > 0.65
        ]
        rows = zip(pool.ids.tolist(), pool.confidence, map(tuple, pool.features), strict=True)
        assert list(rows) == expected
        assert len(expected) > 50
        edge = float(np.sort(pool.confidence)[10])
        assert len(small.pool(critical, edge)) == (pool.confidence > edge).sum() == len(pool) - 11

    def test_its_rows_are_of_the_images_and_confidences_that_they_name(self, small):
        rows = {row["metric"]: row for row in network(small) if row["table"] == "panel"}
        parts = {"accuracy": "test", "validation accuracy": "validation", "training accuracy": "train"}
        for metric, part in parts.items():
            images = getattr(small.parts, part)
            right = (small.classifier(images.floats()).argmax(1) == images.labels).double().mean()
            assert (rows[metric]["value"], rows[metric]["n"]) == (pytest.approx(float(right)), len(images))
        assert len({rows[metric]["value"] for metric in parts}) == 3  # so that none could stand for another
        bare = torch.from_numpy(small.logits).softmax(1).amax(1).numpy()
        for metric, confidence in (("ece before", bare), ("ece", small.confidence)):
            place, gap = np.minimum((confidence * 15).astype(int), 14), ~small.errors - confidence
            expected = sum(abs(gap[place == one].sum()) for one in range(15)) / len(gap)
            assert rows[metric]["value"] == pytest.approx(expected)
        assert rows["ece before"]["value"] != pytest.approx(rows["ece"]["value"], abs=0.01)

    def test_images_truth_and_oracle_go_with_the_pool(self, small):
        pool, images, truth = small.pool("3"), small.images("3"), small.truth("3")
        assert images.ids.tolist() == pool.ids.tolist()
        assert np.array_equal(truth, images.labels.numpy() != 0)
        assert [small.oracle(id) for id in pool.ids.tolist()] == truth.tolist()
        with pytest.raises(MistrustError, match="No test image of 'few_digits' has the id -1"):
            small.oracle(-1)

    def test_features_are_fitted_on_the_whole_test_set(self, small):
        assert np.array_equal(small.features, features(small.parts.test))
        assert small.features.shape == (300, 5)

    @pytest.mark.whole
    def test_another_seed_another_panel_and_the_spec_says_so(self, small):
        other = panel("few_digits", "30", 1, device="cpu", **SMALL)
        assert other.parts.test.ids.tolist() != small.parts.test.ids.tolist()
        assert other.classifier.key != small.classifier.key
        specs = [
            panel_spec("few_digits", "30", 0, **SMALL),
            panel_spec("few_digits", "30", 1, **SMALL),
            panel_spec("few_digits", "20", 0, **SMALL),
            panel_spec("few_digits", "30", 0, sizes=SIZES),
            panel_spec("few_digits", "30", 0, recipe=RECIPE),
        ]
        assert len({canonical(spec) for spec in specs}) == 5
        assert canonical(panel_spec("few_digits", "30", 0, **SMALL)) == canonical(specs[0])

    def test_what_cannot_be(self, small):
        with pytest.raises(MistrustError, match="no critical class '4'"):
            small.pool("4")
        with pytest.raises(MistrustError, match=r"predicted '3' with a confidence above 1: the highest is 0\.\d+|1\.0"):
            small.pool("3", 1.0)
        with pytest.raises(MistrustError, match=r"no mechanism 'few_digit'. Did you mean 'few_digits'"):
            panel("few_digit", "30", 0)
        with pytest.raises(MistrustError, match="The seed is -1"):
            panel("few_digits", "30", -1)
