__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void scan(__global const uint* in, __global uint* out) {
  __local uint sums[2][256];
  const uint lane = local_id(x), i = global_id(x);
  uint from = 0u;
  sums[0][lane] = in[i];
  group_barrier();
  for (uint distance = 1u; distance < 256u; distance <<= 1) {
    uint sum = sums[from][lane];
    if (lane >= distance)
      sum += sums[from][lane - distance];
    from = 1u - from;
    sums[from][lane] = sum;
    group_barrier();
  }
  out[i] = sums[from][lane];
}
