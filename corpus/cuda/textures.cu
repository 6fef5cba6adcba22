// Texture and surface objects: filtered fetches, layers, cube maps, gather, surface reads and
// writes.

__global__ void rotateImage(cudaTextureObject_t image, float* out, int width, int height,
                            float theta) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float u = x / float(width) - 0.5f, v = y / float(height) - 0.5f, s, c;
  sincosf(theta, &s, &c);
  out[y * width + x] = tex2D<float>(image, u * c - v * s + 0.5f, v * c + u * s + 0.5f);
}

__global__ void gatherTexture(cudaTextureObject_t line, const int* index, float4* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<float4>(line, index[i]);
}

__global__ void sampleMany(cudaTextureObject_t volume, cudaTextureObject_t cube,
                           cudaTextureObject_t layers, cudaTextureObject_t plane, float4* out,
                           int n) {
  int i = threadIdx.x;
  float t = float(i) / n;
  float4 a = tex3D<float4>(volume, t, 1.0f - t, 0.5f);
  float4 b = texCubemap<float4>(cube, t, -t, 1.0f);
  float4 c = tex2DLayered<float4>(layers, t, t, i & 3);
  float4 d = tex2DLod<float4>(plane, t, t, 2.0f);
  float4 e = tex2Dgather<float4>(plane, t, t, 1);
  out[i] = make_float4(a.x + b.x + c.x, a.y + b.y + d.y, a.z + c.z + e.z, a.w * d.w * e.w);
}

__global__ void boxBlurSurface(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width,
                               int height) {
  __shared__ uchar4 tile[18][18];
  int x0 = blockIdx.x * 16 - 1, y0 = blockIdx.y * 16 - 1;
  for (int i = threadIdx.y * 16 + threadIdx.x; i < 18 * 18; i += 256) {
    uchar4 p;
    surf2Dread(&p, from, (x0 + i % 18) * 4, y0 + i / 18, cudaBoundaryModeClamp);
    tile[i / 18][i % 18] = p;
  }
  __syncthreads();
  int sum[3] = {};
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) {
      uchar4 p = tile[threadIdx.y + dy][threadIdx.x + dx];
      sum[0] += p.x;
      sum[1] += p.y;
      sum[2] += p.z;
    }
  uchar4 q = make_uchar4(sum[0] / 9, sum[1] / 9, sum[2] / 9, 255);
  if (x0 + 1 + threadIdx.x < width && y0 + 1 + threadIdx.y < height)
    surf2Dwrite(q, to, (x0 + 1 + threadIdx.x) * 4, y0 + 1 + threadIdx.y);
}

// LAUNCH: {"kernel": "rotateImage", "block": [16, 16], "grid": [2, 2], "buffers": {"pixels":
//   "buffer:2048:random:f32:5"}, "args": [
//   "texture:&pixels:f32:32,16:filter=linear:address=wrap:normalized=1", "buffer:1600", "s32:20",
//   "s32:20", "f32:0.5"]}
// LAUNCH: {"kernel": "gatherTexture", "block": [32], "grid": [2], "buffers": {"texels":
//   "buffer:768:random:f32:3"}, "args": ["texture:&texels:f32x4:48:address=border",
//   "buffer:200:small:s32:9:64", "buffer:800", "s32:50"]}
// LAUNCH: {"kernel": "boxBlurSurface", "block": [16, 16], "grid": [2, 2], "buffers": {"from":
//   "buffer:1440:random:u8:7", "to": "buffer:1440"}, "args": ["surface:&from:u8x4:20,18",
//   "surface:&to:u8x4:20,18", "s32:20", "s32:18"]}
// LAUNCH: {"kernel": "sampleMany", "block": 20, "buffers": {"voxels": "buffer:4096:random:f32:1",
//   "faces": "buffer:6144:random:f32:2", "pages": "buffer:4096:random:f32:3", "texels":
//   "buffer:4096:random:f32:4"}, "args": [
//   "texture:&voxels:f32x4:16,8,2:filter=linear:normalized=1",
//   "texture:&faces:f32x4:8,8:cube=1:normalized=1",
//   "texture:&pages:f32x4:8,8:layers=4:normalized=1",
//   "texture:&texels:f32x4:16,16:filter=linear:normalized=1", "buffer:320", "s32:20"]}
