"""Why monitors find what they find, from rows; and the two facts of arithmetic that the page tells."""

import re

import pytest
import torch

from mistrust import rows as tidy
from mistrust.errors import NoRows
from mistrust.figures.monitoring import accuracies, by_category, controls, disturbed, novelties, rated, tied
from mistrust.monitoring.rereading import composed, paper_share
from mistrust.supervisors.alooc import rebuilding_entropy
from mistrust.supervisors.boxes.distance import Boxes, outside

NAN = float("nan")
HERE = {"data": "gtsrb-thin", "network": "farm-lenet"}


def found_at(condition, value, metric="fpr95", method="oob", level=NAN, **more):
    return {"table": "detection", "condition": condition, "metric": metric, "method": method, "value": value,
            "level": level, **HERE, **more}  # fmt: skip


def test_only_exactly_all_counts_as_tied():
    found = tidy.table([
        found_at("shift/fog", 1.0, level=2), found_at("shift/fog", 1 - 1e-9, level=5), found_at("noise/spatter", 1.0),
        found_at("shift/fog", 1.0, level=2, seed=0), found_at("shift/fog", 1.0, network="resnet20"),
        found_at("shift/fog", 1.0, method="odin"),
    ])  # fmt: skip
    assert tied(found, "oob", data="gtsrb-thin", network="farm-lenet") == "2 of 3"
    assert tied(found, "oob") == "3 of 4"
    assert tied(found, "oob", data="cifar10") == "not run"


def test_categories_are_means_over_their_sets_and_all_over_all():
    found = tidy.table([
        found_at("shift/fog", 1.0, level=2), found_at("shift/snow", 0.5, level=2), found_at("noise/spatter", 0.3),
        found_at("noise/spatter", 0.3, method="knn"), found_at("noise/spatter", 0.9, method="odin"),
    ])  # fmt: skip
    lines = by_category(found).set_index("monitor")
    assert lines.loc["OOB", ["Shift", "Noise", "All sets", "sets where all alarm"]].tolist() == [
        "0.75", "0.30", "0.60", "1 of 3",
    ]  # fmt: skip
    assert lines.loc["ODIN", ["Shift", "Noise"]].tolist() == ["–", "0.90"]
    assert "KNN" not in lines.index
    with pytest.raises(NoRows, match="auroc of the three monitors"):
        by_category(found, "auroc")


def test_accuracy_and_detection_are_paired_by_fault_and_severity():
    sets = [("shift/fog", 2, 0.9, 0.6), ("shift/fog", 5, 0.2, 0.7), ("noise/spatter", NAN, 0.4, 0.9)]
    right = [
        {"table": "accuracy", "condition": name, "level": level, "metric": "accuracy", "value": value, **HERE}
        for name, level, value, _ in sets
    ]
    detected = [found_at(name, value, "auroc", level=level) for name, level, _, value in sets]
    novel = [found_at("novelty/BTSC", 0.99, "auroc"), {**right[0], "condition": "novelty/BTSC", "level": NAN}]
    single = [found_at("shift/fog", 0.1, "auroc", level=2, seed=0)]
    found = tidy.table([*right, *detected, *novel, *single])
    assert disturbed(found, "oob", **HERE).startswith("-0.50")  # ranks 3, 1, 2 and 1, 2, 3
    assert accuracies(found, **HERE) == pytest.approx({"novelty": 0.9, "shift": 0.55, "noise": 0.4})


def test_the_interval_of_what_is_disturbed_is_over_faults_with_all_their_severities():
    """Six faults of three severities each, in perfect order: any draw of faults is in order, too."""
    where = [(f"shift/{fault}", level, fault + level / 10) for fault in range(6) for level in (1, 2, 3)]
    right = [
        {"table": "accuracy", "condition": name, "level": level, "metric": "accuracy", "value": value, **HERE}
        for name, level, value in where
    ]
    detected = [found_at(name, -value, "auroc", level=level) for name, level, value in where]
    assert disturbed(tidy.table([*right, *detected]), "oob", **HERE) == "-1.00 (-1.00 to -1.00)"
    loose = [found_at(name, (level * 7 + 3) % 5, "auroc", level=level) for name, level, _ in where]
    low, high = re.search(r"\((\S+) to (\S+)\)", disturbed(tidy.table([*right, *loose]), "oob", **HERE)).groups()
    assert float(low) < float(high)
    assert disturbed(tidy.table(right[:1] + detected[:1]), "oob", **HERE) == "not known"


def one(method, value, table, condition, metric, data="gtsrb-thin", n=NAN, seed=NAN):
    return {"table": table, "data": data, "network": "farm-lenet", "method": method, "condition": condition,
            "metric": metric, "value": value, "n": n, "seed": seed}  # fmt: skip


def signs():
    """300 German signs, of which 0.05 alarm, as JPEG 0.2; 100 Belgian signs of the same classes, of which 0.45 do."""
    parts = [
        ("nominal", "nominal", "fpr", 0.05, 300), ("control", "traffic signs as JPEG", "alarms", 0.2, 300),
        ("control", "shared classes", "alarms", 0.45, 100),
    ]  # fmt: skip
    found = [one("oob", value, table, condition, metric, n=3) for table, condition, metric, value, _ in parts]
    found += [one("oob", value, table, condition, metric, n=n, seed=0) for table, condition, metric, value, n in parts]
    found += [
        one("oob", missed, "detection", f"novelty/{name}", "fnr") for name, missed in (("BTSC", 0.5), ("CIFAR-10", 0.4))
    ]
    return tidy.table(found)


def test_compressed_signs_change_false_alarms_of_the_german_half_alone():
    whole = novelties(signs()).set_index("condition")
    found = whole.iloc[:, 3:5]
    lossless, jpeg = found.columns
    far, near = paper_share("gtsrb", "CIFAR-10"), paper_share("gtsrb", "BTSC")
    assert found.loc["novelty/CIFAR-10"].to_dict() == pytest.approx(
        {lossless: float(composed("mcc", far, 0.05, 0.4)), jpeg: float(composed("mcc", far, 0.2, 0.4))}
    )
    # (300 * 0.05 + 100 * 0.45) / 400 and (300 * 0.2 + 100 * 0.45) / 400: the Belgian signs stay as they are.
    assert found.loc["novelty/BTSC"].to_dict() == pytest.approx(
        {lossless: float(composed("mcc", near, 0.15, 0.5)), jpeg: float(composed("mcc", near, 0.2625, 0.5))}
    )
    # Beside it stand the rates that it is of.
    cells = rated(whole.reset_index()).set_index("condition").loc["novelty/BTSC", [lossless, jpeg]]
    assert [one.rpartition(" / ")[0] for one in cells] == ["0.15 / 0.50", "0.26 / 0.50"]
    assert cells[jpeg].endswith(f"{found.loc['novelty/BTSC', jpeg]:.2f}")


def test_without_a_control_no_novelty_is_compressed():
    none = novelties(tidy.table([one("oob", 0.5, "detection", "novelty/left out", "fnr", data="mnist5k")]))
    assert none.empty
    assert list(none.columns)[:4] == ["data", "network", "method", "condition"]
    assert rated(none).empty


def test_controls_have_a_column_a_run():
    found = controls({"full": signs(), "this": tidy.empty()}, ["oob"])
    assert found[["control", "full", "this"]].to_dict("list") == {
        "control": ["signs that both countries have", "traffic signs as JPEG"], "full": ["0.450", "0.200"],
        "this": ["not run", "not run"],
    }  # fmt: skip
    assert controls({"full": signs()}, ["knn"]).empty


def test_what_lies_inside_a_box_with_a_silent_neuron_scores_exactly_0():
    """A ReLU is 0 or more, so a box that begins at 0 has all silent neurons on its edge: the page's tie."""
    box = Boxes.around(torch.tensor([[0.0, 0.0, 1.0], [2.1, 3.3, 4.0]], dtype=torch.float64))
    inside = torch.tensor([[0.0, 1.0, 2.0], [1.9, 0.0, 3.9], [0.0, 0.0, 1.5]])
    assert outside(inside, box).tolist() == [0, 0, 0]
    assert float(outside(torch.tensor([[1.05, 1.65, 2.5]], dtype=torch.float64), box)) == pytest.approx(
        -1
    )  # and without one, less
    assert float(outside(torch.tensor([[0.0, 1.0, 4.3]]), box)) > 0


def test_no_rebuilding_costs_less_than_the_entropy_of_the_pixels():
    """The page's reason why grey looks suspicious to ALOOC: rebuilt exactly, it still costs ln 2."""
    pixels = torch.tensor([0.5, 0.1, 0.0]).double().view(3, 1, 1, 1)
    perfect = rebuilding_entropy(pixels.clamp(1e-9, 1 - 1e-9).logit(), pixels)
    entropy = torch.tensor([0.693147, 0.325083, 0.0]).double()
    assert torch.allclose(perfect, entropy, atol=1e-5)
    for other in torch.linspace(-4, 4, 9):
        assert (rebuilding_entropy(torch.full((3, 1, 1, 1), float(other)), pixels) >= entropy - 1e-6).all()
