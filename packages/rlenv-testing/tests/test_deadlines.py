"""What is made once has a time limit of its own, in pytest runs of its own."""

from __future__ import annotations

import pytest

from rlenv_testing import deadlines

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.l1

SLOW_TO_MAKE = """
    import time
    import pytest
    from rlenv_testing import deadlines

    @pytest.fixture(scope="module")
    def program():
        time.sleep(1.5)
        return 7

    @deadlines.once
    def table(size):
        time.sleep(1.5)
        return [size]

    @pytest.mark.timeout(1)
    def test_fixture(program):
        assert program == 7

    @pytest.mark.timeout(1)
    def test_function():
        assert table(3) is table(3)

    @pytest.mark.timeout(1)
    def test_what_is_slow_itself(program):
        table(3)
        time.sleep(5)
"""


def test_the_clock_of_a_test_stands_still_while_something_is_made_for_many(pytester):
    pytester.makepyfile(SLOW_TO_MAKE)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*test_what_is_slow_itself*", "*Timeout*"])


def test_what_is_not_ready_within_the_limit_fails_by_name(pytester):
    pytester.makepyfile("""
        import time
        import pytest
        from rlenv_testing import deadlines

        def test_it():
            with deadlines.apart("the program of nobody", limit_s=0.2):
                time.sleep(5)
    """)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*make the program of nobody: got no result after 0.2 s*"])


def test_calls_are_kept_apart_by_their_arguments():
    calls = []
    made = deadlines.once(lambda *args: calls.append(args) or len(calls))
    assert [made(1), made(2), made(1)] == [1, 2, 1]
