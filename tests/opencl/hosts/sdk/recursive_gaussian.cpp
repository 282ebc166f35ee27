// A picture blurred by a recursive filter along its columns, transposed, blurred and transposed again: many floats as
// arguments, and loops as long as the picture is high.
#include "sdk.hpp"

#include <cmath>
#include <cstdlib>

namespace {

struct Filter {
  float a0, a1, a2, a3, b1, b2, coefp, coefn;
};

Filter filter(float sigma) {
  Filter out;
  const float alpha = 1.695f / sigma, e = std::exp(-alpha), e2 = std::exp(-2.0f * alpha);
  const float k = (1.0f - e) * (1.0f - e) / (1.0f + 2.0f * alpha * e - e2);
  out.a0 = k, out.a1 = k * (alpha - 1.0f) * e, out.a2 = k * (alpha + 1.0f) * e, out.a3 = -k * e2;
  out.b1 = -2.0f * e, out.b2 = e2;
  out.coefp = (out.a0 + out.a1) / (1.0f + out.b1 + out.b2), out.coefn = (out.a2 + out.a3) / (1.0f + out.b1 + out.b2);
  return out;
}

// Columns, and the picture transposed.
std::vector<cl_uchar> blurred(const std::vector<cl_uchar>& in, cl_uint width, cl_uint height, const Filter& f) {
  std::vector<cl_uchar> out(in.size());
  std::vector<float> forward(height);
  for (cl_uint x = 0; x < width; ++x)
    for (cl_uint c = 0; c < 4; ++c) {
      float xp = 0, yp = 0, yb = 0, xn = 0, xa = 0, yn = 0, ya = 0;
      for (cl_uint y = 0; y < height; ++y) {
        const float now = in[(y * width + x) * 4 + c], value = f.a0 * now + f.a1 * xp - f.b1 * yp - f.b2 * yb;
        forward[y] = static_cast<float>(static_cast<cl_uchar>(value));
        xp = now, yb = yp, yp = value;
      }
      for (cl_uint y = height; y-- > 0;) {
        const float now = in[(y * width + x) * 4 + c], value = f.a2 * xn + f.a3 * xa - f.b1 * yn - f.b2 * ya;
        xa = xn, xn = now, ya = yn, yn = value;
        out[(x * height + y) * 4 + c] = static_cast<cl_uchar>(forward[y] + value);
      }
    }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv);
  const cl_uint width = sample.size(256), height = width;
  std::vector<cl_uchar> in = sdk::picture(width, height), out(in.size());
  const cl_mem image = sample.buffer(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, in.size(), &in[0]);
  const cl_mem between = sample.buffer(CL_MEM_READ_WRITE, in.size());
  const cl_mem result = sample.buffer(CL_MEM_WRITE_ONLY | CL_MEM_USE_HOST_PTR, out.size(), &out[0]);
  sdk::Kernel blur(sample, "RecursiveGaussian_kernel"), transpose(sample, "transpose_kernel");
  const std::size_t local = blur.fit(256);
  const sdk::Size tile = transpose.square(256);
  const cl_uint block = static_cast<cl_uint>(tile.at[0]);
  const Filter f = filter(10.0f);
  const std::vector<cl_uchar> original(in);
  for (int n = 0; n < sample.iterations; ++n) {
    in = original;
    sample.write(image, &original[0], original.size());
    for (int turn = 0; turn < 2; ++turn) {
      const cl_uint across = turn == 0 ? width : height, down = turn == 0 ? height : width;
      blur.argument(image).argument(between).argument(across).argument(down).argument(f.a0).argument(f.a1).argument(
          f.a2);
      blur.argument(f.a3).argument(f.b1).argument(f.b2).argument(f.coefp).argument(f.coefn);
      blur.run(sdk::Size(across, 1), sdk::Size(local, 1));
      transpose.argument(turn == 0 ? image : result).argument(between).local(block * block * sizeof(cl_uchar4));
      transpose.argument(across).argument(down).argument(block).run(sdk::Size(across, down), tile);
    }
    sample.read(result, &out[0], out.size());
  }
  const std::vector<cl_uchar> expected = blurred(blurred(original, width, height, f), height, width, f);
  // A value near a whole number may be cut to either side, in each of the four passes.
  std::size_t beside = 0;
  for (std::size_t n = 0; n < out.size(); ++n) {
    const int error = std::abs(out[n] - expected[n]);
    if (error > 2) return sample.verdict(false);
    if (error > 0) ++beside;
  }
  return sample.verdict(beside * 100 <= out.size());
}
