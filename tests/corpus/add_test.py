#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptxopt-corpus add: what it finds where, what it keeps of it, and what it says of what it cannot read.

Usage: add_test.py SCRIPT PTXOPT CORPUS
Tests of compressed entries are left out without the Python modules lz4 and zstandard.
"""
import os
import pathlib
import pickle
import sqlite3
import subprocess
import sys
import tempfile
import unittest

from fat_binaries import ELF, LTO, archive, container, elf, entry, lz4

CORPUS = pathlib.Path(sys.argv.pop(3))
PTXOPT = sys.argv.pop(2)
SCRIPT = sys.argv.pop(1)


def kernel(name, target="sm_80", comment=""):
    return (f"{comment}.version 8.0\n.target {target}\n.address_size 64\n.visible .entry {name}()\n"
            "{\n\tbar.sync 0;\n\tret;\n}\n").encode()


class Add(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.corpus = self.folder / "collection"

    def file(self, name, data):
        path = self.folder / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def add(self, *paths, status=0, words=()):
        run = subprocess.run([sys.executable, SCRIPT, "add", "--ptxopt", PTXOPT, "--corpus", self.corpus, *words,
                              *(paths or [self.folder / "in"])], capture_output=True, text=True, check=False)
        self.assertNotIn("Traceback", run.stderr)
        self.assertEqual(run.returncode, status, run.stderr)
        return run

    def rows(self, query):
        database = sqlite3.connect(self.corpus / "collection.sqlite")
        try:
            return database.execute(query).fetchall()
        finally:
            database.close()

    def texts(self):
        return sorted(path.read_bytes() for path in self.corpus.glob("ptx/??/*.ptx"))

    # ---- what is found ---------------------------------------------------------------------------

    def test_folders(self):
        a, b = kernel("a"), kernel("b")
        self.file("one/a.ptx", a)
        self.file("two/same.ptx", a)
        self.file("two/b.ptx", b)
        self.file("two/notes.txt", b"nothing of interest")
        self.assertIn("3 texts found, 2 new", self.add().stdout)
        self.assertEqual(self.texts(), sorted([a, b]))
        places = self.rows("SELECT path, member, suite FROM origin ORDER BY path")
        self.assertEqual([(os.path.relpath(path, self.folder), *rest) for path, *rest in places],
                         [("in/one/a.ptx", "", "in"), ("in/two/b.ptx", "", "in"), ("in/two/same.ptx", "", "in")])
        self.assertIn("0 new", self.add().stdout)

    def test_suite(self):
        path = self.file("folder/a.ptx", kernel("a"))
        self.add(path)
        self.add(path, words=["--suite", "mine"])
        self.assertEqual(self.rows("SELECT suite FROM origin ORDER BY 1"), [("folder",), ("mine",)])

    def test_its_own_folder_is_left_out(self):
        self.file("a.ptx", kernel("a"))
        self.corpus = self.folder / "in" / "collection"
        self.add()
        self.assertIn("1 texts found, 0 new", self.add().stdout)

    def test_facts(self):
        self.add(CORPUS / "nvcc/sm_80/redundant_barriers.ptx", CORPUS / "clang/sm_80_O2/stencil_1d.ptx",
                 CORPUS / "triton/sm_90/embedding.ptx")
        self.assertEqual(self.rows("SELECT producer, version, target FROM file ORDER BY producer"),
                         [("LLVM", "7.5", "sm_80"), ("NVVM 13.0", "9.0", "sm_80"), ("Triton", "9.4", "sm_90a")])

    def test_sections(self):
        a, b, c, d = map(kernel, "abcd")
        for bits in (32, 64):
            data = elf({".text": b"code", ".nv_fatbin": container(entry(a), entry(b"x", ELF)) + bytes(24) + container(entry(b)),
                        "__nv_relfatbin": container(entry(c), entry(b"lto", LTO)), ".rodata": b"xyz" + container(entry(d))},
                       bits=bits)
            path = self.file(f"program{bits}", data)
            run = self.add(path)
            self.assertIn("entries without PTX: 1 ELF, 1 LTO IR", run.stdout)
        self.assertEqual(self.texts(), sorted([a, b, c, d]))
        members = [member for member, in self.rows("SELECT member FROM origin WHERE path LIKE '%64' ORDER BY member")]
        self.assertRegex(members.pop(2), r"^0x[0-9a-f]+:1\.sm_80$")
        self.assertEqual(members, [".nv_fatbin:1.sm_80", ".nv_fatbin:1.sm_80", "__nv_relfatbin:1.sm_80"])

    def test_libraries(self):
        a, b = kernel("a"), kernel("b")
        self.file("lib.a", archive({"a.o": elf({".nv_fatbin": container(entry(a))}), "readme": b"text",
                                    "a_member_with_a_long_name.o": elf({"__nv_relfatbin": container(entry(b))})}))
        self.add()
        self.assertEqual(self.texts(), sorted([a, b]))
        self.assertEqual(sorted(self.rows("SELECT member FROM origin")),
                         [("a.o:.nv_fatbin:1.sm_80",), ("a_member_with_a_long_name.o:__nv_relfatbin:1.sm_80",)])

    def test_fat_binary(self):
        self.file("k.fatbin", container(entry(kernel("a"), architecture=90, flags=0x100000)))
        self.add()
        self.assertEqual(self.rows("SELECT member, producer FROM origin JOIN file USING (sha256)"),
                         [("1.sm_90a", "fat binary")])

    @unittest.skipUnless(lz4, "no lz4, or no zstandard")
    def test_compressed(self):
        a, b = kernel("a", comment="//" + "x" * 100000 + "\n"), kernel("b")
        self.file("k.fatbin", container(entry(a, compression="lz4"), entry(b, compression="zstd")))
        self.add()
        self.assertEqual(self.texts(), sorted([a, b]))

    def test_cubin(self):
        self.file("k.cubin", elf({".text.k": b"code"}, machine=190))
        self.assertIn("entries without PTX: 1 ELF", self.add().stdout)

    def test_pickles(self):
        """No text, but a program that would remove a file, must not run."""
        victim = self.file("victim.txt", b"here")

        class Bomb:
            def __reduce__(self):
                return os.unlink, (str(victim),)
        a, b = kernel("a"), kernel("b")
        data = pickle.dumps("0.60") + pickle.dumps({"ptx": {(8, 0): a.decode()}, "bomb": Bomb(), "in": pickle.dumps([b])})
        self.file("k.nbc", data)
        self.file("k.nbi", pickle.dumps({"overloads": {}}))
        self.add()
        self.assertEqual(self.texts(), sorted([a, b]))
        self.assertTrue(victim.exists())
        self.assertEqual(self.rows("SELECT DISTINCT producer FROM file"), [("Numba",)])

    # ---- kernels ---------------------------------------------------------------------------------

    def test_equal_kernels(self):
        for name, target in (("a", "sm_80"), ("b", "sm_80"), ("c", "sm_90")):
            self.file(f"{name}.ptx", kernel(name, target))
        self.assertIn("3 texts with 3 kernels, 2 of them distinct", self.add().stdout)
        self.assertEqual(len(set(self.rows("SELECT hash FROM kernel"))), 1)
        sys.path.insert(0, str(pathlib.Path(SCRIPT).resolve().parents[1] / "python"))
        from ptxopt_corpus.collection import Collection
        with Collection.open(self.corpus) as collection:
            self.assertEqual(len(list(collection.files())), 3)
            self.assertEqual({record.target for record in collection.files(distinct=True)}, {"sm_80", "sm_90"})
            self.assertEqual(len(list(collection.files(distinct=True))), 2)

    def test_a_text_that_ptxopt_refuses_is_kept(self):
        self.file("bad.ptx", b".version 8.0\n.target sm_80\n}}}")
        self.file("good.ptx", kernel("a"))
        self.assertIn("2 texts with 1 kernels", self.add().stdout)

    def test_no_ptxopt(self):
        run = subprocess.run([sys.executable, SCRIPT, "add", "--corpus", self.corpus, "--ptxopt", "no-such-program",
                              self.file("a.ptx", kernel("a"))], capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stderr), (1, "ptxopt-corpus: error: no-such-program: no such program\n"))
        self.assertFalse(self.corpus.exists())

    # ---- what cannot be read ---------------------------------------------------------------------

    def test_the_rest_goes_on(self):
        a = kernel("a")
        whole = container(entry(a), entry(kernel("b")))
        self.file("1.fatbin", whole[:-60])
        self.file("2.ptx", b"no PTX")
        self.file("3.ptx", b"")
        self.file("4.cubin", b"\x7fELF")
        self.file("5.a", archive({"a.o": elf({".nv_fatbin": container(entry(kernel("c")))})})[:-3])
        self.file("6.nbc", b"\x80\x04no pickle")
        (self.folder / "in" / "7.ptx").symlink_to("nowhere")
        self.file("8.ptx", kernel("d"))
        run = self.add(status=1)
        for number in range(1, 8):
            self.assertRegex(run.stderr, rf"(?m)^\S*/{number}\.[a-z]+: error: .+")
        self.assertEqual(self.texts(), sorted([a, kernel("d")]))

    def test_named_files(self):
        run = self.add(self.file("a.txt", kernel("a")), self.file("b.txt", b"x"), self.folder / "none", "/dev/null",
                       status=1)
        self.assertEqual(self.texts(), [kernel("a")])
        self.assertIn("b.txt: error: it is neither PTX nor", run.stderr)
        self.assertIn("none: error: No such file", run.stderr)
        self.assertIn("/dev/null: error: it is neither a file nor a folder", run.stderr)

    def test_a_size_that_is_a_lie(self):
        text = entry(kernel("a"))
        for size in (1 << 62, 1 << 33):
            for flag in (0x2000, 0x8000):
                lie = text[:40] + flag.to_bytes(8, "little") + text[48:56] + size.to_bytes(8, "little") + text[64:]
                run = self.add(self.file("k.fatbin", container(lie)), status=1)
                self.assertRegex(run.stderr, r"error: 1\.sm_80: an entry claims \d+ bytes")

    def test_no_collection(self):
        (self.corpus).mkdir()
        (self.corpus / "collection.sqlite").write_bytes(b"no database" * 100)
        self.assertRegex(self.add(self.file("a.ptx", kernel("a")), status=1).stderr,
                         "^ptxopt-corpus: error: .*collection.sqlite cannot be used: ")


if __name__ == "__main__":
    unittest.main()
