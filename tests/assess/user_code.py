"""Code of a user's own: a function of images, and one that makes the network."""


def network_code(pickled):
    return f'''"""A model behind Python."""
import os
import signal

import torch

CALLS = 0


def make():
    return torch.load({str(pickled)!r}, weights_only=False)


NETWORK = make()


def predict(images):
    global CALLS
    CALLS += 1
    if CALLS == int(os.environ.get("KILLED_AT_CALL", "0")):
        os.kill(os.getpid(), signal.SIGKILL)
    with torch.no_grad():
        return NETWORK(images).numpy()
'''
