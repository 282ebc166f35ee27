// The mean of two texels side by side, times `gain`. The container of this kernel is hand-written (binaries.cpp).
__kernel void blend(read_only image2d_t from, write_only image2d_t to, sampler_t by, float gain) {
  const int x = (int)get_global_id(0), y = (int)get_global_id(1);
  const float4 left = read_imagef(from, by, (float2)(x + 0.5f, y + 0.5f));
  const float4 right = read_imagef(from, by, (float2)(x + 1.5f, y + 0.5f));
  if (x < get_image_width(to) && y < get_image_height(to)) write_imagef(to, (int2)(x, y), (left + right) * gain);
}
