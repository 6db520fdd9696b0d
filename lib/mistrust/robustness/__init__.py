"""How far an input can move before the prediction changes (uncertainty and robustness estimation)."""
