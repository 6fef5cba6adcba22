// Records of eight numbers, tiles of them in shared memory: many addresses with a common base.

struct Particle {
  float x, y, z, mass, vx, vy, vz, charge;
};

extern "C" __global__ void __launch_bounds__(256)
    moveParticles(const Particle* in, Particle* out, int n, float step) {
  __shared__ Particle tile[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  Particle mine = in[i];
  float ax = 0, ay = 0, az = 0;
  for (int from = 0; from < n; from += 256) {
    tile[threadIdx.x].x = in[from + threadIdx.x].x;
    tile[threadIdx.x].y = in[from + threadIdx.x].y;
    tile[threadIdx.x].z = in[from + threadIdx.x].z;
    __syncthreads();
    tile[threadIdx.x].mass = in[from + threadIdx.x].mass;
    tile[threadIdx.x].charge = in[from + threadIdx.x].charge;
    __syncthreads();
    for (int k = 0; k < 256; ++k) {
      const float dx = tile[k].x - mine.x, dy = tile[k].y - mine.y, dz = tile[k].z - mine.z;
      const float square = dx * dx + dy * dy + dz * dz + 0.01f;
      const float inverse = rsqrtf(square);
      const float force =
          (tile[k].mass - mine.charge * tile[k].charge) * inverse * inverse * inverse;
      ax += dx * force;
      ay += dy * force;
      az += dz * force;
    }
    __syncthreads();
  }
  mine.vx += step * ax;
  mine.vy += step * ay;
  mine.vz += step * az;
  mine.x += step * mine.vx;
  mine.y += step * mine.vy;
  mine.z += step * mine.vz;
  out[i] = mine;
}

// LAUNCH: {"kernel": "moveParticles", "grid": 264, "block": 256, "args": ["buffer:2162688:random:f32:12", "buffer:2162688", "s32:1024", "f32:0.01"]}
