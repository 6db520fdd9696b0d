import random
import signal

import killing
import numpy as np
import pytest
import torch

from mistrust import paths
from mistrust import rows as tidy
from mistrust.data import load
from mistrust.errors import MistrustError
from mistrust.misclassification import experiment
from mistrust.misclassification.experiment import Parameters
from mistrust.misclassification.thumbnails import nearest_images

pytestmark = pytest.mark.whole

TINY = dict(
    data="digits", train_images=400, test_images=120, networks=3, epochs=6, batch=8, levels=(1, 10), resamples=20,
    perturbations=("brightness", "gaussian_noise", "zoom_blur"), calibrated=1, calibration_images=40,
    both_schedules=True,
)  # fmt: skip
TABLES = {
    "abstention", "accuracy", "agreement", "calibration", "drift", "gain", "growth", "levels", "matrix", "misclustered",
    "misses", "nearest", "recipe", "retention", "softmax", "stability", "storage", "thresholds", "variants",
}  # fmt: skip


@pytest.fixture(scope="module")
def kept(run_once):
    """A tiny run, made once for this module."""
    return run_once(experiment.rows, Parameters(**TINY))


@pytest.fixture(scope="module")
def made(kept):
    return kept.rows


class TestRows:
    def test_every_table_is_there_for_every_network_and_the_mean(self, made):
        accuracy = tidy.select(made, table="accuracy")
        assert len(accuracy) == 4 * (2 + 4 * 2)  # clean twice; three perturbations and their mean at two levels
        assert set(made["table"]) == TABLES - {"growth"}  # 120 test images are too few to let a matrix grow
        assert set(accuracy["seed"].dropna()) == {0.0, 1.0, 2.0}
        assert (accuracy[accuracy["seed"].isna()]["over"] == "models").all()

    def test_all_perturbations_are_the_mean_of_each(self, made):
        level = tidy.select(made, table="accuracy", level=10.0, seed=1.0)
        each = level[level["condition"] != "perturbed/all"]
        assert level[level["condition"] == "perturbed/all"]["value"].item() == pytest.approx(each["value"].mean())
        assert each["n"].sum() == level[level["condition"] == "perturbed/all"]["n"].item()

    def test_only_so_many_networks_are_calibrated(self, made):
        found = tidy.select(made, table="calibration", metric="accuracy")
        assert set(found["seed"].dropna()) == {0.0}
        assert (found[found["condition"] != "perturbed/all"]["n"] == 80).all()  # 40 to calibrate on, 80 others
        assert set(found["condition"]) == {f"perturbed/{name}" for name in (*TINY["perturbations"], "all")}

    def test_both_schedules_are_trained_and_the_chosen_one_is_the_networks(self, made):
        for seed in (0.0, 1.0, 2.0):
            own = tidy.select(made, table="accuracy", condition="clean", at="test", seed=seed)["value"].item()
            found = tidy.select(made, table="recipe", at="test", seed=seed).set_index("method")["value"]
            assert found["falling"] == own
        both = tidy.select(made, table="recipe", at="train").pivot(index="seed", columns="method", values="value")
        assert (both["falling"] != both["constant"]).any()

    def test_stability_is_the_mean_over_pairs_with_a_jackknife_interval(self, made):
        found = tidy.select(made, table="stability", method="mean").iloc[0]
        cells = tidy.select(made, table="matrix", method="mean", condition="perturbed/all")
        cells = cells[cells["seed"].notna()].pivot(index="at", columns="seed", values="value")
        pairs = cells.corr("spearman").to_numpy()
        assert found["value"] == pytest.approx(pairs[np.triu_indices(3, 1)].mean())
        # Three networks leave three pairs, each what is left without one network.
        without = np.array([pairs[1, 2], pairs[0, 2], pairs[0, 1]])
        pseudo = 3 * np.arctanh(found["value"]) - 2 * np.arctanh(without)
        half = 4.302653 * pseudo.std(ddof=1) / np.sqrt(3)  # Student's t, two degrees of freedom
        assert np.arctanh(found["high"]) - np.arctanh(found["low"]) == pytest.approx(2 * half, rel=1e-5)

    def test_pictures_kept_as_floats_are_seen_otherwise(self, made):
        found = tidy.select(made, table="storage", metric="largest difference")
        assert (found["value"] >= 0).all()
        assert set(found["level"]) == {1.0, 10.0}

    def test_the_means_are_the_means(self, made):
        cell = tidy.select(made, table="accuracy", condition="perturbed/brightness", level=10.0)
        single = cell[cell["seed"].notna()]["value"]
        assert cell[cell["seed"].isna()]["value"].item() == pytest.approx(single.mean())

    def test_likelihoods_of_a_row_sum_to_one_and_lie_in_their_intervals(self, made):
        one = tidy.select(made, table="matrix", method="quantile=0.05", seed=0.0)
        sums = one.groupby(one["at"].str[0])["value"].sum()
        assert np.allclose(sums, 1)
        assert ((one["low"] <= one["value"] + 1e-12) & (one["value"] <= one["high"] + 1e-12)).mean() > 0.9

    def test_every_interval_stays_in_the_range_of_its_numbers(self, made):
        made = made[~made["method"].str.contains(" minus ")]  # differences have signs
        bounded = made[made["metric"].isin(["accuracy", "likelihood", "share", "top-1 share", "risk"])]
        assert bounded["low"].dropna().ge(0).all()
        assert bounded["high"].dropna().le(1).all()
        signed = made["metric"].isin(["spearman", "spearman within rows", "log score", "accuracy difference"])
        assert made[~signed]["low"].dropna().ge(0).all()
        ends = made[made["metric"].str.startswith("spearman")][["low", "high"]].to_numpy()
        assert np.nanmax(np.abs(ends)) <= 1

    def test_gains_are_paired_by_network(self, made):
        found = tidy.select(made, table="gain", metric="spearman", method="mean minus minimum")
        single = tidy.select(made, table="agreement", metric="spearman", condition="perturbed/all")
        single = single[single["seed"].notna()].pivot(index="seed", columns="method", values="value")
        gain = single["mean"] - single["minimum"]
        assert found["value"].item() == pytest.approx(gain.mean())
        assert found["n"].item() == 3

    def test_misses_and_accuracy_tell_the_same(self, made):
        for seed in (0.0, 1.0, 2.0):
            right = tidy.select(made, table="accuracy", seed=seed, at="test")["value"].item()
            for metric in ("count", "misses"):
                wrong = tidy.select(made, table="misses", seed=seed, metric=metric)["value"].sum()
                assert wrong == round((1 - right) * 120)

    def test_rows_know_what_they_were_made_from(self, made):
        single = made[made["seed"].notna()]
        assert single.groupby("seed")["made"].nunique().eq(1).all()
        assert (single["made"].str.len() == 20).all()


class TestThumbnails:
    def test_they_are_the_images_of_their_rows(self, made):
        images = experiment.image_sets(Parameters(**TINY))[1]
        pixels, cells, words = nearest_images(made, images, seed=0)
        row = tidy.select(made, table="nearest", seed=0.0, method="nearest 1").iloc[0]
        index = cells[row["at"]][0]
        image = row["note"].removeprefix("id ")
        assert f"image {image}, a {row['at'][0]}" in words[index]
        assert words[index].endswith(f"level {row['level']:.0f}")
        assert pixels.dtype == torch.uint8
        assert pixels.shape[1:] == (8, 8)
        assert len(pixels) == len(words) == len(set(words))
        assert all(len(found) == 3 for found in cells.values())


class TestParameters:
    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            ({"data": "digit"}, "Did you mean 'digits'"),
            ({"architecture": "mlm"}, "Did you mean 'mlm-cnn'"),
            ({"perturbations": ("fogg", "brightness")}, "no perturbation 'fogg'"),
            ({"perturbations": ()}, "at least one perturbation"),
            ({"levels": (11,)}, "expected 1 to 10"),
            ({"quantiles": (0.1, 2.0)}, r"'quantiles' is 2.0, expected 0.0 to 1.0"),
            ({"quantiles": (0.1, 0.1)}, "names 0.1 twice"),
            ({"schedule": "rising"}, "expected one of constant, falling"),
            ({"both_schedules": 1}, "expected true or false"),
            ({"networks": "two"}, "expected int"),
            ({"levels": (1, 1)}, "names 1 twice"),
            ({"test_images": 10**6}, "has 500 test images"),
            ({"example": 10}, "classes 0 to 9 .*must hold it"),
            ({"calibration_images": 120}, "some must be left to check on"),
        ],
    )
    def test_wrong_ones_are_refused_with_the_way_out(self, wrong, message):
        with pytest.raises(MistrustError, match=message):
            experiment.rows(Parameters(**(TINY | wrong)))

    def test_every_parameter_has_help(self):
        assert all(about["help"] for about in Parameters.describe())


@pytest.mark.parametrize(
    "other",
    [
        {"networks": 1, "perturbations": ("fog",), "levels": (3,)},
        {"networks": 2, "quantiles": (), "calibrated": 0},
        {"networks": 1, "test_images": 30, "calibration_images": 10, "quantiles": (0.0, 1.0)},
        {"networks": 1, "levels": (10, 1), "both_schedules": False},
    ],
)
def test_small_and_odd_runs_give_rows(other, kept, copied):
    copied(kept)  # the networks are those of the tiny run
    found = experiment.rows(Parameters(**(TINY | other)))
    assert {"accuracy", "matrix", "abstention"} <= set(found["table"])
    assert np.isfinite(found["value"]).all()


def test_a_run_large_enough_tells_what_more_images_do(kept, copied):
    copied(kept)
    parameters = Parameters(**(TINY | {"test_images": 210, "networks": 1, "calibrated": 0, "both_schedules": False}))
    found = tidy.select(experiment.rows(parameters), table="growth", seed=0.0)
    assert set(found["at"]) == {"n=100"}
    assert set(found["method"]) == {"minimum", "quantile=0.05"}


def test_a_subset_is_drawn_by_seed_and_keeps_ids():
    first, _ = experiment.image_sets(Parameters(**TINY))
    other, _ = experiment.image_sets(Parameters(**(TINY | {"seed": 1})))
    whole = load("digits", "train")
    assert len(first) == 400
    assert set(first.ids.tolist()) < set(whole.ids.tolist())
    assert set(first.ids.tolist()) != set(other.ids.tolist())


def test_killed_again_and_again_it_goes_on_and_gives_the_rows_of_an_unbroken_run(house, run_once, monkeypatch):
    few = {"networks": 2, "epochs": 4, "both_schedules": False, "perturbations": ("brightness", "gaussian_noise")}
    parameters = Parameters(**(TINY | few))
    unbroken = run_once(experiment.rows, parameters).rows
    monkeypatch.setenv("MISTRUST_ENGINE", "inline")
    things = lambda: list(paths.store().glob("*/[!.]*"))  # noqa: E731
    chance = random.Random(7)
    kills, before = 0, -1
    for _ in range(200):
        with killing.running(experiment.rows, parameters) as process:
            # Once it has brought something new into the store, and a little later: each goes further than the last.
            killing.until(lambda p=process, seen=before: len(things()) > seen or p.exitcode is not None, 120)
            process.join(chance.uniform(0, 0.3))
        if process.exitcode == 0:
            break
        kills += 1
        assert process.exitcode == -signal.SIGKILL
        before = len(things())
    assert process.exitcode == 0, "it never came to its end"
    assert kills >= 3
    assert tidy.text(experiment.rows(parameters)) == tidy.text(unbroken)
