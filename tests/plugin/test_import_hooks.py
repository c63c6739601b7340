"""Our modules are imported as they were compiled, and through the import hooks of others."""

from __future__ import annotations

import pytest

WATCHER = """
    import sys

    asked = []

    class Watcher:
        def find_spec(self, fullname, path, target=None):
            asked.append(fullname)

    sys.meta_path.insert(0, Watcher())
"""
TEST = """
    import sys
    import watcher

    def test_imports():
        ours = {name for name in sys.modules if name.startswith("pytest_vqamt.")} - {"pytest_vqamt.plugin"}
        assert len(ours) > 10
        assert {type(sys.modules[name].__loader__).__name__ for name in ours} == {"SourceFileLoader"}
        assert ours <= set(watcher.asked)
"""


def test_pytest_does_not_rewrite_ours_and_other_hooks_are_asked(pytester: pytest.Pytester) -> None:
    """The hook of a type checker that was there before ours is asked for each module."""
    pytester.makepyfile(watcher=WATCHER, test_imports=TEST)
    pytester.runpytest_subprocess("-p", "watcher", "--vqamt-model=oracle", "-k", "test_imports").assert_outcomes(
        passed=1
    )
