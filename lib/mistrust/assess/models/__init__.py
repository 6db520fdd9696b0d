"""Models that other people made: read from a file or a module, looked at, and wrapped as a `Classifier`."""

from mistrust.assess.models.examined import Examined, examine
from mistrust.assess.models.kinds import KINDS, Kind, read_model
from mistrust.assess.models.loaded import Loaded

__all__ = ["KINDS", "Examined", "Kind", "Loaded", "examine", "read_model"]
