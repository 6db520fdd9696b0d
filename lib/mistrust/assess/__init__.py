"""Your own classifier: everything the book has, applied to a model and images that were never seen here.

>>> from mistrust.assess import Asked, assess, write
>>> write(assess(Asked(model="model.onnx", images="photos", train="training")), "report")  # doctest: +SKIP
"""

from mistrust.assess.asked import Asked
from mistrust.assess.models.scaling import SCALINGS, Scaling
from mistrust.assess.parts import PARTS, Part
from mistrust.assess.running import Report, assess
from mistrust.assess.writing import check_folder, write

__all__ = ["PARTS", "SCALINGS", "Asked", "Part", "Report", "Scaling", "assess", "check_folder", "write"]
