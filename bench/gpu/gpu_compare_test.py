# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What gpu_compare says without a GPU, and with the stand-in for the driver of fake_driver.cpp."""
import os
import subprocess
import sys
import tempfile

KERNEL = """\
// LAUNCH: {"kernel": "twice", "grid": 2, "block": 32, "args": ["buffer:256:iota:u32", "u32:2"]}
// LAUNCH: {"kernel": "sine", "block": 32, "args": ["buffer:128:iota:f32", "u32:0"]}
// LAUNCH: {"kernel": "wrong", "block": 32, "args": ["buffer:128:iota:u32", "u32:1"]}
// LAUNCH: {"kernel": "racy", "block": [32, 2], "shared": 64, "args": ["buffer:256", "u32:0"]}
// LAUNCH: {"kernel": "faults", "block": 32, "args": ["buffer:128:iota:u32", "u32:1"]}
// LAUNCH: {"kernel": "hangs", "block": 32, "args": ["buffer:128:iota:u32", "u32:1"]}
// LAUNCH: {"kernel": "broken", "block": 32, "args": ["buffer:128:iota:u32", "u32:1"]}
// LAUNCH: {"kernel": "wears", "block": 32, "args": ["buffer:128:iota:u32", "u32:1"]}
.version 8.0
.target sm_75
.address_size 64
"""
BODY = """\
.visible .entry NAME(.param .u64 data, .param .u32 factor)
{
  .reg .b32 %r<6>;
  .reg .f32 %f<2>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r5, [factor];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mad.lo.u32 %r1, %r2, 32, %r1;
  mad.wide.u32 %rd2, %r1, 4, %rd1;
  ld.global.b32 %r3, [%rd2];
  WORK
  st.global.b32 [%rd2], %r3;
  ret;
}
"""


def kernel(name, work):
    return BODY.replace("NAME", name).replace("WORK", work)


def run(program, *arguments, **environment):
    result = subprocess.run([program, *arguments], capture_output=True, text=True,
                            env={**os.environ, **environment})
    return result.returncode, result.stdout, result.stderr


def rows(output):
    return [line.split("\t")[1:] for line in output.splitlines() if "k.ptx" in line]


def main():
    program, fake_driver = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "k.ptx")
        with open(path, "w") as file:
            file.write(KERNEL + kernel("twice", "mul.lo.u32 %r3, %r3, %r5;")
                       + kernel("sine", "mov.b32 %f1, %r3; sin.approx.f32 %f1, %f1; "
                                        "mov.b32 %r3, %f1;")
                       + kernel("wrong", "bar.sync 0; bar.sync 0;")
                       + kernel("racy", "mov.u32 %r3, %tid.y;")
                       + kernel("faults", "") + kernel("hangs", "bar.sync 0; bar.sync 0;")
                       + kernel("broken", "bar.sync 0; bar.sync 0;")
                       + kernel("wears", "bar.sync 0; bar.sync 0;"))

        status, output, _ = run(program, "--list", path)
        assert status == 0, status
        assert "twice grid 2,1,1 block 32,1,1 buffer:256:iota:u32 u32:2\n" in output, output
        assert "racy grid 1,1,1 block 32,2,1 shared 64 buffer:256 u32:0\n" in output, output

        status, output, _ = run(program, "--dry-run", path)
        assert status == 0, status
        assert [row[:4] for row in rows(output)] == [
            ["twice", "exact", "to be compared", "1 objects"],
            ["sine", "within 1e-05", "to be compared", "1 objects"],
            ["wrong", "exact", "to be compared", "1 objects"],
            ["racy", "exact", "not compared", "data-race"],
            ["faults", "exact", "to be compared", "1 objects"],
            ["hangs", "exact", "to be compared", "1 objects"],
            ["broken", "exact", "to be compared", "1 objects"],
            ["wears", "exact", "to be compared", "1 objects"]], output

        status, output, _ = run(program, "--dry-run", "--kernel", "sine", path)
        assert status == 0 and "twice" not in output, output

        status, _, errors = run(program, os.path.join(folder, "missing.ptx"))
        assert status == 1 and "missing.ptx" in errors, errors

        driver = {"LD_LIBRARY_PATH": fake_driver}
        status, output, _ = run(program, path, **driver)
        assert status == 2, (status, output)
        assert output.startswith("# device: Fake GPU, sm_90, driver 13.0\n"), output
        twice, sine, wrong, racy, faults, hangs, broken, wears = rows(output)
        assert twice == ["twice", "exact", "same", "256 bytes, error 0"], twice
        assert sine[1:3] == ["within 1e-05", "same"] and "e-06" in sine[3], sine
        assert wrong[2:4] == ["different", "argument 0 differs at byte 0"], wrong
        assert racy[2] == "not compared", racy
        assert faults[2:4] == ["different", "CUDA_ERROR_ILLEGAL_ADDRESS"], faults
        assert hangs[2] == broken[2] == wears[2] == "same", output

        # By levels; what a fault or a kernel without an end costs is its own row.
        for processes in ("1", "3"):
            status, output, errors = run(program, "--optimize", "--limit", "1", "-j", processes,
                                         path, **driver)
            assert status == 2, (status, output, errors)
            assert "\tverdict\tdetail\t-O1\t-O2\t-O3\n" in output, output
            twice, _, wrong, racy, faults, hangs, broken, wears = (row[4:] for row in rows(output))
            assert twice == ["unchanged", "unchanged", "unchanged"], output
            assert wrong == ["same", "same", "as -O2"], output
            assert racy == faults == [], output
            assert hangs[-1] == "different: no answer in 1 seconds", output
            assert broken[-2].startswith("different: argument 0 differs at byte "), output
            assert wears == ["same", "same", "as -O2"], output
            assert "not compared 1" in errors and "different 2" in errors, errors
        status, output, _ = run(program, "--optimize", "-O2", "--pipeline", "basic-dbe", "--kernel",
                                "wrong", path, **driver)
        assert "\tdetail\t-O2\tbasic-dbe\n" in output, output
        status, _, errors = run(program, "--pipeline", "basic-xyz", path, **driver)
        assert status == 1 and "basic-xyz" in errors, errors

        # Times, of what was changed and did the same: a barrier less.
        table = os.path.join(folder, "table.tsv")
        times = os.path.join(folder, "times.tsv")
        for how in ([], ["--launch-singly"]):
            status, _, _ = run(program, "-O2", "--times", "5", "--output", table, "--times-output",
                               times, "--kernel", "wrong", path, *how, **driver)
            with open(times) as file:
                (wrong,) = rows(file.read())
            assert wrong[:3] == ["wrong", "1x1x1 of 32x1x1", "-O2"], wrong
            assert wrong[3:8] == ["6.000", "4.000", "0.6667", "0.6667", "0.6667"], wrong
            assert wrong[8:10] == ["5", "167"], wrong
        with open(table) as file:
            (wrong,) = rows(file.read())
        assert wrong[4] == "same", wrong
        status, output, _ = run(program, "--times", "2", "--kernel", "twice", path, **driver)
        assert status == 0 and len(rows(output)) == 1, output
        status, output, _ = run(program, "--times", "2", "--times-of-unchanged", "--kernel",
                                "twice", path, **driver)
        _, twice = rows(output)
        assert twice[3:6] == ["2.000", "2.000", "1.0000"] and twice[-1] == "the same code", twice

        # A kernel that faults when it is launched often.
        status, output, _ = run(program, "-O2", "--times", "2", "--kernel", "wears", path, **driver)
        _, wears = rows(output)
        assert status == 0 and wears[2] == "-O2", output
        assert wears[-1] == "not measured: CUDA_ERROR_ILLEGAL_ADDRESS", wears

        # Where the interpreter gives up, the GPU is compared with itself.
        beyond = ["-O2", "--step-limit", "10", "--kernel", "wrong", path]
        status, output, _ = run(program, *beyond, **driver)
        assert rows(output) == [["wrong", "exact", "not compared", "step-limit"]], output
        status, output, _ = run(program, "--run-unfinished", *beyond, **driver)
        assert rows(output) == [["wrong", "exact", "not compared", "step-limit", "same"]], output

        # The names of files may come from a file.
        names = os.path.join(folder, "names.txt")
        with open(names, "w") as file:
            file.write(path + "\n")
        status, output, _ = run(program, "--list", "--files", names)
        assert status == 0 and "twice grid 2,1,1" in output, output

        with open(path) as file:
            text = file.read()
        with open(path, "w") as file:
            file.write(text + "// refused\n")
        status, output, _ = run(program, "--kernel", "twice", path, **driver)
        (twice,) = rows(output)
        assert status == 0, status
        assert twice[2:4] == ["not compared", "CUDA_ERROR_INVALID_PTX: ptxas fatal: no"], twice

        status, _, errors = run(program, path, FAKE_DRIVER_DEVICES="0", **driver)
        assert status == 77 and "no GPU here: the driver knows no device" in errors, errors


if __name__ == "__main__":
    main()
