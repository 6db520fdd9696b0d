"""What tells a network from others at the cost of a look: enough for each pass, where a hash of all weights is not."""

from hashlib import sha256

import numpy as np
import torch
from torch import Tensor, nn

from mistrust.networks.classifier import Classifier

EACH = 64  # numbers that are read of each tensor: training moves them all


def fingerprint(classifier: Classifier) -> str:
    """Give a hash of some of a network's parameters and of its normalisation; "" where it has no parameters.

    Networks that were trained apart, or trained on, differ in it; `Classifier.key` tells any two apart, but reads every
    weight. The device, the names of layers and the classifier's own name do not matter.

    Examples
    --------
    >>> from mistrust.networks import wrap
    >>> network = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(4, 2))
    >>> before = fingerprint(wrap(network, ["cat", "dog"]))
    >>> with torch.no_grad():
    ...     _ = network[1].weight.mul_(2)
    >>> fingerprint(wrap(network, ["cat", "dog"])) == before, fingerprint(wrap(lambda images: images, ["a", "b"]))
    (False, '')
    """
    parameters = classifier.network.parameters() if isinstance(classifier.network, nn.Module) else ()
    by_device: dict[torch.device, list[Tensor]] = {}  # from each, one copy: every one waits for the device
    for one in parameters:
        if one.is_floating_point() and one.layout == torch.strided and not one.is_meta and one.numel():
            some = one.detach().flatten()[:: max(1, one.numel() // EACH)][:EACH]
            by_device.setdefault(one.device, []).append(some)
    if not by_device:
        return ""
    hash = sha256(np.array([*classifier.mean, np.inf, *classifier.std]).tobytes())
    for several in by_device.values():
        hash.update(torch.cat(several).double().cpu().numpy().tobytes())
    return hash.hexdigest()[:20]
