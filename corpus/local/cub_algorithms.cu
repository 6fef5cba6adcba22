// Block- and device-wide algorithms of CUB, instantiated for plain types. The PTX holds the
// library's code, so that it is made for a local run and not kept.
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

__global__ void __launch_bounds__(256) blockAlgorithms(int* data) {
  using Sort = cub::BlockRadixSort<int, 256, 4>;
  using Scan = cub::BlockScan<int, 256>;
  using Reduce = cub::BlockReduce<int, 256>;
  __shared__ union {
    typename Sort::TempStorage sort;
    typename Scan::TempStorage scan;
    typename Reduce::TempStorage reduce;
  } storage;
  int item[4];
  for (int k = 0; k < 4; ++k) item[k] = data[threadIdx.x * 4 + k];
  Sort(storage.sort).Sort(item);
  __syncthreads();
  Scan(storage.scan).InclusiveSum(item, item);
  __syncthreads();
  int total = Reduce(storage.reduce).Sum(item);
  __syncthreads();
  for (int k = 0; k < 4; ++k) data[threadIdx.x * 4 + k] = item[k] + (threadIdx.x == 0 ? total : 0);
}

// Taking the entry points is enough to instantiate their kernels.
void instantiate(void* temporary, size_t& bytes, unsigned* in, unsigned* out, float* values,
                 int n) {
  cub::DeviceRadixSort::SortKeys(temporary, bytes, in, out, n);
  cub::DeviceScan::ExclusiveSum(temporary, bytes, in, out, n);
  cub::DeviceReduce::Sum(temporary, bytes, values, values, n);
}
