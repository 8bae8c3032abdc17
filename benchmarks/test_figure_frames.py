"""The left frame of lazy-1 at full size: d = 450, N from 30 to 4500, sixteen draws a dot, nothing stored before."""

from __future__ import annotations

from dataclasses import replace

from reports.confrontation import confront
from reports.engines import open_engine
from reports.figure_data import FULL, measure, quadratic
from reports.store import Store

MINUTES = 5


def left_frame():
    plan = quadratic(replace(FULL, training_ratios=()))
    with Store(None) as store, open_engine() as executor:
        (rows,) = confront([measure(plan.dots, 0)], store, executor)
    return plan, rows


def test_left_frame_of_the_quadratic_figure(benchmark):
    plan, rows = benchmark.pedantic(left_frame, rounds=1, iterations=1)
    assert {row.frame for row in rows} == {"left"}
    assert len(rows) == len(plan.dots) == 4 * len(FULL.widths)
    if benchmark.stats is not None:
        seconds = benchmark.stats["max"]
        benchmark.extra_info["share of the five minutes"] = seconds / (60 * MINUTES)
        print(f"\nleft frame of lazy-1: {seconds:.0f} s of {60 * MINUTES}")
