// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

extern "C" __global__ void scaleBy(float* data, float factor);
