"""The side of the package imagecorruptions in faults.py: it runs in an environment of its own, started from there.

    python benchmarks/packaged.py images.npy     # then lines "gaussian_noise 3" on its input; seconds on its output

One image after the other, as the package is called. What fails there gives "nan".
"""

import sys
import time
import warnings

import numpy as np
from imagecorruptions import corrupt


def seconds(images: np.ndarray, name: str, severity: int) -> float:
    start = time.perf_counter()
    try:
        for image in images:
            corrupt(image, corruption_name=name, severity=severity)
    except (TypeError, AttributeError) as problem:  # what newer packages beside it no longer know
        print(f"{name}: {problem}", file=sys.stderr)
        return float("nan")
    return time.perf_counter() - start


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    pictures = np.load(sys.argv[1])
    for line in sys.stdin:
        what, strength = line.split()
        print(seconds(pictures, what, int(strength)), flush=True)
