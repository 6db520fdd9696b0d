"""Table "networks": accuracy, number of parameters and depth."""

from collections.abc import Iterator

from mistrust.data import ImageSet
from mistrust.evaluation import share
from mistrust.networks import Classifier, observe
from mistrust.networks.architectures.depth import depth
from mistrust.robustness.tables import Row, estimated

BEST = 5


def top_five(classifier: Classifier, images: ImageSet) -> Iterator[Row]:
    """Give the share of images whose class is not among the five likeliest, which Table 1 prints."""
    likeliest = observe(classifier, images).logits.topk(BEST, 1).indices.cpu()
    wrong = ~(likeliest == images.labels[:, None]).any(1)
    yield {"table": "networks", "metric": "top-5 error", **estimated(share(int(wrong.sum()), len(wrong)))}


def networks(classifier: Classifier, images: ImageSet) -> Iterator[Row]:
    """Give accuracy on images, parameters (numbers that are trained) and depth (layers with weights)."""
    right = observe(classifier, images).logits.argmax(1).cpu() == images.labels
    found = share(int(right.sum()), len(right))
    channels, height, width = images.images.shape[1:]
    yield {"table": "networks", "metric": "accuracy", **estimated(found)}
    parameters = sum(one.numel() for one in classifier.module.parameters())
    yield {"table": "networks", "metric": "parameters", "value": parameters}
    yield {"table": "networks", "metric": "depth", "value": depth(classifier.module, (channels, height, width))}
