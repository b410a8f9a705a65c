#!/usr/bin/env python3
"""The repository checks itself: rules that a compiler does not know (docs/STYLE.md has the list).

    tidy.py [REPOSITORY] [--saranga PROGRAM]

Prints a line for each breach, FILE:LINE: what is wrong, and at the end how many checks passed.
With a program, the options it offers are compared with its manual and completion.
"""
import argparse
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import cpp_text  # noqa: E402

MAXIMUM_COLUMNS = 100
MAXIMUM_FUNCTION_LINES = 70
MAXIMUM_FILE_BYTES = 2 << 20

# Which layers a layer may include; it may always include itself.
LAYERS = {
    "bytes": "",
    "io": "bytes",
    "journal": "bytes io",
    "message": "bytes io",
    "bindings": "bytes io",
    "paging": "bytes io journal message bindings",
    "store": "bytes io journal message bindings paging",
    "tools": "bytes io journal message bindings paging store",
}
LIBRARIES = {"libmessage": "message", "libbindings": "bindings", "libpaging": "paging",
             "libstore": "store", "tools": "tools"}

# What libraries leave to their callers, or never need.
BANNED_IN_LIBRARIES = {
    r"\bv?f?printf\s*\(|\bputs\s*\(|\bputchar\s*\(": "libraries do not print",
    r"\bstd::(?:cout|cerr|clog)\b": "libraries do not print",
    r"\b(?:exit|_exit|quick_exit|abort|terminate)\s*\(": "libraries do not end the process",
    r"\bgetenv\s*\(": "the environment comes from the caller",
    r"\b(?:system|popen|fork|execv\w*|posix_spawn\w*)\s*\(": "libraries start no processes",
    r"\bstd::(?:thread|jthread|async)\b": "libraries start no threads",
    r"\b(?:mmap|mmap64)\s*\(": "a file that shrinks must not kill the process",
    r"\bthrow\b": "errors are values",
    r"#\s*include\s*<(?:cassert|assert\.h|iostream)>": "see docs/STYLE.md",
}
BANNED_EVERYWHERE = {
    r"\b(?:strcpy|strcat|sprintf|vsprintf|gets|strtok)\s*\(": "writes without a bound",
    r"\bs?rand\s*\(": "random numbers come from a seed that is printed",
    r"\b(?:std::sto(?:i|l|ll|ul|ull|f|d)|ato(?:i|l|ll|f))\s*\(": "use std::from_chars",
    r"(?<!operator )\bnew\b": "use std::make_unique",
    r"(?<!=)(?<!= )(?<!operator )\bdelete\b": "owners delete",
    r"\bcatch\s*\(\s*\.\.\.\s*\)": "catch what you can name",
}
FORBIDDEN_TEXT = re.compile(r"/(?:work|home|root)/(?!\.)|\brepo1?\.maven\.|\bpypi\.org|deb\.debian\.")
TEXT_ENDINGS = (".h", ".cc", ".py", ".md", ".txt", ".cmake", ".scd", ".bash", ".json", ".in", ".map",
                ".java")
SKIPPED_FOLDERS = {".git", "build", "__pycache__"}


class Repository:
    """The files below a folder, by path from there."""

    def __init__(self, root):
        self.root = root
        self.paths = sorted(self._walk())

    def _walk(self):
        for base, folders, files in os.walk(self.root):
            folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS]
            for name in files:
                yield os.path.relpath(os.path.join(base, name), self.root)

    def read(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8", errors="replace") as source:
            return source.read()

    def exists(self, path):
        return os.path.exists(os.path.join(self.root, path))

    def cpp(self, *folders):
        return [path for path in self.paths if path.endswith((".h", ".cc"))
                and (not folders or path.split("/")[0] in folders)]

    def libraries(self):
        return [path for path in self.cpp() if path.startswith("lib")]

    def installed_headers(self):
        return [path for path in self.cpp() if re.match(r"lib\w+/include/saranga/", path)]


def layer_of(path):
    """The layer a source file belongs to; None for tests."""
    parts = path.split("/")
    if len(parts) > 3 and parts[1] == "include":
        return parts[3]
    if parts[0] == "libjournal":
        return parts[1]
    return LIBRARIES.get(parts[0])


def line_of(text, position):
    return text.count("\n", 0, position) + 1


# ---- the checks: each yields (place, what is wrong) ----------------------------------------------


def layers(repository):
    """A layer only includes the ones below it."""
    for path in repository.cpp():
        own = layer_of(path)
        if own is None:
            continue
        allowed = LAYERS.get(own, "").split() + [own]
        for number, _, included in cpp_text.includes(repository.read(path)):
            match = re.match(r"saranga/(\w+)/", included)
            private = re.match(r"(?:lib\w+|tools)/", included)
            if match and match[1] not in allowed:
                yield f"{path}:{number}", f"layer {own} includes layer {match[1]}"
            if private and layer_of(included) != own:
                yield f"{path}:{number}", f"{included} is private to another layer"


def installed_headers(repository):
    """What is installed needs nothing but the standard library."""
    for path in repository.installed_headers():
        for number, quote, included in cpp_text.includes(repository.read(path)):
            standard = quote == "<" and re.fullmatch(r"[a-z0-9_]+", included)
            if not standard and not included.startswith("saranga/"):
                yield f"{path}:{number}", f"an installed header includes {included}"


def include_style(repository):
    """Headers are guarded; a source includes its own header first; no names spill from headers."""
    for path in repository.cpp():
        text = repository.read(path)
        if path.endswith(".h"):
            if "#pragma once" not in text:
                yield path, "has no #pragma once"
            if re.search(r"^\s*using namespace", cpp_text.blank(text), re.MULTILINE):
                yield path, "a header must not say using namespace"
            continue
        name = os.path.basename(path)[:-3] + ".h"
        own = [i for i, (_, _, included) in enumerate(cpp_text.includes(text))
               if os.path.basename(included) == name]
        if own and own[0] != 0:
            yield path, f"does not include {name} first"


def columns(repository):
    """Lines fit beside each other on a screen."""
    for path in repository.cpp():
        for number, line in enumerate(repository.read(path).split("\n"), 1):
            if len(line) > MAXIMUM_COLUMNS:
                yield f"{path}:{number}", f"{len(line)} columns, at most {MAXIMUM_COLUMNS}"
            if line != line.rstrip() or "\t" in line:
                yield f"{path}:{number}", "a tab, or blanks at the end"


def function_lengths(repository):
    """A function fits on a screen."""
    for path in repository.cpp():
        for number, lines, head in cpp_text.functions(repository.read(path)):
            if lines > MAXIMUM_FUNCTION_LINES:
                yield (f"{path}:{number}", f"{lines} lines, at most {MAXIMUM_FUNCTION_LINES}: "
                       f"{head[:60]}")


def banned_words(repository):
    """Calls that a library leaves to its caller, or that nobody needs."""
    libraries = set(repository.libraries())
    for path in repository.cpp():
        code = cpp_text.blank(repository.read(path))
        # The one way to own an object whose constructor is private.
        code = re.sub(r"unique_ptr<[\w:]+>(?: \w+)?\(new\b", lambda match: " " * len(match[0]), code)
        banned = dict(BANNED_EVERYWHERE)
        if path in libraries:
            banned.update(BANNED_IN_LIBRARIES)
        for pattern, reason in banned.items():
            for match in re.finditer(pattern, code):
                yield f"{path}:{line_of(code, match.start())}", f"{match[0].strip()}: {reason}"


def forbidden_text(repository):
    """No traces of the machines on which the project was made."""
    for path in repository.paths:
        if not path.endswith(TEXT_ENDINGS) and "." in os.path.basename(path):
            continue
        text = repository.read(path)
        for match in FORBIDDEN_TEXT.finditer(text):
            yield f"{path}:{line_of(text, match.start())}", f"must not name {match[0]}"


def file_sizes(repository):
    """Only fixtures may be big."""
    for path in repository.paths:
        size = os.path.getsize(os.path.join(repository.root, path))
        if size > MAXIMUM_FILE_BYTES and not path.startswith("fixtures/"):
            yield path, f"{size} bytes, at most {MAXIMUM_FILE_BYTES}"


def anchors(text):
    """The anchors of the headings of a Markdown text, as its readers make them."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    found = set(re.findall(r'<a (?:id|name)="([^"]+)"', text))
    for heading in re.findall(r"^#+ +(.*?) *#*$", text, re.MULTILINE):
        words = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower())
        anchor, count = words.replace(" ", "-"), 0
        while anchor in found:
            count += 1
            anchor = f"{words.replace(' ', '-')}-{count}"
        found.add(anchor)
    return found


def links(repository):
    """Links between documents, and from comments to documents, lead somewhere."""
    for path in repository.paths:
        if path.endswith(".md"):
            folder, pattern = os.path.dirname(path), r"\]\(([^)\s]+)\)"
        elif path.endswith((".h", ".cc", ".py", ".scd")):
            folder, pattern = "", r"\b(docs/[\w./-]+\.md(?:#[\w-]+)?)"
        else:
            continue
        text = repository.read(path)
        code = re.sub(r"`[^`\n]*`", lambda m: " " * len(m[0]), text) if folder or "](" in text \
            else text
        for match in re.finditer(pattern, code):
            target, _, anchor = match[1].partition("#")
            if re.match(r"\w+:", target):
                continue
            file = os.path.normpath(os.path.join(folder, target)) if target else path
            place = f"{path}:{line_of(code, match.start())}"
            if not repository.exists(file):
                yield place, f"{target} does not exist"
            elif anchor and file.endswith(".md") and anchor not in anchors(repository.read(file)):
                yield place, f"{file} has no heading for #{anchor}"


def commands(repository):
    """The commands that exist, by their words: one source file each."""
    for path in repository.paths:
        if match := re.fullmatch(r"tools/cmd_(data_)?(\w+)\.cc", path):
            yield path, (["data"] if match[1] else []) + [match[2].replace("_", "-")]


def verb_documents(repository):
    """Each command has its place in the manual, the completion and the README."""
    completion = repository.read("completions/saranga.bash")
    for _, words in commands(repository):
        page = f"man/saranga-{'-'.join(words)}.1.scd"
        if not repository.exists(page):
            yield page, "does not exist"
        if not re.search(rf"\b{words[-1]}\b", completion):
            yield "completions/saranga.bash", f"does not offer {words[-1]}"
        for document in ("README.md", "man/saranga.1.scd"):
            if not re.search(rf"\b{' '.join(words)}\b", repository.read(document)):
                yield document, f"does not name the command {' '.join(words)}"


def verb_options(repository, program):
    """Each option of a command is in its manual page, its completion and some test."""
    completion = repository.read("completions/saranga.bash")
    overview = repository.read("man/saranga.1.scd")
    tests = "".join(repository.read(path) for path in repository.paths
                    if path.startswith("tests/") and path.endswith((".py", ".cc", "run")))
    for source, words in commands(repository):
        done = subprocess.run([program, *words, "--help"], capture_output=True, text=True,
                              timeout=60)
        if done.returncode != 0 or len(done.stdout) < 100:
            yield source, f"--help says nothing, exit code {done.returncode}"
            continue
        page = f"man/saranga-{'-'.join(words)}.1.scd"
        # Options of every command need no more than their place in the overview.
        manual = overview + (repository.read(page) if repository.exists(page) else "")
        manual = manual.replace("\\", "")  # scdoc wants some characters escaped
        for option in sorted(set(re.findall(r"(?<![\w-])--[a-z][\w-]*", done.stdout))):
            word = re.compile(rf"(?<![\w-]){option}(?![\w-])")
            for place, text in ((page, manual), ("completions/saranga.bash", completion),
                                ("tests", tests)):
                # The database options are only refused; one test of them says enough.
                if not word.search(text) and not (place == "tests" and "--jdbc-" in option):
                    yield place, f"does not know {option} of {' '.join(words)}"


CHECKS = (layers, installed_headers, include_style, columns, function_lengths, banned_words,
          forbidden_text, file_sizes, links, verb_documents)


def main():
    parser = argparse.ArgumentParser(description="Check the rules of the house.")
    parser.add_argument("repository", nargs="?", default=os.path.join(HERE, "..", ".."))
    parser.add_argument("--saranga", help="the program, to compare its options with its manual")
    options = parser.parse_args()
    repository = Repository(os.path.abspath(options.repository))
    checks = [(check.__doc__, check(repository)) for check in CHECKS]
    if options.saranga:
        checks.append((verb_options.__doc__, verb_options(repository, options.saranga)))
    failed = 0
    for title, breaches in checks:
        found = [f"{place}: {text}" for place, text in breaches]
        if found:
            failed += 1
            print(f"FAIL {title}", *found, sep="\n    ")
    print(f"{len(checks) - failed} checks passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
