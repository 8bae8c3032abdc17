"""Examples in docstrings say what the code does."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from types import ModuleType

import pytest

PACKAGES = ("theorems", "simulate", "proofs_checks", "reports")


def modules() -> list[str]:
    return [
        found.name
        for package in PACKAGES
        for found in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}.")
    ]


def examples(module: ModuleType) -> list[doctest.DocTest]:
    return [test for test in doctest.DocTestFinder().find(module) if test.examples]


WITH_EXAMPLES = [name for name in modules() if examples(importlib.import_module(name))]


def test_there_are_examples() -> None:
    """An empty collection would pass; these modules explain themselves by example."""
    assert {"proofs_checks.hermite", "theorems.activation", "reports.certified"} <= set(WITH_EXAMPLES)


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_hold(name: str) -> None:
    said: list[str] = []
    runner = doctest.DocTestRunner()
    for test in examples(importlib.import_module(name)):
        runner.run(test, out=said.append)
    assert runner.tries > 0
    assert runner.failures == 0, "".join(said)
