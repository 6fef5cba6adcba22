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
                       + kernel("racy", "mov.u32 %r3, %tid.y;"))

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
            ["racy", "exact", "not compared", "data-race"]], output

        status, output, _ = run(program, "--dry-run", "--kernel", "sine", path)
        assert status == 0 and "twice" not in output, output

        status, _, errors = run(program, os.path.join(folder, "missing.ptx"))
        assert status == 1 and "missing.ptx" in errors, errors

        driver = {"LD_LIBRARY_PATH": fake_driver}
        status, output, _ = run(program, path, **driver)
        assert status == 2, (status, output)
        assert output.startswith("# device: Fake GPU, sm_90, driver 13.0\n"), output
        twice, sine, wrong, racy = rows(output)
        assert twice == ["twice", "exact", "same", "256 bytes, error 0", ""], twice
        assert sine[1:3] == ["within 1e-05", "same"] and "e-06" in sine[3], sine
        assert wrong[2:4] == ["different", "argument 0 differs at byte 0"], wrong
        assert racy[2] == "not compared", racy

        # Elsewhere in the file two barriers go, and `twice` does the same as before.
        table = os.path.join(folder, "table.tsv")
        status, _, _ = run(program, "--optimize", "--output", table, "--kernel", "twice", path,
                           **driver)
        with open(table) as file:
            (twice,) = rows(file.read())
        assert status == 0 and twice[4] == "same", twice

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
