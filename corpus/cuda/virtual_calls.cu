// Virtual functions: shapes with constructors on the device, called through their tables.
#include <new>

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual float scale(float) { return 0.0f; }
  __device__ virtual ~Shape() {}
};

struct Circle : Shape {
  float radius;
  __device__ explicit Circle(float r) : radius(r) {}
  __device__ float area() const override { return 3.14159265f * radius * radius; }
  __device__ float scale(float f) override { return radius *= f; }
};

struct Rectangle : Shape {
  float width, height;
  __device__ Rectangle(float w, float h) : width(w), height(h) {}
  __device__ float area() const override { return width * height; }
};

struct Square : Rectangle {
  __device__ explicit Square(float s) : Rectangle(s, s) {}
  __device__ float scale(float f) override { return width *= f, height *= f; }
};

union Slot {
  char storage[sizeof(Rectangle)];
  double align;
};

__global__ void build(Shape** shapes, Slot* slots, const float* sizes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  switch (i % 3) {
    case 0:
      shapes[i] = new (&slots[i]) Circle(sizes[i]);
      break;
    case 1:
      shapes[i] = new (&slots[i]) Rectangle(sizes[i], 2.0f);
      break;
    default:
      shapes[i] = new (&slots[i]) Square(sizes[i]);
  }
}

__global__ void totalArea(Shape** shapes, float* out, int n) {
  __shared__ float tile[128];
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += 128) {
    sum += shapes[i]->area();
    sum -= shapes[i]->scale(0.5f);
  }
  tile[threadIdx.x] = sum;
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
    if (threadIdx.x < s) tile[threadIdx.x] += tile[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = tile[0];
}

// LAUNCH: {"kernel": "build", "block": 32, "args": ["buffer:160", "buffer:320",
//   "buffer:80:iota:f32:1:0.5", "s32:20"]}
// LAUNCH: {"kernel": "totalArea", "block": 128, "args":
//   ["buffer:80:values:u64:&arg0+32,&arg0+48,&arg0+64,0,&_ZTV6Circle+16,0x40000000,&_ZTV9Rectangle+16,0x4000000040400000,&_ZTV6Square+16,0x3fc000003fc00000",
//   "buffer:4", "s32:3"]}
