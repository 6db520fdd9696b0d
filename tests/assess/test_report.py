"""The report: numbers against independent ones, a page that needs nothing, and what was left out by name."""

import json
import pickle
import re
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from sklearn.metrics import roc_auc_score
from small_world import CLASSES, bars, folder_of, network

from mistrust import __version__
from mistrust import rows as tidy
from mistrust.assess import PARTS, assess
from mistrust.assess.bad_inputs import BAD, shuffled
from mistrust.assess.blocks import Heat
from mistrust.assess.parts import noise
from mistrust.assess.parts.judged import FEW, Judged, doubt, shown
from mistrust.assess.parts.perturbations import _harm
from mistrust.assess.parts.supervisors import _auroc, _headline
from mistrust.assess.parts.targeted import _failed
from mistrust.assess.plan import planned
from mistrust.assess.writing import files
from mistrust.errors import MistrustError
from mistrust.supervisors import SUPERVISORS

pytestmark = pytest.mark.whole

LIKELIEST = "The likeliest mistakes"


def value(report, **where):
    found = tidy.select(report.rows, **where)
    assert len(found) == 1
    return found.iloc[0]


class TestNumbers:
    def test_accuracy_is_that_of_the_network(self, world, whole):
        subject = whole.report.prepared.subject
        with torch.no_grad():
            logits = torch.load(world.pickled, weights_only=False)(subject.images.floats())
        right = (logits.argmax(1) == subject.images.labels).double().mean().item()
        row = value(whole.report, table="accuracy", at="all")
        assert row["value"] == pytest.approx(right)
        assert row["low"] < right < row["high"]
        assert row["n"] == 81
        # Every ninth bar is named wrongly in `conftest`, and the network reads bars.
        assert right == pytest.approx(8 / 9, abs=0.03)

    def test_auroc_of_own_errors_is_scikit_learns(self, whole):
        subject = whole.report.prepared.subject
        suspicion = 1 - subject.probabilities.max(1).values  # of all images: their logits are there
        expected = roc_auc_score(~subject.correct.numpy(), suspicion.numpy())
        row = value(whole.report, table="supervisors", method="max_softmax", condition="bad/errors")
        assert row["value"] == pytest.approx(expected)
        assert row["n"] == int((~subject.correct).sum()) == FEW
        assert row["low"] < expected < row["high"]
        # What takes several passes an image is tried on those alone that are scored.
        scored = subject.some(subject.sizes.scored, "supervisors")
        row = value(whole.report, table="supervisors", method="odin", condition="bad/errors")
        assert row["n"] == int((~subject.correct[scored]).sum()) < FEW
        assert np.isnan([row["low"], row["high"]]).all()

    def test_the_headline_gives_the_best_its_interval_and_says_that_it_was_chosen(self, whole):
        def best(column):
            found = tidy.select(whole.report.rows, table="supervisors", condition=f"bad/{column}").set_index("method")
            most = found[found["n"] == found["n"].max()]
            return most[most["value"] > most["value"].max() - 1e-9], len(found)

        def by(found):
            return (
                f"by {SUPERVISORS[found.index[0]].card.title}" if len(found) == 1 else f"by {len(found)} of them alike"
            )

        (first, count), (firsts, _) = best("errors"), best("corrupted")
        errors, corrupted = first.iloc[0], firsts.iloc[0]
        text = whole.report.told["supervisors"].headline
        own, interval = (f"{one['value']:.2f} ({one['low']:.2f} to {one['high']:.2f})" for one in (errors, corrupted))
        assert text.startswith(
            f"Best AUROC of {count} supervisors: own errors {own} {by(first)}; corrupted {interval} {by(firsts)}; "
        )
        assert text.endswith("so on others expect somewhat less; the intervals do not allow for this choice.")
        misled = {("max_softmax", "errors"): Judged(0.3, 0.2, 0.45, 30, 50),
                  ("max_softmax", "corrupted"): Judged(0.48, 0.4, 0.55, 50, 50),
                  ("max_softmax", "adversarial"): Judged(0.4, 0.3, 0.497, 50, 50),
                  ("max_softmax", "invalid"): Judged(0.4, 0.3, 0.49, 50, 50)}  # fmt: skip
        assert _headline(misled, ["max_softmax"], ["errors", "corrupted", "adversarial", "invalid"]) == (
            "AUROC of one supervisor: own errors 0.30 (0.20 to 0.45) worse than guessing: trusted more than correct "
            "answers; corrupted 0.48 (0.40 to 0.55) no better than guessing; adversarial 0.40 (0.30 to 0.50) no "
            "better than guessing; invalid 0.40 (0.30 to 0.49) worse than guessing: trusted more than ordinary inputs."
        )
        one = {("max_softmax", "errors"): Judged(0.8, 0.7, 0.9, 30, 50)}
        assert _headline(one, ["max_softmax"], ["errors"]) == (
            "AUROC of one supervisor: own errors 0.80 (0.70 to 0.90) by Max Softmax."
        )

    def test_the_list_counts_errors_by_the_labels(self, whole):
        row = value(whole.report, table="labelling", metric="errors", method="adversarial_distance")
        listed = whole.files["label/ranked.csv"].splitlines()[1:]
        subject = whole.report.prepared.subject
        wrong = {subject.names[i] for i in (~subject.correct).nonzero()[:, 0].tolist()}
        assert len(listed) == row["n"] == 12
        assert sum(line.split(",")[1] in wrong for line in listed) == row["value"]

    def test_noise_and_targets_start_from_right_answers(self, whole):
        assert value(whole.report, table="noise", metric="capped mean")["value"] > 0
        found = tidy.select(whole.report.rows, table="targeted", metric="mean linf")
        assert set(found["at"]) <= {f"{a}>{b}" for a in CLASSES for b in CLASSES if a != b}
        assert (found["value"] > 0).all()

    def test_rows_of_the_matrix_sum_to_one(self, whole):
        found = tidy.select(whole.report.rows, table="mlm", metric="likelihood")
        sums = found.groupby(found["at"].str.partition(">")[0])["value"].sum()
        assert sums.tolist() == pytest.approx([1, 1, 1])


def weights(of, change):
    """The small world's network with other weights in its last layer, in the file `of`."""
    made = network()
    with torch.no_grad():
        change(made[-1].weight)
    torch.save(made, of)
    return str(of)


class TestNothingToSearch:
    def test_a_model_that_is_never_sure_has_a_list_of_all_its_answers_the_least_sure_first(
        self, world, assess_once, tmp_path
    ):
        unsure = weights(tmp_path / "unsure.pt", lambda weight: weight.div_(1000))
        found = assess_once(world.asked(model=unsure, trust=True))
        subject = found.report.prepared.subject
        confidence = subject.probabilities.max(1).values
        assert float(confidence.max()) < 0.65
        listed = [line.split(",") for line in found.files["label/ranked.csv"].splitlines()[1:]]
        assert [float(line[3]) for line in listed] == pytest.approx(confidence.sort().values[:12].tolist())
        page = found.files["index.html"]
        assert "(no answer has a confidence above 0.65)" in page
        assert f"of all {len(subject.images)} answers, {int((~subject.correct).sum())} are wrong" in page
        assert re.search(r"wrong \(\d+%; of all \d+\.\d%\)\.$", found.report.told["labelling"].headline)
        assert found.report.told["accuracy"].headline.endswith("; no answer is given with more than 95% confidence.")

    def test_a_model_that_is_never_right_has_a_report_without_noise_and_targets(self, world, assess_once, tmp_path):
        # Bars that are named wrongly are those of the next class, whose next one again is neither.
        shifted = weights(tmp_path / "shifted.pt", lambda weight: weight.copy_(weight.roll(1, 0)))
        report = assess_once(world.asked(model=shifted, trust=True)).report
        assert not bool(report.prepared.subject.correct.any())
        for part in ("noise", "targeted"):
            assert dict(report.left)[PARTS[part].title].startswith("no image is classified correctly")
        assert {"accuracy", "labelling"} <= {*report.told}


class TestHarm:
    def test_what_does_most_harm_is_the_last_line_of_the_table(self, whole):
        told = whole.report.told["perturbations"]
        [heat] = [block for block in told.blocks if isinstance(block, Heat)]
        mean, clean = np.mean(heat.values[-1]), value(whole.report, table="perturbations", condition="clean")["value"]
        assert mean == min(np.mean(line) for line in heat.values)
        written = f"{100 * mean:.0f}% correct on average over its levels, {100 * clean:.0f}% without it."
        assert told.headline == f"{heat.down[-1]} does most harm: {written}"

    @pytest.mark.parametrize(
        ("lost", "starts"),
        [
            ([0.25] * 40 + [-0.25] * 30, "No perturbation does harm that these images show. The worst is fog: 36% "),
            ([0.0] * 9, "No perturbation does harm"),
            ([0.25] * 40 + [-0.25] * 20 + [0.0] * 10, "No"),  # 2.7 standard errors, of the worst of twelve
            ([0.25] * 44 + [-0.25] * 20 + [0.0] * 6, "Fog does most harm"),  # 3.2
            ([0.25] * 30 + [0.0] * 40, "Fog does most harm: 29% correct on average over its levels, 40% without it."),
        ],
    )  # fmt: skip
    def test_harm_is_told_where_images_show_it(self, lost, starts):
        assert _harm("Fog", torch.tensor(lost, dtype=torch.float64), 0.4).startswith(starts)

    @pytest.mark.parametrize(("failed", "told"), [(0, "All 18 pairs reached"), (3, "3 of 18 pairs did not reach")])
    def test_searches_without_their_target_are_counted(self, failed, told):
        assert _failed(failed, 18) == f"{told} their target"


def test_the_foot_tells_how_many_images_each_part_read(whole):
    subject, read = whole.report.prepared.subject, whole.report.content["images_read"]
    assert read["accuracy"] == 81
    assert read["perturbations"] == value(whole.report, table="perturbations", condition="clean")["n"]
    assert read["noise"] == value(whole.report, table="noise", metric="capped mean")["n"]
    above = int((subject.probabilities.max(1).values > 0.65).sum())
    assert read["labelling"] <= min(above, subject.sizes.near)
    assert read["supervisors"] == len(subject.some(subject.sizes.scored, "supervisors"))
    foot = whole.files["index.html"].rpartition("images that each part read")[2]
    assert f"{PARTS['noise'].title} {read['noise']};" in foot
    assert f"mistrust {__version__}, python" in foot


class TestFewClasses:
    def test_of_three_classes_the_likeliest_mistakes_are_six_and_none_is_a_right_answer(self, whole):
        [table] = [one for one in whole.report.told["matrix"].blocks if getattr(one, "caption", "") == LIKELIEST]
        mistakes = [line[0].split(" taken for ") for line in table.rows]
        assert sorted(map(tuple, mistakes)) == sorted((a, b) for a in CLASSES for b in CLASSES if a != b)

    def test_of_two_classes_there_is_no_matrix(self, world, assess_once, tmp_path):
        made, two = network(), torch.nn.Linear(8, 2)
        two.load_state_dict({name: values[:2] for name, values in made[-1].state_dict().items()})
        made[-1] = two
        torch.save(made.eval(), tmp_path / "two.pt")
        images, labels = bars(60, 0)
        test = folder_of(tmp_path / "test", images[labels < 2], labels[labels < 2])
        report = assess_once(world.asked(model=str(tmp_path / "two.pt"), images=str(test), trust=True)).report
        assert dict(report.left)[PARTS["matrix"].title] == "of two classes each can only be taken for the other"


class TestFewErrors:
    @pytest.mark.parametrize(
        ("wrong", "right", "apart", "told"),
        [
            (3, 77, True, "1.00, of 3 errors"),
            (1, 79, True, "1.00, of 1 error"),
            (30, 50, True, "1.00, of 30 errors"),  # every resample agrees
            (76, 4, False, r"0\.\d\d, of 4 correct answers"),
            (9, 71, False, r"0\.\d\d, of 9 errors"),
            (10, 70, False, r"0\.\d\d \(0\.\d\d to 0\.\d\d\)"),
        ],
    )  # fmt: skip
    def test_an_interval_needs_a_width_and_ten_on_either_side(self, wrong, right, apart, told):
        bad = torch.arange(wrong + right) < wrong
        scores = torch.rand(len(bad), generator=torch.Generator().manual_seed(1)) + 2 * (bad & apart)
        found = {"nominal/one": scores, "nominal/right": ~bad, "nominal/ids": torch.arange(len(bad))}
        judged = _auroc(SimpleNamespace(seed=0), found, "one", "errors")
        assert judged[0] == pytest.approx(roc_auc_score(bad, scores))
        assert judged[3:] == (wrong, right)
        assert np.isnan([judged.low, judged.high]).all() == ("of" in told)
        assert re.fullmatch(told, shown(judged, "errors"))

    def test_an_interval_whose_ends_are_written_alike_is_not_written(self):
        assert shown(Judged(0.998, 0.996, 0.999, 1400, 900), "invalid") == "1.00, of 1,400 bad inputs"
        assert shown(Judged(0.998, 0.99, 0.999, 1400, 900), "invalid") == "1.00 (0.99 to 1.00)"

    @pytest.mark.parametrize(
        ("wrong", "right", "told"),
        [
            (0, 80, "There is no error: the first column is empty."),
            (1, 79, "There is only 1 error: too few for an interval, and"),
            (77, 3, "There are only 3 correct answers: too few for an interval, and"),
            (10, 70, "There are only 10 errors: the first column is uncertain"),
        ],
    )  # fmt: skip
    def test_what_few_errors_take_from_the_column_is_said(self, wrong, right, told):
        assert doubt(wrong, right).startswith(told)
        assert doubt(30, 30) == ""

    def test_a_report_on_three_errors_gives_no_interval_anywhere(self, assess_once, tmp_path):
        from mistrust.assess import Asked

        labels, draw = np.arange(80) % 3, np.random.default_rng(0)
        logits = draw.normal(size=(80, 3)) * 0.1 + 9 * np.eye(3)[labels]
        logits[:3] = 0.3 * np.eye(3)[(labels[:3] + 1) % 3]  # wrong, and hardly sure
        np.savez(tmp_path / "said.npz", logits=logits, labels=labels)
        found = assess_once(Asked(outputs=str(tmp_path / "said.npz"), budget=12))
        text = found.report.told["supervisors"].headline
        assert re.match(r"Best AUROC of \d+ supervisors: own errors 1\.00, of 3 errors, by [^;]*\. Each was", text)
        assert text.endswith("so on others expect somewhat less.")
        page = found.files["index.html"]
        assert "There are only 3 errors: too few for an interval" in page
        assert "1.00 to 1.00" not in page
        judged = [row for row in json.loads(found.files["report.json"])["rows"] if row["table"] == "supervisors"]
        assert judged
        assert not any({"low", "high"} & row.keys() for row in judged)


class TestNoise:
    def told(self, whole, broken):
        subject, shape = whole.report.prepared.subject, (6, 2)
        sigma = torch.where(broken, 40.0, 255.0).expand(shape)
        piece = {"ids": subject.images.ids[:6], "sigma": sigma, "broken": broken.expand(shape),
                 "label": torch.where(broken, 0, -1).expand(shape)}  # fmt: skip
        return noise._tell(subject, {"one": piece})

    def test_where_most_answers_hold_it_does_not_say_that_half_change(self, whole):
        told = self.told(whole, torch.tensor([[True], [True], [False], [False], [False], [False]]))
        assert told.headline == "Fewer than half of the correct answers change at noise of up to 255 grey levels."
        text = told.blocks[0].words
        assert "Fewer than half of the answers change at a standard deviation of up to 255 grey levels; 67%" in text

    def test_where_half_change_it_says_at_how_much(self, whole):
        told = self.told(whole, torch.tensor([[True], [True], [True], [False], [False], [False]]))
        assert told.headline == "Half of the correct answers change at noise of 40 (40 or more) grey levels or less."


def test_every_part_and_every_supervisor_is_there_or_left_out_by_name(whole):
    report = whole.report
    left = {name for name, _ in report.left}
    assert set(report.told) == set(PARTS)
    judged = set(tidy.select(report.rows, table="supervisors")["method"])
    assert not judged & {name for name in SUPERVISORS if SUPERVISORS[name].card.title in left}
    assert judged | {name for name in SUPERVISORS if SUPERVISORS[name].card.title in left} == set(SUPERVISORS)
    # A module with dropout, a last linear layer and training images lacks nothing but members and long trainings.
    assert {
        SUPERVISORS[name].card.title for name in SUPERVISORS if name.startswith(("mc_", "knn", "mdsa", "vim"))
    }.isdisjoint(left)
    conditions = set(tidy.select(report.rows, table="supervisors")["condition"])
    assert conditions == {"bad/errors", *(f"bad/{name}" for name in BAD)}


class Page(HTMLParser):
    """Every address and every image of a page."""

    def __init__(self, text):
        super().__init__()
        self.images, self.addresses, self.tags = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.tags.append(tag)
        if tag == "img":
            self.images.append(found.get("alt") or "")
        self.addresses += [found[name] for name in ("src", "href") if name in found]


def test_the_page_needs_nothing_and_says_what_its_images_show(whole):
    page = Page(whole.files["index.html"])
    assert "script" not in page.tags
    outside = [one for one in page.addresses if not one.startswith(("data:", "#"))]
    assert set(outside) <= {*whole.files}
    anchors = {one[1:] for one in page.addresses if one.startswith("#")}
    assert anchors == {*whole.report.told}
    assert all(f'id="{name}"' in whole.files["index.html"] for name in anchors)
    assert len(page.images) > 20
    assert all(len(alt.split()) >= 4 for alt in page.images)
    assert not re.search(r"https?://(?!www\.w3\.org)", whole.files["index.html"])


def test_json_holds_versions_checksums_and_seeds(world, whole):
    content = json.loads(whole.files["report.json"])
    assert content["versions"]["torch"] == torch.__version__.partition("+")[0]
    assert content["settings"]["seed"] == 0
    assert len(content["model"]["file_sha256"]) == 20
    assert content["images"]["checksum"] == whole.report.prepared.subject.images.checksum
    assert content["train"]["read"] == 60
    assert len(content["rows"]) == len(whole.report.rows)
    assert str(world.test.parent) not in whole.files["rows.csv"]


def test_again_from_the_store_gives_the_same_files(world, whole, monkeypatch):
    monkeypatch.setenv("MISTRUST_STORE", str(whole.store))
    before = {path: path.stat().st_mtime_ns for path in whole.store.rglob("content.*")}
    again = files(assess(world.asked(model=str(world.pickled), train=str(world.train), trust=True)))
    assert again == whole.files
    assert {path: path.stat().st_mtime_ns for path in whole.store.rglob("content.*")} == before


@pytest.fixture(scope="module")
def bare(world, assess_once):
    """TorchScript, which lets no layer be read, without training images."""
    return assess_once(world.asked())


def test_without_training_images_and_layers_what_needs_them_is_named(bare, whole):
    reasons = bare.report.reasons
    lacking = {name for reason, names in reasons.items() if "--train" in reason for name in names}
    assert {"KNN", "ViM", "Relative Mahalanobis", "Mahalanobis-Distance-based Surprise Adequacy"} <= lacking
    hidden = {
        name
        for reason, names in reasons.items()
        if "TorchScript does not let its layers be read" in reason
        for name in names
    }
    assert "MC-Dropout: mean softmax" in hidden
    assert "KNN" in bare.files["index.html"].partition("What was left out")[2]
    assert "targeted" in bare.report.told  # TorchScript has gradients
    one, other = (value(a.report, table="accuracy", at="all")["value"] for a in (bare, whole))
    assert one == other


def test_a_forest_that_scikit_learn_fitted_is_assessed_behind_a_function(world, assess_once, tmp_path):
    from sklearn.ensemble import RandomForestClassifier

    pixels, labels = bars(300, 5)
    forest = RandomForestClassifier(40, random_state=0).fit(pixels.reshape(300, -1) / 255, labels)
    (tmp_path / "forest.pkl").write_bytes(pickle.dumps(forest))
    (tmp_path / "trees.py").write_text(
        f"import pickle\nforest = pickle.load(open({str(tmp_path / 'forest.pkl')!r}, 'rb'))\n"
        "def model(images):\n    return forest.predict_proba(images.flatten(1).numpy())\n"
    )
    found = assess_once(world.asked(model=f"{tmp_path / 'trees.py'}:model", train=str(world.train))).report
    tested, truth = bars(81, 0)
    right = float((forest.predict(tested.reshape(81, -1) / 255) == truth).mean())
    assert value(found, table="accuracy", at="all")["value"] == pytest.approx(right, abs=1e-9)
    assert found.prepared.about["model"]["outputs"] == "probabilities"
    assert "targeted" not in found.told  # a forest has no gradients
    judged = set(tidy.select(found.rows, table="supervisors")["method"])
    assert "max_softmax" in judged
    assert "mdsa" not in judged  # nor layers


def test_outputs_alone_give_what_needs_no_model(world, whole, assess_once, tmp_path):
    from mistrust.assess import Asked

    subject = whole.report.prepared.subject
    given = {"logits": subject.logits.numpy(), "labels": subject.images.labels.numpy(), "classes": np.array(CLASSES)}
    features = np.random.default_rng(0).normal(size=(81, 4)).astype(np.float32)
    np.savez(tmp_path / "said.npz", **given, features=features)
    np.savez(tmp_path / "train.npz", **given, features=features[::-1] + 1)
    found = assess_once(Asked(outputs=str(tmp_path / "said.npz"), train_outputs=str(tmp_path / "train.npz"), budget=12))
    for where in ({"table": "accuracy", "at": "low"}, {"table": "mlm", "at": "low>high", "metric": "likelihood"}):
        assert value(found.report, **where)["value"] == pytest.approx(value(whole.report, **where)["value"])
    assert set(found.report.told) == {"accuracy", "matrix", "supervisors", "labelling"}
    judged = set(tidy.select(found.report.rows, table="supervisors")["method"])
    assert {"max_softmax", "knn", "mdsa"} <= judged
    assert "label/label.html" not in found.files
    assert "what a model said was given (--outputs), not the model" in found.files["index.html"]


def said_of_four(n=200):
    """Logits of four classes of which the third has no image, right for most of the others."""
    draw = np.random.default_rng(0)
    labels = draw.choice([0, 1, 3], n)
    return {
        "logits": draw.normal(size=(n, 4)) + 3 * np.eye(4)[labels],
        "labels": labels,
        "classes": np.array(list("abcd")),
    }


def test_a_class_without_images_is_left_out_of_the_matrix_alone(assess_once, tmp_path):
    from mistrust.assess import Asked

    np.savez(tmp_path / "said.npz", **said_of_four())
    found = assess_once(Asked(outputs=str(tmp_path / "said.npz"), budget=12))
    cells = tidy.select(found.report.rows, table="mlm", metric="likelihood")
    assert set(cells["at"]) == {f"{y}>{c}" for y in "abd" for c in "abd" if y != c}
    assert cells.groupby(cells["at"].str[0])["value"].sum().tolist() == pytest.approx([1, 1, 1])
    assert "c (it has no image)" in found.files["index.html"]


def test_outputs_in_another_order_are_told_of(tmp_path):
    from mistrust.assess import Asked
    from mistrust.assess.preparing import prepare

    given = said_of_four()
    np.savez(tmp_path / "said.npz", **given | {"logits": given["logits"][:, [3, 0, 2, 1]]})
    (notice,) = prepare(Asked(outputs=str(tmp_path / "said.npz"))).notices
    assert "in the order d, a, c, b. Is the order of its outputs another?" in notice


def test_training_outputs_that_hold_all_outputs_are_refused(tmp_path):
    from mistrust.assess import Asked
    from mistrust.assess.preparing import prepare

    given = said_of_four() | {"features": np.random.default_rng(1).normal(size=(200, 4))}
    np.savez(tmp_path / "train.npz", **given)
    np.savez(tmp_path / "said.npz", **{name: a[:50] if len(a) == 200 else a for name, a in given.items()})
    for named in ("train.npz", "said.npz"):
        with pytest.raises(MistrustError, match=rf"All that \S*{named} holds is in \S*train.npz, too"):
            prepare(Asked(outputs=str(tmp_path / named), train_outputs=str(tmp_path / "train.npz")))


def test_supervisors_that_are_best_alike_are_counted_and_guessing_is_no_merit():
    from mistrust.assess.parts.judged import Judged, best

    names, columns = ("max_softmax", "deep_gini"), ("errors",)
    alike = {(name, "errors"): Judged(0.9, 0.8, 0.95, 40, 60) for name in names}
    assert best(alike, names, "errors") == list(names)
    assert "0.90 (0.80 to 0.95) by 2 of them alike" in _headline(alike, names, columns)
    guessed = {(name, "errors"): Judged(0.5, float("nan"), float("nan"), 40, 60) for name in names}
    assert "no better than guessing" in _headline(guessed, names, columns)
    one = alike | {("deep_gini", "errors"): Judged(0.95, 0.9, 0.97, 40, 60)}
    assert "by DeepGini." in _headline(one, names, columns)


class TestOutputsThatAreRefused:
    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"labels": np.array([0, 1, 3])}, "labels run from 0 to 3, expected 0 to 2"),
            ({"labels": np.array([0, 1])}, r"logits have shape \(3, 3\) and there are 2 labels"),
            ({"logits": np.array([[0, np.nan, 1], [1, 2, 3], [0, 0, 0]])}, "logits of 1 of 3 images are NaN"),
            (
                {"logits": None, "probabilities": np.full((3, 3), 2.0)},
                "rows sum to 6 to 6, expected .* Are they logits",
            ),
            ({"labels": None}, r"has logits: expected an .npz file"),
            (
                {"logits": np.zeros((3, 1))},
                r"logits have shape \(3, 1\): one number per image, as a two-class model's. Give two columns, \(0, z",
            ),
            (
                {"logits": None, "probabilities": np.full(3, 0.5)},
                r"probabilities have shape \(3,\): one number per image",
            ),
            ({"classes": np.array(["a", "b"])}, "are of 3 classes, and 2 are named: a, b"),
            ({"logits": np.ones((3, 3))}, "logits are the same for all of 3 images"),
        ],
    )
    def test_by_name(self, change, message, tmp_path):
        from mistrust.assess.outputs import read_outputs

        content = {"logits": np.eye(3), "labels": np.arange(3)} | change
        np.savez(tmp_path / "said.npz", **{name: array for name, array in content.items() if array is not None})
        with pytest.raises(MistrustError, match=message):
            read_outputs(tmp_path / "said.npz")


def test_a_table_of_outputs_is_read_by_its_columns(tmp_path):
    from mistrust.assess.outputs import read_outputs

    (tmp_path / "said.csv").write_text("name,label,prob_0,prob_1,feature_0\na.png,1,0.25,0.75,5\nb.png,0,0.5,0.5,6\n")
    found = read_outputs(tmp_path / "said.csv")
    assert found.names == ("a.png", "b.png")
    assert found.outputs == "probabilities"
    torch.testing.assert_close(
        found.record.probabilities, torch.tensor([[0.25, 0.75], [0.5, 0.5]], dtype=torch.float64)
    )
    assert found.record.layer("features").tolist() == [[5], [6]]


def test_shuffled_tiles_are_the_same_tiles():
    images = torch.arange(2 * 3 * 9 * 8, dtype=torch.float32).view(2, 3, 9, 8)
    found = shuffled(images, torch.tensor([4, 7]), 0, tiles=4)
    assert torch.equal(found[:, :, 8:], images[:, :, 8:])  # what does not divide stays
    for one, other in zip(found, images, strict=True):
        assert not torch.equal(one, other)
        tiles = [sorted(tuple(t.flatten().tolist()) for t in _tiles(image[:, :8])) for image in (one, other)]
        assert tiles[0] == tiles[1]
    alone = shuffled(images[1:], torch.tensor([7]), 0, tiles=4)
    assert torch.equal(alone, found[1:])  # the draw is the image's own


def _tiles(image):
    return [image[:, y : y + 2, x : x + 2] for y in range(0, 8, 2) for x in range(0, 8, 2)]


def test_slow_models_get_smaller_parts():
    fast, slow = planned(1e-5, 5), planned(0.05, 5)
    assert fast.perturbed == 400
    assert vars(slow) != vars(fast)
    assert all(vars(slow)[name] <= vars(fast)[name] for name in vars(fast))
    assert all(vars(planned(0.05, 50))[name] >= vars(slow)[name] for name in vars(fast))


def test_large_pictures_get_smaller_parts():
    """Whose perturbations take longer than a fast model's passes."""
    small, large = planned(1e-5, 5, making=2e-4), planned(1e-5, 5, making=0.02)
    assert small == planned(1e-5, 5)
    assert large.perturbed < small.perturbed
    assert 48 * large.perturbed * 0.02 < 5 * 60
    assert all(vars(large)[name] <= vars(small)[name] for name in vars(small))
