"""The command line. Heavy imports wait until a command needs them: --help and list stay instant."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from reports.figures import figure as find_figure
from reports.figures import listing, make_figure
from theorems.claim import BadInput

_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON, a versioned contract.")


def _named(context: click.Context, option: click.Parameter, folder: str) -> Path:
    if not folder.strip():  # an unset variable of a script: the current folder is not what was meant
        raise BadInput("--out is empty; name a folder, or leave it away for reports/out.")
    return Path(folder)


_OUT = click.option("--out", metavar="PATH", default="reports/out", show_default=True, callback=_named)


class _Commands(click.Group):
    """Bad input is one sentence and exit code 2; an interrupt is exit code 130."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        try:
            with _interrupts_kept():
                return super().main(*args, **{**kwargs, "standalone_mode": False})
        except BadInput as error:
            _complain(str(error))
            sys.exit(2)
        except click.exceptions.Exit as stop:
            sys.exit(stop.exit_code)
        except click.ClickException as error:
            context = getattr(error, "ctx", None)
            hint = f" See `{context.command_path} --help`." if context else ""
            _complain(error.format_message() + hint)
            sys.exit(2)
        except (KeyboardInterrupt, click.Abort):
            _complain("interrupted; what --store holds is kept, and the same command goes on from there.")
            sys.exit(130)
        except BrokenPipeError:
            sys.stderr.close()
            sys.exit(0)


@contextmanager
def _interrupts_kept() -> Iterator[None]:
    """Send again a Ctrl-C that Python lost.

    KeyboardInterrupt is raised in whatever runs when the signal comes. Where that is a callback of the garbage
    collector (JAX has one), nobody can catch it: Python calls sys.unraisablehook and goes on.
    """
    usual = sys.unraisablehook

    def hook(lost: Any) -> None:
        if lost.exc_type is KeyboardInterrupt:
            # A moment later, when the callback has returned; to the thread, so that it also wakes from a wait.
            threading.Timer(0.01, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT)).start()
        else:
            usual(lost)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = usual


def _complain(sentence: str) -> None:
    # What a person typed may be quoted in the sentence, line breaks and all: one sentence is one line.
    click.echo("asymptest: " + " ".join(sentence.split()), err=True)


@click.group(cls=_Commands, no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="asymptest")
def main() -> None:
    """Verify theorems about neural networks in high dimension."""


def _print_json(value: Any) -> None:
    click.echo(json.dumps(value, indent=1, ensure_ascii=False))


def _print(*lines: Any) -> None:
    from rich.console import Console

    # A pipe has no width: let it be wide enough that a row stays a row.
    console = Console(width=None if sys.stdout.isatty() else 200)
    for line in lines:
        console.print(line, highlight=False)


@main.command("list")
@_JSON
def list_command(as_json: bool) -> None:
    """What can be checked."""
    from reports.catalogue import catalogue
    from theorems.parameters import PARAMETERS, SYMBOLS

    entries = catalogue()
    if not as_json:
        width = max(len(entry.slug) for entry in entries)
        for entry in entries:
            click.echo(f"{entry.slug:{width}}  {entry.title}")
            click.echo(f"{'':{width}}  {' '.join(entry.ids)}")
        return
    rows = [
        {
            "slug": entry.slug,
            "title": entry.title,
            "source": entry.source,
            "ids": entry.ids,
            "module": entry.module,
            "parameters": [
                {
                    "name": name,
                    "meaning": PARAMETERS[name].meaning,
                    "default": default,
                    "domain": PARAMETERS[name].domain,
                }
                for name, default in entry.parameters.items()
            ],
            "symbols": [{"name": name, "meaning": SYMBOLS[name]} for name in entry.symbols],
            "takes_activation": entry.takes_activation,
            "activation": entry.activation,
            "uses": entry.uses,
        }
        for entry in entries
    ]
    _print_json({"schema_version": 1, "theorems": rows})


def _overrides(pairs: Sequence[str]) -> dict[str, str]:
    values = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise BadInput(f"--set {pair[:40]!r} is not of the form name=value, such as --set rho=1/2.")
        values[name.strip()] = value.strip()
    return values


def _choice_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option("--center", is_flag=True, help="Subtract lambda_0 from the activation."),
        click.option("--activation", metavar="EXPR", help="A name or an expression in x."),
        click.option("--set", "pairs", multiple=True, metavar="NAME=VALUE", help="A parameter, see list."),
    ):
        command = option(command)
    return command


def _run_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option("--resume/--no-resume", default=True, help="Reuse stored cells (default)."),
        click.option("--dask", metavar="ADDRESS", help="Compute on a Dask cluster."),
        click.option("--workers", type=click.IntRange(1, 256), help="Compute in that many processes."),
        click.option("--store", type=click.Path(path_type=Path), help="Where cells are kept (SQLite)."),
        click.option("--seed", type=click.IntRange(0, 2**31 - 1), default=0, show_default=True),
        click.option("--profile", type=click.Choice(["quick", "full"]), default="quick", show_default=True),
        click.option("--budget", metavar="TIME", help="Seconds to spend, such as 30s or 5m."),
    ):
        command = option(command)
    return command


@contextmanager
def _machinery(store: Path | None, resume: bool, workers: int | None, dask: str | None) -> Iterator[tuple[Any, Any]]:
    from reports.engines import open_engine
    from reports.store import Store

    if not resume and store is not None and store.exists():
        raise BadInput(f"{store} exists and --no-resume was given: name a new --store or resume.")
    with Store(store) as cells, open_engine(workers, dask) as executor:
        yield cells, executor


@main.command()
@click.argument("names", nargs=-1, metavar="[SLUG|ID|ID.PART]...")
@_choice_options
@click.option("--against", metavar="FORMULA", help="Confront the simulator with this formula instead.")
@click.option("--resolution", type=float, help="The smallest error a PASS must exclude.")
@click.option("--mutants/--no-mutants", default=True, help="Also try the wrong versions (default).")
@_run_options
@_JSON
def check(
    names: tuple[str, ...],
    pairs: tuple[str, ...],
    activation: str | None,
    center: bool,
    against: str | None,
    resolution: float | None,
    mutants: bool,
    budget: str | None,
    profile: str,
    seed: int,
    store: Path | None,
    workers: int | None,
    dask: str | None,
    resume: bool,
    as_json: bool,
) -> None:
    """Confront theorems with their simulators and print verdicts; ID.PART is one part of an id."""
    from reports.catalogue import select

    selections = select(names)
    if activation is not None and not names:
        selections = tuple(chosen for chosen in selections if chosen.entry.takes_activation)
    overrides = _overrides(pairs)
    if overrides:
        from reports.catalogue import with_parameters

        selections = with_parameters(selections, overrides, names)
    if resolution is not None and not 1e-6 <= resolution <= 1:
        raise BadInput(f"--resolution {resolution:g} is out of range: give a number from 0.000001 to 1.")
    from reports.console import ProgressWatcher, errata_lines, formula_lines, verdict_table
    from reports.records import is_as_it_should_be
    from reports.runner import count_claims, limits_left_out, run
    from reports.settings import PROFILES, Choices, read_seconds
    from reports.writers import results, summary

    choices = Choices(
        overrides=overrides,
        activation=activation,
        center=center,
        against=against,
        resolution=resolution,
        budget=read_seconds(budget),
        profile=PROFILES[profile],
        seed=seed,
        mutants=mutants,
    )
    watcher = ProgressWatcher(count_claims(selections, choices))
    with _machinery(store, resume, workers, dask) as (cells, executor), watcher:
        records = run(selections, choices, cells, executor, watcher)
    if as_json:
        from reports.provenance import provenance

        _print_json(results(records, provenance(choices, records)))
    else:
        typed = [] if against is None else formula_lines(records, limits_left_out(selections, choices))
        _print(verdict_table(records), *typed, *errata_lines(records), summary(records))
    if not all(is_as_it_should_be(record, strict_errata=choices.is_default) for record in records):
        sys.exit(1)


@main.command()
@_OUT
@_run_options
@_JSON
def report(
    out: Path,
    budget: str | None,
    profile: str,
    seed: int,
    store: Path | None,
    workers: int | None,
    dask: str | None,
    resume: bool,
    as_json: bool,
) -> None:
    """Check everything and write results.json, junit.xml and report.md; a killed run resumes."""
    from reports.catalogue import select
    from reports.console import ProgressWatcher, errata_lines, verdict_table
    from reports.provenance import provenance
    from reports.records import is_as_it_should_be
    from reports.runner import count_claims, not_implemented, run
    from reports.settings import PROFILES, Choices, read_seconds
    from reports.writers import check_writable, results, summary, write_reports

    choices = Choices(budget=read_seconds(budget), profile=PROFILES[profile], seed=seed)
    check_writable(out)
    selections = select(())
    watcher = ProgressWatcher(count_claims(selections, choices))
    with _machinery(store or out / "cells.sqlite", resume, workers, dask) as (cells, executor), watcher:
        records = run(selections, choices, cells, executor, watcher)
    everything = records + not_implemented()
    origin = provenance(choices, records)
    paths = write_reports(out, everything, origin)
    if as_json:
        _print_json(results(everything, origin))
    else:
        _print(verdict_table(records), *errata_lines(records), summary(everything))
        click.echo("written: " + ", ".join(str(path) for path in paths))
    if not all(is_as_it_should_be(record) for record in records):
        sys.exit(1)


@main.command()
@click.argument("name", metavar="SLUG|ID|ID.PART")
@_choice_options
@click.option("--digits", type=click.IntRange(1, 200), default=30, show_default=True)
@_JSON
def predict(
    name: str, pairs: tuple[str, ...], activation: str | None, center: bool, digits: int, as_json: bool
) -> None:
    """The predicted value in the limit, certified."""
    from reports.catalogue import select
    from reports.console import ball_text, plain_table
    from reports.prediction import first_prediction
    from reports.settings import Choices

    choices = Choices(overrides=_overrides(pairs), activation=activation, center=center)
    answer = first_prediction(select((name,)), choices, digits)
    if as_json:
        _print_json(answer)
        return
    rows = [("value", ball_text(answer))] if answer["value"] is not None else []
    if rows:
        click.echo(f"value: {answer['quantity']}")
    rows += [(symbol, ball_text(value)) for symbol, value in answer["symbols"].items()]
    _print(f"{answer['theorem']}  {answer['parameters']}", plain_table(("quantity", "certified"), rows))
    if answer["value"] is None:
        click.echo(answer["sentence"])


@main.command()
@click.argument("expression", metavar="EXPR")
@click.option("--center", is_flag=True, help="Subtract lambda_0.")
@click.option("--digits", type=click.IntRange(1, 200), default=30, show_default=True)
@_JSON
def activation(expression: str, center: bool, digits: int, as_json: bool) -> None:
    """Constants, hypotheses and applicable theorems of an activation."""
    from reports.activation_summary import activation_summary
    from reports.console import ball_text, plain_table

    answer = activation_summary(expression, center=center, digits=digits)
    if as_json:
        _print_json(answer)
        return
    constants = [(f"lambda_{row['k']}", ball_text(row)) for row in answer["hermite"]]
    constants += [
        (name, ball_text(answer[name]))
        for name in ("lambda_tilde", "b1", "b_star", "second_moment")
        if answer[name] is not None
    ]
    _print(
        f"sigma(x) = {answer['expression']}   parity {answer['parity']}   kinks {answer['kinks']}",
        plain_table(("constant", "certified"), constants),
        plain_table(
            ("hypothesis", "holds", "reason"),
            [(row["name"], row["holds"], row["reason"]) for row in answer["hypotheses"]],
        ),
        plain_table(
            ("theorem", "applies", "prediction", "reason"),
            [
                (row["theorem"], row["applies"], (row["prediction"] or {}).get("value", ""), row["reason"])
                for row in answer["theorems"]
            ],
        ),
    )


@main.command()
@click.option("--runs", type=click.IntRange(1, 100000), default=200, show_default=True)
@_OUT
@click.option("--synthetic-only", is_flag=True, help="Leave out the real theorems.")
@click.option("--store", type=click.Path(path_type=Path), help="Where cells are kept (SQLite).")
@click.option("--workers", type=click.IntRange(1, 256), help="Compute in that many processes.")
@click.option("--dask", metavar="ADDRESS", help="Compute on a Dask cluster.")
@_JSON
def calibrate(
    runs: int,
    out: Path,
    synthetic_only: bool,
    store: Path | None,
    workers: int | None,
    dask: str | None,
    as_json: bool,
) -> None:
    """Measure the error rates of the verdict engine itself."""
    from reports.calibration_study import calibration_study, render_study, write_study
    from reports.writers import check_writable

    check_writable(out)
    with _machinery(store or out / "calibration.sqlite", True, workers, dask) as (cells, executor):
        study = calibration_study(runs, cells, executor, real=not synthetic_only)
    write_study(study, out)
    if as_json:
        _print_json(study)
    else:
        _print(*render_study(study))
    if study["wrong_verdicts"]:
        sys.exit(1)


@main.command(epilog="\b\nThe figures:\n" + listing())
@click.argument("name", metavar="NAME")
@_OUT
@click.option("--store", type=click.Path(path_type=Path), help="Where cells are kept (SQLite).")
@click.option("--workers", type=click.IntRange(1, 256), help="Compute in that many processes.")
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), default=0, show_default=True)
@click.option("--quick", is_flag=True, help="A small version, in seconds.")
def figure(name: str, out: Path, store: Path | None, workers: int | None, seed: int, quick: bool) -> None:
    """Draw a figure as SVG, PNG and CSV; a killed run resumes."""
    from reports.cells import SimulatorFailed
    from reports.writers import check_writable

    total = find_figure(name).count(quick)
    check_writable(out)
    done = 0

    def on_cell(cell: Any, result: Any, from_store: bool) -> None:
        nonlocal done
        done += 1
        seen = cell.observation
        origin = "from the store" if from_store else f"{result.seconds:.1f} s"
        width = f" N={seen.arguments['neurons']}" if "neurons" in seen.arguments else ""
        what = f"{seen.simulator.rpartition(':')[2]} d={seen.dimension}{width}"
        click.echo(f"[{done}/{total}] {what}: {origin}", err=True)

    with _machinery(store or out / "figures.sqlite", True, workers, None) as (cells, executor):
        try:
            paths = make_figure(name, out, cells, executor, quick=quick, seed=seed, on_cell=on_cell)
        except SimulatorFailed as error:
            click.echo(f"FAIL: {error}; nothing was drawn, the finished cells are kept.", err=True)
            sys.exit(1)
    click.echo("written: " + ", ".join(str(path) for path in paths))


if __name__ == "__main__":
    main()
