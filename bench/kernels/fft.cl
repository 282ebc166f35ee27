__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void fft(__global const float2* in, __global float2* out, __global const float2* twiddles) {
  __local float2 points[256];
  const uint lane = local_id(x), first = group_id(x) * 256u;
  for (uint k = lane; k < 256u; k += 128u) {
    uint reversed = 0u;
    for (uint bit = 0u; bit < 8u; ++bit)
      reversed |= (k >> bit & 1u) << (7u - bit);
    points[reversed] = in[first + k];
  }
  group_barrier();
  for (uint half_size = 1u; half_size < 256u; half_size <<= 1) {
    const uint inside = lane & (half_size - 1u), at = ((lane - inside) << 1) + inside;
    const float2 w = twiddles[inside * (128u / half_size)];
    const float2 a = points[at], b = points[at + half_size];
    const float2 t = (float2)(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
    points[at] = a + t;
    points[at + half_size] = a - t;
    group_barrier();
  }
  for (uint k = lane; k < 256u; k += 128u)
    out[first + k] = points[k];
}
