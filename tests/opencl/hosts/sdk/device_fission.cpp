// A copy on a device and on each of its parts, which the extension makes: one program with a binary for every part.
#include "sdk.hpp"

#include <cstring>
#include <iostream>

typedef cl_int(CL_API_CALL* CreateSubDevices)(cl_device_id, const cl_device_partition_property_ext*, cl_uint,
                                              cl_device_id*, cl_uint*);

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv);
  sample.manner = sdk::kFinish;
  cl_int status;
  expect(has_extension(sample.device, "cl_ext_device_fission"), "Device does not support device fission extension!");
  void* const address = clGetExtensionFunctionAddress("clCreateSubDevicesEXT");
  expect(address != NULL, "clCreateSubDevicesEXT is not there");
  CreateSubDevices createSubDevices;
  std::memcpy(&createSubDevices, &address, sizeof address);
  const cl_device_partition_property_ext parted[] = {CL_DEVICE_PARTITION_EQUALLY_EXT, 1, CL_PROPERTIES_LIST_END_EXT};
  cl_uint count = 0;
  check(createSubDevices(sample.device, parted, 0, NULL, &count), "clCreateSubDevicesEXT");
  std::vector<cl_device_id> parts(count);
  check(createSubDevices(sample.device, parted, count, &parts[0], NULL), "clCreateSubDevicesEXT");
  std::cout << count << " parts" << std::endl;
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)sample.platform, 0};
  cl_context context = clCreateContext(properties, count, &parts[0], NULL, NULL, &status);
  check(status, "clCreateContext");

  const cl_uint group = 64, multiple = group * count, length = (sample.size(1024) + multiple - 1) / multiple * multiple;
  const std::size_t bytes = length * sizeof(float), share = bytes / count;
  std::vector<float> in(length), whole(length), shares(length);
  sdk::Random random;
  for (cl_uint n = 0; n < length; ++n) in[n] = 5.0f * random.unit();
  const cl_mem source = sample.buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, &in[0]);
  const cl_mem target = sample.buffer(CL_MEM_WRITE_ONLY | CL_MEM_USE_HOST_PTR, bytes, &whole[0]);
  const cl_program program = sample.load(context, parts, NULL);
  {
    sdk::Kernel copy(sample, "copy"), part(sample, "copy", program);
    copy.argument(source).argument(target).run(length, copy.fit(group));
    sample.read(target, &whole[0], bytes);
    cl_mem out = clCreateBuffer(context, CL_MEM_WRITE_ONLY, share, NULL, &status);
    check(status, "clCreateBuffer");
    for (cl_uint n = 0; n < count; ++n) {
      cl_command_queue queue = clCreateCommandQueue(context, parts[n], 0, &status);
      check(status, "clCreateCommandQueue");
      float* const first = &in[n * (length / count)];
      cl_mem from = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, share, first, &status);
      check(status, "clCreateBuffer");
      const std::size_t global = length / count, local = group;
      check(clSetKernelArg(part.get(), 0, sizeof from, &from), "clSetKernelArg");
      check(clSetKernelArg(part.get(), 1, sizeof out, &out), "clSetKernelArg");
      check(clEnqueueNDRangeKernel(queue, part.get(), 1, NULL, &global, &local, 0, NULL, NULL), "a launch on a part");
      check(clFinish(queue), "clFinish");
      float* const to = &shares[n * (length / count)];
      check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, share, to, 0, NULL, NULL), "clEnqueueReadBuffer");
      check(clReleaseMemObject(from), "clReleaseMemObject");
      check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
    }
    check(clReleaseMemObject(out), "clReleaseMemObject");
  }
  check(clReleaseProgram(program), "clReleaseProgram");
  check(clReleaseContext(context), "clReleaseContext");
  return sample.verdict(sdk::same(whole, in) && sdk::same(shares, in));
}
