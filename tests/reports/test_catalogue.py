"""The list of theorems is read from their syntax trees, and names are resolved as people type them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from reports.catalogue import catalogue, ledger, load, read_entry, select, with_parameters
from reports.records import key_of
from reports.runner import count_claims, not_implemented
from reports.settings import Choices
from theorems.claim import BadInput, Limit, Verdict

MODULE = '''
"""A statement."""
import a_package_that_does_not_exist

THEOREM = Theorem(
    slug="toy",
    title="A title",
    source="P, here",
    latex=r"x" + 1,
    parameters={"rho": "1/2"},
    symbols=("rho",),
    claims=(Identity(id="LT-A1", readings=()), Limit(id="LT-A2"), Limit(id="LT-A2", part="again")),
)
'''


def test_an_entry_is_read_without_running_the_module(tmp_path: Path) -> None:
    path = tmp_path / "toy.py"
    path.write_text(MODULE)
    entry = read_entry(path, "theorems.section.toy")
    assert entry is not None
    assert (entry.slug, entry.title, entry.source) == ("toy", "A title", "P, here")
    assert entry.ids == ("LT-A1", "LT-A2")
    assert entry.parameters == {"rho": "1/2"}
    assert entry.symbols == ("rho",)
    assert entry.activation is None
    assert not entry.takes_activation
    assert entry.module == "theorems.section.toy"


@pytest.mark.parametrize(
    ("literal", "built", "named"),
    [('"toy"', "make_slug()", "slug"), ("title=", "name=", "title"), ("id=", "label=", "id")],
)
def test_a_declaration_that_is_no_literal_is_named(tmp_path: Path, literal: str, built: str, named: str) -> None:
    path = tmp_path / "toy.py"
    path.write_text(MODULE.replace(literal, built))
    with pytest.raises(BadInput, match=rf"toy.py cannot be listed: write {named}= as a literal"):
        read_entry(path, "theorems.section.toy")


def test_a_module_without_a_theorem_has_no_entry(tmp_path: Path) -> None:
    path = tmp_path / "helper.py"
    path.write_text("THEOREMS = Theorem(slug='no')\nTHEOREM = 3\n")
    assert read_entry(path, "theorems.section.helper") is None


def test_every_module_on_the_disk_that_states_a_theorem_is_listed() -> None:
    home = Path(__file__).parents[2] / "theorems"
    stated = {path for path in home.rglob("*.py") if "\nTHEOREM = Theorem(" in path.read_text()}
    assert stated == {entry.path for entry in catalogue()}


def test_theorems_come_in_the_order_of_the_ledger() -> None:
    place = {row.id: number for number, row in enumerate(ledger())}
    firsts = [min(place[i] for i in entry.ids) for entry in catalogue()]
    assert firsts == sorted(firsts)


def test_ledger_ids_are_unique_and_documents_known() -> None:
    ids = [row.id for row in ledger()]
    assert len(set(ids)) == len(ids)
    for row in ledger():
        assert row.documents
        assert set(row.documents) <= set("POSTB")
        assert row.statement


def test_no_name_selects_everything() -> None:
    assert [(chosen.entry, chosen.ids) for chosen in select(())] == [(entry, entry.ids) for entry in catalogue()]


def test_a_slug_selects_all_ids_and_an_id_only_itself() -> None:
    (by_slug,) = select(["nt-span"])
    assert by_slug.ids == ("LT-R9", "LT-S4")
    (by_id,) = select(["LT-S4"])
    assert by_id.entry is by_slug.entry
    assert by_id.ids == ("LT-S4",)


def test_names_may_repeat_and_overlap() -> None:
    (chosen,) = select(["LT-S4", "nt-span", "LT-S4", "LT-R9"])
    assert chosen.ids == ("LT-R9", "LT-S4")
    slugs = [chosen.entry.slug for chosen in select(["LT-T2", "LT-T1"])]
    assert slugs == [entry.slug for entry in catalogue() if entry.slug in slugs]


def test_a_part_selects_one_claim_of_an_id() -> None:
    (chosen,) = select(["TL-RIDGE.variance"])
    assert [(c.id, c.part) for c in load(chosen.entry).claims if chosen.has(c)] == [("TL-RIDGE", "variance")]
    (other,) = select(["TL-E012.limits"])
    assert other.entry.slug == "ridge-limits"  # the id stands in other modules too
    (both,) = select(["TL-RIDGE.variance", "TL-RIDGE"])
    assert {c.part for c in load(both.entry).claims if both.has(c)} == {"main", "bias", "variance"}


def test_an_unknown_part_is_refused_with_those_there_are() -> None:
    with pytest.raises(BadInput, match=r"TL-RIDGE has no part 'x'; its parts are: TL-RIDGE.main, TL-RIDGE.bias"):
        select(["TL-RIDGE.x"])


def test_a_parameter_leaves_out_what_shares_the_id_without_it() -> None:
    def slugs(*names: str) -> set[str]:
        return {chosen.entry.slug for chosen in with_parameters(select(names), ["psi1", "labels"], names)}

    assert slugs("TL-MM") == {"margin-limit", "margin-separability"}
    # What was named itself, or has nothing beside it, stays, and refuses the parameter.
    assert (
        slugs("TL-MM", "margin-derivation")
        == slugs("TL-MM", "TL-MM.derivation")
        == {*slugs("TL-MM"), "margin-derivation"}
    )
    assert slugs("LT-T2") == {chosen.entry.slug for chosen in select(["LT-T2"])}
    assert "margin-derivation" not in slugs()
    with pytest.raises(BadInput, match="No theorem has the parameters nothing"):
        with_parameters(select(()), ["nothing"], ())


def test_every_listed_id_selects_its_theorem() -> None:
    for entry in catalogue():
        for name in entry.ids:
            assert entry in [chosen.entry for chosen in select([name])]


@pytest.mark.parametrize("name", ["", "lt-t2", "LT-T2 ", "nt_quadratic", "x" * 100_000])
def test_unknown_names_are_refused_briefly(name: str) -> None:
    with pytest.raises(BadInput) as refusal:
        select(["LT-T2", name])
    assert "neither a theorem nor a ledger id" in str(refusal.value)
    assert len(str(refusal.value)) < 250


def test_an_id_without_a_module_is_told_from_a_misspelt_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = (*ledger(), replace(ledger()[0], id="XX-1", documents=("P", "O")))
    for module in ("catalogue", "runner"):
        monkeypatch.setattr(f"reports.{module}.ledger", lambda: rows)
    with pytest.raises(BadInput, match="in the ledger but no module"):
        select(["XX-1"])
    assert [record.document for record in not_implemented() if record.id == "XX-1"] == ["P", "O"]


def test_every_ledger_id_is_answered_for() -> None:
    """Each printing in the ledger is decided by a module or reported as not implemented, and never both."""
    missing = not_implemented()
    decided = {
        (claim.id, reading.document)
        for entry in catalogue()
        for claim in load(entry).claims
        for reading in claim.readings
    }
    reported = {(record.id, record.document) for record in missing}
    assert decided | reported == {(row.id, document) for row in ledger() for document in row.documents}
    assert not decided & reported
    assert len({key_of(record) for record in missing}) == len(missing)
    for record in missing:
        assert record.verdict == Verdict.INCONCLUSIVE
        assert "ot implemented" in record.sentence
        assert record.module is None


def test_a_formula_is_tried_on_the_main_limits_only() -> None:
    everything = select(["nt-quadratic"])
    theorem = load(everything[0].entry)
    assert count_claims(everything, Choices()) == len(theorem.claims)
    limits = [claim for claim in theorem.claims if isinstance(claim, Limit) and claim.part == "main"]
    assert 0 < len(limits) < len(theorem.claims)
    assert count_claims(everything, Choices(against="rho")) == len(limits)


def test_a_formula_is_tried_where_its_symbols_are_known() -> None:
    shared = select(["TL-MM"])
    assert count_claims(shared, Choices(against="kappa_star")) == 2  # margin and error
    assert count_claims(shared, Choices(against="psi2_star")) == 3  # and whether the data are separable
    with pytest.raises(BadInput, match="'nothing' is not a symbol"):
        count_claims(shared, Choices(against="nothing"))
