"""Parameters of the chapter: what is refused with which words, and who represents a family."""

from dataclasses import asdict, replace

import pytest

from mistrust.data import load
from mistrust.errors import MistrustError
from mistrust.robustness.experiment import Parameters, check, inputs, pieces
from mistrust.robustness.noise import VARIANTS


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"networks": ()}, r"at least one network \(networks\) and one variant of noise"),
        ({"variants": ()}, r"at least one network \(networks\) and one variant of noise"),
        (
            {"also": ("photos", "digits")},
            r"'digits' is the image set \(data\) and a further one \(also\): name it once",
        ),
        (
            {"variants": ("fresh-clipped", "fixed-clipped")},
            "first variant of noise, 'fresh-clipped', is searched by bisection.* name one with fixed noise first, such "
            "as fixed-clipped",
        ),
        ({"variants": ("fixed-cliped",)}, r"'fixed-cliped'.*Did you mean 'fixed-clipped'"),
        ({"networks": ("resnet8w8",)}, r"'resnet8w8'.*Did you mean 'resnet8-w8'"),
        ({"region_networks": ("mlm-cn",)}, r"'mlm-cn'.*Did you mean 'mlm-cnn'"),
        ({"imagenet": ("alexnett",)}, r"no network for ImageNet 'alexnett'\. Did you mean 'alexnet'"),
        ({"networks": ("resnet8-w8", "resnet8-w8")}, "'networks' names 'resnet8-w8' twice"),
        ({"parts": ("quarter",)}, "'parts' is 'quarter'"),
        ({"images": 3}, "'images' is 3, expected at least 4"),
        ({"class_share": 0.95}, r"'class_share' is 0\.95, expected 0\.1 to 0\.9"),
        ({"rates": (2.0, 0.0)}, r"'rates' is 0\.0"),
        ({"rate": 256.0}, r"'rate' is 256\.0"),
        ({"region_samples": 1}, "'region_samples' is 1, expected at least 2"),
        ({"image": 30}, "Did you mean 'images'"),
        (
            {"imagenet": ("alexnet", "vgg16"), "imagenet_weights": "some.pth"},
            r"imagenet_weights names one file, 'some\.pth', for 2 networks \(alexnet, vgg16\): name one network",
        ),
    ],
)
def test_a_bad_parameter_is_named(parameters, changed, said):
    with pytest.raises(MistrustError, match=said):
        Parameters.of({**asdict(parameters), **changed})


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"region_classes": 11}, "region_classes is 11, and 'digits' has 10 classes; 0 takes all"),
        ({"sources": 11}, "sources is 11, and 'digits' has 10 classes; 0 takes all"),
        ({"train_images": 1298}, "'train_images' is 1298, but 'digits' has 1297 train images. Ask for fewer, or 0"),
        ({"images": 501}, "'images' is 501, but 'digits' has 500 test images. Ask for fewer, or take another set"),
        ({"layer_images": 501}, "'layer_images' is 501.* or 0 to leave single layers out"),
        (
            {"also": ("photos",), "also_images": 391},
            "'also_images' is 391, but 'photos' has 390 train images. Ask for fewer, or 0 for all",
        ),
        ({"data": "digit"}, "Did you mean 'digits'"),
        (
            {"data": "photos", "train_images": 0, "parts": ("fraction",), "class_share": 0.9},
            "class_share is 0.9, which leaves all 2 classes of 'photos' in the variant 'fraction': lower it",
        ),
        ({"also": ("photoss",)}, "Did you mean 'photos'"),
    ],
)
def test_what_only_the_data_can_tell_is_refused_before_hours_are_spent(parameters, changed, said):
    with pytest.raises(MistrustError, match=said):
        check(replace(parameters, **changed))


def test_what_is_allowed_is_not_refused(parameters):
    check(parameters)
    check(replace(parameters, region_classes=10, region_networks=("mlm-cnn",), parts=("half", "fraction")))
    for name, variant in VARIANTS.items():
        if not variant.fresh:
            replace(parameters, variants=(name,))


def test_the_first_network_of_a_family_represents_it_and_others_themselves():
    networks = ("resnet14-w8", "mlm-cnn", "resnet8-w8", "vgg9-w16", "resnet20", "vgg6-w16", "alexnet6-w16")
    assert Parameters(networks=networks).representatives == (
        "resnet14-w8", "mlm-cnn", "vgg9-w16", "resnet20", "alexnet6-w16",
    )  # fmt: skip


def test_pieces_are_one_a_network_variant_and_image_set():
    p = Parameters(
        data="digits", also=("photos",), networks=("resnet8-w8", "resnet14-w8", "vgg6-w16"), runs=2,
        parts=("half", "fraction"), region_networks=("resnet14-w8", "mlm-cnn"), region_classes=3,
    )  # fmt: skip
    ours = ("resnet8-w8", "resnet14-w8", "vgg6-w16")
    assert pieces(p) == [
        *(f"digits: {name} all 0" for name in (*ours, "mlm-cnn")),
        *(f"digits: {name} {part} 0" for part in ("half", "fraction") for name in ("resnet8-w8", "vgg6-w16")),
        *(f"digits: {name} all 1" for name in ours),
        *(f"digits: {name} {part} 1" for part in ("half", "fraction") for name in ("resnet8-w8", "vgg6-w16")),
        "photos: resnet8-w8 all 0",
        "photos: vgg6-w16 all 0",
        # Of the first run alone, and on the chapter's own images.
        *(f"digits: region of {label} in {name}" for name in ("resnet14-w8", "mlm-cnn") for label in range(3)),
        "bubbles of one image",
    ]
    assert len(set(pieces(p))) == len(pieces(p))
    every = pieces(replace(p, region_classes=0))
    assert [name for name in every if name not in pieces(p)] == [
        f"digits: region of {label} in {name}" for name in ("resnet14-w8", "mlm-cnn") for label in range(3, 10)
    ]
    assert not any("region" in name for name in pieces(replace(p, region_networks=())))


def test_inputs_are_all_image_sets_with_their_checksums():
    p = Parameters(data="digits", also=("photos",))
    assert inputs(p) == {
        f"{name}/{split}": load(name, split).checksum for name in ("digits", "photos") for split in ("train", "test")
    }
