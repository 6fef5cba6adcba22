# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints kernels with values of all kinds, each masked, extended, compared and shifted.

What early-cse knows of the bits of a value, and analyses of its range, decides about each of these
uses.  The result of a thread is a checksum over all of them.
"""

# Definitions of %v, from %a, %b (32 bits), %w (64), %h (16), %f and %p, which hold random numbers.
DEFINITIONS = """
ld.global.f32 %v, [%in];
ld.global.s8 %v, [%in+1];
ld.global.u8 %v, [%in+1];
ld.global.s16 %v, [%in+2];
ld.global.b8 %v, [%in+3];
rem.s32 %v, %a, 8;
rem.u32 %v, %a, 8;
rem.u32 %v, %a, %b;
div.u32 %v, %a, 16;
div.s32 %v, %a, 16;
div.u32 %v, %a, %b;
mov.u32 %v, %ntid.x;
mov.u32 %v, %tid.w;
mov.u32 %v, %ctaid.w;
mov.u32 %v, %ntid.w;
mov.u32 %v, %nctaid.y;
mov.u32 %v, %laneid;
mov.u32 %v, %lanemask_lt;
mov.u32 %v, WARP_SZ;
mov.u32 %v, -3;
cvt.u32.u8 %v, %h;
cvt.s32.s8 %v, %h;
cvt.u32.u16 %v, %h;
cvt.s32.s16 %v, %h;
cvt.u32.s16 %v, %h;
cvt.s32.u16 %v, %h;
cvt.u32.u64 %v, %w;
cvt.s32.s64 %v, %w;
cvt.sat.u32.s32 %v, %a;
cvt.sat.s32.u32 %v, %a;
cvt.u8.u32 %v, %a;
cvt.s8.u32 %v, %a;
cvt.rzi.u32.f32 %v, %f;
cvt.rni.s32.f32 %v, %f;
shl.b32 %v, %a, 24;
shl.b32 %v, %a, 40;
shl.b32 %v, %a, %b;
shr.u32 %v, %a, 24;
shr.s32 %v, %a, 24;
shr.u32 %v, %a, 33;
shr.s32 %v, %a, 33;
shr.u32 %v, %a, %b;
bfe.u32 %v, %a, 4, 8;
bfe.s32 %v, %a, 4, 8;
bfe.u32 %v, %a, %b, 8;
bfi.b32 %v, %a, %b, 4, 8;
popc.b32 %v, %a;
clz.b32 %v, %a;
bfind.u32 %v, %a;
brev.b32 %v, %a;
popc.b64 %v, %w;
mul.hi.u32 %v, %a, %b;
mul.hi.s32 %v, %a, 5;
mul.lo.u32 %v, %a, 16;
mul24.lo.u32 %v, %a, 4;
mul24.hi.u32 %v, %a, %b;
mad.hi.u32 %v, %a, 4, %b;
mad.lo.s32 %v, %a, 4, 3;
mad24.lo.u32 %v, %a, 4, %b;
sad.u32 %v, %a, %b, 7;
mul.wide.u16 %v, %h, 256;
mad.wide.s16 %v, %h, 4, %a;
min.u32 %v, %a, 200;
max.u32 %v, %a, 200;
min.s32 %v, %a, 200;
max.s32 %v, %a, -1;
min.u32 %v, %a, %b;
abs.s32 %v, %a;
neg.s32 %v, %a;
not.b32 %v, %a;
cnot.b32 %v, %a;
selp.b32 %v, 3, 12, %p;
selp.b32 %v, %a, %b, %p;
slct.s32.s32 %v, %a, 4, %b;
slct.u32.f32 %v, 5, 4, %f;
set.lt.u32.s32 %v, %a, %b;
set.lt.f32.s32 %v, %a, %b;
lop3.b32 %v, %a, %b, 255, 0x80;
prmt.b32 %v, %a, %b, 0x4440;
prmt.b32 %v, %a, 0, 0x4321;
shf.l.wrap.b32 %v, %a, %b, 8;
shf.r.clamp.b32 %v, %a, 0, 40;
dp4a.u32.u32 %v, %a, %b, 3;
szext.clamp.u32 %v, %a, 5;
bmsk.clamp.b32 %v, 4, 8;
fns.b32 %v, %a, 0, 1;
add.sat.s32 %v, %a, 100;
sub.sat.s32 %v, %a, %b;
vadd.u32.u32.u32 %v, %a.b0, %b.h1;
vmax.s32.u32.s32 %v, %a.b3, %b;
mov.b32 %v, {%h, 0};
mov.b32 {%h, %hh}, %a; mov.b32 %v, {%hh, %h};
@%p mov.u32 %v, 7;
@!%p and.b32 %v, %a, 15;
add.cc.u32 %x, %a, %b; addc.u32 %v, 0, 0;
sub.cc.u32 %x, %a, %b; subc.u32 %v, 0, 0;
mov.b32 %v, %f;
atom.global.add.u32 %v, [%in+64], 0;
ld.const.u8 %v, [tab+1];
ld.const.s16 %v, [tab];
ld.param.u8 %v, [n];
ld.param.s8 %v, [n];
ld.param.u16 %v, [n];
vote.sync.ballot.b32 %v, %p, -1;
shfl.sync.idx.b32 %v, %a, 0, 31, -1;
shfl.sync.down.b32 %v, %a, 1, 31, -1;
match.any.sync.b32 %v, %b, -1;
activemask.b32 %v;
isspacep.global %q, %in; selp.b32 %v, 1, 2, %q;
""".strip().splitlines()

USES = """
and.b32 %m, %v, 255; mad.lo.u32 %s, %s, 5, %m;
and.b32 %m, %v, 1; mad.lo.u32 %s, %s, 5, %m;
and.b32 %m, %v, 0x7fffffff; mad.lo.u32 %s, %s, 5, %m;
and.b32 %m, %v, 0xffff; mad.lo.u32 %s, %s, 5, %m;
cvt.u64.u32 %w1, %v; and.b64 %w1, %w1, 0xffffffff; cvt.u32.u64 %x, %w1; xor.b32 %s, %s, %x;
cvt.s64.s32 %w1, %v; shr.u64 %w1, %w1, 32; cvt.u32.u64 %x, %w1; add.u32 %s, %s, %x;
setp.lt.u32 %q, %v, 512; selp.b32 %x, 3, 4, %q; add.u32 %s, %s, %x;
shl.b32 %x, %v, 8; shr.u32 %x, %x, 8; xor.b32 %s, %s, %x;
"""

HEAD = """
// LAUNCH: {"kernel": "NAME", "block": [32], "args": ["buffer:4K:random:u32:5", "buffer:8K", "u32:4242"]}
.visible .entry NAME(.param .u64 p, .param .u64 o, .param .u32 n)
{
.reg .b16 %h, %hh; .reg .b32 %a, %b, %v, %s, %t, %x, %m; .reg .b64 %in, %out, %off, %w, %w1;
.reg .f32 %f; .reg .pred %p, %q;
ld.param.u64 %in, [p]; ld.param.u64 %out, [o]; mov.u32 %t, %tid.x;
mul.wide.u32 %off, %t, 128; add.u64 %in, %in, %off; mul.wide.u32 %off, %t, 4; add.u64 %out, %out, %off;
ld.global.u32 %a, [%in+16]; ld.global.u32 %b, [%in+20]; ld.global.u64 %w, [%in+24];
ld.global.f32 %f, [%in+32]; abs.f32 %f, %f; min.f32 %f, %f, 0f42C80000; ld.global.u16 %h, [%in+36];
or.b32 %b, %b, 1; setp.lt.u32 %p, %t, 9; mov.u32 %v, 3; mov.u32 %s, 0;"""

KERNELS = 4

if __name__ == "__main__":
    print(".version 8.3\n.target sm_80\n.address_size 64")
    print(".const .align 4 .b32 tab[4] = {0x01F2F384, 2, 3, 4};")
    for kernel in range(KERNELS):
        print(HEAD.replace("NAME", f"values{kernel}"))
        for definition in DEFINITIONS[kernel::KERNELS]:
            print(definition + USES, end="")
        print("st.global.u32 [%out], %s;\nret;\n}")
