"""The options of `mistrust search`; nothing heavy is imported here, so that help comes at once."""

import argparse

ACTION, HELP = "search.search", "say which images to label first to find high-confidence errors"
MORE = (
    "Ranks the images that a classifier was sure of by how suspicious they are, and writes a page on which a "
    "person says right, wrong or unsure. From the answers: how much more often it errs than its confidences say."
)
EXAMPLES = """examples:
  mistrust search --images photos --scores scores.csv --budget 50 --out labels     then open labels/label.html
  mistrust search --answers ~/Downloads/answers-random-1f2e3d.csv                  what the answers show
  mistrust search --answers anna.csv --answers ben.csv                             two people, and where they disagree
  mistrust search --scores scores.csv --budget 50 --out labels                     the list alone, without a page
  mistrust search --images photos --scores scores.csv --class cat --method random --out check
  mistrust search --rows dataForKarsten.csv                                        the authors' own rows, every search

scores.csv has one line per image, with columns

  id, predicted, confidence[, distance][, x1, x2, ...]

id is a file's name in the folder, with or without its suffix; confidence is the probability of the predicted class, in
(0, 1], calibrated if you can; distance is how little the image must change until the prediction does (the smaller the
more suspicious at equal confidence), from elsewhere or from the library, which asks for labels alone:
`mistrust.search.attack.distances(labels_of, images, "hopskip").mae`. That is some 7,000 queries per image (with
steps=10 half as many): seconds for a small network, hours for a pool and a deep one, where "deepfool" by gradients
takes a few passes per image. x1, x2, ... are features; they are checked but do not change the order here: searches that
use features read answers, and are called in Python (`mistrust.search`).
--rows reads the layout of the paper's authors, one line per image whose true class is known, with columns

  Prediction, Confidence, True Label, X1, X2, X3, X4, X5, Misclassified, MAE

Prediction and True Label are classes (their prediction is always 1), X1 to X5 features, MAE a distance; Misclassified
is True where the two classes differ, else False.
Columns of other names are read by --column: --column confidence=softmax --column id=path

The page keeps each answer in your browser at once and asks nothing from outside; it works from the folder, and on a
phone. Export the answers there. Of several people's answers those count on which all agree who said right or wrong; the
others are unsure. SDR is the errors found divided by the errors that the confidences lead one to expect:
1 where the classifier is wrong as often as it says, more where it is overconfident.
"""


def add_options(search: argparse.ArgumentParser) -> None:
    """Give the parser of `mistrust search` its options."""
    search.add_argument("--images", metavar="FOLDER", help="the images: makes the labelling page")
    search.add_argument("--scores", metavar="FILE", help="what the classifier said about each image (csv, see below)")
    search.add_argument(
        "--answers", action="append", metavar="FILE",
        help="answers that the page exported: says what they show; repeat for further people who answered the same "
        "list: says how far they agree, too",
    )  # fmt: skip
    search.add_argument(
        "--rows", metavar="FILE", help="rows in the layout of the paper's authors (see below): SDR of each search"
    )
    search.add_argument("--budget", type=int, default=50, metavar="N", help="images that you will look at (default 50)")
    search.add_argument("--out", metavar="FOLDER", help="where to write (answers: beside them by default)")
    search.add_argument(
        "--method", action="append", default=[], metavar="M",
        help="a search whose order is fixed: adversarial_distance (default where there are distances), low_confidence "
        "(default elsewhere), lowest_distance or random; with --rows any but score; repeat for more",
    )  # fmt: skip
    search.add_argument(
        "--threshold", type=float, default=0.65, metavar="C", help="search confidences strictly above it (default 0.65)"
    )
    search.add_argument(
        "--class", dest="critical", metavar="NAME", help="only images predicted as this class (default: all)"
    )
    search.add_argument(
        "--fraction", type=float, metavar="F",
        help="share of the images in each window of the trend of distance on confidence (default 0.1; more for few, "
        "so that a window holds ten)",
    )  # fmt: skip
    search.add_argument("--seed", type=int, metavar="N", help="of --method random (default 0)")
    search.add_argument(
        "--pixels", type=int, default=800, metavar="N",
        help="scale images down to this many pixels on their longer side (default 800; a page holds at most 60 MB)",
    )  # fmt: skip
    search.add_argument(
        "--column", dest="columns", action="append", default=[], metavar="NAME=OTHER",
        help="column NAME is called OTHER in your file; repeat for more",
    )  # fmt: skip
    search.add_argument(
        "--force", action="store_true", help="write over another list in the folder, or reports on another"
    )
