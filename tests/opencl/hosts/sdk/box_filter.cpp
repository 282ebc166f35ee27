// A picture blurred in two ways: by a table of sums made in passes that swap their buffers, and by rows and columns,
// with and without local memory; all timed by profiling.
#include "sdk.hpp"

#include <algorithm>

namespace {

const cl_uint kFilter = 9;

// Sums of a window around each pixel, or nothing near the border; `tall` and `wide`: in which directions.
std::vector<cl_uchar> blurred(const std::vector<cl_uchar>& in, cl_int width, cl_int height, bool wide, bool tall) {
  const cl_int k = (kFilter - 1) / 2, across = wide ? k : 0, down = tall ? k : 0;
  std::vector<cl_uchar> out(in.size());
  for (cl_int y = down; y < height - down; ++y)
    for (cl_int x = across; x < width - across; ++x)
      for (cl_int c = 0; c < 4; ++c) {
        cl_int sum = 0;
        for (cl_int j = -down; j <= down; ++j)
          for (cl_int i = -across; i <= across; ++i) sum += in[((y + j) * width + x + i) * 4 + c];
        out[(y * width + x) * 4 + c] = static_cast<cl_uchar>(sum / ((2 * across + 1) * (2 * down + 1)));
      }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv, "", CL_QUEUE_PROFILING_ENABLE);
  sample.manner = sdk::kFinish;
  const cl_int width = static_cast<cl_int>(sample.size(256)), height = width, radix = 2;
  std::vector<cl_uchar> in = sdk::picture(width, height), out(in.size());
  const cl_mem image = sample.buffer(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, in.size(), &in[0]);
  const cl_mem result = sample.buffer(CL_MEM_WRITE_ONLY | CL_MEM_USE_HOST_PTR, out.size(), &out[0]);
  cl_mem sums = sample.buffer(CL_MEM_READ_WRITE, in.size() * 4);
  cl_mem other = sample.buffer(CL_MEM_READ_WRITE, in.size() * 4);
  const cl_mem rows = sample.buffer(CL_MEM_READ_WRITE, in.size());
  const sdk::Size global(width, height), local(256, 1);
  sdk::Kernel first(sample, "horizontalSAT0"), next(sample, "horizontalSAT"), vertical(sample, "verticalSAT");
  sdk::Kernel box(sample, "box_filter");
  first.argument(image).argument(sums).argument(0).argument(radix).argument(width).run(global, local);
  cl_int passes = 0;
  while (1 << passes < width) ++passes;
  for (cl_int pass = 1; pass < passes; ++pass, std::swap(sums, other))
    next.argument(sums).argument(other).argument(pass).argument(radix).argument(width).run(global, local);
  for (cl_int pass = 0; pass < passes; ++pass, std::swap(sums, other))
    vertical.argument(sums).argument(other).argument(pass).argument(radix).argument(width).run(global, local);
  box.argument(sums).argument(result).argument(kFilter).run(global, local);
  sample.read(result, &out[0], out.size());
  bool right = sdk::same(out, blurred(in, width, height, true, true));

  sdk::Kernel across(sample, "box_filter_horizontal"), inLocal(sample, "box_filter_horizontal_local");
  sdk::Kernel down(sample, "box_filter_vertical");
  across.argument(image).argument(rows).argument(kFilter).run(global, local);
  down.argument(rows).argument(result).argument(kFilter).run(global, local);
  sample.read(result, &out[0], out.size());
  const std::vector<cl_uchar> blurredRows = blurred(in, width, height, true, false);
  right = right && sdk::same(out, blurred(blurredRows, width, height, false, true));
  // It leaves out the apron.
  const std::vector<cl_uchar> nothing(in.size());
  sample.write(rows, &nothing[0], nothing.size());
  inLocal.argument(image).argument(rows).argument(kFilter).local((256 + kFilter - 1) * sizeof(cl_uchar4));
  inLocal.run(global, local);
  sample.read(rows, &out[0], out.size());
  return sample.verdict(right && sdk::same(out, blurredRows));
}
