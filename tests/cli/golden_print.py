#!/usr/bin/env python3
"""Compare `saranga data print` with what real Artemis printed of the stores in fixtures/.

    golden_print.py [--saranga PATH] [--fixtures DIR] [NAME…]

Each fixture has store/ or store.tar.gz, and under golden/ the texts of GOLDENS, as they are or
compressed; the path of the store stands there as $STORE. Without names, every fixture is checked
that has at least one such text. Ends with a line `N passed, N failed` and 1 when something failed.
"""
import argparse
import difflib
import gzip
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
from normalise import normalise  # noqa: E402

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDERS = ("bindings", "journal", "paging", "large-messages")
# file under golden/, the release that printed it, options of `data print`
GOLDENS = [
    ("print-2.56.txt", "2.56.0", []),
    ("print-2.40.txt", "2.40.0", []),
    ("print-safe.txt", "2.40.0", ["--safe"]),
    ("print-reclaimed.txt", "2.40.0", ["--reclaimed"]),
]
# The 2.x tools give up on these stores, so there is no complete text to compare with.
INCOMPLETE = {"artemis-1.5", "hornetq-2.4"}
SHOWN_LINES, SHOWN_COLUMNS = 12, 400
TIMEOUT_S = 120


def parse_arguments():
    parser = argparse.ArgumentParser(description="Compare `data print` with the golden texts.")
    parser.add_argument("--saranga", default=REPOSITORY / "build/release/saranga", type=Path)
    parser.add_argument("--fixtures", default=REPOSITORY / "fixtures", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    return parser.parse_args()


def golden_text(folder, name):
    for path, opener in ((folder / name, open), (folder / (name + ".gz"), gzip.open)):
        if path.exists():
            with opener(path, "rb") as golden:
                return golden.read().decode("utf-8", "surrogateescape")
    return None


def goldens_of(fixture):
    """(name, release, options, text) of each golden text of a fixture."""
    found = ((name, release, options, golden_text(fixture / "golden", name))
             for name, release, options in GOLDENS)
    return [golden for golden in found if golden[3] is not None]


def place_store(fixture, scratch):
    """A store with all four folders; version control keeps no empty ones, so it is a copy."""
    store = scratch / "store"
    if (fixture / "store").is_dir():
        shutil.copytree(fixture / "store", store)
    else:
        with tarfile.open(fixture / "store.tar.gz") as archive:
            archive.extractall(scratch)
    for folder in FOLDERS:
        (store / folder).mkdir(exist_ok=True)
    return store


def print_store(saranga, store, options):
    """Runs `saranga data print`; gives its text, or what went wrong."""
    command = [str(saranga), "data", "print", str(store), *options]
    try:
        done = subprocess.run(command, capture_output=True, env={**os.environ, "TZ": "UTC"},
                              timeout=TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, str(error)
    # Warnings (1) and damage (2) are findings about the store, as some of these stores have them.
    if done.returncode not in (0, 1, 2):
        return None, f"exit code {done.returncode}: {done.stderr.decode(errors='replace')[-500:]}"
    return done.stdout.decode("utf-8", "surrogateescape"), None


def as_captured(text):
    """The golden texts were captured with every kind of line end turned into LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def differences(expected, actual):
    """The first lines of a unified diff, cut to a readable width around the difference."""
    if expected == actual:
        return []
    diff = difflib.unified_diff(expected, actual, "artemis", "saranga", lineterm="", n=0)
    lines = [line for line in diff if not line.startswith(("---", "+++"))]
    return [clip(line, lines[i - 1] if line.startswith("+") else "")
            for i, line in enumerate(lines[:SHOWN_LINES])]


def clip(line, partner):
    """Long lines differ late: starts the second of a pair shortly before the difference."""
    if len(line) <= SHOWN_COLUMNS:
        return line
    same = len(os.path.commonprefix([line[1:], partner[1:]])) if partner[:1] == "-" else 0
    start = max(0, same - 80)
    return line[0] + ("…" if start else "") + line[1 + start:1 + start + SHOWN_COLUMNS] + "…"


def check(saranga, store, golden):
    """The lines that tell what is wrong; none when the texts agree."""
    _, release, options, text = golden
    actual, error = print_store(saranga, store, options)
    if error:
        return [error]
    return differences(normalise(text, release),
                       normalise(as_captured(actual), release, str(store)))


def check_fixture(saranga, fixture):
    """(passed, failed) of one fixture."""
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="saranga-golden-") as scratch:
        store = place_store(fixture, Path(scratch))
        for golden in goldens_of(fixture):
            problems = check(saranga, store, golden)
            passed, failed = passed + (not problems), failed + bool(problems)
            if problems:
                print(f"FAIL {fixture.name}: {golden[0]}", *problems, sep="\n    ")
    return passed, failed


def main():
    options = parse_arguments()
    names = options.names or sorted(path.name for path in options.fixtures.iterdir()
                                    if path.name not in INCOMPLETE)
    fixtures = [options.fixtures / name for name in names]
    missing = [fixture.name for fixture in fixtures if options.names and not goldens_of(fixture)]
    if missing:
        sys.exit(f"golden_print: no golden text: {', '.join(missing)}")
    results = [check_fixture(options.saranga, fixture) for fixture in fixtures
               if goldens_of(fixture)]
    passed, failed = (sum(counts) for counts in zip(*results)) if results else (0, 0)
    print(f"{passed} passed, {failed} failed")
    # Nothing checked is a mistake in the arguments, not a success.
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
