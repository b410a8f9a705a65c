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
from itertools import zip_longest
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
SHOWN_LINES, SHOWN_COLUMNS, SHOWN_HEAD = 12, 240, 70
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
    """The first lines of a unified diff without context; long lines are cut to what differs."""
    if expected == actual:
        return []
    matcher = difflib.SequenceMatcher(None, expected, actual)
    result = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            continue
        result.append(f"@@ -{i1 + 1},{i2 - i1} +{j1 + 1},{j2 - j1} @@")
        for old, new in zip_longest(expected[i1:i2], actual[j1:j2]):
            same = len(os.path.commonprefix([old or "", new or ""]))
            result += [sign + clip(line, same) for sign, line in (("-", old), ("+", new))
                       if line is not None]
        if len(result) >= SHOWN_LINES:
            break
    return result[:SHOWN_LINES]


def clip(line, same):
    """The beginning of a long line, and its part around the place where it begins to differ."""
    if len(line) <= SHOWN_COLUMNS:
        return line
    start = max(SHOWN_HEAD, same - SHOWN_HEAD)
    end = start + SHOWN_COLUMNS - SHOWN_HEAD
    return (line[:SHOWN_HEAD] + (" … " if start > SHOWN_HEAD else "") + line[start:end]
            + (" …" if end < len(line) else ""))


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
