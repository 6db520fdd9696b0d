"""The boundary attack on one image, as facts 3.1 to 3.5 tell it: plain loops, deques, no batch. For golden tests."""

from collections import deque

import numpy as np


def attack(
    label,
    original,
    start,
    direction,
    steps,
    *,
    spherical=0.01,
    source=0.01,
    directions=25,
    adaptation=1.5,
    own=None,
    check_every=10,
    queues=(100, 30),
):
    """Smallest MAE seen, queries made, and (step sizes at the end, how often they were set back, last step begun).

    label(image) -> int; direction(step, number) -> normal numbers; start is an image of another class.
    """
    own = label(original) if own is None else own
    current, queries = start.copy(), 0
    distance = nearest = np.abs(start - original).mean()
    a, b = (deque(maxlen=length) for length in queues)
    count, reset, resets = 100, False, 0

    def look(image):
        nonlocal queries, nearest
        queries += 1
        hit = label(image) != own
        if hit:
            nearest = min(nearest, np.abs(image - original).mean())
        return hit

    for step in range(1, steps + 1):
        if source < (1e-7 if count == 100 else 2e-7):
            if reset:
                count -= 1
                if count == 0:
                    break
            else:
                reset, spherical, source, resets = True, 0.01, 0.01, resets + 1
        elif count < 100:
            count, reset = 100, False
        both = step % check_every == 0 or reset
        u = original - current
        n = np.linalg.norm(u)
        taken_over = None
        for number in range(directions):
            eta = direction(step, number)
            eta = eta - (eta @ (u / n)) * (u / n)
            eta *= spherical * n / np.linalg.norm(eta)
            q = np.clip(original + (eta - u) / np.sqrt(1 + spherical**2), 0, 1)
            v = original - q
            length = np.linalg.norm(v)
            r = np.clip(q + max(0, source * n + length - n) / length * v, 0, 1)
            if both:
                a.append(look(q))
                if not a[-1]:
                    continue
                b.append(look(r))
                if not b[-1]:
                    continue
                taken_over = r
                break
            if look(r):
                taken_over = r
                break
        if taken_over is not None and np.abs(taken_over - original).mean() < distance:
            current, distance = taken_over, np.abs(taken_over - original).mean()
        if len(a) == a.maxlen or len(b) == b.maxlen:
            p, s = np.mean(a), np.mean(b) if b else None
            if len(a) == a.maxlen and (p > 0.5 or p < 0.2):
                factor = adaptation if p > 0.5 else 1 / adaptation
                spherical, source = spherical * factor, source * factor
                a.clear()
            if len(b) == b.maxlen and (s > 0.5 or s < 0.2):
                source *= adaptation if s > 0.5 else 1 / adaptation
                b.clear()
    return nearest, queries, (spherical, source, resets, step)
