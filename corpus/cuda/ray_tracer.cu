// also: debug clang
// Spheres by ray casting with reflection in a loop, and a bounding-volume walk with a stack.

struct Ray {
  float3 origin, direction;
};
struct Sphere {
  float3 centre;
  float radius;
  float3 colour;
  float mirror;
};
struct Box {
  float3 low;
  int left;
  float3 high;
  int right;
};

__constant__ Sphere spheres[16];

__device__ float3 operator+(float3 a, float3 b) {
  return make_float3(a.x + b.x, a.y + b.y, a.z + b.z);
}
__device__ float3 operator-(float3 a, float3 b) {
  return make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
}
__device__ float3 operator*(float3 a, float s) {
  return make_float3(a.x * s, a.y * s, a.z * s);
}
__device__ float dot(float3 a, float3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
__device__ float3 unit(float3 a) {
  return a * rsqrtf(dot(a, a));
}

__device__ float hit(const Sphere& s, const Ray& r) {
  float3 d = s.centre - r.origin;
  float b = dot(d, r.direction), q = b * b - dot(d, d) + s.radius * s.radius;
  return q < 0.0f ? -1.0f : b - sqrtf(q);
}

__global__ void render(uchar4* image, int width, int height, int count) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  Ray ray = {make_float3(0, 0, -4),
             unit(make_float3(2.0f * x / width - 1.0f, 1.0f - 2.0f * y / height, 1.5f))};
  float3 colour = make_float3(0, 0, 0);
  float weight = 1.0f;
  for (int bounce = 0; bounce < 4 && weight > 0.05f; ++bounce) {
    float nearest = 1e30f;
    int which = -1;
    for (int s = 0; s < count; ++s) {
      float t = hit(spheres[s], ray);
      if (t > 1e-3f && t < nearest) nearest = t, which = s;
    }
    if (which < 0) break;
    const Sphere& s = spheres[which];
    float3 p = ray.origin + ray.direction * nearest, n = unit(p - s.centre);
    float light = fmaxf(dot(n, unit(make_float3(-1, 2, -2))), 0.1f);
    colour = colour + s.colour * (weight * light * (1.0f - s.mirror));
    weight *= s.mirror;
    ray = {p, ray.direction - n * (2.0f * dot(ray.direction, n))};
  }
  image[y * width + x] = make_uchar4(__saturatef(colour.x) * 255, __saturatef(colour.y) * 255,
                                     __saturatef(colour.z) * 255, 255);
}

__global__ void walkBoxes(const Box* boxes, const Ray* rays, int* hits, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Ray r = rays[i];
  float3 inv = make_float3(1.0f / r.direction.x, 1.0f / r.direction.y, 1.0f / r.direction.z);
  int stack[24], top = 0, count = 0;
  stack[top++] = 0;
  while (top > 0) {
    const Box& b = boxes[stack[--top]];
    float x0 = (b.low.x - r.origin.x) * inv.x, x1 = (b.high.x - r.origin.x) * inv.x;
    float y0 = (b.low.y - r.origin.y) * inv.y, y1 = (b.high.y - r.origin.y) * inv.y;
    float z0 = (b.low.z - r.origin.z) * inv.z, z1 = (b.high.z - r.origin.z) * inv.z;
    float enter = fmaxf(fmaxf(fminf(x0, x1), fminf(y0, y1)), fminf(z0, z1));
    float leave = fminf(fminf(fmaxf(x0, x1), fmaxf(y0, y1)), fmaxf(z0, z1));
    if (enter > leave || leave < 0.0f) continue;
    if (b.left < 0) {
      ++count;
    } else if (top < 23) {
      stack[top++] = b.left;
      stack[top++] = b.right;
    }
  }
  hits[i] = count;
}

// LAUNCH: {"kernel": "render", "block": [16, 4], "grid": [1, 2], "args": ["buffer:512", "s32:16",
//   "s32:8", "s32:3"], "set": {"spheres":
//   "values:f32:0,0,0,1,0.9,0.2,0.1,0.3,1.5,0.5,0.5,0.7,0.1,0.8,0.3,0,-1.25,-0.5,0.25,0.6,0.2,0.3,0.9,0.5"}}
// LAUNCH: {"kernel": "walkBoxes", "block": 32, "args":
//   ["buffer:160:values:u32:0xc0400000,0xc0400000,0xc0400000,0x1,0x40400000,0x40400000,0x40400000,0x2,0xc0400000,0xc0400000,0xc0400000,0xffffffff,0x0,0x3f800000,0x40000000,0xffffffff,0x0,0xbf800000,0xc0000000,0x3,0x40400000,0x40400000,0x40400000,0x4,0x0,0xbf800000,0xc0000000,0xffffffff,0x3fc00000,0x3f800000,0x3f800000,0xffffffff,0x3f800000,0x0,0x0,0xffffffff,0x40400000,0x40400000,0x40400000,0xffffffff",
//   "buffer:768:random:f32:1", "buffer:128", "s32:32"]}
