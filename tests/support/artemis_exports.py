"""What the checks against golden/exp.xml.gz share: which fixtures have one, options, the report."""
import argparse
from collections import Counter
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
SHOWN = 10  # problems of one fixture


def parse_arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--saranga", default=REPOSITORY / "build/release/saranga", type=Path)
    parser.add_argument("--fixtures", default=REPOSITORY / "fixtures", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    return parser.parse_args()


def check_all(options, check):
    """check(saranga, fixtures, name) gives an object with .problems, texts, .known, a Counter of what
    is different on purpose, and .compared, a Counter of what was compared. Gives the exit code."""
    names = options.names or sorted(path.parents[1].name for path in
                                    options.fixtures.glob("*/golden/exp.xml.gz"))
    passed = failed = 0
    known, compared = Counter(), Counter()
    for name in names:
        fixture = check(options.saranga, options.fixtures, name)
        known += fixture.known
        compared += fixture.compared
        passed += not fixture.problems
        failed += bool(fixture.problems)
        for problem in fixture.problems[:SHOWN]:
            print(f"{name}: {problem}")
    for what, count in known.items():
        print(f"different on purpose: {count} {what}")
    print("compared:", ", ".join(f"{count} {what}" for what, count in compared.items()))
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1
