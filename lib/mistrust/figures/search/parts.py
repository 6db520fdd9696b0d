"""What the figures of the search share: methods and conditions in their order, their looks, and words for both."""

from collections.abc import Iterable, Mapping

from mistrust.figures.image_sets import TITLES as IMAGE_SETS
from mistrust.figures.parts import GREY
from mistrust.figures.style import MARKERS, PALETTE
from mistrust.search.experiment.conditions import BESIDE, NAMED, condition, control, treated
from mistrust.search.experiment.scores import PREFIX
from mistrust.search.mechanisms import MECHANISMS
from mistrust.search.methods import SEARCHES

AD, FARTHEST, RANDOM, LOW = "adversarial_distance", "highest_distance", "random", "low_confidence"
META, RAW = "adversarial_distance_then_model", "adversarial_distance_raw"
# The paper's own in its order, each followed by its variants; random search last.
METHODS = (
    AD, RAW, "adversarial_distance_quadratic", META, FARTHEST, "lowest_distance",
    f"{PREFIX}knn", f"{PREFIX}mahalanobis", f"{PREFIX}ensemble", f"{PREFIX}dropout", "score",
    "lakkaraju_coded", "lakkaraju_first", "lakkaraju", "bansal_weld_coded", "bansal_weld_gain",
    "facility", "facility_learned", LOW, RANDOM,
)  # fmt: skip
# One colour per family; within a family markers differ.
_FAMILIES: Mapping[str, tuple[str, ...]] = {
    PALETTE[0]: (AD, META, FARTHEST, "lowest_distance", RAW, "adversarial_distance_quadratic"),
    PALETTE[5]: (f"{PREFIX}knn", f"{PREFIX}mahalanobis", f"{PREFIX}ensemble", f"{PREFIX}dropout", "score"),
    PALETTE[2]: ("lakkaraju_coded", "lakkaraju_first", "lakkaraju"),
    PALETTE[1]: ("bansal_weld_coded", "bansal_weld_gain"),
    PALETTE[3]: ("facility", "facility_learned"),
    PALETTE[4]: (LOW,),
    PALETTE[6]: (RANDOM,),
}
_PLACES = {name: (colour, i) for colour, family in _FAMILIES.items() for i, name in enumerate(family)}
DASHES = ("-", "--", ":", "-.", (0, (6, 1, 1, 1, 1, 1)), (0, (1, 3)))
EVERY = "all"
# The paper's critical classes; where no other is named they come first.
CRITICAL = ("cat", "not shoe", "male")
DATA = ("cats_dogs-32", "cifar10-jpeg", "fmnist", "mnist5k", "celeba", "zappos50k")
_WORDS = IMAGE_SETS | {
    # methods
    META: "Adversarial Distance, then a model",
    FARTHEST: "Largest Adversarial Distance",
    "lowest_distance": "Lowest distance, trend left in",
    RAW: "Adversarial Distance, raw MAE",
    "adversarial_distance_quadratic": "Adversarial Distance, quadratic F",
    "score": "Residual of another score",
    f"{PREFIX}knn": "Nearest neighbours, residual",
    f"{PREFIX}mahalanobis": "Mahalanobis distance, residual",
    f"{PREFIX}ensemble": "Ensemble disagreement, residual",
    f"{PREFIX}dropout": "MC-Dropout information, residual",
    "lakkaraju": "Lakkaraju, as in its paper",
    "boundary": "Boundary attack",
    "hopskip": "HopSkipJump",
    "foolbox": "Boundary attack of foolbox 3",
    "deepfool": "DeepFool and bisection",
    "uncalibrated": "before temperature scaling",
    # mechanisms, by what stands before the dose
    "biased": "Biased training",
    "gray": "Shift to grey",
    "overfit": "Overfitting",
    "digits": "Few training digits",
    "celeba": "Shift to grey, faces",  # the image set as well
    "zappos": "Overfitting, shoes",
    EVERY: "All mechanisms",
    # conditions
    "authors": "the authors' rows",
    "biased/0": "no cats missing",
    "biased/12": "12% of cats missing",
    "biased/25": "25% of cats missing",
    "gray/rgb": "colour images",
    "gray/gray": "grey images",
    "gray/channel0": "red channel only",
    "overfit/4000": "4,000 training images",
    "overfit/500": "500 training images",
    "overfit/125": "125 training images",
    "digits/100": "100 training images",
    "digits/30": "30 training images",
    "digits/20": "20 training images",
    "celeba/rgb": "colour faces",
    "celeba/gray": "grey faces",
    "celeba/channel0": "faces, red channel only",
    "zappos/75 epochs": "75 epochs",
    "control/null": "errors with probability 1 - confidence",
    "control/lowered": "distances of errors lowered",
    # metrics
    "sdr": "SDR",
    "mean of ratios": "mean of ratios",
    "pool sdr": "SDR of the pool",
    "whole sdr": "SDR on the whole pool",
    "matched lift": "errors over those expected at equal confidence",
    "lift": "lift (SDR over the pool's own)",
    "errors": "errors found",
    "sure errors": "errors of confidence above 0.9",
    "confidence": "mean confidence of queries",
    "utility": "Bansal-Weld utility",
    "spread": "spread",
    "misaligned spread": "spread as published",
    "replicate sd": "SD of SDR between subsets",
    "residual auc": "AUC of the residual for error",
    "ece": "ECE",
    "ece before": "ECE before temperature scaling",
    "mae": "MAE (grey levels of 255)",
}
_SHORT = {
    AD: "Adv. Distance",
    META: "Adv. Distance + model",
    FARTHEST: "Largest Adv. Distance",
    "lowest_distance": "Trend left in",
    RAW: "Adv. Dist., raw MAE",
    "adversarial_distance_quadratic": "Adv. Dist., quadratic",
    "score": "Another score",
    f"{PREFIX}knn": "kNN residual",
    f"{PREFIX}mahalanobis": "Mahalanobis residual",
    f"{PREFIX}ensemble": "Ensemble residual",
    f"{PREFIX}dropout": "Dropout residual",
    "lakkaraju_coded": "Lakkaraju, coded",
    "lakkaraju_first": "Lakkaraju, lowest",
    "lakkaraju": "Lakkaraju, paper",
    "bansal_weld_coded": "Bansal-Weld, coded",
    "bansal_weld_gain": "Bansal-Weld, gain",
    "facility_learned": "Facility, learnt",
}
# For lines beneath a head that says what is counted: the head, and doses that are no number by themselves.
_HEADS = {
    "biased": "Biased training: cats missing",
    "gray": "Shift to grey: test images",
    "overfit": "Overfitting: training images",
    "digits": "Few digits: training images",
    "celeba": "Shift to grey: faces",
    "zappos": "Overfitting: shoes",
}
_DOSE_WORDS = {"rgb": "colour", "gray": "grey", "channel0": "red channel", "4000": "4,000"}


def words(name: str) -> str:
    """Give what a reader calls a method, a condition, a mechanism, an image set or a metric of the rows.

    A condition alone is told by its dose ("biased/25": "25% of cats missing"); `told` adds the mechanism. Names that
    need no other words ("accuracy") come back as they are.

    Examples
    --------
    >>> words("adversarial_distance"), words("biased/25"), words("gray"), words("accuracy")
    ('Adversarial Distance', '25% of cats missing', 'Shift to grey', 'accuracy')
    """
    if name in _WORDS:
        return _WORDS[name]
    if name in SEARCHES:
        return SEARCHES[name].title
    if name in MECHANISMS:
        return _WORDS.get(NAMED[name].prefix, MECHANISMS[name].title) if name in NAMED else MECHANISMS[name].title
    if name.startswith(PREFIX):
        return f"{name.removeprefix(PREFIX).replace('_', ' ').capitalize()}, residual"
    return name


def short(name: str) -> str:
    """Give a method's name for a narrow place: "Adv. Distance", "kNN residual"."""
    return _SHORT.get(name) or words(name)


def told(condition: str) -> str:
    """Give a condition with its mechanism: "Biased training, 25% of cats missing"."""
    prefix, slash, dose = condition.partition("/")
    return f"{words(prefix)}, {words(condition) if condition in _WORDS else dose}" if slash else words(condition)


def head(mechanism: str) -> str:
    """Give the head above lines of a mechanism's doses: "Biased training: cats missing"."""
    return _HEADS.get(mechanism, words(mechanism))


def dose(condition: str) -> str:
    """Give a dose beneath its mechanism's `head`: "25%"; the condition itself where it has none."""
    prefix, slash, name = condition.partition("/")
    if not slash:
        return words(condition)
    return f"{name}%" if prefix == "biased" else _DOSE_WORDS.get(name, name)


def colour(method: str) -> str:
    """Give a method's colour: one per family of methods, grey for unknown ones."""
    return _PLACES.get(method, (GREY, 0))[0]


def marker(method: str) -> str:
    """Give a method's marker, which tells it from others of its family."""
    return MARKERS[_PLACES.get(method, (GREY, 0))[1]]


def in_order(methods: Iterable[str]) -> list[str]:
    """Put methods in the order of `METHODS`; unknown ones after them, by name."""
    return sorted(set(methods), key=lambda name: (METHODS.index(name) if name in METHODS else len(METHODS), name))


def mechanism(name: str) -> str:
    """Give what stands before the dose of a condition: "biased"."""
    return name.partition("/")[0]


def conditions_in(names: Iterable[str]) -> list[str]:
    """Put conditions in order: mechanism by mechanism, control first, then rising doses; unknown ones last."""
    every = [condition(name, dose) for name in NAMED for dose in MECHANISMS[name].doses]
    return sorted(set(names), key=lambda name: (every.index(name) if name in every else len(every), name))


def outermost(names: Iterable[str]) -> list[str]:
    """Give of each mechanism its control and its strongest dose, as far as they are among the names.

    A dose that stands beside the mechanism (what code does in the place of what its paper says) is neither, unless
    there is no other.
    """
    there = conditions_in(names)
    found: list[str] = []
    for prefix in dict.fromkeys(map(mechanism, there)):
        own = [name for name in there if mechanism(name) == prefix]
        proper = [name for name in own if name not in BESIDE] or own
        found += dict.fromkeys((proper[0], proper[-1]))
    return found


def strongest(names: Iterable[str]) -> str:
    """Give the strongest dose of the first mechanism among the names."""
    there = conditions_in(names)
    return outermost([one for one in there if mechanism(one) == mechanism(there[0])])[-1]


def is_control(name: str) -> bool:
    """Whether a condition is that without the mechanism; a mechanism of one dose has none."""
    own = [one for one in NAMED if NAMED[one].prefix == mechanism(name)]
    return any(name == control(one) and name not in treated(one) for one in own)


def data_in(names: Iterable[str]) -> list[str]:
    """Put image sets in order; unknown ones last."""
    return sorted(set(names), key=lambda name: (DATA.index(name) if name in DATA else len(DATA), name))


def classes_in(names: Iterable[str]) -> list[str]:
    """Put critical classes in order: the paper's first, then by name."""
    return sorted(set(names), key=lambda name: (name not in CRITICAL, name))


def critical(at: str) -> str:
    """Give a critical class as a label names it: "cat", "class 3"."""
    return f"class {at}" if at.isdigit() else at
