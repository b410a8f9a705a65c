#!/usr/bin/env python3
"""`saranga data verify`: exit codes and findings of fixtures and cases, its forms, its options.

    verify_test.py --saranga PROGRAM --fixtures FOLDER

Works on unpacked copies, which must be the same afterwards.
"""
import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.normpath(os.path.join(HERE, "..", ".."))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import fixture_store  # noqa: E402

EXIT_OF_CLASS = {"clean": 0, "attention": 1, "partial": 2}
# These brokers were killed, or left transactions behind.
KILLED = {"crash", "large", "orders-2.28"}
# What has to be told of each case; other findings may only be good to know.
CASE_CODES = {
    "a1-short-files": {"short-file": 2},
    "a3-mixed-file-sizes": {"odd-file-size": 2},
    "a5-tail-garbage": {"torn-record": 1},
    "a6-reused-file": {},
    "c1-prepared-ack-lost-queue": {"references-without-queue": 1, "prepared-without-queue": 1},
    "d8-leftover-files": {"retention-pending": 1, "file-being-created": 1,
                          "compaction-leftover": 1},
    "e1-torn-page": {"torn-page-entry": 1},
    "e6-orphan-page-transactions": {"page-transaction-without-pages": 1},
    "f1-orphan-large-files": {"orphan-large-file": 2},
    "f3-sparse-large-file": {},
    "g12-select-one-queue": {"references-without-queue": 1},
    "g2-control-characters": {},
    "k3-no-bindings": {"bindings-missing": 1},
}
PARTS = ("bindings", "jms", "journal", "paging", "large_messages", "other", "total")
SUMMED = ("header_bytes", "record_bytes", "stale_bytes", "padding_bytes", "unreadable_bytes",
          "ignored_bytes", "unread_bytes")


class Checks:
    """Counts what was checked, and keeps what was wrong."""

    def __init__(self):
        self.count = 0
        self.wrong = []

    def __call__(self, good, what):
        self.count += 1
        if not good:
            self.wrong.append(what)


class Verify:
    """Runs the program on a store."""

    def __init__(self, program):
        self.program = program

    def __call__(self, store, *options):
        return subprocess.run([self.program, "data", "verify", store, *options],
                              capture_output=True, text=True, timeout=300)

    def lines(self, store, *options):
        done = self(store, "--format", "jsonl", *options)
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def digest(folder):
    """Names, sizes, times and contents below a folder; of huge sparse files only the beginning."""
    found = {}
    for base, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(base, name)
            state = os.stat(path)
            content = b""
            if name in files:
                with open(path, "rb") as source:
                    content = source.read(1 << 22)
            found[os.path.relpath(path, folder)] = (state.st_size, state.st_mtime_ns,
                                                    hashlib.sha1(content).hexdigest())
    return found


def on_disk(store):
    total = 0
    for part in fixture_store.STORE_FOLDERS:
        for base, _, files in os.walk(os.path.join(store, part)):
            total += sum(os.path.getsize(os.path.join(base, name)) for name in files)
    return total


def by_code(objects, least=("warning", "damage")):
    codes = {}
    for item in objects:
        if item["type"] == "finding" and item["severity"] in least:
            codes[item["code"]] = codes.get(item["code"], 0) + 1
    return codes


def check_summary(check, name, store, objects, code):
    header, summary = objects[0], objects[-1]
    check(header["type"] == "header" and header["schema"] == "saranga.verify/1", f"{name}: header")
    check(summary["type"] == "summary" and summary["exit_code"] == code, f"{name}: summary")
    total = summary["account"][-1]
    check(total["part"] == "total" and total["total_bytes"] == on_disk(store),
          f"{name}: {total['total_bytes']} bytes in the account, {on_disk(store)} on disk")
    for part in summary["account"]:
        check(part["part"] in PARTS, f"{name}: part {part['part']}")
        check(sum(part[key] for key in SUMMED) == part["total_bytes"],
              f"{name}: the account of {part['part']} does not add up")
        if part["live_bytes"] is not None:
            check(part["live_bytes"] + part["dead_bytes"] == part["record_bytes"],
                  f"{name}: live and dead bytes of {part['part']}")
    counted = sum(summary["findings"].values())
    check(counted == sum(summary["codes"].values()), f"{name}: counts of findings")


def build_case(fixtures, name, store):
    """Some cases are completed by a script of theirs."""
    script = os.path.join(fixtures, "cases", name, "build.py")
    if not os.path.exists(script):
        return store
    target = os.path.join(os.path.dirname(store), "built")
    subprocess.run([sys.executable, script, target], check=True, timeout=300,
                   stdout=subprocess.DEVNULL)
    for candidate in (os.path.join(target, "store"), target):
        if os.path.isdir(os.path.join(candidate, "journal")):
            return candidate
    raise RuntimeError(f"{script} made no store")


def check_fixtures(check, verify, fixtures, work):
    for name in fixture_store.fixture_names(fixtures):
        store = fixture_store.unpack_fixture(fixtures, name, work)
        case = os.path.basename(name)
        is_case = name.startswith("cases/")
        if is_case:
            store = build_case(fixtures, case, store)
            with open(os.path.join(fixtures, name, "expect.json"), encoding="utf-8") as file:
                expected = EXIT_OF_CLASS[json.load(file)["exit_class"]]
        else:
            expected = 1 if case in KILLED else 0
        before = digest(store)
        code, objects = verify.lines(store)
        check(code == expected, f"{name}: exit code {code}, expected {expected}")
        check_summary(check, name, store, objects, code)
        if is_case:
            codes = by_code(objects)
            check(codes == CASE_CODES[case], f"{name}: found {codes}, expected {CASE_CODES[case]}")
        check(digest(store) == before, f"{name}: the store has changed")
        shutil.rmtree(os.path.join(work, name))


def check_forms(check, verify, store):
    text = verify(store)
    check(text.returncode == 1 and text.stderr == "", f"text: {text.returncode} {text.stderr}")
    for wanted in ("WARNINGS\n", "[short-file]\n", "saranga data explain ", "BYTES", "live records",
                   "Checked to level cross: ", "2 warnings.\n"):
        check(wanted in text.stdout, f"text: no {wanted!r} in {text.stdout}")
    document = json.loads(verify(store, "--format", "json").stdout)
    check(document["schema"] == "saranga.verify/1", "json: schema")
    check([f["code"] for f in document["findings"] if f["severity"] == "warning"]
          == ["short-file"] * 2, "json: findings")
    check(document["summary"]["codes"]["short-file"] == 2, "json: codes")
    check(all(f["next"].startswith("saranga data ") for f in document["findings"]), "json: next")
    output = os.path.join(os.path.dirname(store), "report.json")
    done = verify(store, "--format", "jsonl", "--output", output)
    with open(output, encoding="utf-8") as file:
        written = file.read()
    check(done.stdout == "" and written == verify(store, "--format", "jsonl").stdout, "--output")


def check_options(check, verify, store):
    code, objects = verify.lines(store, "--limit", "1")
    check(code == 1 and by_code(objects) == {"short-file": 1}, "--limit 1")
    check(objects[-1]["codes"]["short-file"] == 2, "--limit counts the rest")
    check("and 1 more of short-file" in verify(store, "--limit", "1").stdout, "--limit in text")
    for level in ("header", "framing", "transactions", "bodies", "cross"):
        code, objects = verify.lines(store, "--level", level)
        check(code == 1 and objects[-1]["level"] == level, f"--level {level}")
    check(verify(store, "--level", "deep").returncode == 64, "--level of no such name")
    check(verify(store, "--target", "old").returncode == 64, "--target that is no release")
    _, objects = verify.lines(store, "--target", "2.44.0")
    check(set(by_code(objects)) == {"short-file"}, "--target 2.44.0")
    _, objects = verify.lines(store, "--id-cache-size", "0")
    check(objects[-1]["exit_code"] == 1, "--id-cache-size")
    check(verify(store, "--now", "2024-05-01", "--quiet", "--verbose").returncode == 1, "--now")
    check(verify(os.path.join(store, "nothing")).returncode == 3, "a store that is not there")
    check(verify(store, "--jdbc").returncode == 3, "--jdbc")


def check_parts(check, verify, store):
    """Of a part that was not named nothing is missing."""
    for part in ("journal", "bindings", "paging", "large-messages"):
        code, objects = verify.lines(os.path.join(store, part))
        check(code == 0, f"{part} alone: exit code {code}, {by_code(objects)}")


def check_target(check, verify, store):
    """A store with AMQP messages of 2.40 cannot go back behind 2.17."""
    _, objects = verify.lines(store, "--target", "2.16.0")
    check(set(by_code(objects)) == {"target-cannot-read"}, f"--target 2.16.0: {by_code(objects)}")
    code, objects = verify.lines(store, "--target", "2.40.0")
    check(code == 0, f"--target 2.40.0: {by_code(objects)}")


def check_strict(check, verify, store):
    code, objects = verify.lines(store, "--strict")
    check(code == 2 and objects[-1]["type"] == "summary", f"--strict: {code}")


def check_documents(check):
    """docs/findings.md has a row for each code that the sources know, and for no other."""
    with open(os.path.join(SOURCE, "docs", "findings.md"), encoding="utf-8") as file:
        rows = re.findall(r"^\| `([a-z0-9-]+)` \|", file.read(), re.MULTILINE)
    check(len(rows) == len(set(rows)), "docs/findings.md: a code has two rows")
    table = os.path.join(SOURCE, "libstore", "verify", "finding_codes.cc")
    with open(table, encoding="utf-8") as file:
        known = re.findall(r'\{\{"([a-z0-9-]+)", k', file.read())
    check(set(rows) == set(known), f"docs/findings.md and the table: {set(rows) ^ set(known)}")
    # Everything in kebab-case that stands where a code stands.
    used = set()
    for base, _, files in os.walk(SOURCE):
        top = os.path.relpath(base, SOURCE).split(os.sep)[0]
        if top not in ("libjournal", "libmessage", "libbindings", "libpaging", "libstore", "tools"):
            continue
        for name in files:
            if not name.endswith(".cc"):
                continue
            with open(os.path.join(base, name), encoding="utf-8") as file:
                text = file.read()
            used |= set(re.findall(r'code = (?:\w[\w.]* \? )?"([a-z]+(?:-[a-z]+)+)"', text))
            used |= set(re.findall(r'"([a-z]+(?:-[a-z]+)+)",\s*Severity::', text))
    check(len(used) > 50, f"only {len(used)} codes found in the sources")
    check(used <= set(known), f"codes without a row: {used - set(known)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--saranga", required=True)
    parser.add_argument("--fixtures", required=True)
    options = parser.parse_args()
    check, verify = Checks(), Verify(options.saranga)
    check_documents(check)
    with tempfile.TemporaryDirectory() as work:
        check_fixtures(check, verify, options.fixtures, work)
        odd = fixture_store.unpack_fixture(options.fixtures, "cases/a1-short-files", work)
        check_forms(check, verify, odd)
        check_options(check, verify, odd)
        check_parts(check, verify, fixture_store.unpack_fixture(options.fixtures, "paging", work))
        check_target(check, verify,
                     fixture_store.unpack_fixture(options.fixtures, "protocols", work))
        check_strict(check, verify,
                     fixture_store.unpack_fixture(options.fixtures, "cases/e1-torn-page", work))
    for what in check.wrong:
        print(what)
    print(f"{check.count - len(check.wrong)} checks passed, {len(check.wrong)} failed")
    return 1 if check.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
