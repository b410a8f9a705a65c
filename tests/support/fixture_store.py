#!/usr/bin/env python3
"""Pack a store into a fixture, and unpack fixtures for the tests.

    fixture_store.py pack FOLDER FILE.tar.gz     the same store always gives the same bytes
    fixture_store.py unpack FIXTURES TARGET      TARGET/<name>/store for each fixture, and
                                                 TARGET/cases/<name>/{store,variant-...}

An archive holds one folder, `store`. Version control keeps no empty folders, an archive does: a
broker wants all four of them, so `pack` adds those that are missing. Unpacked zeros become holes,
because most of a journal file is its unused rest.
"""
import gzip
import io
import os
import shutil
import sys
import tarfile

STORE_FOLDERS = ("bindings", "journal", "paging", "large-messages")
BLOCK = 4096


def pack(folder, archive, top="store", add_folders=STORE_FOLDERS):
    """Writes the folder as `top` with normalised names, owners, modes and times."""
    entries = {name: None for name in (add_folders if top.startswith("store") else ())}
    for base, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(base, name)
            entries[os.path.relpath(path, folder)] = None if name in folders else path
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        tar.addfile(_entry(top, None))
        for name in sorted(entries):
            path = entries[name]
            data = b"" if path is None else _content(path)
            tar.addfile(_entry(f"{top}/{name}", None if path is None else data), io.BytesIO(data))
    with open(archive, "wb") as out:
        out.write(gzip.compress(raw.getvalue(), compresslevel=9, mtime=0))


def _content(path):
    with open(path, "rb") as source:
        return source.read()


def _entry(name, data):
    entry = tarfile.TarInfo(name)
    entry.type = tarfile.DIRTYPE if data is None else tarfile.REGTYPE
    entry.mode = 0o755 if data is None else 0o644
    entry.size = 0 if data is None else len(data)
    return entry


def unpack(archive, target):
    """Unpacks an archive into the folder `target`, writing holes for blocks of zeros."""
    with tarfile.open(archive) as tar:
        for entry in tar:
            if os.path.isabs(entry.name) or ".." in entry.name.split("/"):
                raise ValueError(f"{archive}: {entry.name} leaves the folder")
            path = os.path.join(target, entry.name)
            if entry.isdir():
                os.makedirs(path, exist_ok=True)
            elif entry.isreg():
                os.makedirs(os.path.dirname(path), exist_ok=True)
                _write_sparse(tar.extractfile(entry), path, entry.size)


def _write_sparse(source, path, size):
    with open(path, "wb") as out:
        while block := source.read(BLOCK):
            if block.count(0) == len(block):
                out.seek(len(block), os.SEEK_CUR)
            else:
                out.write(block)
        out.truncate(size)


def fixture_names(fixtures):
    """Names of all fixtures that hold a store: `orders`, ..., `cases/<name>`."""
    names = []
    for group in ("", "cases"):
        base = os.path.join(fixtures, group)
        for name in sorted(os.listdir(base)) if os.path.isdir(base) else ():
            folder = os.path.join(base, name)
            if any(os.path.exists(os.path.join(folder, s)) for s in ("store", "store.tar.gz")):
                names.append(os.path.join(group, name))
    return names


def unpack_fixture(fixtures, name, target):
    """Makes TARGET/NAME/store (and the folders of the other archives); gives its path."""
    source, made = os.path.join(fixtures, name), os.path.join(target, name)
    shutil.rmtree(made, ignore_errors=True)
    os.makedirs(made)
    for entry in sorted(os.listdir(source)):
        if entry.endswith(".tar.gz"):
            unpack(os.path.join(source, entry), made)
        elif entry == "store":
            shutil.copytree(os.path.join(source, entry), os.path.join(made, entry))
    store = os.path.join(made, "store")
    for folder in STORE_FOLDERS:
        os.makedirs(os.path.join(store, folder), exist_ok=True)
    return store


def unpack_all(fixtures, target):
    for name in fixture_names(fixtures):
        unpack_fixture(fixtures, name, target)


def main(arguments):
    if len(arguments) == 3 and arguments[0] == "pack":
        pack(arguments[1], arguments[2])
    elif len(arguments) == 3 and arguments[0] == "unpack":
        unpack_all(arguments[1], arguments[2])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
