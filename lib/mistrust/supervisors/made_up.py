"""A made-up classifier and made-up images on which it is clear what a supervisor should say.

Images have 8x8 pixels. A nominal one of class c is bright in the c-th quarter; an ambiguous one is half as bright in
two quarters; a novel one is bright in the last quarter, which belongs to no class. The weights are written down, not
trained: hidden units average a line of a quarter, the head averages the units of a quarter.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from mistrust import random
from mistrust.data import ImageSet
from mistrust.networks import Classifier, Record, observe, wrap
from mistrust.supervisors.contract import Supervisor
from mistrust.supervisors.needed import needed

SIDE, HALF = 8, 4
GAIN = 12.0  # nominal images get a softmax above 0.99, ambiguous ones about a half for each of two classes
LAYER, LAYERS = "dropped", ("hidden", "rectified")  # what is recorded for those that read one layer, or several


@dataclass(frozen=True)
class MadeUp:
    """A classifier, further members of its ensemble, and images: `training`, and `nominal`, `ambiguous`, `novel`."""

    classifier: Classifier
    members: tuple[Classifier, ...]
    training: ImageSet
    nominal: ImageSet
    ambiguous: ImageSet
    novel: ImageSet

    def record(self, supervisor: Supervisor, images: ImageSet) -> Record:
        """Record what a supervisor needs to fit and to score, in tensors of the record's own."""
        needs = supervisor.card.reads
        layers = (LAYER,) if "layer" in needs else LAYERS if "layers" in needs else ()
        both = {"samples": 24, "members": self.members, "layers": layers}
        asked = needed([supervisor], **both, fitting=True) | needed([supervisor], **both)
        found = observe(self.classifier, images, **asked)
        return replace(
            found,
            images=ImageSet(
                images.name, images.images.clone(), images.labels.clone(), images.ids.clone(), images.classes
            ),
            logits=found.logits.clone(),
            activations={name: values.clone() for name, values in found.activations.items()},
            samples=None if found.samples is None else found.samples.clone(),
            members=None if found.members is None else found.members.clone(),
        )


def made_up(classes: int = 3, *, features: int = 16, rows: int = 60) -> MadeUp:
    """Make the classifier and the images.

    Parameters
    ----------
    classes : 3, or 4: then no quarter is left over and novel images are those of the last class.
    features : units of every hidden layer: 16, or 1.
    rows : training images a class; a third as many (at least one) of each other kind.
    """
    names = ("north-west", "north-east", "south-west", "south-east")[:classes]
    few = max(rows // 3, 1)
    each = torch.arange(classes)
    training, nominal = each.repeat(rows), each.repeat(few)
    counts = (len(training), len(nominal), len(nominal), len(nominal))
    ids = torch.arange(sum(counts)).split(counts)
    plain = torch.zeros(len(nominal), 4)
    rows_of = torch.arange(len(nominal))
    both, last = plain.clone(), plain.clone()
    both[rows_of, nominal] = both[rows_of, (nominal + 1) % classes] = 0.5
    last[:, 3] = 1
    return MadeUp(
        _classifier(names, features, (1,) * classes),
        tuple(
            _classifier(names, features, tuple(1.5 if c == m else 1 for c in range(classes))) for m in range(classes)
        ),
        _images("training", nn.functional.one_hot(training, 4), training, ids[0], names),
        _images("nominal", nn.functional.one_hot(nominal, 4), nominal, ids[1], names),
        _images("ambiguous", both, nominal, ids[2], names),
        _images("novel", last, nominal, ids[3], names),
    )


def _images(name: str, quarters: Tensor, labels: Tensor, ids: Tensor, classes: tuple[str, ...]) -> ImageSet:
    """Images whose quarters are as bright as `quarters` (n, 4) in [0, 1] says, with some noise."""
    shape = quarters.to(torch.float32).view(-1, 1, 2, 2).repeat_interleave(HALF, 2).repeat_interleave(HALF, 3)
    level = 0.65 + 0.15 * random.uniform(0, "made up/level", ids, (1, 1, 1))
    noise = 0.15 * random.uniform(0, "made up/noise", ids, (1, SIDE, SIDE))
    return ImageSet(name, shape * level + noise, labels, ids, classes)


def _classifier(classes: tuple[str, ...], features: int, weights: Sequence[float]) -> Classifier:
    """The network; `weights` says how much it favours each class."""
    with torch.random.fork_rng(devices=[]):  # layers draw weights, which are written over: not from everyone's numbers
        hidden, head = nn.Linear(SIDE * SIDE, features), nn.Linear(features, len(classes))
    layers = OrderedDict[str, nn.Module](
        flat=nn.Flatten(), hidden=hidden, rectified=nn.ReLU(), dropped=nn.Dropout(0.2), head=head
    )
    favoured = torch.tensor(weights, dtype=torch.float32)
    # Unit 4q + i averages line i of quarter q.
    lines = torch.zeros(4, HALF, 2, HALF, 2, HALF)  # quarter, line; row of quarters, line, column of quarters, pixel
    for quarter in range(4):
        for line in range(HALF):
            lines[quarter, line, quarter // 2, line, quarter % 2] = 1 / HALF
    units = lines.reshape(16, SIDE * SIDE)
    of_class = torch.eye(4)[: len(classes)].repeat_interleave(HALF, 1) * GAIN / HALF
    with torch.no_grad():
        if features == 1:  # one number on a line: quarter c shines at c, and the nearest c wins
            place = torch.arange(4.0)
            hidden.weight.copy_((place.repeat_interleave(HALF)[:, None] * units / HALF).sum(0, keepdim=True))
            spots = 0.8 * place[: len(classes)] + 0.3
            head.weight.copy_((GAIN * spots)[:, None])
            head.bias.copy_(-GAIN * spots.square() / 2)
        else:
            hidden.weight.copy_(units)
            head.weight.copy_(of_class)
            head.bias.zero_()
        hidden.bias.fill_(0.05)
        head.weight.mul_(favoured[:, None])
    return wrap(nn.Sequential(layers), classes, name="made up")
