"""results.json, JUnit XML and Markdown, each written whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from reports.records import GOOD, SCHEMA_VERSION, Record, is_as_it_should_be
from theorems.claim import BadInput, Verdict


def results(records: Sequence[Record], provenance: Mapping[str, Any]) -> dict[str, Any]:
    """The contents of results.json."""
    return {
        "schema_version": SCHEMA_VERSION,
        "provenance": dict(provenance),
        "claims": [record.json() for record in records],
    }


def write_reports(folder: Path, records: Sequence[Record], provenance: Mapping[str, Any]) -> tuple[Path, ...]:
    """Write the three files into the folder; what was there before stays until each is complete."""
    texts = {
        "results.json": json.dumps(results(records, provenance), indent=1, ensure_ascii=False) + "\n",
        "junit.xml": junit(records),
        "report.md": markdown(records, provenance),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return tuple(write_whole(folder / name, text) for name, text in texts.items())
    except OSError as error:
        raise BadInput(f"The report cannot be written to {folder}: {error.strerror}; choose another --out.") from None


def check_writable(folder: Path) -> None:
    """Complain before a long run, not after it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise BadInput(f"The report cannot be written to {folder}: {error.strerror}; choose another --out.") from None


def write_whole(path: Path, text: str) -> Path:
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return path


def junit(records: Sequence[Record]) -> str:
    """One test case per record: failures for what is not as it should be, skips for what was not decided."""
    suite = ElementTree.Element("testsuite", name="asymptest", tests=str(len(records)))
    failures = skipped = 0
    for record in records:
        case = ElementTree.SubElement(
            suite,
            "testcase",
            classname=record.theorem or "ledger",
            name=f"{record.id} {record.document} {record.part}",
            time=f"{record.seconds:.3f}",
        )
        message = f"{record.verdict}: {record.sentence}"
        if not is_as_it_should_be(record):
            failures += 1
            ElementTree.SubElement(case, "failure", message=message)
        elif record.verdict in (Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE):
            skipped += 1
            ElementTree.SubElement(case, "skipped", message=message)
        else:
            ElementTree.SubElement(case, "system-out").text = message
    suite.set("failures", str(failures))
    suite.set("skipped", str(skipped))
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def markdown(records: Sequence[Record], provenance: Mapping[str, Any]) -> str:
    """A report to read in a terminal or on a code host."""
    counts = Counter(record.verdict for record in records)
    lines = [
        "# Verification report",
        "",
        ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())) + ".",
        f"The chance that any sampled verdict here is wrong is at most {provenance['alpha']:.2g} "
        "if the bands hold and each bias lies in its class.",
        "",
        "| id | document | part | verdict | sentence |",
        "| --- | --- | --- | --- | --- |",
    ]
    decided = [record for record in records if record.module]
    lines += [f"| {r.id} | {r.document} | {r.part} | {r.verdict} | {_cell(r.sentence)} |" for r in decided]
    errata = [record for record in records if record.erratum is not None]
    if errata:
        lines += ["", "## Errata", ""]
        for record in errata:
            assert record.erratum is not None
            lines += [
                f"**{record.id}** ({record.document}, {record.place}; {record.part})",
                "",
                f"- printed: {record.erratum.printed} ({record.verdict})",
                f"- corrected: {record.erratum.corrected} ({record.erratum.corrected_verdict})",
                f"- evidence: {record.erratum.evidence}",
                "",
            ]
    lines += ["", "## Mutants", "", "| id | mutant | offset | verdict | d | seconds |"]
    lines += ["| --- | --- | --- | --- | --- | --- |"]
    seen = set()
    for record in decided:
        for mutant in record.mutants:
            if (record.id, record.part, mutant.name) in seen:
                continue
            seen.add((record.id, record.part, mutant.name))
            offset = "" if mutant.offset is None else f"{mutant.offset:+.2%}"
            lines.append(
                f"| {record.id} {record.part} | {_cell(mutant.name)} | {offset} | {mutant.verdict} "
                f"| {mutant.d or ''} | {mutant.seconds:.1f} |"
            )
    open_ids = sorted({record.id for record in records if not record.module})
    if open_ids:
        lines += ["", "## Not implemented", "", ", ".join(open_ids)]
    versions = ", ".join(f"{name} {number}" for name, number in provenance["versions"].items())
    lines += ["", "## Provenance", "", f"{versions}; seed {provenance['seed']}, profile {provenance['profile']}."]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def summary(records: Sequence[Record]) -> str:
    """One line on how the run went."""
    good = sum(record.verdict in GOOD for record in records)
    misprints = [r for r in records if r.erratum and r.verdict == Verdict.REFUTED and is_as_it_should_be(r)]
    rest = Counter(r.verdict for r in records if r.verdict not in GOOD and r not in misprints)
    parts = [f"{good} of {len(records)} proved or passed"]
    if misprints:
        count = "1 misprint" if len(misprints) == 1 else f"{len(misprints)} misprints, each"
        parts.append(f"{count} with a correction that holds")
    return "; ".join(parts + [f"{rest[verdict]} {verdict}" for verdict in Verdict if rest[verdict]])
