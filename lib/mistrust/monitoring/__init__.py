"""Benchmarking safety monitors for image classifiers (Ferreira and others, 2021)."""
