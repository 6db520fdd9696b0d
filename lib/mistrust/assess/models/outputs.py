"""What a model's outputs are: logits, or probabilities in one of two guises."""

from torch import Tensor

from mistrust.networks import looks_like_probabilities

# What to do with one number per image, which supervisors and matrices cannot read.
TWO_COLUMNS = "two columns, (0, z) of a logit z or (1 - p, p) of a probability p"


def kind_of(outputs: Tensor) -> str:
    """Tell "probabilities", "log-probabilities" and "logits" apart, by all rows (n, k); rounded ones are known, too.

    Examples
    --------
    >>> rows = torch.tensor([[0.2, 0.8], [0.31, 0.69]])
    >>> kind_of(rows), kind_of(rows.log()), kind_of(torch.tensor([[-1.0, 2.0]]))
    ('probabilities', 'log-probabilities', 'logits')
    """
    if looks_like_probabilities(outputs, rounded=True):
        return "probabilities"
    if bool((outputs <= 1e-6).all()) and looks_like_probabilities(outputs.double().exp(), rounded=True):
        return "log-probabilities"
    return "logits"
