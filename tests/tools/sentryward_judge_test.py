# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sentryward_judge makes the right input of a launch; sentryward itself is not needed for that."""
import struct

import sentryward_judge as sentryward

TEXT = """\
// LAUNCH: {"kernel": "one", "grid": [2, 3], "shared": 64, "args": ["buffer:64", "s32:-2", "f32:0.5"]}
// LAUNCH: {"kernel": "two", "block": 32, "cluster": 2, "grid": 2, "args": ["values:u64:&arg1+8,5", "buffer:8", "zero:6", "u64:0", "bf16:1.5"]}
.version 8.0
.target sm_90
.address_size 64
.visible .entry one(.param .u64 .ptr .global .align 4 a, // a comment, with a comma
                    .param .s32 b, .param .f32 c) .reqntid 64, 2
{ ret; }
.visible .entry two(.param .align 8 .b8 s[16], .param .u64 p, .param .align 2 .b8 t[6],
                    .param .u64 .ptr .global .align 1 q, .param .b16 h) .maxntid 128
{ ret; }
"""


def main():
    assert sentryward.type_bytes("f16x2") == 4 and sentryward.type_bytes("u64") == 8
    first, second = sentryward.launches(TEXT)

    one = sentryward.make_input(TEXT, first)
    assert one["entry"] == "one"
    assert one["launch"] == {"grid_dim": [2, 3, 1], "block_dim": [64, 2, 1],
                             "dynamic_shared_bytes": 64}, one["launch"]
    assert one["declarations"] == [{"parameter": 0, "offset": 0, "type": "pointer",
                                    "space": "global", "object": "arg0"}]
    assert one["arguments"] == [{"parameter": 1, "type": "s32", "value": -2},
                                {"parameter": 2, "type": "f32", "value": 0.5}], one["arguments"]

    two = sentryward.make_input(TEXT, second)
    assert two["launch"]["block_dim"] == [32, 1, 1] and two["launch"]["cluster_dim"] == [2, 1, 1]
    assert [(d["parameter"], d["offset"], d["object"]) for d in two["declarations"]] == [
        (0, 0, "arg1"), (1, 0, "arg1")], two["declarations"]
    bits = struct.unpack("<I", struct.pack("<f", 1.5))[0] >> 16
    assert two["arguments"] == [
        {"parameter": 0, "offset": 8, "type": "u32", "value": 5},
        {"parameter": 0, "offset": 12, "type": "u32", "value": 0},
        {"parameter": 2, "offset": 0, "type": "u32", "value": 0},
        {"parameter": 2, "offset": 4, "type": "u16", "value": 0},
        {"parameter": 3, "type": "pointer", "value": None},
        {"parameter": 4, "type": "b16", "value": bits}], two["arguments"]

    def kind(result, code=""):
        return sentryward.verdict_of({"result": result, "diagnostics": [{"code": code}]})

    assert kind("race_free").kind == "clean" and kind("potential_race").kind == "race"
    assert kind("not_wellsynced").kind == "barrier" and kind("invalid_lifecycle").kind == "barrier"
    assert kind("unsupported", "x")[:2] == ("none", "unsupported: x")


if __name__ == "__main__":
    main()
