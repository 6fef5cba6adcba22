// also: O0 clang
// Control flow: dense switches (branch tables), an interpreter loop, gotos and irreducible shapes.

__global__ void interpret(const int2* program, float* memory, int length) {
  float stack[16];
  int top = 0, pc = 0;
  float* mine = memory + (blockIdx.x * blockDim.x + threadIdx.x) * 64;
  while (pc < length) {
    int2 op = program[pc++];
    switch (op.x) {
      case 0:
        stack[top++ & 15] = __int_as_float(op.y);
        break;
      case 1:
        --top;
        stack[(top - 1) & 15] += stack[top & 15];
        break;
      case 2:
        --top;
        stack[(top - 1) & 15] -= stack[top & 15];
        break;
      case 3:
        --top;
        stack[(top - 1) & 15] *= stack[top & 15];
        break;
      case 4:
        --top;
        stack[(top - 1) & 15] /= stack[top & 15];
        break;
      case 5:
        stack[(top - 1) & 15] = sqrtf(stack[(top - 1) & 15]);
        break;
      case 6:
        stack[top & 15] = stack[(top - 1) & 15];
        ++top;
        break;
      case 7:
        stack[top++ & 15] = mine[op.y & 63];
        break;
      case 8:
        mine[op.y & 63] = stack[--top & 15];
        break;
      case 9:
        pc = op.y;
        break;
      case 10:
        if (stack[--top & 15] > 0.0f) pc = op.y;
        break;
      case 11:
        __syncthreads();
        break;
      case 12:
        return;
      default:
        __trap();
    }
  }
}

__device__ __noinline__ int classify(int c) {
  switch (c) {
    case 'a':
    case 'e':
    case 'i':
    case 'o':
    case 'u':
      return 1;
    case ' ':
    case '\n':
    case '\t':
      return 2;
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
      return 3;
    default:
      return c > 127 ? 4 : 0;
  }
}

__global__ void countClasses(const char* text, int* counts, int n) {
  __shared__ int local[5];
  if (threadIdx.x < 5) local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&local[classify(text[i])], 1);
  __syncthreads();
  if (threadIdx.x < 5) atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

__global__ void irreducible(int* data, int n) {
  int i = threadIdx.x, v = data[i];
  if (v & 1) goto odd;
even:
  v >>= 1;
  if (v <= 1 || --n < 0) goto done;
  if (!(v & 1)) goto even;
odd:
  v = 3 * v + 1;
  if (--n >= 0) goto even;
done:
  data[i] = v;
}

// LAUNCH: {"kernel": "interpret", "block": 32, "args":
//   ["buffer:216:values:u32:7,0,6,0,3,0,0,0x3f800000,1,0,5,0,8,1,11,0,7,1,0,0x3f000000,2,0,8,2,0,0x40400000,8,3,7,3,0,0xbf800000,1,0,6,0,8,3,10,14,0,0x41200000,7,1,4,0,8,4,9,26,99,0,12,0",
//   "buffer:8192:random:f32:1", "s32:27"]}
// LAUNCH: {"kernel": "countClasses", "block": 32, "args": ["buffer:100:random:u8:1", "buffer:20",
//   "s32:100"]}
// LAUNCH: {"kernel": "irreducible", "block": 64, "args": ["buffer:256:iota:s32:1", "s32:50"]}
