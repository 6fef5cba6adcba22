"""What gpu_compare says without a GPU: its list, what it would compare, and that it needs one."""
import os
import subprocess
import sys
import tempfile

KERNEL = """\
// LAUNCH: {"kernel": "twice", "grid": 2, "block": 32, "args": ["buffer:256:iota:u32", "u32:2"]}
// LAUNCH: {"kernel": "sine", "block": 32, "args": ["buffer:128:iota:f32", "u32:0"]}
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


def run(program, *arguments):
    result = subprocess.run([program, *arguments], capture_output=True, text=True)
    return result.returncode, result.stdout, result.stderr


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "k.ptx")
        with open(path, "w") as file:
            file.write(KERNEL + kernel("twice", "mul.lo.u32 %r3, %r3, %r5;")
                       + kernel("sine", "mov.b32 %f1, %r3; sin.approx.f32 %f1, %f1; "
                                        "mov.b32 %r3, %f1;")
                       + kernel("racy", "mov.u32 %r3, %tid.y;"))

        status, output, _ = run(program, "--list", path)
        assert status == 0, status
        assert "twice grid 2,1,1 block 32,1,1 buffer:256:iota:u32 u32:2\n" in output, output
        assert "racy grid 1,1,1 block 32,2,1 shared 64 buffer:256 u32:0\n" in output, output

        status, output, _ = run(program, "--dry-run", path)
        assert status == 0, status
        rows = [line.split("\t")[1:5] for line in output.splitlines() if "k.ptx" in line]
        assert rows == [["twice", "exact", "to be compared", "1 objects"],
                        ["sine", "within 1e-05", "to be compared", "1 objects"],
                        ["racy", "exact", "not compared", "data-race"]], rows

        status, output, _ = run(program, "--dry-run", "--kernel", "sine", path)
        assert status == 0 and "twice" not in output, output

        status, _, errors = run(program, os.path.join(folder, "missing.ptx"))
        assert status == 1 and "missing.ptx" in errors, errors

        status, output, errors = run(program, "--kernel", "twice", path)
        if status == 77:
            assert "no GPU here" in errors, errors
        else:
            assert status == 0 and "# device: " in output and "\tsame\t" in output, output


if __name__ == "__main__":
    main()
