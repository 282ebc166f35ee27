__kernel void convolution(__global const float* in, __constant float* weights, __global float* out, int width,
                          int height) {
  const int x = (int)global_id(x), y = (int)global_id(y);
  float sum = 0.0f;
  for (int dy = -2; dy <= 2; ++dy)
    for (int dx = -2; dx <= 2; ++dx) {
      const int from_x = x + dx, from_y = y + dy;
      if (from_x >= 0 && from_x < width && from_y >= 0 && from_y < height)
        sum += in[from_y * width + from_x] * weights[(dy + 2) * 5 + dx + 2];
    }
  out[y * width + x] = sum;
}
