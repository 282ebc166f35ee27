// A histogram by atomic operations in local memory, over a buffer of 64 MiB. The sample itself passes if its result
// differs from a reference that it never clears; this host wants them to be equal.
#include "sdk.hpp"

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv);
  sample.manner = sdk::kFinish;
  const cl_uint side = sample.size(2048), vectors = side * side, bins = 256;
  const char* const needed[] = {"cl_khr_byte_addressable_store", "cl_khr_global_int32_base_atomics",
                                "cl_khr_local_int32_base_atomics"};
  for (int n = 0; n < 3; ++n)
    expect(has_extension(sample.device, needed[n]), "Device does not support what is needed!");
  const std::size_t count = static_cast<std::size_t>(vectors) * 4, bytes = count * sizeof(cl_uint);
  std::vector<cl_uint> data(count), expected(bins), total(bins);
  cl_uint a = 1356, b = 1356;
  for (std::size_t n = 0; n < count; ++n) {
    const cl_uint word = data[n] = b = a * (b & 65535) + (b >> 16);
    for (cl_uint shift = 0; shift < 32; shift += 8) ++expected[word >> shift & 255];
  }
  sdk::Kernel kernel(sample, "histogramKernel"), reduce(sample, "reduceKernel");
  std::size_t required[3] = {0, 0, 0};
  check(clGetKernelWorkGroupInfo(kernel.get(), sample.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required,
                                 required, NULL),
        "CL_KERNEL_COMPILE_WORK_GROUP_SIZE");
  expect(required[0] == 256 && required[1] == 1 && required[2] == 1 && kernel.fit(256) % 256 == 0,
         "Device does not support work-group size of 256 on histogram kernel.");
  const cl_uint threads = vectors / 4 < 64 * 1024 ? vectors / 4 : 64 * 1024, each = vectors / threads;
  const cl_uint groups = threads / static_cast<cl_uint>(required[0]);
  std::vector<cl_uint> out(groups * bins);
  const cl_mem in = sample.buffer(CL_MEM_READ_ONLY | sdk::kPersistent, bytes);
  const cl_mem result = sample.buffer(CL_MEM_READ_WRITE, out.size() * sizeof(cl_uint));
  for (int n = 0; n < sample.iterations; ++n) {
    sample.write(in, &data[0], bytes);
    kernel.argument(in).argument(result).argument(each).run(threads, required[0]);
    reduce.argument(result).argument(groups).run(bins, required[0]);
    sample.read(result, &out[0], out.size() * sizeof(cl_uint));
  }
  total.assign(out.begin(), out.begin() + bins);
  return sample.verdict(sdk::same(total, expected));
}
