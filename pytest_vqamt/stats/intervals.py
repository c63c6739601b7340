"""Intervals of pass rates, clustered by scene: cases of one picture are correlated, so they count for less."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import sqrt
from statistics import NormalDist
from typing import Final, NamedTuple

from pytest_vqamt.core.tallies import Clusters

_FIVE_A_ROW = """
12.706204736174694 4.302652729749462 3.1824463052837078 2.7764451051977934 2.5705818356363146
2.4469118511449786 2.364624251592784 2.306004135204166 2.262157162798205 2.228138851986274
2.200985160091639 2.1788128296672284 2.1603686564627913 2.144786687917804 2.131449545559776
2.1199052992212546 2.1098155778333156 2.1009220402410382 2.0930240544083087 2.085963447265864
2.0796138447276795 2.0738730679040254 2.0686576104190486 2.0638985616280245 2.0595385527532972
2.0555294386428735 2.0518305164802846 2.0484071417952454 2.045229642132703 2.0422724563012378
2.039513446396408 2.0369333434601016 2.0345152974493383 2.0322445093177186 2.030107928250343
2.0280940009804502 2.0261924630291093 2.0243941639119694 2.022690920036761 2.021075390306273
2.019540970441376 2.0180817028184443 2.016692199227824 2.0153675744437636 2.014103388880846
2.012895598919429 2.0117405137297655 2.010634757624232 2.0095752371292392 2.008559112100761
2.007583770315836 2.006646805061688 2.0057459953178687 2.0048792881880564 2.0040447832891455
2.003240718847872 2.002465459291007 2.0017174841452356 2.000995378088267 2.0002978220142604
1.999623584994939 1.9989715170333788 1.998340542520741 1.997729654317693 1.9971379083920038
1.9965644189523117 1.996008354025296 1.9954689314298435 1.9949454151072374 1.994437111771186
1.9939433678456255 1.9934635666618719 1.992997125889855 1.992543495180932 1.9921021540022417
1.9916726096446642 1.9912543953883846 1.9908470688116906 1.9904502102301285 1.990063421254446
1.9896863234569029 1.989318557136572 1.9889597801751624 1.9886096669757083 1.9882679074772216
1.98793420623902 1.9876082815890708 1.9872898648311692 1.986978699506281 1.9866745407037683
1.9863771544186177 1.98608631695113 1.9858018143458227 1.985523441866604 1.9852510035054978
1.984984311522457 1.9847231860139845 1.9844674545084815 1.9842169515864174 1.9839715185235518
1.983731002955606 1.9834952585628793 1.9832641447734565 1.9830375264837259 1.9828152737950475
1.9825972617655006 1.9823833701756908 1.982173483307727 1.9819674897364825 1.981765282132372
1.9815667570749007 1.9813718148763053 1.981180359414661 1.9809922979758567 1.9808075411039094
1.9806260024590894 1.9804475986834025 1.980272249272974 1.9800998764569397 1.9799304050824402
1.9797637625053868 1.9795998784866382 1.9794386850933035 1.9792801166048548 1.9791241094237977
1.9789706019906281 1.9788195347028539 1.978670849837835 1.9785244914792577 1.9783804054470222
1.9782385392303798 1.9780988419241303 1.9779612641677262 1.9778257580871244 1.9776922772392527
1.977560776558935 1.9774312123081748 1.9773035420276506 1.977177724490333 1.9770537196570985
1.9769314886342528 1.9768109936328597 1.976692197929798 1.9765750658304433 1.9764595626329178
1.9763456545938125 1.976233308895327 1.9761224936137445 1.976013177689192 1.9759053308966201
1.9757989238179392 1.97569392781527 1.9755903150052492 1.9754880582343404 1.9753871310551152
1.9752875077034489 1.9751891630765912 1.9750920727120844 1.9749962127674756 1.9749015600007986
1.974808091751787 1.974715785923791 1.974624620966361 1.9745345758584756 1.9744456300923825
1.9743577636580294 1.9742709570280557 1.9741851911433248 1.9741004473989765 1.9740167076309703
1.973933954103107 1.9738521694945061 1.973771336887522 1.9736914397560734 1.9736124619543842
1.9735343877061042 1.9734572015938032 1.9733808885488238 1.9733054338414737 1.9732308230715456
1.9731570421591593 1.973084077335903 1.973011915136267 1.9729405423893598 1.9728699462108963
1.9728001139954416 1.9727310334089099 1.9726626923813002 1.9725950790996682 1.972528182001318
1.972461989767211 1.9723964913155805 1.9723316757957499 1.9722675325821355 1.9722040512684433
1.9721412216620415 1.9720790337785026 1.9720174778363146 1.9719565442517533 1.9718962236339088
1.971836506779859 1.9717773846699893 1.9717188484634527 1.971660889493761 1.971603499264511
1.9715466694452266 1.971490391867333 1.971434658520241 1.9713794615475437 1.9713247932433307
1.9712706460485947 1.9712170125477517 1.971163885465255 1.971111257662303 1.971059122133646
1.9710074720044717 1.9709563005273885 1.970905601079485 1.9708553671594717 1.9708055923849026
1.970756270489474 1.9707073953203922 1.9706589608358154 1.9706109611023637 1.970563390292698
1.97051624268316 1.9704695126514764 1.9704231946745232 1.9703772833261541 1.9703317732750762
1.9702866592827877 1.9702419362015695 1.9701975989725262 1.9701536426236785 1.9701100622681034
1.970066853102126 1.9700240104035507 1.9699815295299445 1.9699394059169584 1.9698976350766917
1.969856212596099 1.969815134135437 1.9697743954267473 1.9697339922723787 1.9696939205435462
1.9696541761789226 1.9696147551832692 1.969575653626095 1.9695368676403504 1.9694983934211532
"""

CRITICAL_VALUES: Final = tuple(map(float, _FIVE_A_ROW.split()))
"""97.5 % points of Student's t for 1, 2, ... degrees of freedom, by scipy 1.17.1 (``special.stdtrit``).

A table and no call, so that a report stays what it was, to the last digit, whatever is installed.
"""


_PRIOR_SCENES = 0.5
"""Jeffreys' prior in whole scenes: so many that hold, and so many that are violated."""

CONFIDENCE = 0.95
"""The level of every interval in reports."""


def pass_rate_interval(clusters: Clusters) -> tuple[float, float]:
    """Returns the 95 % interval of the pass rate, (0, 1) without judged cases.

    Wilson's interval with the effective sample size, as recommended by Franco, Little, Louis and Slud (Journal of
    Survey Statistics and Methodology 7, 2019). They find such intervals too narrow unless the effective sample size
    comes from a model of the scenes; here a prior of half a scene that holds and half a scene that is violated serves
    as one. The interval of an item with violations never lies above that of the same scenes without any, and the
    interval of an item with a case that holds never below that of the same scenes without any.

    ``docs/explanation/statistics.md`` has the measured coverage of this interval
    and of its alternatives, such as the bootstrap.
    """
    groups = groups_of_verdicts(clusters)
    if not groups:
        return 0.0, 1.0
    share = worth_of_verdict(clusters)
    low, high = wilson(clusters.holds * share, clusters.judged * share)
    # Bounds: no violation can make an interval better than none, nor a success make it worse.
    least = least_sample_size(groups)
    return min(low, wilson(least, least)[0]), max(high, wilson(0, least)[1])


def groups_of_verdicts(clusters: Clusters) -> list[SceneGroup]:
    """Returns the scenes with judged cases, which count 1 if they hold, and else 0."""
    return [SceneGroup(row.holds, row.holds, row.judged, row.scenes) for row in clusters.rows if row.judged]


def worth_of_verdict(clusters: Clusters) -> float:
    """Returns the independent cases that a case is worth for the pass rate: the effective over the whole number."""
    groups = groups_of_verdicts(clusters)
    size = mean_scene_size(groups)
    prior = (SceneGroup(size, size, size, _PRIOR_SCENES), SceneGroup(0, 0, size, _PRIOR_SCENES))
    return effective_sample_size(groups, prior) / clusters.judged


class SceneGroup(NamedTuple):
    """Scenes of one size, whose values have the same sum and sum of squares."""

    total: float
    """The sum of the values of one scene."""
    squares: float
    """The sum of their squares, which for verdicts (0 or 1) is the same."""
    size: float
    """The cases of one scene."""
    scenes: float
    """How many scenes are like this; prior scenes come in fractions."""


def least_sample_size(groups: Sequence[SceneGroup]) -> float:
    """Returns the effective sample size at an intraclass correlation of 1: ``(sum n)^2 / sum n^2``.

    It is the number of scenes if all have one size, and less otherwise (Kish, Survey Sampling, 1965).
    """
    return sum(each.size * each.scenes for each in groups) ** 2 / sum(each.size**2 * each.scenes for each in groups)


def mean_scene_size(groups: Sequence[SceneGroup]) -> float:
    """Returns the size of the scene of an average case: ``sum n^2 / sum n``."""
    return sum(each.size**2 * each.scenes for each in groups) / sum(each.size * each.scenes for each in groups)


def effective_sample_size(groups: Sequence[SceneGroup], prior: Sequence[SceneGroup]) -> float:
    """Returns the number of independent cases whose mean would have the variance of the mean of these.

    That is N / deff for N cases of G scenes, times the square of t(N - 1) / t(G - 1), the 97.5 % points of Student's
    distribution: deff is itself an estimate from G scenes (Korn and Graubard, Survey Methodology 24, 1998). The design
    effect deff is the variance of the mean by scene, which is the limit of the bootstrap of scenes, over that of N
    independent cases. Both include the ``prior`` scenes: if hardly any case differs, the intraclass correlation cannot
    be estimated, and the prior takes it to be 1.

    The result lies between ``least_sample_size`` and N. With one case per scene it is N.
    """
    cases, scenes = sum(round(each.size * each.scenes) for each in groups), sum(round(each.scenes) for each in groups)
    least = least_sample_size(groups)
    # One case a scene: nothing is correlated. One scene: its variance cannot be estimated.
    if cases == scenes or scenes < 2:
        return least
    # With the prior the variance is never 0, so that deff exists where all cases hold.
    every = (*groups, *prior)
    weight = sum(each.size * each.scenes for each in every)
    mean = sum(each.total * each.scenes for each in every) / weight
    by_scene = sum((each.total - mean * each.size) ** 2 * each.scenes for each in every)
    by_case = sum(each.squares * each.scenes for each in every) - mean**2 * weight
    deff = by_scene / by_case * (scenes / (scenes - 1)) * ((cases - 1) / cases)
    correction = (students_t(cases - 1) / students_t(scenes - 1)) ** 2
    # An estimate may lie outside: fewer than at full correlation, or more than there are cases.
    return min(float(cases), max(least, cases / deff * correction))


def wilson(successes: float, trials: float, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Returns Wilson's interval: ``(p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n)``, inside [0, 1].

    Wilson, Journal of the American Statistical Association 22 (1927). It is (0, 1) without
    trials. Counts need not be whole.

    >>> [round(end, 4) for end in wilson(8, 10)]
    [0.4902, 0.9433]
    """
    if not trials:
        return 0.0, 1.0
    # Two-sided: 1.96 for 95 %.
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    p = successes / trials
    middle = p + z * z / (2 * trials)
    spread = z * sqrt(p * (1 - p) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    low, high = (middle - spread) / scale, (middle + spread) / scale
    # Exactly 0 and 1 there, which rounding may miss by 1e-17.
    return (0.0 if successes == 0 else low), (1.0 if successes == trials else high)


@cache
def students_t(degrees: int) -> float:
    """Returns the two-sided 95 % critical value of Student's distribution.

    From a table, and for more degrees of freedom than it has by the expansion around the normal point (Abramowitz and
    Stegun 1964, 26.7.5), which leaves out less than 1e-12 there.

    >>> round(students_t(1), 3), round(students_t(10), 3), round(students_t(1000), 3)
    (12.706, 2.228, 1.962)
    """
    if degrees <= len(CRITICAL_VALUES):
        return CRITICAL_VALUES[degrees - 1]
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return sum(term / float(degrees) ** power for power, term in enumerate(terms))


def intraclass_correlation(groups: Sequence[SceneGroup]) -> float | None:
    """Returns the intraclass correlation of the values within scenes, from 0 to 1.

    ``(B - W) / (B + (m - 1) W)``, of the mean squares between and within scenes, with m the scene size corrected for
    unequal sizes (Donner, International Statistical Review 54, 1986). None if no scene has two cases or no two cases
    differ.
    """
    cases, scenes = sum(each.size * each.scenes for each in groups), sum(each.scenes for each in groups)
    # One case a scene: no two cases of a scene can be compared.
    if scenes < 2 or cases <= scenes:
        return None
    squares = sum(each.squares * each.scenes for each in groups)
    of_scenes = sum(each.total**2 / each.size * each.scenes for each in groups)
    mean = sum(each.total * each.scenes for each in groups) / cases
    between = (of_scenes - mean**2 * cases) / (scenes - 1)
    within = (squares - of_scenes) / (cases - scenes)
    size = (cases - sum(each.size**2 * each.scenes for each in groups) / cases) / (scenes - 1)
    whole = between + (size - 1) * within
    # Estimates below 0 come of chance, and count as 0.
    return None if whole <= 0 else min(1.0, max(0.0, (between - within) / whole))
