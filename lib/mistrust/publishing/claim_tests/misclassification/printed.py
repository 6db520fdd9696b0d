"""Claims of sections 3.1, 3.2, 4.1 and 4.3 that the paper's printed numbers, or its code, decide by themselves.

Read: `misclassification-text.csv` and `misclassification-code.csv` (dsikar/work-in-progress) among the printed numbers.
What is printed is no matter of chance: no interval, no p.
"""

import numpy as np
from scipy.special import softmax

from mistrust.publishing.claim_tests.misclassification.reading import CHAPTER, DIGITS
from mistrust.publishing.claim_tests.printed import decided, one
from mistrust.publishing.estimates import Reader, number
from mistrust.publishing.verdicts import Verdict, claim_test

IMAGE = "22561"  # the right one of Figures 3 and 4
# The example is printed in whole per cent.
HALF_A_POINT = 0.005
HALF_A_TENTH = 0.05


@claim_test("mlm-parameters", CHAPTER, printed=True)
def parameters(rows: Reader) -> Verdict:
    """The layers that the section lists, counted: weights and biases of two convolutions and two linear layers."""
    said = one(rows, table="text", metric="parameters")
    side, channels = (int(one(rows, table="text", metric=metric)) for metric in ("pixels a side", "channels"))
    pool = int(one(rows, table="text", metric="pool size"))
    counted = 0
    for layer in ("first", "second"):
        kernel, filters = (int(_layer(rows, layer, metric)) for metric in ("kernel size", "filters"))
        side += 2 * int(_layer(rows, layer, "padding")) - kernel + 1
        counted, channels, side = counted + (kernel**2 * channels + 1) * filters, filters, side // pool
    units = side**2 * channels
    for layer in ("first", "second"):
        neurons = int(_layer(rows, layer, "neurons"))
        counted, units = counted + (units + 1) * neurons, neurons
    return decided(counted == said, f"the layers that are listed have {counted:,.0f} parameters (printed {said:,.0f})")


@claim_test("mlm-logits", CHAPTER, printed=True)
def logits(rows: Reader) -> Verdict:
    """The section's own example: logits made by the formula must give its probabilities back through the softmax.

    A softmax's logits are log p and any constant; by the formula, log p - log(1 - p), so it needs all p to be equal.
    """
    given = np.array([one(rows, table="text", metric="example probability", at=digit) for digit in DIGITS])
    back = softmax(np.log(given / (1 - given)))
    worst = int(np.abs(back - given).argmax())
    told = f"of the section's example the formula turns the {number(given[worst])} of {worst} into {back[worst]:.2f}"
    return decided(bool(np.abs(back - given).max() < HALF_A_POINT), told)


@claim_test("mlm-learning-rate", CHAPTER, printed=True)
def learning_rate(rows: Reader) -> Verdict:
    """What is said against the code that trains the network."""
    said, coded = (one(rows, table=table, metric="learning rate falls") for table in ("text", "code"))
    told = "lowers the rate" if coded else "has such a function, and does not use it: the rate stays 0.01"
    return decided(said == coded, f"the code {told}")


@claim_test("mlm-normalised", CHAPTER, printed=True)
def normalised(rows: Reader) -> Verdict:
    """What MNIST's training images have after the coded transformation, which takes off 0.5 and divides by 0.5."""
    pairs = {
        name: tuple(one(rows, table=table, metric=f"pixel {name}") for table in ("text", "code"))
        for name in ("mean", "deviation")
    }
    told = " and ".join(f"a {name} of {found:.2f} (printed {said:g})" for name, (said, found) in pairs.items())
    right = all(abs(said - found) < HALF_A_TENTH for said, found in pairs.values())
    return decided(right, f"pixels of the training images then have {told}")


@claim_test("mlm-perturbed-images", CHAPTER, printed=True)
def perturbed_images(rows: Reader) -> Verdict:
    """Perturbations times levels times test images, with or without the unperturbed ones."""
    said = one(rows, table="text", metric="images", at="perturbed")
    kinds, levels = (one(rows, table="text", metric=metric) for metric in ("perturbations", "levels"))
    test = one(rows, table="text", metric="images", at="test")
    made = kinds * levels * test
    told = f"{number(kinds)} perturbations at {number(levels)} levels make {made:,.0f} of {test:,.0f} images, "
    told += f"{made + test:,.0f} with the unperturbed ones; read without its commas the number is {said:,.0f}"
    return decided(said in (made, made + test), told)


@claim_test("mlm-image-nearest", CHAPTER, printed=True)
def image_nearest(rows: Reader) -> Verdict:
    """What the section says of the image's cluster against what it says of Figure 4."""
    where = {"table": "text", "at": IMAGE, "metric": "nearest other digit"}
    cluster, drawn = (one(rows, condition=name, **where) for name in ("its cluster", "Figure 4"))
    told = f"the section puts it into the cluster of {number(cluster)}, and of Figure 4 names {number(drawn)}"
    return decided(cluster == drawn, f"beside six, {told}")


@claim_test("mlm-images-misclassified", CHAPTER, printed=True)
def images_misclassified(rows: Reader) -> Verdict:
    """The caption of Figure 4 against section 4.3 and the caption of Figure 3."""
    caption, text = (
        one(rows, table="text", metric="misclassified", condition=place) for place in ("Figure 4", "section 4.3")
    )
    words = {0.0: "correctly classified", 1.0: "misclassified"}
    return decided(
        caption == text, f"{words[text]} in the section, and clustered wrongly; {words[caption]} in the caption"
    )


def _layer(rows: Reader, layer: str, metric: str) -> float:
    return one(rows, table="text", metric=metric, at=layer)
