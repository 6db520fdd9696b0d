"""What makes a classifier's network of what is not quite one, in a line: for messages alone."""

import numpy as np
from torch import Tensor

# For a network of two classes that gives one number an image.
OF_ONE_NUMBER = (
    "Of one logit z (n, 1) of the second class, torch.cat([-z / 2, z / 2], 1) are two with the same sigmoid: wrap a "
    'function that returns these. Of its probability p, torch.cat([1 - p, p], 1), with outputs="probabilities".'
)
SKLEARN = (
    "A model of scikit-learn: wrap(lambda x: torch.as_tensor(model.predict_proba(x.flatten(1).numpy())), classes, "
    'outputs="probabilities").'
)


def tensor_of(given: object) -> str:
    """Say how to take the tensor out of what a network gave.

    Examples
    --------
    >>> tensor_of({"loss": None, "logits": torch.zeros(2, 2)})
    "Take one out: wrap(lambda x: network(x)['logits'], classes)."
    """
    if isinstance(given, dict):  # those of transformers are, too
        tensors = [name for name, value in given.items() if isinstance(value, Tensor)]
        return f"Take one out: wrap(lambda x: network(x)[{(tensors or ['logits'])[0]!r}], classes)."
    if isinstance(given, (tuple, list)):
        return "Take one out: wrap(lambda x: network(x)[0], classes)."
    if isinstance(given, np.ndarray):
        return "Make one of it: wrap(lambda x: torch.as_tensor(network(x)), classes)."
    return "Wrap a function that takes one out of it."


def of_sklearn(network: object) -> str:
    """Say how a model of scikit-learn, or its method, is wrapped; "" of anything else."""
    return SKLEARN if hasattr(getattr(network, "__self__", network), "predict_proba") else ""
