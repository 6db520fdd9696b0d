"""Entries of the table: colour images (photographs and traffic signs)."""

from collections.abc import Mapping

from mistrust.data import cifar, embedded, imagenet, signs
from mistrust.data.parquet import Parquet
from mistrust.data.source import Source

THINGS = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
# Our wording, the official numbering.
GERMAN_SIGNS = (
    "speed limit 20", "speed limit 30", "speed limit 50", "speed limit 60", "speed limit 70", "speed limit 80",
    "end of speed limit 80", "speed limit 100", "speed limit 120", "no overtaking", "no overtaking for lorries",
    "right of way at next crossing", "priority road", "give way", "stop", "no vehicles", "no lorries", "no entry",
    "general caution", "dangerous curve left", "dangerous curve right", "double curve", "bumpy road", "slippery road",
    "road narrows on the right", "road works", "traffic lights", "pedestrians", "children crossing",
    "bicycles crossing", "ice or snow", "wild animals crossing", "end of all limits", "turn right ahead",
    "turn left ahead", "ahead only", "go straight or right", "go straight or left", "keep right", "keep left",
    "roundabout", "end of no overtaking", "end of no overtaking for lorries",
)  # fmt: skip
# The source gives no names: these are the folder numbers.
BELGIAN_SIGNS = tuple(f"btsc_{number:05d}" for number in range(62))

KRIZHEVSKY = "Krizhevsky, Learning multiple layers of features from tiny images, 2009"
STALLKAMP = "Stallkamp, Schlipsing, Salmen and Igel, Man vs. computer, Neural Networks 32, 2012"
TIMOFTE = "Timofte and Van Gool, BMVC 2011; Timofte, Prisacariu, Van Gool and Reid, MVA 2011"
ELSON = "Elson, Douceur, Howell and Saul, Asirra: a CAPTCHA that exploits image categorization, 2007"
RUSSAKOVSKY = "Russakovsky et al., ImageNet large scale visual recognition challenge, IJCV 115, 2015"

# sha256 of the class names in the thin copies' folders.
CIFAR_CLASSES = "2ce042b1e0b48db4bb214408e6414ba18b2731c24af244f2d6c112fddf31af00"
COPY = (
    "a thin copy that comes with the study's shared data and is not downloaded: put that folder beside the project as "
    "shared/data, or name it in MISTRUST_DATA"
)


def _thin(sums: Mapping[str, str], *, crop: bool = False, **parts: str) -> Parquet:
    return Parquet(parts=parts, sums=sums, crop=crop)


COLOUR = (
    Source(
        name="photos",
        title="patches of two photographs",
        classes=("china", "flower"),
        channels=3,
        size=(embedded.PATCH, embedded.PATCH),
        counts={"train": 390, "test": 130},
        reader=embedded.Photos(embedded.photos, mix=False),
        package="sklearn",
        terms="CC BY 2.0, photographs by danielbuechele and vultilion (scikit-learn's own note)",
        cite="scikit-learn, sklearn.datasets.load_sample_images",
        about=(
            "scikit-learn's two photographs cut into 32x32 patches without overlap: 13 rows of 20 from each, the 11 "
            "rows of pixels at the lower edge left out. Label: which photograph. Test: the five rightmost columns of "
            "patches. Meant as inputs that are none of another set's classes. Decoded from JPEG, so another JPEG "
            "decoder may give slightly different pixels."
        ),
    ),
    Source(
        name="cifar10",
        title="small photographs, complete",
        classes=THINGS,
        channels=3,
        size=(32, 32),
        counts={"train": 50_000, "test": 10_000},
        reader=cifar.Cifar(),
        folders=("cifar10", ""),
        remotes=cifar.remotes,
        terms="none stated; the authors ask to be cited",
        cite=KRIZHEVSKY,
        about="The original pixels, from the files that torchvision downloads. Ids: train from 0, test from 50,000.",
    ),
    Source(
        name="cifar10-jpeg",
        title="small photographs, a thin JPEG copy of CIFAR-10",
        classes=THINGS,
        channels=3,
        size=(32, 32),
        counts={"train": 15_000, "test": 5_000},
        reader=_thin(
            {
                "train.parquet": "2bb6845eadcb524e8df0c00b2830fea068d4c04435cb364ef121a79cef47b187",
                "test.parquet": "ff6b1b202b763f4bc95550e96f387c67d366429f6b772814c67d7db159451f55",
                "classes.txt": CIFAR_CLASSES,
            },
            train="train.parquet",
            test="test.parquet",
        ),
        folders=("cifar10-jpeg", "cifar10"),
        get=COPY,
        terms="none stated; the authors ask to be cited",
        cite=KRIZHEVSKY,
        about=(
            "JPEG copies (quality 75, 4:2:0 chroma), 5.7 grey levels off the originals on average: accuracies and "
            "above all robustness are not comparable with results on `cifar10`. None of its training images is in "
            "`cifar10-lossless`."
        ),
    ),
    Source(
        name="cifar10-lossless",
        title="small photographs, the first 4,000 of CIFAR-10",
        classes=THINGS,
        channels=3,
        size=(32, 32),
        counts={"train": 4_000},
        reader=_thin(
            {
                "train_lossless.parquet": "0bf231364f85fa1acc86fed9ee737bfcb8f5e1127e2243e1ebe42c2ad3fbb14a",
                "classes.txt": CIFAR_CLASSES,
            },
            train="train_lossless.parquet",
        ),
        folders=("cifar10-lossless", "cifar10"),
        get=COPY,
        terms="none stated; the authors ask to be cited",
        cite=KRIZHEVSKY,
        about=(
            "Original training images 0 to 3,999 of CIFAR-10 in original order (ids are those positions), pixel for "
            "pixel. No test part: split it yourself. 366 to 422 images a class."
        ),
        checksums={"train": "2b3c63973dd949642edf"},
    ),
    Source(
        name="gtsrb",
        title="German traffic signs, complete",
        classes=GERMAN_SIGNS,
        channels=3,
        size=(32, 32),
        counts={"train": 39_209, "test": 12_630},
        reader=signs.Signs(
            parts={"train": ("GTSRB/Training",), "test": ("GTSRB/Final_Test/Images",)},
            tables={"test": "GT-final_test.csv"},
            first_test=39_209,
        ),
        folders=("gtsrb",),
        remotes=signs.gtsrb_remotes,
        terms="none stated; the authors ask to be cited",
        cite=STALLKAMP,
        about=(
            "From the files that torchvision downloads: each whole image, margin included, resized to 32x32 by us, "
            "bilinear without antialiasing. The 30 frames of a track are near-identical: split train by (label, track)."
        ),
    ),
    Source(
        name="gtsrb-thin",
        title="German traffic signs, a thin copy",
        classes=GERMAN_SIGNS,
        channels=3,
        size=(32, 32),
        counts={"train": 13_070, "test": 6_000},
        reader=_thin(
            {
                "train.parquet": "041482f05cd651c91438d13dde2e30c8a3d0563a319ef6a77c13a2587d4cfd0c",
                "test.parquet": "4bcc998329b6ffe6c91e3c465bb19ebc9185cce11a742d0c15a7825114f2a2fd",
                "classes.txt": "348d43fda6da20942b304aedb10dcccf63bc266f963b66d7d559b6089d522bd1",
            },
            train="train.parquet",
            test="test.parquet",
        ),
        folders=("gtsrb-thin", "gtsrb"),
        get=COPY,
        terms="none stated; the authors ask to be cited",
        cite=STALLKAMP,
        about=(
            "Every third frame of each track and 6,000 of the test images: whole images resized to 32x32 at the "
            "source, bilinear without antialiasing, stored without loss. Split train by (label, track), never by row."
        ),
        checksums={"train": "c1997b84de206977502d", "test": "c38ba32c82a6b49b5cfc"},
    ),
    Source(
        name="btsc",
        title="Belgian traffic signs, complete",
        classes=BELGIAN_SIGNS,
        channels=3,
        size=(32, 32),
        counts={},
        reader=signs.Signs(
            parts={
                "train": ("Training", "BelgiumTSC_Training/Training"),
                "test": ("Testing", "BelgiumTSC_Testing/Testing"),
            },
            numbers=("pole", "view"),
            first_test=10_000,
        ),
        folders=("btsc",),
        get=(
            "get BelgiumTSC_Training.zip and BelgiumTSC_Testing.zip (BelgiumTS for classification, cropped images) "
            "from its authors' page and unpack both"
        ),
        terms="none stated; the authors ask to be cited",
        cite=TIMOFTE,
        about=(
            "The classification part of BelgiumTS: each whole image, margin included, resized to 32x32 by us, bilinear "
            "without antialiasing (as `gtsrb`; `btsc-test` is antialiased). Test ids begin at 10,000."
        ),
    ),
    Source(
        name="btsc-test",
        title="Belgian traffic signs, the test part",
        classes=BELGIAN_SIGNS,
        channels=3,
        size=(32, 32),
        counts={"test": 2_520},
        reader=_thin(
            {
                "test.parquet": "5b02960cd799abe67b951225ea90c864948415d05ecf82b2775f843cc12dca8c",
                "classes.txt": "9cfffed73333c710885a91f4049515af4e8ca275d0aee5ce504b0b59275c5cd3",
            },
            test="test.parquet",
        ),
        folders=("btsc-test", "btsc"),
        get=COPY,
        terms="none stated; the authors ask to be cited",
        cite=TIMOFTE,
        about=(
            "The official test part, 53 of 62 classes: whole images resized to 32x32 with antialiasing (unlike "
            "`gtsrb-thin`), stored without loss. Rows are sorted by class. Images of one `pole` and label show one "
            "physical sign; `fold` (0 to 4) never separates them."
        ),
        checksums={"test": "e4f1d046c6e0a34b2520"},
    ),
    Source(
        name="cats_dogs",
        title="cats and dogs",
        classes=("cat", "dog"),
        channels=3,
        size=(64, 64),
        counts={"train": 8_000, "test": 6_000},
        reader=_thin(
            {
                "train.parquet": "93f2b34068665829c1283dae37d1cb994298e2844695e151ea18eb9eb3c48dda",
                "test.parquet": "d41945380f95f64918dc9cc52af15c9a3296c0695001c02e069c117b0e60fb2b",
                "classes.txt": "f641fdcd8af73b2f6334ab63c13d2eb857cd16f2aa4ea0ba20ba0eb9627918b5",
            },
            train="train.parquet",
            test="test.parquet",
        ),
        folders=("cats_dogs",),
        get=COPY,
        terms="none stated with the copy; pictures of the Asirra collection (Microsoft Research, Petfinder)",
        cite=ELSON,
        about="14,000 of 24,998 pictures, 64x64, lossy WebP (quality 90) made from JPEG.",
    ),
    Source(
        name="imagenet",
        title="ImageNet's validation images, one per class",
        classes=(),
        channels=3,
        size=(imagenet.ImageNetFolder.side, imagenet.ImageNetFolder.side),
        counts={"test": imagenet.CLASSES},
        reader=imagenet.ImageNetFolder(),
        folders=("imagenet",),
        get="get the validation archive from ImageNet, and unpack it with torchvision.datasets.ImageNet",
        terms="ImageNet's: non-commercial research and education; rights stay with the photographers",
        cite=RUSSAKOVSKY,
        about=(
            "The folder `val` with its 1,000 class folders. Of each class the first image by file name, its shorter "
            "side resized to 342 pixels, the centre kept: the largest that torchvision's networks start from."
        ),
    ),
    Source(
        name="imagenet_sample",
        title="50 photographs of ImageNet",
        classes=(),
        channels=3,
        size=(256, 256),
        counts={"test": 50},
        reader=_thin(
            {
                "test.parquet": "c75af6e74a96550f3d5b4953418145ae72a4b1fb3320724ceec25f333ec84a64",
                "classes.txt": "427d9ab4d1c500a3f3f9c59a8cf396bab2e2a9adbb1dbc28a576ddfd54f0b366",
            },
            test="test.parquet",
            crop=True,
        ),
        folders=("imagenet_sample",),
        get=COPY,
        terms="ImageNet's: non-commercial research and education; rights stay with the photographers",
        cite=RUSSAKOVSKY,
        about=(
            "One image of each of 50 classes, 1,000 class names; short side 256 in the files (lossy WebP), of which "
            "the central 256x256 pixels are taken."
        ),
    ),
)
