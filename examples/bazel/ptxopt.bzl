# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuda_archive: CUDA sources in a static library, through ptxopt."""

def _cuda_archive_impl(ctx):
    archive = ctx.actions.declare_file("lib%s.a" % ctx.label.name)
    flags = ["-O%d" % ctx.attr.level] + ["--assume=" + word for word in ctx.attr.assume]
    if ctx.file.launch:
        flags.append("--assumptions=" + ctx.file.launch.path)
    ctx.actions.run_shell(
        outputs = [archive],
        inputs = ctx.files.srcs + ctx.files.hdrs + ctx.files.launch,
        tools = [ctx.executable._ptxas],
        command = 'export PTXOPT_FLAGS="$1" && shift && exec nvcc "$@"',
        arguments = [
            " ".join(flags),
            "--ptxas-prefix=./" + ctx.executable._ptxas.path,
            "-lib",
            "-o",
            archive.path,
            "-I.",
        ] + ctx.attr.copts + [source.path for source in ctx.files.srcs],
        mnemonic = "CudaArchive",
        use_default_shell_env = True,  # for nvcc on PATH, and PTXOPT_LOG
    )
    return [DefaultInfo(files = depset([archive]))]

cuda_archive = rule(
    implementation = _cuda_archive_impl,
    attrs = {
        "srcs": attr.label_list(allow_files = [".cu"], mandatory = True),
        "hdrs": attr.label_list(allow_files = True),
        "copts": attr.string_list(doc = "Options of nvcc"),
        "level": attr.int(default = 2, doc = "-O of ptxopt"),
        "assume": attr.string_list(doc = "Words of --assume, for all kernels"),
        "launch": attr.label(allow_single_file = True, doc = "A file for --assumptions, by kernel"),
        # It is an input, so that another ptxopt compiles anew.
        "_ptxas": attr.label(
            default = "//:ptxopt-ptxas",
            allow_single_file = True,
            executable = True,
            cfg = "exec",
        ),
    },
)
