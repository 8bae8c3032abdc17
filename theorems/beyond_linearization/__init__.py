"""Bai, Lee 2020: Beyond Linearization: quadratic and higher-order approximation of wide networks; document B."""
