#!/usr/bin/env python3
"""`saranga data compact`: every fixture, in place and into another folder; options, refusals, kills.

    compact_test.py [--saranga PATH] [--fixtures DIR] [arguments of unittest]
"""
import fcntl
import hashlib
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tarfile
import time

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import fixture_store  # noqa: E402
import recipe_store  # noqa: E402
import verb_test_case  # noqa: E402
from verb_test_case import NOW, TIMEOUT_S  # noqa: E402

DAMAGE, FAILED, IN_USE, USAGE, INTERRUPTED = 2, 3, 4, 64, 130
KILLS = 15


def tree(folder):
    """The content of every file below a folder, but for the locks that a writer makes."""
    found = {}
    for base, _, files in os.walk(folder):
        for name in files:
            path = os.path.join(base, name)
            if name.startswith(("server.lock", "serverlock.")):
                continue
            with open(path, "rb") as source:
                found[os.path.relpath(path, folder)] = hashlib.sha256(source.read()).hexdigest()
    return found


class CompactTest(verb_test_case.VerbTestCase):
    verb = "compact"

    def copy(self, name="compacted", folder="store"):
        target = os.path.join(self.root, "copies", f"{self.id()}-{name.replace('/', '-')}")
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(self.store(name, folder), target)
        return target

    def fresh_target(self, name):
        target = os.path.join(self.root, "copies", name)
        shutil.rmtree(target, ignore_errors=True)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        return target

    def data(self, *arguments):
        return subprocess.run([self.saranga, "data", *arguments], capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=TIMEOUT_S)

    def digest(self, store):
        done = self.data("hash", store, "--ids", "--delivery", *NOW, "--format", "jsonl")
        self.assertIn(done.returncode, (0, 1, 2), done.stderr.decode())
        return verb_test_case.parse(done.stdout.splitlines()[-1])["sha256"]

    def findings(self, store):
        done = self.data("verify", store, *NOW, "--format", "jsonl")
        objects = [verb_test_case.parse(line) for line in done.stdout.splitlines()]
        return done.returncode, [o["code"] for o in objects if o["type"] == "finding"]

    def journals(self, *arguments, expect=0):
        return {o["part"]: o for o in self.objects(*arguments, expect=expect)
                if o["type"] == "journal"}


class Fixtures(CompactTest):
    def compact_in_place(self, name):
        """True when it was compacted; a store that is refused must not have changed."""
        copy = self.copy(name)
        before, state = tree(copy), self.digest(copy)
        done = self.run_verb(copy, "--check", "state")
        if done.returncode in (DAMAGE, FAILED):
            self.assertEqual(tree(copy), before, name)
            self.assertIn(b"saranga: ", done.stderr)
            return False
        self.assertIn(done.returncode, (0, 1), f"{name}: {done.stderr.decode()}")
        self.assertEqual(self.digest(copy), state, name)
        left = [path for path in tree(copy) if path.endswith((".cmp", ".tmp", ".ctr"))
                and not path.startswith("large-messages")]
        self.assertEqual(left, [], name)
        code, codes = self.findings(copy)
        for code in ("record-damaged", "torn-record", "transaction-incomplete",
                     "interrupted-compaction", "compaction-leftover", "transaction-unfinished"):
            self.assertNotIn(code, codes, name)
        again = self.journals(copy)
        self.assertEqual({j["state"] for j in again.values()}, {"unchanged"}, name)
        return True

    def compact_to(self, name):
        store = self.store(name)
        before, state = tree(store), self.digest(store)
        target = self.fresh_target("to-" + name.replace("/", "-"))
        done = self.run_verb(store, "--to", target, "--check", "state")
        self.assertIn(done.returncode, (0, 1, 2), f"{name}: {done.stderr.decode()}")
        self.assertEqual(tree(store), before, name)
        self.assertEqual(self.digest(target), state, name)
        for part in ("paging", "large-messages"):
            self.assertEqual(tree(os.path.join(target, part)),
                             tree(os.path.join(store, part)), name)
        return done.returncode

    def test_every_fixture(self):
        compacted, refused = 0, []
        for name in fixture_store.fixture_names(self.fixtures):
            with self.subTest(name):
                code = self.compact_to(name)
                if self.compact_in_place(name):
                    compacted += 1
                    self.assertIn(code, (0, 1))
                else:
                    refused.append(name)
        print(f"{compacted} fixtures compacted in place, {len(refused)} refused: {refused}")
        self.assertGreater(compacted, 35)
        for name in refused:
            self.assertTrue(name.startswith("cases/") or name == "retention", name)


class Options(CompactTest):
    def test_plan_is_what_happens(self):
        copy = self.copy()
        before = tree(copy)
        plan = self.journals(copy, "--dry-run")
        self.assertEqual(tree(copy), before)
        self.assertEqual(plan["journal"]["state"], "planned")
        self.assertEqual(plan["bindings"]["state"], "unchanged")
        real = self.journals(copy)
        for part, members in real.items():
            expected = dict(plan[part])
            if members["state"] == "compacted":
                expected["state"] = "compacted"
            self.assertEqual(members, expected)
        sizes = [os.path.getsize(os.path.join(copy, path)) for path in tree(copy)
                 if path.startswith("journal/")]
        self.assertEqual(len(sizes), real["journal"]["files_after"])
        self.assertEqual(sum(sizes), real["journal"]["after_bytes"])
        self.assertGreater(real["journal"]["freed_bytes"], 0)

    def test_plan_works_on_a_read_only_store(self):
        self.output(self.store("compacted"), "--dry-run")

    def test_text(self):
        text = self.output(self.copy(), "--check", "state").decode()
        self.assertRegex(text, r"PART +FILES +AFTER +BYTES +AFTER +FREED")
        self.assertRegex(text, r"journal +4 +2 +400 KiB +200 KiB +200 KiB .* compacted\n")
        self.assertIn("1 transaction in doubt, kept as it is", text)
        self.assertRegex(text, r"live state unchanged, digest [0-9a-f]{64}\n$")

    def test_json(self):
        document = verb_test_case.parse(self.output(self.copy(), "--format", "json",
                                                    "--check", "records"))
        self.assertEqual(document["schema"], "saranga.compact/1")
        self.assertEqual([j["part"] for j in document["journals"]], ["journal", "bindings"])
        self.assertIsNone(document["summary"]["sha256"])
        self.assertFalse(document["summary"]["dry_run"])

    def test_options_of_artemis_and_of_every_verb(self):
        copy = self.copy()
        done = self.run_verb("--journal", copy + "/journal", "--bindings", copy + "/bindings",
                             "--paging", copy + "/paging", "--large-messages",
                             copy + "/large-messages", "--f", "--verbose", "--quiet", "--strict",
                             "--progress", "always")
        self.assertEqual(done.returncode, 0, done.stderr)
        xml = os.path.join(self.root, "broker.xml")
        copy = self.copy()
        with open(xml, "w", encoding="utf-8") as out:
            out.write("<configuration><core>" + "".join(
                f"<{part}-directory>{copy}/{part}</{part}-directory>"
                for part in fixture_store.STORE_FOLDERS) + "</core></configuration>")
        plan = self.journals("--broker", xml)
        self.assertEqual(plan["journal"]["state"], "compacted")
        self.refused("--jdbc", code=FAILED)

    def test_delivery_counts_of_all_queues_stay(self):
        # Artemis keeps one an id, whatever the queue.
        store = self.copy("compact-cli", "store-before")
        state = self.digest(store)
        self.output(store)
        self.assertEqual(self.digest(store), state)

    def test_output_file(self):
        path = os.path.join(self.root, "report.json")
        self.assertEqual(self.output(self.copy(), "--format", "json", "--output", path), b"")
        with open(path, encoding="utf-8") as report:
            self.assertEqual(verb_test_case.parse(report.read())["summary"]["exit_code"], 0)

    def test_nothing_to_gain_touches_nothing(self):
        copy = self.copy()
        self.output(copy)
        before = {path: os.stat(os.path.join(copy, path)).st_mtime_ns for path in tree(copy)}
        self.output(copy)
        after = {path: os.stat(os.path.join(copy, path)).st_mtime_ns for path in tree(copy)}
        self.assertEqual(before, after)


class OtherFolder(CompactTest):
    def target(self):
        return self.fresh_target(self.id() + ".to")

    def test_large_messages_and_identity_come_along(self):
        store, target = self.store("large"), self.target()
        self.output(store, "--to", target)
        with open(store + "/journal/server.lock", "rb") as one, \
                open(target + "/journal/server.lock", "rb") as other:
            self.assertEqual(one.read(), other.read())
        self.assertTrue(os.listdir(target + "/large-messages"))

    def test_damage_beside_the_journals(self):
        # Only --check state reads pages and large messages; what it notices is told, once.
        store = self.built(recipe_store.example(self.fixtures, "torn-page").replace(
            b"journal journal/activemq-data-1.amq id=1\n",
            b"journal journal/activemq-data-1.amq id=1\n"
            b"  add 80 ADD_MESSAGE_PROTOCOL core address=news text=gone\n  delete 80\n"
            b"journal journal/activemq-data-2.amq id=2\n"
            b"  add 81 ADD_MESSAGE_PROTOCOL core address=news text=gone\n"
            b"journal journal/activemq-data-3.amq id=3\n  delete 81\n"))
        pages = tree(store + "/paging")
        self.output(store, "--to", self.target())
        target = self.target()
        done = self.run_verb(store, "--to", target, "--check", "state")
        self.assertEqual(done.returncode, DAMAGE)
        self.assertEqual(done.stderr.count(b"torn-page-entry"), 1, done.stderr)
        self.assertEqual(tree(target + "/paging"), pages)
        before = tree(store)
        self.refused(store, "--check", "state", "--strict", code=DAMAGE)
        self.assertEqual(tree(store), before)
        done = self.run_verb(store, "--check", "state")
        self.assertEqual(done.returncode, DAMAGE)
        self.assertEqual(done.stderr.count(b"torn-page-entry"), 1, done.stderr)
        self.assertIn(b"compacted", done.stdout)
        self.assertEqual(tree(store + "/paging"), pages)
        self.assertNotEqual(tree(store), before)

    def test_body_files_that_are_missing(self):
        store = self.copy("large")
        for name in os.listdir(store + "/large-messages"):
            os.remove(f"{store}/large-messages/{name}")
        self.output(store, "--to", self.target())
        done = self.run_verb(store, "--to", self.target(), "--check", "state")
        self.assertEqual(done.returncode, DAMAGE, done.stderr)
        self.assertIn(b"large-body-missing", done.stderr)

    def test_damage_of_a_journal_is_told_once(self):
        store = self.built(recipe_store.example(self.fixtures, "wrong-check-size"))
        done = self.run_verb(store, "--to", self.target(), "--check", "state")
        self.assertEqual(done.returncode, DAMAGE)
        self.assertEqual(done.stderr.count(b"record-damaged"), 1, done.stderr)

    def test_a_target_that_is_there_is_kept(self):
        store, target = self.store("orders"), self.target()
        os.makedirs(target)
        self.output(store, "--to", target + "/")  # an empty folder is as good as none
        before = tree(target)
        self.assertIn("already there", self.refused(store, "--to", target, code=FAILED))
        self.assertIn("already there",
                      self.refused(store, "--to", target, "--dry-run", code=FAILED))
        self.assertEqual(tree(target), before)
        self.output(self.store("xa"), "--to", target, "--force")
        self.assertEqual(self.digest(target), self.digest(self.store("xa")))
        self.assertEqual([n for n in os.listdir(os.path.dirname(target)) if n.endswith(".tmp")], [])

    def test_force_without_to(self):
        self.refused(self.store("orders"), "--force")

    def test_target_in_the_store(self):
        copy = self.copy()
        before = sorted(os.walk(copy))
        for place in ("new", "journal/new", "paging/new", "large-messages/../new", "journal"):
            for options in ((), ("--force",), ("--dry-run",)):
                self.assertIn("lies in", self.refused(copy, "--to", f"{copy}/{place}", *options))
        self.assertIn("is what is read", self.refused(copy, "--to", f"{copy}/.", "--force"))
        # The same when another name, or one part alone, leads there.
        link = copy + ".link"
        os.symlink(copy, link)
        self.addCleanup(os.remove, link)
        self.assertIn("lies in", self.refused(copy, "--to", link + "/new"))
        self.assertIn("lies in", self.refused(link, "--to", copy + "/new"))
        self.assertIn("lies in", self.refused("--journal", copy + "/journal", "--bindings",
                                              copy + "/bindings", "--to", copy + "/journal/new"))
        # The files of another store are no place either.
        other = self.copy("orders")
        self.assertIn("lies in a store", self.refused(copy, "--to", other + "/journal/new"))
        self.assertEqual(sorted(os.walk(copy)), before)
        self.refused(copy, "--to", os.path.dirname(copy), "--force")

    def test_archive(self):
        path, target = os.path.join(self.root, "case.tar.gz"), self.target()
        with tarfile.open(path, "w:gz") as out:
            out.add(self.store("orders"), "case/data")
        self.output(path, "--to", target)
        self.assertEqual(self.digest(target), self.digest(self.store("orders")))
        self.assertIn("archive", self.refused(path))

    def test_plan(self):
        plan = self.journals(self.store("paging"), "--to", self.target(), "--dry-run")
        self.assertEqual(plan["journal"]["state"], "planned")
        self.assertFalse(os.path.exists(self.target()))

    def test_interrupted(self):
        target = self.target()
        process = subprocess.Popen([self.saranga, "data", "compact", self.store("paging"), "--to",
                                    target, "--check", "state"], stderr=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=TIMEOUT_S)
        self.assertIn(process.returncode, (0, INTERRUPTED, -signal.SIGINT))
        if process.returncode != 0:
            self.assertFalse(os.path.exists(target))
        self.assertEqual([n for n in os.listdir(os.path.dirname(target)) if n.endswith(".tmp")], [])


class Refusals(CompactTest):
    def lock(self, path, start=0, length=0):
        file = open(path, "a+b")
        self.addCleanup(file.close)
        fcntl.fcntl(file, fcntl.F_SETLK,
                    struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, start, length, 0))
        return file

    def test_a_running_broker(self):
        copy = self.copy()
        before = tree(copy)
        locks = sorted(os.listdir(copy + "/journal"))
        for name, start, length in (("serverlock.1", 0, 0), ("server.lock", 1, 1)):
            held = self.lock(f"{copy}/journal/{name}", start, length)
            said = self.refused(copy, code=IN_USE)
            self.assertIn(f"{name}: is locked by process {os.getpid()}", said)
            self.assertIn("stop it first", said)
            held.close()
        self.lock(f"{copy}/journal/serverlock.1")
        target = os.path.join(self.root, "copies", "live")
        self.refused(copy, "--to", target, code=IN_USE)
        self.assertFalse(os.path.exists(target))
        self.assertEqual(tree(copy), before)
        self.assertEqual(sorted(os.listdir(copy + "/journal")), locks)

    def test_a_store_without_the_folder_of_the_locks(self):
        copy = self.copy()
        before = tree(copy)
        self.assertIn("--journal", self.refused("--bindings", copy + "/bindings"))
        self.assertEqual(tree(copy), before)

    def test_another_command_of_artemis(self):
        instance = os.path.join(self.root, "instance")
        shutil.rmtree(instance, ignore_errors=True)
        os.makedirs(instance + "/etc")
        os.makedirs(instance + "/lock")
        copy = self.copy()
        with open(instance + "/etc/broker.xml", "w", encoding="utf-8") as out:
            out.write("<configuration><core>" + "".join(
                f"<{part}-directory>{copy}/{part}</{part}-directory>"
                for part in fixture_store.STORE_FOLDERS) + "</core></configuration>")
        self.lock(instance + "/lock/cli.lock")
        self.assertIn("cli.lock: is locked", self.refused(instance, code=IN_USE))
        self.output(instance, "--f")

    def test_a_configured_retention_folder(self):
        copy, xml = self.copy(), os.path.join(self.root, "retention.xml")
        with open(xml, "w", encoding="utf-8") as out:
            out.write(f"<configuration><core><journal-directory>{copy}/journal</journal-directory>"
                      f"<bindings-directory>{copy}/bindings</bindings-directory>"
                      f"<journal-retention-directory period='1'>{copy}/kept"
                      "</journal-retention-directory></core></configuration>")
        with open(copy + "/journal/activemq-data-2.amq", "rb") as current:
            content = current.read()
        header_id = int.from_bytes(content[8:16], "big")
        self.output("--broker", xml)
        kept = os.listdir(copy + "/kept")
        self.assertEqual(len(kept), 1)
        self.assertRegex(kept[0], rf"^activemq-data-20\d{{12}}-{header_id}\.amq$")
        with open(f"{copy}/kept/{kept[0]}", "rb") as other:
            self.assertEqual(other.read(), content)
        self.output("--broker", xml)  # nothing to gain, nothing to keep
        self.assertEqual(os.listdir(copy + "/kept"), kept)

    def test_damage(self):
        copy = self.changed("orders", "change journal/activemq-data-1.amq",
                            "  put 30 hex:7f  # the length of the first body")
        before = tree(copy)
        for arguments in ((copy,), (copy, "--dry-run")):
            done = self.run_verb(*arguments)
            self.assertEqual((done.returncode, done.stdout), (DAMAGE, b""))
            self.assertIn(b"would discard what may still be recovered", done.stderr)
        self.assertEqual(tree(copy), before)

    def test_no_space(self):
        if not os.path.isdir("/dev/shm") or os.geteuid() != 0:
            self.skipTest("needs a file system of its own")
        mount = os.path.join(self.root, "small")
        os.makedirs(mount, exist_ok=True)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "none", mount],
                              capture_output=True)
        if done.returncode:
            self.skipTest("cannot mount")
        self.addCleanup(subprocess.run, ["umount", mount])
        store = os.path.join(mount, "store")
        shutil.copytree(self.store("compacted"), store)
        before = tree(store)
        for arguments in ((store,), (store, "--dry-run")):
            said = self.refused(*arguments, code=FAILED)
            self.assertRegex(said, r"compaction needs 1.1 MiB there .* are free; make room")
        self.assertEqual(tree(store), before)

    def test_a_store_that_cannot_be_written(self):
        if os.geteuid() == 0:
            self.skipTest("root may write everywhere")
        copy = self.copy()
        os.chmod(copy + "/journal", 0o500)
        self.addCleanup(os.chmod, copy + "/journal", 0o700)
        self.refused(copy, code=FAILED)


class Kills(CompactTest):
    """The process is killed at random moments; the next one finds the same live records."""

    def test_kill(self):
        copy, spare = self.copy("defaultsize"), self.copy("defaultsize") + ".new"
        state, randomness = self.digest(copy), random.Random(7)
        begun = time.monotonic()
        shutil.copytree(copy, spare)
        self.output(spare)
        duration = time.monotonic() - begun
        killed = 0
        for _ in range(KILLS):
            shutil.rmtree(spare)
            shutil.copytree(copy, spare)
            process = subprocess.Popen([self.saranga, "data", "compact", spare],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(randomness.random() * duration)
            process.kill()
            killed += process.wait() != 0
            self.assertEqual(self.digest(spare), state)
            # Leftovers of the one that was killed are told, and removed.
            self.assertIn(self.run_verb(spare).returncode, (0, 1))
            self.assertEqual(self.digest(spare), state)
            left = [path for path in tree(spare) if path.endswith((".cmp", ".tmp", ".ctr"))]
            self.assertEqual(left, [])
        print(f"killed {killed} times of {KILLS}")
        self.assertGreater(killed, 0)


if __name__ == "__main__":
    verb_test_case.run(__doc__)
