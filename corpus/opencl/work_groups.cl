// Work-group kernels: local memory as a parameter and as a variable, vectors, a required size.

kernel void reduce(global const float* in, global float* out, local float* tile, int n) {
  int t = LOCAL_ID(x);
  tile[t] = GLOBAL_ID(x) < n ? in[GLOBAL_ID(x)] : 0.0f;
  BARRIER();
  for (int s = LOCAL_SIZE(x) / 2; s > 0; s >>= 1) {
    if (t < s) tile[t] += tile[t + s];
    BARRIER();
  }
  if (t == 0) out[GROUP_ID(x)] = tile[0];
}

kernel __attribute__((reqd_work_group_size(16, 16, 1))) void transpose(global const float* in,
                                                                       global float* out,
                                                                       int width) {
  local float tile[16][17];
  int x = GLOBAL_ID(x), y = GLOBAL_ID(y);
  tile[LOCAL_ID(y)][LOCAL_ID(x)] = in[y * width + x];
  BARRIER();
  out[(GROUP_ID(x) * 16 + LOCAL_ID(y)) * width + GROUP_ID(y) * 16 + LOCAL_ID(x)] =
      tile[LOCAL_ID(x)][LOCAL_ID(y)];
}

kernel void blend(global const float4* a, global const float4* b, global float4* out, float t) {
  out[GLOBAL_ID(x)] = a[GLOBAL_ID(x)] * (1.0f - t) + b[GLOBAL_ID(x)].wzyx * t;
}

constant int weights[5] = {1, 4, 6, 4, 1};

kernel void smooth(global const int* in, global int* out, int n) {
  local int tile[260];
  int t = LOCAL_ID(x), i = GLOBAL_ID(x);
  tile[t + 2] = in[i];
  if (t < 2) {
    tile[t] = i >= 2 ? in[i - 2] : 0;
    tile[t + 258] = i + 256 < n ? in[i + 256] : 0;
  }
  BARRIER();
  int sum = 0;
  for (int k = 0; k < 5; ++k) sum += weights[k] * tile[t + k];
  BARRIER();
  out[i] = sum / 16;
}

// LAUNCH: {"kernel": "reduce", "block": 64, "grid": 2, "shared": 256, "args":
//   ["buffer:400:small:f32:1", "buffer:8", "u64:1024", "s32:100"]}
// LAUNCH: {"kernel": "transpose", "block": [16, 16], "grid": [2, 2], "args":
//   ["buffer:4096:random:f32:1", "buffer:4096", "s32:32"]}
// LAUNCH: {"kernel": "blend", "block": 32, "grid": 2, "args": ["buffer:1024:small:f32:1",
//   "buffer:1024:small:f32:2", "buffer:1024", "f32:0.25"]}
// LAUNCH: {"kernel": "smooth", "block": 256, "grid": 2, "args": ["buffer:2048:random:s32:1",
//   "buffer:2048", "s32:512"]}
