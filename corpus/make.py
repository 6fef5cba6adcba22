#!/usr/bin/env python3
"""Makes the PTX of the corpus again, checks it with ptxas and writes manifest.json.

    ./make.py                       every producer that is installed, then check
    ./make.py --only nvcc,clang     some of them
    ./make.py --filter 'scan*'      only sources whose name matches
    ./make.py --check               make nothing; assemble every file and write the manifest
    ./make.py --describe            make nothing; write the launch descriptions of the sources to
                                    the PTX made from them
    ./make.py --verify              fail where a file says otherwise than its source
    ./make.py --local DIR           output that carries a library's own code, into DIR

A producer that is missing is skipped with a message, and its files stay as they are. Producers are
found on PATH or through the environment:

    NVCC, NVCC_NEW     nvcc; the second is a newer release that makes the folder nvcc-new
    CLANG              clang
    CORPUS_PYTHON      a Python in which triton, numba-cuda, jax, cutlass, cuda.tile and warp can be
                       imported
    MOJO               mojo
    PTXAS, PTXAS_NEW   ptxas for the check, older and newer release
"""

import argparse
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CORPUS = pathlib.Path(__file__).resolve().parent
# Debug information holds the working directory: a fixed one gives the same bytes everywhere.
BUILD = pathlib.Path(tempfile.gettempdir()) / "ptx-corpus"
ENVIRONMENT = {"TRITON_CACHE_DIR": str(BUILD / ".cache"), "PYTHONDONTWRITEBYTECODE": "1"}
DEFAULT_TARGETS = ["75", "80", "90", "100"]
# Where a module names a lower target, ptxas assembles it for the lowest that it can write.
LOWEST_ARCH = 75


class Missing(Exception):
  """A producer is not installed."""


def tool(variable, default):
  path = shutil.which(os.environ.get(variable, default) or "")
  if path is None:
    raise Missing(f"{default or variable} not found (set {variable})")
  return path


def run(command, **kwargs):
  return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                        **kwargs)


def directive(source, name):
  """The words after `// name:` (or `# name:`) in the head of a source file."""
  match = re.search(rf"^(?://|#) {name}: (.*)$", source.read_text(), re.M)
  return match.group(1).split() if match else []


def clean(text):
  """Takes the paths of the machine out of `.file` entries, which nothing counts the length of."""
  text = text.replace(f'"{BUILD}/', '"')
  return re.sub(r'(\.file\s+\d+\s+)"/[^"]*?/(include|site-packages)/([^"]*)"', r'\1"\2/\3"', text)


def release(compiler):
  text = run([compiler, "--version"]).stdout
  return re.search(r"(?:release|version|Mojo) (\d+[.\d]*)", text).group(1)


# ---- launch descriptions -------------------------------------------------------------------------


def descriptions(source):
  """The `LAUNCH: {...}` comments of a source as dictionaries; one may go on in the next lines."""
  mark = "//" if source.suffix in (".cu", ".cl") else "#"
  found, text = [], None
  for line in source.read_text().splitlines():
    if line.startswith(f"{mark} LAUNCH:"):
      text = line.removeprefix(f"{mark} LAUNCH:")
    elif text is not None:
      text += line.removeprefix(mark)
    if text is not None:
      try:
        found.append(json.loads(text))
        text = None
      except json.JSONDecodeError:
        if not line.startswith(mark):
          raise
  return found


def mangled(name):
  """A pattern for what compilers make of the name of a function, as `scan`, `scan<16>` or
  `scan<float>`: itself, or its mangled name."""
  base, _, argument = name.rstrip(">").partition("<")
  types = {"float": "f", "double": "d", "int": "i", "unsigned": "j"}
  suffix = f"I{types.get(argument, f'Li{argument}E')}E" if argument else ""
  return re.compile(rf"{re.escape(base)}|\w*?(?<!\d){len(base)}{re.escape(base)}{suffix}\w*")


def describe(text, path, launches):
  """The text of a PTX file under the descriptions of its kernels, which replace those of before."""
  text = re.sub(r"\A(// LAUNCH: [^\n]*\n)+", "", text)
  entries = re.findall(r"\.entry\s+([\w$]+)", text)
  functions = re.findall(r"^[^/\n]*?\.(?:func|entry)\s*(?:\([^)]*\))?\s*([\w$]+)", text, re.M)
  functions = list(dict.fromkeys(functions))

  def match(name, names):
    pattern = mangled(name)
    return next((n for n in names if pattern.fullmatch(n)), None)

  def holds_here(key, value):
    """What holds for some files only is a dictionary by patterns of their paths below ptx/."""
    if key not in ("expect", "broken") or not isinstance(value, dict):
      return value
    inside = path.relative_to("ptx")
    return [kind for pattern, kinds in value.items() if inside.match(pattern) for kind in kinds]

  head = ""
  for launch in launches:
    # Some producers make a name of their own for the one kernel of the file.
    alone = len(entries) == 1 and launch["kernel"] == path.stem
    kernel = entries[0] if alone else match(launch["kernel"], entries)
    if kernel is None or not path.relative_to("ptx").match(launch.get("only", "*")):
      continue
    exact = {key: holds_here(key, value)
             for key, value in (launch | {"kernel": kernel}).items() if key != "only"}
    exact = {key: value for key, value in exact.items() if value != []}
    line = re.sub(r"&(\w+)", lambda m: "&" + (match(m.group(1), functions) or m.group(1)),
                  json.dumps(exact))
    head += f"// LAUNCH: {line}\n"
  return head + text


def describe_all(writes):
  """Writes the descriptions to all files of the manifest that are made from a source, or only
  compares them; returns how many differed."""
  manifest = json.loads((CORPUS / "manifest.json").read_text())
  count, differing = 0, []
  for path, entry in manifest.items():
    if "source" not in entry:
      continue
    file = CORPUS / path
    old = file.read_bytes().decode("utf-8", "surrogateescape")
    new = describe(old, pathlib.Path(path), descriptions(CORPUS / entry["source"]))
    count += new.startswith("// LAUNCH:")
    if new != old:
      differing.append(path)
      if writes:
        file.write_bytes(new.encode("utf-8", "surrogateescape"))
  for path in differing:
    print(path)
  print(f"describe: {count} files with descriptions, {len(differing)} differed")
  return len(differing)


# ---- producers -----------------------------------------------------------------------------------


class Job:
  """One PTX file: the command that writes it, to the path that stands for {out} or to its standard
  output, and its record."""

  def __init__(self, producer, version, source, folder, command, flags, name=None):
    self.producer, self.version, self.source = producer, version, source
    self.path = pathlib.Path("ptx") / folder / f"{name or source.stem}.ptx"
    self.command, self.flags = command, flags

  def make(self, root):
    out = BUILD / self.path
    out.parent.mkdir(parents=True, exist_ok=True)
    out.unlink(missing_ok=True)
    command = [str(out) if word == "{out}" else word for word in self.command]
    done = subprocess.run(command, capture_output=True, cwd=BUILD,
                          env={**os.environ, **ENVIRONMENT})
    if done.returncode == 0 and "{out}" not in self.command:
      out.write_bytes(done.stdout)
    if done.returncode != 0 or not out.exists():
      said = (done.stdout + done.stderr).decode(errors="replace")
      return f"{self.path}: " + " ".join(said.split()[-60:])
    target = root / self.path
    target.parent.mkdir(parents=True, exist_ok=True)
    text = clean(out.read_bytes().decode("utf-8", "surrogateescape"))
    text = describe(text, self.path, descriptions(self.source))
    target.write_bytes(text.encode("utf-8", "surrogateescape"))
    return None

  def record(self):
    return {"producer": self.producer, "version": self.version,
            "source": str(self.source.relative_to(CORPUS)), "flags": " ".join(self.flags)}


# What `// also:` in a source asks for beside -O3 for its targets: folder suffix, target, flags.
VARIANTS = {
    "debug": ("debug", "90", ["-G"]),
    "lineinfo": ("lineinfo", "90", ["-O3", "-lineinfo"]),
    "O0": ("O0", "90", ["-Xcicc", "-O0"]),
}


def nvcc_jobs(sources):
  nvcc = tool("NVCC", "nvcc")
  version = release(nvcc)
  for source in sources("cuda", "*.cu"):
    common = ["-ptx", "-std=c++17"] + (["-rdc=true"] if "rdc:" in source.read_text() else [])
    plans = [(f"nvcc/sm_{t}", t, ["-O3"]) for t in directive(source, "targets") or DEFAULT_TARGETS]
    plans += [(f"nvcc/sm_{VARIANTS[v][1]}_{VARIANTS[v][0]}", VARIANTS[v][1], VARIANTS[v][2])
              for v in directive(source, "also") if v in VARIANTS]
    for folder, target, extra in plans:
      flags = common + extra + [f"-arch=sm_{target}"]
      yield Job("nvcc", version, source, folder,
                [nvcc, *flags, str(source.relative_to(CORPUS)), "-o", "{out}"], flags)


def nvcc_new_jobs(sources):
  nvcc = tool("NVCC_NEW", None)
  version = release(nvcc)
  for source in sources("cuda", "*.cu"):
    if "new" in directive(source, "also"):
      for target in directive(source, "targets") or ["90"]:
        flags = ["-ptx", "-std=c++17", "-O3", f"-arch=sm_{target}"]
        yield Job("nvcc", version, source, f"nvcc-new/sm_{target}",
                  [nvcc, *flags, str(source.relative_to(CORPUS)), "-o", "{out}"], flags)


def clang_jobs(sources):
  clang = tool("CLANG", "clang")
  version = release(clang)
  cuda = ["-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "-nostdlibinc",
          "-std=c++17", "-Wno-unknown-cuda-version", "-include", "clang/device.h", "-S"]
  newest = ["-Xclang", "-target-feature", "-Xclang", "+ptx75"]
  debug = ["-O0", "-g", "--cuda-noopt-device-debug", "-fdebug-compilation-dir=."]
  variants = {"clang": [("sm_80_O2", ["--cuda-gpu-arch=sm_80", *newest, "-O2"]),
                        ("sm_80_O0", ["--cuda-gpu-arch=sm_80", *newest, "-O0"])],
              "clang60": [("sm_60_O2", ["--cuda-gpu-arch=sm_60", "-O2"])],
              "clang-debug": [("sm_75_debug", ["--cuda-gpu-arch=sm_75", *newest, *debug])]}
  for source in sources("cuda", "*.cu"):
    for variant in directive(source, "also"):
      for folder, extra in variants.get(variant, []):
        flags = cuda + extra
        yield Job("clang", version, source, f"clang/{folder}",
                  [clang, *flags, str(source.relative_to(CORPUS)), "-o", "{out}"], flags)
  opencl = ["-x", "cl", "-cl-std=CL1.2", "-target", "nvptx64-nvidia-nvcl", "-Xclang", "-target-cpu",
            "-Xclang", "sm_75", *newest, "-include", "opencl/device.h", "-S"]
  for source in sources("opencl", "*.cl"):
    for level in ("-O0", "-O2"):
      flags = opencl + [level]
      yield Job("clang", version, source, f"opencl/sm_75_{level[1:]}",
                [clang, *flags, str(source.relative_to(CORPUS)), "-o", "{out}"], flags)


def python_with(module, expression="m.__version__"):
  """The Python that has the module, and the module's version."""
  python = tool("CORPUS_PYTHON", sys.executable)
  done = subprocess.run([python, "-c", f"import {module} as m; print({expression})"],
                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
  if done.returncode != 0:
    raise Missing(f"{python} cannot import {module} (set CORPUS_PYTHON)")
  return python, done.stdout.split()[-1]


def python_kernels(sources, folder, module, plans):
  """Jobs for a folder with compile.py and modules that have BUILDS.

  plans gives the builds of a kernel: pairs of a folder and the arguments after its name.
  """
  python, version = python_with(module)
  for source in sources(folder, "*.py"):
    if source.name == "compile.py":
      continue
    listing = (f"import sys; sys.path.insert(0, '{folder}'); import {source.stem}; "
               f"print(*{source.stem}.BUILDS)")
    names = run([python, "-c", listing], cwd=BUILD, env={**os.environ, **ENVIRONMENT})
    # Producers may warn before.
    for name in names.stdout.splitlines()[-1].split():
      for suffix, (arch, *rest) in plans(source, name):
        yield Job(folder, version, source, f"{folder}/{suffix}",
                  [python, f"{folder}/compile.py", source.stem, name, arch, "{out}", *rest],
                  [arch, *rest], name)


def for_each_arch(*archs):
  """These, unless `# targets:` or `# targets NAME:` in the source names others."""
  def plans(source, name):
    named = directive(source, f"targets {name}") or directive(source, "targets")
    return [(f"sm_{arch}", [arch]) for arch in named or archs]

  return plans


def triton_jobs(sources):
  return python_kernels(sources, "triton", "triton", for_each_arch("80", "90", "100"))


def numba_jobs(sources):
  def plans(_, name):
    yield "sm_75", ["75"]
    yield "sm_90", ["90"]
    if name in ("saxpy", "transpose", "histogram"):
      yield "sm_90_debug", ["90", "debug"]
      yield "sm_90_lineinfo", ["90", "lineinfo"]

  return python_kernels(sources, "numba", "numba_cuda", plans)


def jax_jobs(sources):
  return python_kernels(sources, "jax", "jax", for_each_arch("80", "90"))


def mosaic_jobs(sources):
  return python_kernels(sources, "mosaic", "jax", for_each_arch("90a", "100a"))


def cutile_jobs(sources):
  return python_kernels(sources, "cutile", "cuda.tile", for_each_arch("90", "100"))


def cute_jobs(sources):
  return python_kernels(sources, "cute", "cutlass", for_each_arch("80", "90a", "100a"))


def mojo_jobs(sources):
  mojo = tool("MOJO", "mojo")
  version = release(mojo)
  for source in sources("mojo", "*.mojo"):
    for name in directive(source, "kernels"):
      for arch in ("sm_80", "sm_90"):
        flags = ["-D", f"KERNEL={name}", "-D", f"ARCH={arch}"]
        yield Job("mojo", version, source, f"mojo/{arch}",
                  [mojo, "run", *flags, str(source.relative_to(CORPUS))], flags, name)


PRODUCERS = {"nvcc": nvcc_jobs, "nvcc-new": nvcc_new_jobs, "clang": clang_jobs,
             "triton": triton_jobs, "numba": numba_jobs, "jax": jax_jobs, "mosaic": mosaic_jobs,
             "cute": cute_jobs, "cutile": cutile_jobs, "mojo": mojo_jobs}


# Output that carries a library's own code: for local runs, not kept.
def cub_jobs(sources):
  nvcc = tool("NVCC", "nvcc")
  version = release(nvcc)
  for source in sources("local", "*.cu"):
    for target in DEFAULT_TARGETS:
      flags = ["-ptx", "-std=c++17", f"-arch=sm_{target}"]
      yield Job("nvcc", version, source, f"cub/sm_{target}",
                [nvcc, *flags, str(source.relative_to(CORPUS)), "-o", "{out}"], flags)


def warp_jobs(sources):
  python, version = python_with("warp", "m.config.version")
  for source in sources("local", "warp_*.py"):
    for arch in ("80", "90"):
      yield Job("warp", version, source, f"warp/sm_{arch}",
                [python, str(source.relative_to(CORPUS)), arch, "{out}"], [arch])


LOCAL_PRODUCERS = {"cub": cub_jobs, "warp": warp_jobs}


def make(producers, root, pattern, workers):
  """Runs the producers into a folder; returns records of the files by path, and the failures."""
  shutil.rmtree(BUILD, ignore_errors=True)
  BUILD.mkdir()
  for folder in ("cuda", "clang", "opencl", "triton", "numba", "jax", "mosaic", "cute", "cutile",
                 "mojo", "local"):
    if (CORPUS / folder).is_dir():
      shutil.copytree(CORPUS / folder, BUILD / folder)
  shutil.copy(CORPUS / "described_gpu.py", BUILD)

  def sources(folder, files):
    return [s for s in sorted((CORPUS / folder).glob(files)) if fnmatch.fnmatch(s.name, pattern)]

  records, failures = {}, []
  for name, producer in producers.items():
    try:
      jobs = list(producer(sources))
    except Missing as missing:
      print(f"{name}: skipped, {missing}", flush=True)
      continue
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
      results = list(pool.map(lambda job: job.make(root), jobs))
    failures += [r for r in results if r]
    records.update({str(j.path): j.record() for j, r in zip(jobs, results) if not r})
    print(f"{name}: {sum(not r for r in results)} files", flush=True)
  shutil.rmtree(BUILD, ignore_errors=True)
  return records, failures


def assemblers():
  """The installed releases of ptxas, oldest first, as (release, path)."""
  found = []
  for variable, default in (("PTXAS", "ptxas"), ("PTXAS_NEW", None)):
    try:
      path = tool(variable, default)
    except Missing as missing:
      print(f"check: {missing}")
      continue
    found.append((release(path), path))
  return sorted(set(found), key=lambda entry: [int(part) for part in entry[0].split(".")])


def assemble(path, found):
  """Facts of one PTX file: .version, .target, the -arch for ptxas and who accepts it first."""
  text = (CORPUS / path).read_bytes().decode("utf-8", "surrogateescape")
  bare = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)
  ptx = re.search(r"\.version\s+(\d+\.\d+)", bare)
  target = re.search(r"\.target\s+[^;{}]*?(sm_(\d+)[af]?)", bare)
  arch = target.group(1) if target and int(target.group(2)) >= LOWEST_ARCH else f"sm_{LOWEST_ARCH}"
  entry = {"ptx": ptx.group(1) if ptx else None, "target": target.group(1) if target else None,
           "arch": arch, "ptxas": None}
  # -c: a module may leave functions for the linker; ptxas refuses the option before PTX 3.1.
  link = ["-c"] if ptx and float(ptx.group(1)) >= 3.1 else []
  with tempfile.TemporaryDirectory() as scratch:
    for version, ptxas in found:
      done = run([ptxas, *link, f"-arch={arch}", str(CORPUS / path), "-o", f"{scratch}/out"])
      if done.returncode == 0:
        entry["ptxas"] = version
        entry.pop("reason", None)
        break
      lines = [l for l in done.stdout.splitlines() if "error" in l or "fatal" in l]
      message = re.sub(r"^ptxas \S*?, (line \d+)", r"\1", (lines or ["failed"])[0])
      entry["reason"] = message.replace(str(CORPUS) + "/", "")
  return entry


def check(records, workers):
  manifest_file = CORPUS / "manifest.json"
  old = json.loads(manifest_file.read_text()) if manifest_file.exists() else {}
  found = assemblers()
  if not found:
    raise SystemExit("check: no ptxas, the manifest stays as it is")
  paths = sorted(str(p.relative_to(CORPUS)) for p in (CORPUS / "ptx").rglob("*.ptx"))
  with concurrent.futures.ThreadPoolExecutor(workers) as pool:
    facts = list(pool.map(lambda p: assemble(p, found), paths))
  manifest = {}
  for path, fact in zip(paths, facts):
    known = records.get(path) or {k: v for k, v in old.get(path, {}).items()
                                  if k in ("producer", "version", "source", "flags")}
    manifest[path] = {**(known or {"producer": "hand"}), **fact}
  lines = [f"  {json.dumps(p)}: {json.dumps(e)}" for p, e in manifest.items()]
  manifest_file.write_text("{\n" + ",\n".join(lines) + "\n}\n")
  refused = [p for p, e in manifest.items() if e["ptxas"] is None]
  print(f"check: {len(paths)} files, {len(refused)} refused by ptxas "
        f"{' and '.join(v for v, _ in found)}")
  for path in refused:
    print(f"  {path}: {manifest[path]['reason']}")


def main():
  parser = argparse.ArgumentParser(description=__doc__,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--only", default=",".join(PRODUCERS), help="producers, with commas between")
  parser.add_argument("--filter", default="*", help="sources to make, a shell pattern")
  parser.add_argument("--check", action="store_true", help="make nothing, write the manifest")
  parser.add_argument("--describe", action="store_true",
                      help="make nothing, write the launch descriptions")
  parser.add_argument("--verify", action="store_true",
                      help="make nothing, compare the launch descriptions")
  parser.add_argument("--local", type=pathlib.Path, metavar="DIR",
                      help="make what is not kept, into this folder")
  parser.add_argument("-j", type=int, default=os.cpu_count(), help="jobs at once")
  options = parser.parse_args()
  if options.describe or options.verify:
    differing = describe_all(options.describe)
    sys.exit(options.verify and differing != 0)
  records, failures = {}, []
  if options.local:
    _, failures = make(LOCAL_PRODUCERS, options.local.resolve(), options.filter, options.j)
  else:
    if not options.check:
      chosen = {name: PRODUCERS[name] for name in options.only.split(",")}
      records, failures = make(chosen, CORPUS, options.filter, options.j)
    check(records, options.j)
  for failure in failures:
    print(f"failed: {failure}", file=sys.stderr)
  sys.exit(bool(failures))


if __name__ == "__main__":
  main()
