"""Montanari 2019, the talk "Thermodynamic limits for neural networks": document T."""
