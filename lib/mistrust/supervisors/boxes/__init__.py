"""Outside the box: is a hidden vector within what training images of its class span?"""

from mistrust.supervisors.boxes.distance import Boxes, outside
from mistrust.supervisors.boxes.projections import PROJECTIONS, Projection
from mistrust.supervisors.boxes.supervisor import OutsideTheBox, clustered

__all__ = ["PROJECTIONS", "Boxes", "OutsideTheBox", "Projection", "clustered", "outside"]
