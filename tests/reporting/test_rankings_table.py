"""What the summary says of several models: who is better on the whole, and where any two differ."""

from __future__ import annotations

from dataclasses import replace

from pytest_vqamt.core.results import Behind, DataUse, Difference, Ranked, RankedKind, Ranking, Report
from pytest_vqamt.core.tallies import AlikeTwice, PairedClusters
from pytest_vqamt.reporting.terminal import ranking_lines

RANKING = Ranking(
    data="gqa:DIR",
    kind=RankedKind.RELATIONS,
    items=("ours.a", "ours.b"),
    places=(
        Ranked(model="good", mean=0.75, interval=(0.7, 0.8), best_in=2),
        Ranked(
            model="bad",
            mean=0.5,
            interval=(0.4, 0.6),
            best_in=1,
            behind=Behind(difference=-0.25, interval=(-0.3, -0.2)),
        ),
    ),
)
# Of ten cases the first model has three that the second has not, and the second one.
DIFFERENCE = Difference(
    item="ours.a",
    data="gqa:DIR",
    presumed=False,
    models=("bad", "good"),
    paired=PairedClusters((AlikeTwice(0, 0, 0, 1, 1), AlikeTwice(0, 0, 1, 0, 3), AlikeTwice(1, 0, 0, 0, 6))),
    interval=(0.1, 0.5),
    p=0.01,
    p_holm=0.02,
)


def lines(rankings: tuple[Ranking, ...], differences: tuple[Difference, ...], *, in_full: bool = False) -> list[str]:
    report = Report(
        vqamt_version="0",
        seed=0,
        sampler="random",
        max_cases=10,
        shard="1/1",
        started="",
        duration_s=0.0,
        models=(),
        data=(DataUse(spec="gqa:DIR", scenes=8, digest="0"),),
        ranking=rankings,
        differences=differences,
    )
    return list(ranking_lines(report, in_full=in_full))


def test_of_one_model_nothing_is_said() -> None:
    assert lines((), ()) == []


def test_the_models_stand_in_the_order_of_their_means_and_the_differences_name_the_better_one() -> None:
    assert lines((RANKING,), (DIFFERENCE,)) == [
        "models on gqa:DIR, by their mean pass rate over 2 relation variants",
        "",
        "model  mean pass rate   95 % interval           behind the first  best in",
        "-----  --------------  --------------  -------------------------  -------",
        "good            0.750  0.700 to 0.800                          -        2",
        "bad             0.500  0.400 to 0.600  -0.250 (-0.300 to -0.200)        1",
        "",
        "on gqa:DIR, 1 of 1 comparison of two models on a relation variant shows a difference beyond chance (p below "
        "0.05 after Holm)",
        "",
        "relation  shared cases      better      worse  difference     95 % interval  p (Holm)",
        "--------  ------------  ----------  ---------  ----------  ----------------  --------",
        "ours.a              10  good 0.900  bad 0.600       0.300  +0.100 to +0.500    0.0200",
        "",
    ]


def test_the_interval_is_of_the_better_one_less_the_worse() -> None:
    turned = replace(
        DIFFERENCE,
        models=("good", "bad"),
        paired=PairedClusters((AlikeTwice(0, 0, 0, 1, 1), AlikeTwice(0, 1, 0, 0, 3), AlikeTwice(1, 0, 0, 0, 6))),
        interval=(-0.5, -0.1),
    )
    assert lines((), (turned,))[4:] == lines((), (DIFFERENCE,))[4:]


def test_chance_and_controls_are_not_shown_and_of_many_only_the_largest() -> None:
    chance = replace(DIFFERENCE, item="ours.chance", p_holm=0.05)
    control = replace(DIFFERENCE, item="control.repeat", p_holm=None)
    assert lines((), (chance, control)) == [
        "on gqa:DIR, 0 of 1 comparison of two models on a relation variant show a difference beyond chance (p below "
        "0.05 after Holm)",
        "",
    ]
    many = tuple(
        replace(
            DIFFERENCE, item=f"ours.{n}", paired=PairedClusters((AlikeTwice(0, 0, 1, 0, n), AlikeTwice(1, 0, 0, 0, 5)))
        )
        for n in range(1, 13)
    )
    found = lines((), many)
    assert [line.split()[0] for line in found[4:14]] == [f"ours.{n}" for n in range(12, 2, -1)]
    assert found[15].startswith("and 2 smaller ones")
    assert [line.split()[0] for line in lines((), many, in_full=True)[4:16]] == [f"ours.{n}" for n in range(12, 0, -1)]


def test_presumed_cases_baselines_and_controls_are_ranked_where_all_is_asked_for() -> None:
    rankings = tuple(replace(RANKING, kind=kind) for kind in RankedKind)
    assert sum(line.startswith("models on") for line in lines(rankings, ())) == 1
    heads = [line for line in lines(rankings, (), in_full=True) if line.startswith("models on")]
    assert [head.partition("variants")[2] for head in heads] == [
        "",
        ", their presumed cases alone",
        ", those with the tag baseline",
        ", the controls",
    ]
