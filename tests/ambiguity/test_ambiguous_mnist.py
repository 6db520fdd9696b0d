"""AmbiguousMNIST from a local copy: made-up files in the release's shape, and the experiment's rows with them."""

import hashlib
import importlib
from types import SimpleNamespace

import pytest
import torch

from mistrust.ambiguity import ambiguous_mnist
from mistrust.ambiguity.ambiguous_mnist import LABELS, SAMPLES, find, second_half
from mistrust.ambiguity.experiment import Parameters, contents
from mistrust.ambiguity.rivals import mixed
from mistrust.data import ImageSet
from mistrust.errors import MistrustError
from mistrust.networks import wrap

pieces = importlib.import_module("mistrust.ambiguity.experiment.pieces")  # the package has a function of this name
SMALL = 8  # images of the made-up release, in place of 12,000


def made_up(seed=0):
    generator = torch.Generator().manual_seed(seed)
    samples = torch.rand((SMALL, 1, 28, 28), generator=generator)
    return samples, torch.randint(0, 10, (SMALL, 10), generator=generator)


@pytest.fixture(autouse=True)
def small(monkeypatch, tmp_path):
    """A release of eight images, and a data folder of the test's own with nothing in it."""
    folder = tmp_path / "data"
    folder.mkdir()
    (tmp_path / "project").mkdir()
    monkeypatch.setenv("MISTRUST_DATA", str(folder))
    monkeypatch.setenv("MISTRUST_ROOT", str(tmp_path / "project"))
    monkeypatch.setattr(ambiguous_mnist, "IMAGES", SMALL)
    return folder


@pytest.fixture
def put(small, monkeypatch):
    """Write the two files, whatever they hold, and take them for the release's own."""

    def written(**contents):
        folder = small / "AmbiguousMNIST"
        folder.mkdir()
        samples, drawn = made_up()
        sums = {}
        for name, given in ((SAMPLES, contents.get("samples", samples)), (LABELS, contents.get("drawn", drawn))):
            if isinstance(given, bytes):
                (folder / name).write_bytes(given)
            else:
                torch.save(given, folder / name)
            sums[name] = hashlib.md5((folder / name).read_bytes(), usedforsecurity=False).hexdigest()
        monkeypatch.setattr(ambiguous_mnist, "MD5", sums)
        return folder

    return written


def test_none_without_a_copy():
    assert find() is None


def test_the_test_part_is_the_second_half(put):
    put()
    samples, drawn = made_up()
    found = find()
    assert torch.equal(found.images.images, samples[4:])
    assert found.images.ids.tolist() == [4, 5, 6, 7]
    assert torch.equal(found.images.labels, drawn[4:, 0])
    assert found.images.classes == tuple("0123456789")


def test_the_label_is_the_share_of_each_class_among_the_drawn_ones():
    samples, drawn = made_up()
    drawn[4] = torch.tensor([3, 3, 3, 3, 3, 3, 8, 8, 8, 5])
    drawn[5] = 7
    soft = second_half(samples, drawn).soft
    assert soft.dtype == torch.float64
    assert soft[0].tolist() == [0, 0, 0, 0.6, 0, 0.1, 0, 0, 0.3, 0]
    assert soft[1].tolist() == [0, 0, 0, 0, 0, 0, 0, 1, 0, 0]
    assert torch.allclose(soft.sum(1), torch.ones(4, dtype=torch.float64), atol=1e-12, rtol=0)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setenv("MISTRUST_CACHE", str(folder))
    return folder


def test_the_cache_folder_is_searched_too(put, cache):
    folder = put()
    folder.rename(cache / "AmbiguousMNIST")
    assert len(find().images) == 4


def test_half_a_copy_is_passed_over_where_there_is_a_whole_one(put, cache):
    folder = put()
    folder.rename(cache / "AmbiguousMNIST")
    folder.mkdir()
    (folder / SAMPLES).write_bytes(b"half")
    assert len(find().images) == 4


@pytest.mark.parametrize("name", [SAMPLES, LABELS])
def test_half_a_copy_is_named(put, name):
    (put() / name).unlink()
    with pytest.raises(MistrustError, match=f"AmbiguousMNIST lacks {name}"):
        find()


def test_other_files_than_the_releases_are_refused(put, monkeypatch):
    release = dict(ambiguous_mnist.MD5)
    put()
    monkeypatch.setattr(ambiguous_mnist, "MD5", release)
    with pytest.raises(MistrustError, match=r"amnist_samples\.pt is truncated or altered.*4f7865093b1d28e340.*data-v1"):
        find()


def test_a_file_that_was_changed_is_read_again(put):
    folder = put()
    first = find()
    assert find() is first
    torch.save(made_up(1)[1], folder / LABELS)
    with pytest.raises(MistrustError, match=r"amnist_labels\.pt is truncated or altered"):
        find()


@pytest.mark.parametrize(
    ("contents", "said"),
    [
        ({"samples": b"no tensor"}, r"amnist_samples\.pt cannot be read as a tensor"),
        ({"drawn": b""}, r"amnist_labels\.pt cannot be read as a tensor"),
        ({"samples": SimpleNamespace(code="ran")}, r"amnist_samples\.pt cannot be read as a tensor"),
        ({"drawn": [1, 2]}, r"amnist_labels\.pt holds a list, expected one tensor"),
        ({"samples": torch.zeros(SMALL, 28, 28)}, r"float32 of shape \(8, 28, 28\), expected torch.float32 of \(8, 1"),
        ({"samples": torch.zeros(SMALL - 1, 1, 28, 28)}, r"shape \(7, 1, 28, 28\), expected"),
        ({"samples": torch.zeros(SMALL, 1, 28, 28).byte()}, "samples.pt is torch.uint8 .* expected torch.float32"),
        ({"samples": torch.full((SMALL, 1, 28, 28), 2.8)}, r"amnist_samples\.pt holds 2\.8 to 2\.8, expected 0 to 1"),
        ({"samples": torch.full((SMALL, 1, 28, 28), -0.4)}, r"amnist_samples\.pt holds -0\.4 to -0\.4"),
        ({"samples": torch.full((SMALL, 1, 28, 28), torch.nan)}, r"amnist_samples\.pt holds nan"),
        ({"drawn": torch.zeros(SMALL, 10)}, r"amnist_labels\.pt is torch.float32 .* expected torch.int64"),
        ({"drawn": torch.zeros(SMALL, 3).long()}, r"shape \(8, 3\), expected torch.int64 of \(8, 10\)"),
        ({"drawn": torch.full((SMALL, 10), 10)}, r"amnist_labels\.pt holds 10 to 10, expected 0 to 9"),
        ({"drawn": torch.full((SMALL, 10), -1)}, r"amnist_labels\.pt holds -1 to -1, expected 0 to 9"),
    ],
)  # fmt: skip
def test_what_is_no_copy_is_named_with_the_way_out(put, contents, said):
    folder = put(**contents)
    with pytest.raises(MistrustError, match=said) as raised:
        find()
    assert str(folder) in str(raised.value)
    assert "data-v1.0.0" in str(raised.value)


def test_the_checksum_tells_images_and_labels_apart():
    samples, drawn = made_up()
    sums = {second_half(samples, drawn).checksum}
    darker, other = samples.clone(), drawn.clone()
    darker[5] /= 2
    other[5, 9] = (other[5, 9] + 1) % 10
    sums |= {second_half(darker, drawn).checksum, second_half(samples, other).checksum}
    assert len(sums) == 3
    assert second_half(*made_up()).checksum in sums


class Black:
    """Decoders of which each gives black images: of sets that none has made."""

    def take(self, places):
        return self

    def decode(self, latent):
        return torch.zeros(*latent.shape[:2], 784)


@pytest.fixture
def one():
    """What a piece needs: digits made up, sets of mixed ones, a network that has learned nothing."""
    generator = torch.Generator().manual_seed(1)
    pixels = torch.randint(0, 256, (40, 1, 28, 28), generator=generator, dtype=torch.uint8)
    digits = ImageSet("mnist", pixels, torch.arange(40) % 10, torch.arange(40), tuple("0123456789"))
    sets = {
        way: tuple(mixed(digits, None, 60, role=role) for role in ("train", "test"))
        for way in ("ambiguess", "as published", "mixing", "midpoint")
    }
    torch.manual_seed(0)
    network = wrap(torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(784, 10)), digits.classes)
    return SimpleNamespace(
        data="mnist",
        test=digits,
        train=digits,
        sets=sets,
        shared=sets["mixing"],
        as_published=sets["as published"],
        good=Black(),
        parameters=Parameters(),
        classifier=lambda *_: network,
    )


def of(rows, **where):
    return {row["metric"]: row for row in rows if all(row[name] == value for name, value in where.items())}


def test_a_classifier_is_measured_on_it(one, put):
    put()
    theirs = find()
    rows = list(contents.classifier(one, "tiny", "mixed", 0))
    found = of(rows, condition="ambiguous/ambiguous-mnist")
    assert set(found) == {"top-1", "top-2", "entropy", "brier", "kl", "excess entropy"}  # labels have up to ten classes
    softmax = one.classifier().network(theirs.images.images).double().softmax(1)
    assert found["brier"]["value"] == pytest.approx((softmax - theirs.soft).square().sum(1).mean().item(), rel=1e-5)
    assert {row["n"] for row in found.values()} == {4}
    assert "top-pair" in of(rows, condition="ambiguous/mixing")


def test_its_ceilings_stand_among_the_sets(one, put):
    put()
    found = of(contents.sets(one), method="ambiguous-mnist")
    assert set(found) == {"images", "largest probability", "top-2 ceiling", "label entropy"}
    assert found["images"]["value"] == 4
    assert found["largest probability"]["value"] == pytest.approx(find().soft.max(1).values.mean().item())
    assert {row["condition"] for row in found.values()} == {"test"}


def test_without_a_copy_there_are_no_such_rows(one):
    rows = [*contents.classifier(one, "tiny", "mixed", 0), *contents.sets(one)]
    assert not [row for row in rows if "ambiguous-mnist" in f"{row['condition']} {row['method']}"]


def test_a_set_that_cannot_be_drawn_has_a_row_that_says_why(one):
    assert [row["value"] for row in contents.sets(one) if row["metric"] == "images"] == [60] * 10
    one.as_published = "Only 0 of 294 points were drawn"
    (refused,) = [row for row in contents.sets(one) if row.get("note")]
    assert (refused["metric"], refused["value"], refused["note"]) == ("images", 0, one.as_published)


def test_other_images_are_not_compared_with_it(one, put):
    put()
    one.data = "fmnist"
    assert not of(contents.classifier(one, "tiny", "mixed", 0), condition="ambiguous/ambiguous-mnist")


def test_only_pieces_that_read_the_copy_depend_on_it(one, put, monkeypatch):
    monkeypatch.setattr(pieces, "load", lambda *_: one.test)
    parameters = Parameters.of({"data": ("mnist", "fmnist"), "architectures": ("ambiguess-fc",)})
    names = pieces.pieces(parameters)
    before = {name: pieces._spec(parameters, name) for name in names}
    assert all(set(spec["parameters"].get("data", {})) <= {"name", "train", "test"} for spec in before.values())
    put()
    changed = [name for name in names if pieces._spec(parameters, name) != before[name]]
    number = {training: getattr(parameters, training) for training in ("mixed", "clean")}
    assert sorted(changed) == sorted(
        ["mnist: sets"] + [f"mnist: ambiguess-fc {what} {i}" for what, count in number.items() for i in range(count)]
    )
    assert pieces._spec(parameters, "mnist: sets")["data"]["ambiguous-mnist"] == find().checksum
