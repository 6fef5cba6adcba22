# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collects PTX: each distinct text once, with all places where it was found.

A PATH is a folder, which is searched, or a file:
  PTX                                            .ptx, also in Triton's cache
  objects, programs, shared and static libraries sections .nv_fatbin and __nv_relfatbin, compressed or not
  fat binaries                                   .fatbin
  Numba's cache                                  .nbi and .nbc; they are not unpickled
A file that cannot be read is reported, and the rest goes on; the exit status is then 1.
"""
import collections
import os
import stat
import sys

from .collection import Collection
from .extract import Other, Problem, Text, extract
from .kernel_hash import KernelHasher

HELP = "collect PTX from folders, binaries and caches"
USES_COLLECTION = True


def add_arguments(parser):
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a folder or a file")
    parser.add_argument("--suite", metavar="NAME",
                        help="the name of this part of the collection (default: the name of the folder)")
    parser.add_argument("--ptxopt", metavar="PROGRAM",
                        help="the ptxopt that hashes kernels (default: beside this program, or in PATH)")
    parser.add_argument("--no-kernel-hashes", action="store_true",
                        help="do not hash kernels, so that equal kernels of different texts are not found")


def main(args):
    hasher = None if args.no_kernel_hashes else KernelHasher.find(args.ptxopt)
    with Collection.open(args.corpus, create=True) as collection:
        collection.hasher = hasher
        adder = _Adder(collection, os.path.realpath(args.corpus))
        for path in args.paths:
            adder.add(path, args.suite or _suite_of(path))
        adder.report()
    return 1 if adder.failed else 0


def _suite_of(path):
    folder = os.path.abspath(path)
    if not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    return os.path.basename(folder) or "root"


class _Adder:
    def __init__(self, collection, own_folder):
        self._collection = collection
        self._own_folder = own_folder
        self._others = collections.Counter()
        self._texts = self._new = 0
        self.failed = False

    def add(self, path, suite):
        if not os.path.isdir(path):
            self._add_file(path, suite, named=True)
            return
        for folder, folders, names in os.walk(path, onerror=self._cannot_list):
            # The collection itself may be in the folder.
            folders[:] = sorted(name for name in folders
                                if os.path.realpath(os.path.join(folder, name)) != self._own_folder)
            for name in sorted(names):
                self._add_file(os.path.join(folder, name), suite, named=False)

    def _add_file(self, path, suite, named):
        try:
            kind = os.stat(path).st_mode
            if not stat.S_ISREG(kind):
                if named:
                    self._complain(path, "it is neither a file nor a folder")
                return
            for found in extract(path, named):
                self._take(found, path, suite)
        except OSError as error:
            self._complain(path, error.strerror or str(error))

    def _take(self, found, path, suite):
        if isinstance(found, Text):
            self._texts += 1
            self._new += self._collection.add(found.text, os.path.abspath(path), suite, found.member, found.producer)
        elif isinstance(found, Other):
            self._others[found.kind] += 1
        elif isinstance(found, Problem):
            where = f"{found.member.rstrip(':')}: " if found.member else ""
            self._complain(path, where + found.what)

    def _cannot_list(self, error):
        self._complain(error.filename, error.strerror)

    def _complain(self, path, what):
        self.failed = True
        print(f"{path}: error: {what}", file=sys.stderr)

    def report(self):
        self._collection.flush()
        counts = self._collection.counts()
        print(f"{self._texts} texts found, {self._new} new; the collection has {counts['files']} texts with "
              f"{counts['kernels']} kernels, {counts['distinct kernels']} of them distinct")
        if self._others:
            kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self._others.items()))
            print(f"entries without PTX: {kinds}")
