"""Numbers with their intervals, in words."""

import numpy as np

from mistrust.figures.robustness.parts import Write
from mistrust.figures.search.parts import two


def interval(value: float, low: float, high: float, write: Write = two) -> str:
    """Write "1.20 (1.00 to 1.40)"; "1.20 (1.00 or more)" where it is open above; "1.20" where there is none."""
    if np.isnan(low) or np.isnan(high):
        return write(value)
    return f"{write(value)} ({write(low)} {'or more' if np.isinf(high) else f'to {write(high)}'})"
