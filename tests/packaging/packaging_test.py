#!/usr/bin/env python3
"""What is installed is complete and usable without the source tree.

    packaging_test.py --build DIR --source DIR [--compiler C++]

Installs into a folder of its own, then: the files are where they belong; the program runs from
there; every installed header compiles alone; a small program of somebody else builds and runs, once
with pkg-config and once with CMake; the library exports nothing but names of saranga.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True  # a test leaves no files in the source tree
CONSUMER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "consumer")
STRICT = ("-std=c++23", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror")
EXPORT = re.compile(r"^(?:[\w.]+@@)?(?:(?:typeinfo|typeinfo name|vtable) for )?saranga::|^SARANGA_")


class Failure(Exception):
    pass


def run(*command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, timeout=600,
                          env={**os.environ, **environment})
    if done.returncode != 0:
        raise Failure(f"{' '.join(command[:6])} …: exit code {done.returncode}\n{done.stdout}"
                      f"{done.stderr}")
    return done.stdout


class Installation:
    def __init__(self, options, root):
        self.options = options
        self.root = root
        self.prefix = os.path.join(root, "prefix")
        run("cmake", "--install", options.build, "--prefix", self.prefix)
        self.library = self.only("lib*/**/libsaranga.so")
        self.library_folder = os.path.dirname(self.library)
        self.store = os.path.join(options.source, "fixtures", "orders", "store")

    def only(self, pattern):
        found = glob.glob(os.path.join(self.prefix, pattern), recursive=True)
        if len(found) != 1:
            raise Failure(f"{pattern}: {len(found)} files, expected 1")
        return found[0]


# ---- the checks ----------------------------------------------------------------------------------


def files(installation):
    """Everything is where it belongs."""
    for pattern in ("bin/saranga", "lib*/**/pkgconfig/saranga.pc",
                    "lib*/**/cmake/saranga/sarangaConfig.cmake",
                    "lib*/**/cmake/saranga/sarangaConfigVersion.cmake",
                    "share/bash-completion/completions/saranga",
                    "include/saranga/bytes/error.h", "include/saranga/store/location.h"):
        installation.only(pattern)
    if shutil.which("scdoc"):
        sources = os.path.join(installation.options.source, "man", "*.scd")
        for source in glob.glob(sources):
            page = os.path.basename(source)[:-len(".scd")]
            installation.only(f"share/man/man{page[-1]}/{page}")
    headers = glob.glob(os.path.join(installation.options.source, "lib*/include/saranga/*/*.h"))
    for header in headers:
        installation.only("include/" + header.split("/include/")[-1])


def program(installation):
    """The program finds its library by itself."""
    saranga = installation.only("bin/saranga")
    if not re.match(r"saranga \d+\.\d+\.\d+", run(saranga, "--version")):
        raise Failure("--version does not name the program and its version")
    if not run(saranga, "data", "print", installation.store):
        raise Failure("data print printed nothing")


def headers_alone(installation):
    """Each installed header compiles alone, with nothing but the installed ones."""
    include = os.path.join(installation.prefix, "include")

    def compile_alone(header):
        run(installation.options.compiler, *STRICT, "-fsyntax-only", "-I", include, "-include",
            header, "-x", "c++", "/dev/null")

    headers = sorted(glob.glob(os.path.join(include, "saranga/*/*.h")))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(compile_alone, headers))


def check_consumer(installation, program_path):
    text = run(program_path, installation.store, LD_LIBRARY_PATH=installation.library_folder)
    match = re.fullmatch(r"(\d+) records, \d+ findings\n", text)
    if not match or int(match[1]) < 100:
        raise Failure(f"the consumer says {text!r}")


def with_pkg_config(installation):
    """A program built with the flags of pkg-config runs."""
    path = os.path.join(installation.library_folder, "pkgconfig")
    flags = run("pkg-config", "--cflags", "--libs", "saranga", PKG_CONFIG_PATH=path).split()
    made = os.path.join(installation.root, "consumer")
    run(installation.options.compiler, *STRICT, "-o", made, os.path.join(CONSUMER, "consumer.cc"),
        *flags)
    check_consumer(installation, made)


def with_cmake(installation):
    """A program built through find_package runs."""
    build = os.path.join(installation.root, "build")
    run("cmake", "-S", CONSUMER, "-B", build, "-G", "Ninja",
        f"-DCMAKE_PREFIX_PATH={installation.prefix}",
        f"-DCMAKE_CXX_COMPILER={installation.options.compiler}")
    run("cmake", "--build", build)
    check_consumer(installation, os.path.join(build, "consumer"))


def exports(installation):
    """The library exports names of saranga and no others."""
    listed = run("nm", "-D", "-C", "--defined-only", installation.library).splitlines()
    names = [line.split(" ", 2)[2] for line in listed if line.count(" ") >= 2]
    foreign = [name for name in names if not EXPORT.match(name)]
    if foreign:
        raise Failure("foreign names: " + ", ".join(foreign[:10]))
    if not any(name.startswith("saranga::store::locate(") for name in names):
        raise Failure("saranga::store::locate is not exported")


CHECKS = (files, program, headers_alone, with_pkg_config, with_cmake, exports)


def main():
    parser = argparse.ArgumentParser(description="Install, and use what was installed.")
    parser.add_argument("--build", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--compiler", default="c++")
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="saranga-packaging-") as root:
        try:
            installation = Installation(options, root)
        except Failure as failure:
            sys.exit(f"FAIL install: {failure}")
        for check in CHECKS:
            try:
                check(installation)
            except Failure as failure:
                failed += 1
                print(f"FAIL {check.__doc__}\n    {failure}")
    print(f"{len(CHECKS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
