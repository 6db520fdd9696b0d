"""What explains a supervisor that came otherwise than expected, fits apart, and passes: sentences and tables."""

import pandas as pd
import pytest

from mistrust import rows as tidy
from mistrust.figures import supervisors as figures

AUROC = {
    "mc_variation_ratio": 0.70, "mc_mean_softmax": 0.90, "mc_mutual_information": 0.80,
    "ensemble_mutual_information": 0.85, "react": 0.60, "energy": 0.93, "knn": 0.30, "vim": 0.40,
}  # fmt: skip
VARIANTS = {
    "mc_variation_ratio/ties broken by mean softmax": 0.85, "mc_mutual_information/mean entropy": 0.92,
    "ensemble_mutual_information/mean entropy": 0.95, "react/quantile 0.95": 0.70, "react/quantile 0.99": 0.85,
    "react/quantile 1": 0.92, "knn/nominal only": 0.65,
}  # fmt: skip


def made(variants=VARIANTS, data="mnist", networks=("ambiguess-conv", "all"), **more):
    """AUROC on ambiguous inputs, others that must not be read, and how many votes tie."""
    found = []
    for network in networks:
        for table, values in (("detection", AUROC), ("variants", variants)):
            for method, value in values.items():
                one = {"table": table, "metric": "auroc", "method": method, "network": network, "data": data}
                found.append({**one, "condition": "ambiguous/ambiguess", "value": value, **more})
                found.append({**one, "condition": "invalid/other", "value": 0.01})
    for condition, value in (("nominal", 0.9), ("ambiguous/ambiguess", 0.3)):
        one = {"table": "causes", "metric": "share tied", "method": "mc_variation_ratio", "network": "all"}
        found.append({**one, "condition": condition, "value": value, "data": data})
    return tidy.table(found)


def test_evidence_stands_beside_what_it_explains():
    found = figures.causes(made())
    assert found["convolutional"].tolist() == [
        "0.70 → 0.85", "0.80 → 0.92", "0.85 → 0.95", "0.60 → 0.70", "0.60 → 0.85", "0.60 → 0.92",
    ]  # fmt: skip
    assert found["supervisor"].tolist()[:2] == ["MC-Dropout (VR)", "MC-Dropout (MI)"]
    assert "fully connected, ReLU" not in found.columns  # not run
    assert figures.causes(tidy.empty()).empty
    assert figures.causes(made({})).empty  # rows as they were accepted before any of it was run


@pytest.mark.whole
def test_sentences_follow_from_the_rows():
    told = figures.causes_told(made())
    assert told["ties"] == (
        "MNIST: 90% of nominal and 30% of ambiguous inputs share their set's most frequent value; with ties broken by "
        "the mean softmax of the same passes, AUROC goes from 0.70 to 0.85, 75% of the way to mean softmax."
    )
    beyond = figures.causes_told(made({**VARIANTS, "mc_variation_ratio/ties broken by mean softmax": 0.95}))["ties"]
    assert beyond.endswith("AUROC goes from 0.70 to 0.95; mean softmax has 0.90.")
    assert "MNIST, MC-Dropout (MI) 0.80 and 0.92; MNIST, Ensemble (MI) 0.85 and 0.95. In each" in told["disagreement"]
    assert "it has 0.60, 0.70, 0.85 and 0.92 with the convolutional network (Energy: 0.93)." in told["clip"]
    other = figures.causes_told(made({**VARIANTS, "mc_mutual_information/mean entropy": 0.5}))
    assert "In 1 of 2, the doubt" in other["disagreement"]
    none = {name: 0.5 for name in VARIANTS if name.endswith("entropy")}
    assert "In none does the doubt" in figures.causes_told(made({**VARIANTS, **none}))["disagreement"]
    assert figures.causes_told(made({})) == figures.causes_told(tidy.empty())
    assert "was not examined" in figures.causes_told(tidy.empty())["clip"]


def test_fits_on_nominal_images_alone_are_told_where_they_were_run():
    both = pd.concat([made(), made(data="fmnist")], ignore_index=True)
    assert figures.nominal_only(both, ["knn", "vim"]).startswith("KNN 0.65 in place of 0.30 (MNIST)")
    assert "ViM" not in figures.nominal_only(both, ["knn", "vim"])
    assert figures.nominal_only(made({}), ["knn", "vim"]) == "not run."


def detected(values, condition="invalid/other"):
    found = [{"seed": run, "value": value} for run, value in enumerate(values)]
    about = {"method": "autoencoder", "network": "ambiguess-fc", "data": "mnist", "condition": condition}
    return tidy.table(found, table="detection", metric="auroc", **about)


@pytest.mark.parametrize(
    ("values", "condition", "one"),
    [
        ((0.9, 0.9, 0.9), "invalid/other", True),
        ((0.9, 0.91, 0.9), "invalid/other", False),
        ((0.9,), "invalid/other", None),
        ((0.9, 0.9), "adversarial/four attacks", None),
    ],
)
def test_whether_runs_share_an_autoencoder_is_read_from_its_numbers(values, condition, one):
    rows = detected(values, condition)
    assert figures.one_autoencoder(rows) is one
    told = figures.autoencoders_told(rows)
    assert told["things"] == ("Three" if one else "Two")
    assert ("serves all runs" in told["intervals"]) is bool(one)
    assert ("stay undecided" in told["claims"]) is (one is not False)
    assert ("second time" in told["intervals"]) is (one is None)


def test_equal_numbers_on_one_kind_of_several_may_be_chance():
    rows = pd.concat([detected((1.0, 1.0, 1.0)), detected((0.9, 0.91, 0.9), "corrupted/corruptions")])
    assert figures.one_autoencoder(rows) is False
    assert figures.one_autoencoder(pd.concat([detected((1.0, 1.0)), detected((0.9, 0.9), "corrupted/corruptions")]))


def passes(**last):
    """AUROC by image set after 2 and 8 passes, and after 16 where it is given."""
    found = [
        {"data": data, "condition": condition, "level": level, "value": value}
        for data, most in last.items()
        for condition in ("invalid", "corrupted")
        for level, value in ((2, 0.8), (8, 0.9), (16, most))
        if value is not None
    ]
    return tidy.table(found, table="epochs", metric="auroc", method="autoencoder")


def test_an_image_set_without_the_last_number_is_named():
    both = figures.fewer(passes(mnist=0.93, fmnist=0.95), {"autoencoder": 8})
    assert (
        both
        == "After 8 passes, the AUROC of Autoencoder on MNIST and Fashion-MNIST differs by -0.050 to -0.030 from that "
        "after 16."
    )
    one = figures.fewer(passes(mnist=0.93, fmnist=None), {"autoencoder": 8})
    assert one == (
        "After 8 passes, the AUROC of Autoencoder on MNIST differs by -0.030 to -0.030 from that after 16. What more "
        "passes would change for Autoencoder on Fashion-MNIST was not measured."
    )
    half = passes(mnist=0.93, fmnist=0.95)
    nan = half["value"].where((half["data"] != "fmnist") | (half["level"] != 16))
    assert figures.fewer(half.assign(value=nan), {"autoencoder": 8}) == one
    half = half[(half["data"] != "fmnist") | (half["level"] != 16) | (half["condition"] == "invalid")]
    assert figures.fewer(half, {"autoencoder": 8}) == one
    assert figures.fewer(passes(fmnist=None), {"autoencoder": 8}) == "What more passes would change was not measured."
    assert "from that after 8" in figures.fewer(passes(mnist=None), {"autoencoder": 2})


def test_what_bisection_missed_is_counted_over_networks():
    found = [
        {"method": name, "network": network, "value": value, "n": 100}
        for name, shares in (("pgd", (0.01, 0.0)), ("bim", (0.0, 0.0)))
        for network, value in zip(("ambiguess-conv", "ambiguess-fc"), shares, strict=True)
    ]
    told = figures.audited(tidy.table(found, table="audit", metric="share earlier", seed=0))
    assert told.endswith("PGD 1 of 200 and BIM 0 of 200.")
    assert "was not measured" in figures.audited(tidy.empty())


def test_wrong_answers_are_told_by_classifier_not_by_a_mean_alone():
    about = {"table": "trust", "condition": "nominal", "method": "max_softmax", "metric": "auroc", "data": "mnist"}
    found = [
        {**about, "network": "ambiguess-conv", "value": 0.98},
        {**about, "network": "ambiguess-conv", "value": 0.91, "seed": 1},  # a run of which the mean is there
        {**about, "network": "ambiguess-fc", "value": 0.89},
        {**about, "network": "all", "value": 0.93},
        {**about, "network": "farm-lenet", "value": 0.95},  # which the book does not compare: a line of its own
        {**about, "network": "ambiguess-fc", "value": 0.55, "condition": "nominal and corrupted"},
        {**about, "network": "ambiguess-fc", "value": 0.67, "metric": "accuracy", "method": ""},
    ]
    lines = figures.wrong(tidy.table(found), ["max_softmax", "dsa"]).to_numpy().tolist()
    assert lines == [
        ["MNIST", "nominal", figures.words("ambiguess-conv"), "not run", "0.98", "not run"],
        ["MNIST", "nominal", figures.words("ambiguess-fc"), "67.0%", "0.89", "not run"],
        ["MNIST", "nominal", "LeNet of the safety monitors", "not run", "0.95", "not run"],
        ["MNIST", "nominal and corrupted", figures.words("ambiguess-fc"), "not run", "0.55", "not run"],
    ]
    assert figures.wrong(tidy.empty()).empty


def test_a_mean_that_is_taken_here_is_of_one_image_set():
    one = {"table": "trust", "condition": "nominal", "method": "dsa", "metric": "auroc", "network": "ambiguess-fc"}
    found = [{**one, "data": data, "seed": 0, "value": value} for data, value in (("mnist", 0.9), ("fmnist", 0.7))]
    assert figures.wrong(tidy.table(found), ["dsa"])["DSA"].tolist() == ["0.90", "0.70"]
