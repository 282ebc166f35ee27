__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void reduction(__global const float* in, __global float* out, uint count) {
  __local float sums[256];
  const uint lane = local_id(x);
  float sum = 0.0f;
  for (uint i = group_id(x) * 4096u + lane; i < (group_id(x) + 1u) * 4096u && i < count; i += 256u)
    sum += in[i];
  sums[lane] = sum;
  group_barrier();
  for (uint half_size = 128u; half_size > 0u; half_size >>= 1) {
    if (lane < half_size)
      sums[lane] += sums[lane + half_size];
    group_barrier();
  }
  if (lane == 0u)
    out[group_id(x)] = sums[0];
}
