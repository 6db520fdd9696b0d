"""The supervisors that the chapter compares, and variants: the same with other parameters, to show what they change."""

from typing import Any

# The paper's sixteen and seven more, in the order in which the committed rows were made: what is added to the table of
# supervisors later enters neither this chapter's rows nor its pages.
COMPARED = (
    "autoencoder", "dissector", "max_softmax", "prediction_confidence_score", "deep_gini", "softmax_entropy",
    "mc_variation_ratio", "mc_mean_softmax", "mc_predictive_entropy", "mc_mutual_information", "ensemble_mean_softmax",
    "ensemble_predictive_entropy", "ensemble_mutual_information", "energy", "max_logit", "knn", "relative_mahalanobis",
    "react", "ash", "vim", "dsa", "lsa", "mdsa",
)  # fmt: skip

# What a supervisor cannot be had for: ASH-S and its like want activations that are not negative.
CANNOT = {("ash", "ambiguess-fc")}

# Same supervisor, other parameters: method in rows -> entry of the table, parameters.
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "dsa/as published": ("dsa", {"as_published": True}),
    "lsa/as published": ("lsa", {"as_published": True}),
    "mdsa/ridge": ("mdsa", {"covariance": "ridge"}),
    "mdsa/ledoit-wolf": ("mdsa", {"covariance": "ledoit_wolf"}),
    # The numbering of the layers alone, so that nothing else explains a difference: that the code also leaves the last
    # tenth of the images out of training is `held_out=0.1`.
    "dissector/as published": ("dissector", {"first": 0}),
    "autoencoder/excess": ("autoencoder", {"error": "excess"}),
    "autoencoder/mse": ("autoencoder", {"error": "mse"}),
    "react/quantile 0.95": ("react", {"quantile": 0.95}),
    "react/quantile 0.99": ("react", {"quantile": 0.99}),
    "react/quantile 1": ("react", {"quantile": 1.0}),
}
