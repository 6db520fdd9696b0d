"""One thing changed at a time: which networks are neighbours, and what the later one's number is over the earlier's."""

import math

import numpy as np
import pytest
from scipy import stats

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.figures.robustness import one_step, steps_of

NOISE = {"table": "random", "metric": "capped mean", "method": "fixed-clipped"}
DISTANCE = {"table": "targeted", "metric": "linf", "method": "adam"}


def measured(values, **more):
    """Rows of single networks: name -> one number per seed."""
    common = {"data": "fmnist", "condition": "all", **NOISE, **more}
    return [
        {**common, "network": name, "seed": seed, "value": value}
        for name, each in values.items()
        for seed, value in enumerate(each)
    ]


def test_neighbours_differ_in_depth_alone_or_in_width_alone():
    """ResNet-20 is no neighbour of ResNet-8; VGG-9 w32 differs from each other VGG in both; MLM's CNN has no family."""
    names = (
        "resnet20-w8",
        "resnet8-w8",
        "resnet14-w8",
        "resnet8-w16",
        "vgg6-w16",
        "vgg9-w32",
        "alexnet8-w8",
        "mlm-cnn",
    )
    found = steps_of(tidy.table(measured(dict.fromkeys(names, (50.0,)))))
    assert found[["kind", "before", "after"]].to_numpy().tolist() == [
        ["deeper", "resnet8-w8", "resnet14-w8"],
        ["deeper", "resnet14-w8", "resnet20-w8"],
        ["wider", "resnet8-w8", "resnet8-w16"],
    ]
    assert (found["value"] == 1).all()


def test_depth_at_one_size_is_told_apart():
    """ResNet-20 w8 is nearly as large as ResNet-8 w16; VGG-9 w16 is a third of VGG-6 w32; AlexNet is another family."""
    sizes = {"resnet8-w16": 78e3, "resnet20-w8": 69e3, "vgg6-w32": 540e3, "vgg9-w16": 184e3, "alexnet8-w16": 70e3}
    noise = measured({name: (10.0 if name == "resnet8-w16" else 5.0,) for name in sizes})
    size = [{**one, "value": sizes[one["network"]]} for one in noise]
    own = [{**one, "table": "networks", "metric": "parameters", "method": ""} for one in size]
    found = steps_of(tidy.table([*noise, *own]))
    assert found[["kind", "before", "after", "value"]].to_numpy().tolist() == [
        ["as large", "resnet8-w16", "resnet20-w8", 0.5]
    ]
    made = one_step(tidy.table([*noise, *own]))
    assert made.alt.endswith("More layers, one size: ResNet-8 w16 to ResNet-20 w8 breaking noise 0.50.")


def test_a_ratio_is_the_geometric_mean_over_the_seeds_that_both_have():
    rows = measured({"vgg6-w16": (10.0, 20.0, 30.0), "vgg9-w16": (20.0, 10.0, 120.0, 999.0)})
    (line,) = steps_of(tidy.table(rows)).to_dict("records")
    assert line["value"] == pytest.approx((2 * 0.5 * 4) ** (1 / 3))
    assert line["n"] == 3
    logs = np.log([2, 0.5, 4])
    half = stats.t.ppf(0.975, 2) * logs.std(ddof=1) / math.sqrt(3)
    assert (line["low"], line["high"]) == pytest.approx(tuple(np.exp(logs.mean() + np.array([-half, half]))))


def test_other_rows_are_left_out():
    """Means over seeds, learning rates that vary, the tight search, other noise, variants of training, other sets."""
    right = measured({"vgg6-w16": (40.0,), "vgg9-w16": (60.0,)}, **DISTANCE)
    wrong = {"vgg6-w16": (1.0,), "vgg9-w16": (500.0,)}
    others = [
        *measured(wrong, **DISTANCE, level=5.0), *measured(wrong, **{**DISTANCE, "method": "tight"}),
        *measured(wrong, method="fresh-clipped"), *measured(wrong, condition="half", **DISTANCE),
        *measured(wrong, data="mnist5k", **DISTANCE),
        *({**one, "seed": None} for one in measured(wrong, **DISTANCE)),
    ]  # fmt: skip
    found = steps_of(tidy.table([*right, *others]))
    assert found[["measure", "value", "n"]].to_numpy().tolist() == [["targeted", 1.5, 1]]
    assert steps_of(tidy.table([*right, *others]), data="mnist5k")["value"].tolist() == pytest.approx([500.0])


@pytest.mark.whole
def test_a_picture_tells_every_pair(all_rows):
    """Made-up noise is 9 more a network: 60 and 69 for AlexNet, 96 and 105 for Inception; seeds are 6 apart."""
    rows = all_rows[all_rows["table"].isin(["random", "targeted"])]
    made = one_step(rows, caption="here")
    assert made == one_step(rows.iloc[::-1], caption="here")
    assert (made.name, made.caption) == ("fig-one-step", "here")
    layers, channels = made.alt.split("More layers: ")[1].split(" More channels: ")
    assert layers.startswith("Inception-14 w8 to Inception-20 w8 breaking noise 1.0")
    assert channels.startswith("AlexNet-6 w16 to AlexNet-6 w32 breaking noise 1.15 (")
    assert "targeted distance 1.07 (" in channels
    assert "nan" not in made.alt


def test_one_seed_has_no_interval():
    made = one_step(tidy.table(measured({"vgg6-w16": (10.0,), "vgg9-w16": (11.0,)})))
    assert made.alt.endswith("More layers: VGG-6 w16 to VGG-9 w16 breaking noise 1.10.")


def test_no_neighbours_are_no_rows_and_no_picture(few_rows):
    assert steps_of(few_rows).empty
    assert steps_of(tidy.empty()).empty
    with pytest.raises(MistrustError, match="no rows for the networks that differ in one thing: run the chapter"):
        one_step(few_rows)


def test_an_unknown_image_set_is_said_with_those_there_are(all_rows):
    with pytest.raises(MistrustError, match=r"no rows of 'gtsrb' for the .*; there are fmnist"):
        one_step(all_rows, data="gtsrb")
