"""Bai, Lee 2020: Beyond Linearization: On Quadratic and Higher-Order Approximation of Wide Neural Networks; document B."""
