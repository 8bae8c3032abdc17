"""Ghorbani, Mei, Misiakiewicz, Montanari 2019: Limitations of Lazy Training of Two-layers Neural Networks.

Documents: P the paper, O the poster, S the slides; T is Montanari's talk, which restates some results.
"""
