"""How much alike the cases of one scene are."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_vqamt.stats.effective import Kind


def alikeness(kinds: Sequence[Kind]) -> float | None:
    """The intraclass correlation of their values, from 0 to 1; None where it cannot be seen.

    ``(B - W) / (B + (m - 1) W)``, of the mean squares between and within scenes, with m the size of scenes corrected
    for their being unequal (Donner, International Statistical Review 54, 1986). It cannot be seen where no scene has
    two cases, or no two cases differ.
    """
    cases, scenes = sum(each.size * each.scenes for each in kinds), sum(each.scenes for each in kinds)
    if scenes < 2 or cases <= scenes:
        return None
    squares = sum(each.squares * each.scenes for each in kinds)
    of_scenes = sum(each.total**2 / each.size * each.scenes for each in kinds)
    mean = sum(each.total * each.scenes for each in kinds) / cases
    between = (of_scenes - mean**2 * cases) / (scenes - 1)
    within = (squares - of_scenes) / (cases - scenes)
    size = (cases - sum(each.size**2 * each.scenes for each in kinds) / cases) / (scenes - 1)
    whole = between + (size - 1) * within
    return None if whole <= 0 else min(1.0, max(0.0, (between - within) / whole))
