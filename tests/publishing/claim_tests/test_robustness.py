"""Every claim of the chapter on robustness: on rows that make it hold, fail, undecided, not run; and as printed."""

import re

import numpy as np
import pandas as pd
import pytest
from for_readers import NOT_FOR_READERS
from robustness_rows import (
    BESIDE,
    BOUNDED,
    BY_NETWORK,
    BY_ROW,
    BY_SEED,
    FAILS,
    LITTLE,
    OTHERWISE,
    RELATIONS,
    as_said,
    at_layers,
    both,
    by_the_tables,
    distance,
    put,
    related,
    sigma,
)

from mistrust import rows as tidy
from mistrust.errors import MistrustError
from mistrust.evaluation import between_models
from mistrust.networks.architectures.families import FAMILIES
from mistrust.publishing.claim_tests.robustness import reading
from mistrust.publishing.claim_tests.robustness.imagenet import PRINTED
from mistrust.publishing.claim_tests.robustness.reading import DATA, by_family, relation
from mistrust.publishing.claim_tests.robustness.relations import RELATED
from mistrust.publishing.claims import TESTS, claims, verdicts
from mistrust.publishing.estimates import Reader
from mistrust.publishing.shelf import Shelf
from mistrust.robustness import rereading
from mistrust.robustness.experiment import Parameters
from mistrust.robustness.experiment.over_networks import HALF_WAY
from mistrust.robustness.experiment.over_networks import RELATIONS as WRITTEN
from mistrust.robustness.noise import VARIANTS
from mistrust.robustness.tables.regions import RELATIVE

CLAIMS = [name for name, test in TESTS.items() if test.chapter == "robustness"]
# The heads of section 4, which have no numbers in the paper, and the one that ends section 3.2.
HEADS = {
    "3.2.1": "3.2, Problem Statement", "4.1": "4, Random Perturbation Results",
    "4.2": "4, Targeted Perturbation Results", "4.4": "4, Targeted Perturbation Matrix Results",
    "4.5": "4, Layer-wise Random Perturbations", "4.6": "4, Dataset Properties and Practical Context",
}  # fmt: skip


@pytest.fixture(scope="module")
def said():
    """Three seeds, as many as the full profile has; tests take a copy, as changes are made in place."""
    return as_said()


def listed():
    return [one for one in claims() if TESTS[one.test].chapter == "robustness"]


def test_every_claim_is_tried_here():
    assert set(FAILS) | set(OTHERWISE) == set(CLAIMS) == {one.id for one in listed()}
    assert {name for name in CLAIMS if TESTS[name].printed} == set(OTHERWISE)
    assert {one.paper for one in listed()} == {"urem"}
    assert all(one.id == one.test for one in listed())


# Claims that our rows decide.


@pytest.mark.parametrize("claim", FAILS)
def test_a_claim_holds_where_rows_say_so(claim, shelf):
    verdict = TESTS[claim](shelf)
    assert verdict.verdict == ("undecided" if claim in BOUNDED else "holds")
    assert (re.search("upper bounds?, ", verdict.evidence) is not None) == (claim in BOUNDED)


@pytest.mark.parametrize("claim", FAILS)
def test_a_claim_that_rows_contradict_does_not_hold(claim, said):
    assert TESTS[claim](FAILS[claim](said.copy())).verdict == "does not hold"


def some(rows, against, column, every_other):
    """Some seeds or networks say this, the others that; mean rows are left out."""
    mine = rows[rows["seed"].notna() & ~rows[column].isin(every_other)]
    return pd.concat([mine, against[against["seed"].notna() & against[column].isin(every_other)]], ignore_index=True)


@pytest.mark.parametrize("claim", BY_SEED)
def test_seeds_that_disagree_decide_nothing(claim, said):
    rows = some(said, FAILS[claim](said.copy()), "seed", [1])
    assert TESTS[claim](rows).verdict == "undecided"


@pytest.mark.parametrize("claim", BY_SEED)
def test_one_seed_decides_nothing(claim, said):
    for rows in (said, FAILS[claim](said.copy())):
        assert TESTS[claim](rows[rows["seed"] == 0].reset_index(drop=True)).verdict == "undecided"


@pytest.mark.parametrize("claim", BY_NETWORK)
def test_networks_that_disagree_decide_nothing(claim, said):
    rows = some(said, FAILS[claim](said.copy()), "network", ["alexnet6-w16", "resnet8-w8", "vgg6-w16"])
    found = TESTS[claim](rows)
    # What is said of each network is refuted by three of them.
    assert found.verdict == ("does not hold" if claim == "urem-changes-structure" else "undecided"), found
    if claim in BOUNDED:
        assert not found.evidence.endswith("may be less")  # open by itself


@pytest.mark.parametrize("claim", BY_NETWORK)
def test_one_network_decides_nothing_whatever_its_seeds(claim, said):
    for rows in (said, FAILS[claim](said.copy())):
        assert TESTS[claim](rows[rows["network"].isin(["vgg6-w16"])].reset_index(drop=True)).verdict == "undecided"


@pytest.mark.parametrize("claim", BY_ROW)
def test_a_wide_interval_or_none_decides_nothing(claim, said):
    for rows in (said.copy(), FAILS[claim](said.copy())):
        bare = rows.assign(low=np.nan, high=np.nan)
        assert TESTS[claim](bare).verdict == "undecided"
        wide = rows.assign(low=rows["value"] - 400, high=rows["value"] + 400)
        assert TESTS[claim](wide).verdict == "undecided"


def test_a_relation_that_is_not_over_networks_decides_nothing(said):
    for over, word in (("models", "holds"), ("both", "holds"), ("images", "undecided"), ("", "undecided")):
        rows = said.assign(over=said["over"].replace("models", over))
        assert (over, TESTS["urem-depth-random"](rows).verdict) == (over, word)


@pytest.mark.parametrize("claim", FAILS)
def test_without_any_of_what_it_reads_a_claim_is_not_run(claim, shelf, without):
    read = TESTS[claim](shelf).rows
    assert set(read["data"]) == {"imagenet_sample" if "imagenet" in claim else DATA}
    columns = ["table", "method", "metric", *(["at"] if claim == "urem-class-lines" else [])]
    parts = read[columns].drop_duplicates()
    assert len(parts)
    for part in parts.itertuples(index=False):
        verdict = TESTS[claim](without(*part._asdict().items()))
        assert (part, verdict.verdict) == (part, "not run")
        assert verdict.evidence.startswith("no rows: ")


def test_without_rows_or_on_another_image_set_nothing_was_run(said):
    other = said[~said["data"].isin([DATA, "imagenet_sample"])]
    assert len(other)
    for rows in (Shelf(said[:0]), Shelf(other)):
        assert {TESTS[claim](rows).verdict for claim in FAILS} == {"not run"}


def test_means_over_seeds_alone_are_no_networks(said):
    mean = Shelf(said[said["seed"].isna()])
    assert {TESTS[claim](mean).verdict for claim in (*BY_SEED, *BY_NETWORK)} == {"not run"}


def test_two_rows_of_one_thing_are_an_error(said):
    twice = pd.concat([said, said.assign(made="again")], ignore_index=True)
    with pytest.raises(MistrustError, match="Several rows of one network where one was expected: breaking sigma"):
        TESTS["urem-noise-imperceptible"](twice)
    with pytest.raises(
        MistrustError, match=r"Several rows of the relation 'depth ~ random \| family' where one was expected"
    ):
        TESTS["urem-depth-random"](twice)
    with pytest.raises(MistrustError, match="Several rows of AlexNet where one was expected: mean breaking sigma"):
        TESTS["urem-imagenet-random"](twice)


def test_a_family_is_the_mean_of_its_networks_by_seed(said):
    """Both of AlexNet style count: 3 and 9 make 6."""
    rows = sigma(9.0, "alexnet8-w16")(said.copy())
    found = reading.family(Reader(rows, "robustness"), "alexnet", **reading.SIGMA)
    assert found.to_list() == pytest.approx([6, 6, 6], abs=1e-3)
    worse = rows[rows["network"].ne("alexnet6-w16")]
    assert TESTS["urem-resnet-over-alexnet"](worse).verdict == "does not hold"


@pytest.mark.parametrize("other", ["resnet20", "resnet50-v1", "resnet152", "resnet", "wide-resnet8-w8", "resnet8-w8-b"])
def test_a_network_of_no_family_is_none_whatever_its_name_begins_with(said, other):
    """ResNet-20 of another chapter, torchvision's of ImageNet: with them the claim would fail."""
    like = said[said["network"].eq("resnet8-w8") & said["data"].eq(DATA)]
    rows = pd.concat([said, like.assign(network=other, value=-100.0)], ignore_index=True)
    found = reading.family(Reader(rows, "robustness"), "resnet", **reading.SIGMA)
    assert found.to_list() == pytest.approx([6, 6, 6], abs=1e-3)
    assert TESTS["urem-resnet-over-alexnet"](rows).verdict == "holds"


def test_families_and_variants_are_those_that_the_experiment_writes(said):
    names = [name for family in FAMILIES.values() for name in family]
    of = [family for name in names for family in reading.FAMILIES if reading.of_family(name, family)]
    assert of == [family.lower() for family, listed in FAMILIES.items() for _ in listed]
    assert {family.lower() for family in FAMILIES} == set(reading.FAMILIES)
    assert set(said.loc[said["table"].eq("random"), "method"]) <= set(VARIANTS)
    assert reading.SIGMA["method"] == Parameters().variants[0]
    assert {name.removesuffix("family").removesuffix(", ").removesuffix(" | ") for name in RELATIONS} <= set(WRITTEN)


def test_bubbles_are_counted_at_the_margin_and_not_at_shares_of_it(said):
    read = TESTS["urem-small-bubbles"](said).rows
    assert set(read["method"]) == {""}
    assert set(read["level"]) == {0.0}


def test_a_seed_that_one_network_of_a_family_lacks_is_left_out(said):
    lacking = said[~(said["network"].eq("alexnet8-w16") & said["seed"].eq(2))]
    found = reading.family(Reader(lacking, "robustness"), "alexnet", **reading.SIGMA)
    assert found.index.to_list() == [0.0, 1.0]
    none = said[~(said["network"].eq("alexnet8-w16") & said["seed"].isin([0, 1]))]
    none = none[~(none["network"].eq("alexnet6-w16") & none["seed"].eq(2))]
    assert TESTS["urem-resnet-over-alexnet"](none).verdict == "not run"


def test_the_interval_is_students_between_families(said):
    """Six networks, the mean over three seeds of each, of four families."""
    single = said[said["seed"].notna() & said["data"].eq(DATA) & said["method"].eq("fixed-clipped")]
    single = single[single["table"].eq("random") & single["metric"].eq("capped mean")]
    means = single[single["condition"].eq("all")].groupby("network")["value"].mean()
    expected = between_models(means.groupby(means.index.str.rstrip("-w0123456789")).mean())
    assert expected.n == 4
    shown = TESTS["urem-noise-imperceptible"](said).evidence
    assert f"= {expected.value:.2f} [{expected.low:.2f}, {expected.high:.2f}]" in shown


def test_rates_that_vary_are_no_part_of_the_distance(said):
    """Rows of other learning rates say another thing, and are not read."""
    read = TESTS["urem-targeted-imperceptible"](said).rows
    assert read["level"].isna().all()
    assert (said["level"].eq(5.0) & said["table"].eq("targeted")).any()


def test_a_median_that_is_not_reached_is_larger_than_any(said):
    """Where deep layers break least, they have no median row: the claim fails by that alone."""
    deep = said["table"].eq("layers") & said["metric"].eq("median") & said["at"].isin(["fc1", "fc2"])
    assert TESTS["urem-layers-resilient"](said[~deep]).verdict == "does not hold"
    shallow = said["table"].eq("layers") & said["metric"].eq("median") & said["at"].eq("conv1")
    assert TESTS["urem-layers-resilient"](said[~shallow]).verdict == "holds"


def test_layers_channels_are_another_matter(said):
    """Noise by channel says the contrary in these rows, and is not read."""
    assert set(TESTS["urem-layers-resilient"](said).rows["method"]) == {"elementwise"}


def test_layers_that_are_all_alike_have_no_order(said):
    flat = at_layers(0.5, "new probability", ["conv1", "conv2", "conv3", "fc1", "fc2"])(said.copy())
    at = flat["metric"].eq("new probability") & flat["data"].eq(DATA)
    flat.loc[at, "value"] = 0.5
    verdict = TESTS["urem-layers-confidence"](flat)
    assert (verdict.verdict, verdict.evidence) == (
        "not run",
        "no rows: a network with three layers or more, not all alike",
    )


def test_failures_by_hand():
    """Of four failures three lie in target 2; sources have two, one and one."""
    cells = {"0>1": 1, "0>2": 0, "1>0": 1, "1>2": 0, "2>0": 0, "2>1": 1, "3>2": 0, "3>0": 1}
    where = {"table": "matrix", "metric": "success", "condition": "all", "data": DATA}
    records = [
        {**where, "network": name, "seed": 0, "at": at, "value": value}
        for name in ("a", "b", "c") for at, value in cells.items()
    ]  # fmt: skip
    shown = TESTS["urem-failures-one-off"](tidy.table(records, chapter="robustness"))
    assert "share of failures in one line = 0.750" in shown.evidence
    assert shown.verdict == "holds"
    reached = TESTS["urem-failures-one-off"](tidy.table([{**one, "value": 1} for one in records], chapter="robustness"))
    assert (reached.verdict, reached.p) == ("undecided", None)
    assert reached.evidence == "in 3 of 3 networks every target is reached: no failure lies in any class"


def test_as_many_bubbles_everywhere_are_no_relation_and_were_counted(said):
    """The experiment writes no rank correlation then; without the numbers, or where they vary, it was not run."""
    lost = said[~said["method"].str.startswith("bubbles ~")].reset_index(drop=True)
    at = lost["table"].eq("regions") & lost["method"].eq("relative") & lost["level"].eq(RELATED["level"])
    at &= lost["metric"].eq("bubbles") & lost["data"].eq(DATA)
    same = lost.assign(value=lost["value"].mask(at, 1.0))
    found = TESTS["urem-bubbles-non-robust"](same)
    told = "all 6 networks have 1 bubble a class at half of the median margin: what does not vary goes with nothing"
    assert (found.verdict, found.evidence, found.p) == ("undecided", told, None)
    two = same[same["network"].isin(["vgg6-w16", "resnet8-w8"]) | same["table"].ne("regions")]
    for rows in (lost, two, same[~at]):
        assert TESTS["urem-bubbles-non-robust"](rows.reset_index(drop=True)).verdict == "not run"


def test_bubbles_are_related_where_the_experiment_relates_them():
    assert {"method": RELATIVE, "level": HALF_WAY} == RELATED


def test_networks_without_a_failure_refute_that_each_has_some(said):
    whole = put(1.0, table="targeted", metric="success")(said.copy())
    whole.loc[whole["metric"].eq("success") & whole["table"].eq("targeted"), "value"] = 1.0
    verdict = TESTS["urem-targets-fail"](whole)
    assert verdict.verdict == "does not hold"
    assert "in 6 of 6 networks every target is reached" in verdict.evidence


def test_a_class_with_one_sample_is_no_bubble(said):
    """One sample is one bubble, whatever the network: it is left out."""
    alone = said["table"].eq("regions") & said["at"].eq("0") & said["data"].eq(DATA)
    rows = said.copy()
    rows.loc[alone, "value"] = 1.0
    assert TESTS["urem-weak-is-best"](rows).verdict == "undecided"  # open, as an upper bound is, and not refuted
    assert "no class is found connected" in TESTS["urem-weak-is-best"](rows).evidence


@pytest.mark.parametrize("claim", ["urem-small-bubbles", "urem-several-components", "urem-weak-is-best"])
def test_claims_on_regions_have_one_rule(said, claim):
    """Each network says once whether it is so; whole classes in all refute, in some leave open, one decides nothing."""
    at = said["table"].eq("regions") & said["method"].eq("") & said["metric"].eq("bubbles") & said["data"].eq(DATA)

    def judged(whole):
        rows = said.copy()
        rows.loc[at & rows["network"].isin(whole), "value"] = 1.0
        return TESTS[claim](rows)

    names = sorted(said.loc[at, "network"].unique())
    found = [judged(names), judged(names[1:]), judged([])]
    assert [one.verdict for one in found] == ["does not hold", "undecided", "undecided"]
    assert all(one.evidence.startswith("by counting, in ") and one.p is None for one in found)
    assert found[0].evidence.startswith(f"by counting, in {len(names)} of {len(names)} networks")
    alone = TESTS[claim](said[~at | said["network"].eq(names[0])].reset_index(drop=True))
    assert (alone.verdict, "one network alone" in alone.evidence) == ("undecided", True)


def test_both_kinds_of_robustness_must_go_with_accuracy_to_refute(said):
    one = related(0.9, "accuracy ~ random | family")(said.copy())
    assert TESTS["urem-accuracy-incomplete"](one).verdict == "holds"


def test_each_network_counts_where_each_is_meant(said):
    """One of four that gains refutes; the others hold as they did."""
    rows = distance(9.0, "vgg", "half")(said.copy())
    found = TESTS["urem-half-targeted"](rows)
    assert found.verdict == "does not hold"
    assert found.evidence.startswith(
        "1 of 4 fail: vgg6-w16, targeted distance in grey levels, trained on all minus half"
    )


def test_a_relation_keeps_its_interval(said):
    found = relation(Reader(said, "robustness"), "depth ~ random | family")
    assert [found.value, found.low, found.high] == pytest.approx([0.8, 0.7, 0.9])
    assert (found.least, found.most) == (-1, 1)


# Claims that printed numbers decide; what holds of all of them stands in `test_printed.py`.


def test_without_any_printed_number_it_is_not_known_whether_one_is_of_coco(numbers, said):
    """It reads whatever is printed, and needs none in particular."""
    for rows in (numbers[:0], said):
        assert TESTS["urem-coco"](rows).verdict == "not run"


SHOWN = {
    "urem-percent-of-255": "of 8 percentages 3 can be of 255, 6 of 256",
    "urem-alexnet-most-robust": "Table 1 has 3.2 grey levels for AlexNet, most for InceptionV3: 3.6",
    "urem-inception-layers": "InceptionV3 has 48 layers with weights on its longest path, the paper says 311",
    "urem-vgg-convolutions": "VGG16 has 13 convolutional layers, the paper says 16",
    "urem-coco": "printed numbers none are of COCO",
    "urem-table1-depth": "by the layers printed accuracy does not rise and breaking sigma rises; "
    "by the layers counted accuracy rises and breaking sigma does not rise",
    "urem-tables-agree": "farthest off is AlexNet: Table 2 has 72.0 %, Table 1 leaves 79.1 %, and they rank the "
    "networks differently",
    "urem-weakly-generalised": "it takes 2 training samples by section 1.1, 3 by the caption",
    "urem-targeted-deviation": "standard deviation by the caption, the largest difference of a pixel by the text",
    "urem-code-online": "the paper gives no address, and says that there will be code; a search found none",
    "urem-original-accuracy": "up to 15.5 points for the first answer and 7.07 points for the first five",
}


@pytest.mark.parametrize("claim", SHOWN)
def test_what_the_printed_numbers_show(claim, numbers):
    assert SHOWN[claim] in TESTS[claim](numbers).evidence


def test_an_address_that_is_printed_is_enough(numbers):
    at = numbers["metric"].eq("addresses of code")
    assert TESTS["urem-code-online"](numbers.assign(value=numbers["value"].mask(at, 1))).verdict == "holds"


def test_what_is_found_beside_the_paper_is_no_printed_number(numbers):
    more = len(numbers[~numbers["table"].isin(["torchvision", "code"])])
    assert f"of {more} printed numbers none" in TESTS["urem-coco"](numbers).evidence


def test_table_1_stands_where_it_is_compared_with(numbers):
    for table, method, metric in (("random", "random", "mean"), ("targeted", "targeted", "linf")):
        printed = rereading.by_network(numbers, "table1", metric, method=method)
        assert PRINTED[table] == printed.to_dict()
    assert dict(reading.NETWORKS) == dict(rereading.NETWORKS)


def test_bounds_are_such_that_the_papers_tables_agree_with_their_text(numbers):
    """By Tables 1 to 3; that noise of 66 grey levels and more is difficult to see is what they contradict."""
    rows = by_the_tables(numbers)
    names = ["resnet-over-alexnet", "inception-over-vgg", "vgg-below-alexnet", "targeted-imperceptible",
             "half-accuracy", "fraction-accuracy", "half-random", "fraction-random"]  # fmt: skip
    for name in names:
        assert (name, TESTS[f"urem-{name}"](rows).verdict) == (name, "holds")
    assert TESTS["urem-noise-imperceptible"](rows).verdict == "does not hold"


# All of them.


@pytest.mark.whole
def test_the_ledger_is_written_for_readers(said, numbers):
    everything = both(*FAILS.values())(said.copy())
    laid_out = [Shelf(rows) for rows in (everything, said, said[:0], numbers)]
    for claim in CLAIMS:
        for rows in laid_out:
            evidence = TESTS[claim](rows).evidence
            assert not NOT_FOR_READERS.search(evidence), (claim, evidence)


def test_sections_are_those_of_the_paper():
    for one in listed():
        for number, name in re.findall(r"section ([\d.]+)(?: \(([^)]+)\))?", one.place):
            assert HEADS.get(number, "") == name, one.id


@pytest.mark.whole
def test_sections_are_corrected_together(said):
    """All hold even so, but for what an upper bound leaves open and what printed numbers refute."""
    ledger = verdicts(said, paper="urem").set_index("id")
    own = [name for name in FAILS if name not in BOUNDED]
    assert set(ledger.loc[own, "verdict"]) == {"holds"}
    assert ledger.loc[list(OTHERWISE), "p"].isna().all()
    # Two that hold by a hair: by themselves, but not among all of section 4.1.
    close, names = said.copy(), ["urem-depth-random", "urem-depth-accuracy"]
    at = close["method"].isin(["depth ~ random | family", "depth ~ accuracy | family"]) & close["data"].eq(DATA)
    close.loc[at, ["value", "low", "high"]] = (0.35, 0.01, 0.69)
    assert [TESTS[name](close).verdict for name in names] == ["holds", "holds"]
    among = verdicts(close, paper="urem").set_index("id").loc[names, "verdict"]
    assert among.to_list() == ["undecided", "undecided"]


@pytest.mark.whole
def test_every_relation_is_read(said):
    read = {name for claim in CLAIMS for name in TESTS[claim](said).rows["method"]}
    assert set(RELATIONS) <= read
    assert set(BESIDE.values()) <= read | {BESIDE[name] for name in LITTLE}


def test_what_all_families_together_say_is_told_and_decides_nothing(said):
    found = TESTS["urem-parameters-targeted"](said)
    assert found.verdict == "holds"
    assert "family held fixed = -0.800 [-0.900, -0.700]" in found.evidence
    assert found.evidence.endswith("; 0.80 over all families together")


def test_networks_of_a_family_count_as_one():
    found = pd.Series({"alexnet6-w16": 1.0, "alexnet8-w32": 3.0, "vgg6-w16": 4.0, "mlm-cnn": 6.0})
    assert by_family(found).to_dict() == {"alexnet": 2.0, "vgg": 4.0, "mlm-cnn": 6.0}


def test_class_lines_stay_open_where_sources_and_targets_decide_otherwise(said):
    kept, claim = said.copy(), TESTS["urem-class-lines"]
    assert claim(kept).verdict == "holds"
    kept.loc[kept["table"].eq("variance") & kept["at"].eq("source"), "value"] = 0.0
    verdict = claim(kept)
    assert verdict.verdict == "undecided"
    assert "if lines are sources" in verdict.evidence
    assert "if lines are targets" in verdict.evidence
