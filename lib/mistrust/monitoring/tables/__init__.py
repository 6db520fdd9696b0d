"""Rows of the chapter on safety monitors, table by table: pure functions of readouts and thresholds.

============ ==================================================================================
detection    the paper's monitors on every benchmark set: is the image out of distribution?
others       the same of all other supervisors
failures     is the prediction wrong? What the system gains and loses by its monitor
summary      means over the sets of a category, and over all
nominal      false alarms and accuracy on nominal images; Table V
tried        the same for other settings that the paper tried
control      monitors on traffic signs as JPEG, and on signs of Belgium that German ones have, too
compressed   the sets of novelty as they are, with signs as JPEG, and with all fitted anew on such signs
accuracy     what each fault does to the classifier
cases        how often each of the oracle's ten cases occurs
cost         megabytes that a monitor has learnt
prepared     what is trained for other pieces: accuracy of networks, how badly ALOOC rebuilds
shown        a few images of every set
ranks        do monitors differ over all sets?
============ ==================================================================================
"""

from collections.abc import Mapping
from typing import Any

Row = Mapping[str, Any]
