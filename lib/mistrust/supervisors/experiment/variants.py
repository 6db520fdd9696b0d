"""Variants of supervisors: the same with other parameters, to show what a choice changes."""

from typing import Any

# Same supervisor, other parameters: method in rows -> entry of the table, parameters.
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "dsa/as published": ("dsa", {"as_published": True}),
    "lsa/as published": ("lsa", {"as_published": True}),
    "mdsa/ridge": ("mdsa", {"covariance": "ridge"}),
    "mdsa/ledoit-wolf": ("mdsa", {"covariance": "ledoit_wolf"}),
    "dissector/as published": ("dissector", {"first": 0}),
    "autoencoder/excess": ("autoencoder", {"error": "excess"}),
    "autoencoder/mse": ("autoencoder", {"error": "mse"}),
}
