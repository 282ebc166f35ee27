__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void histogram(__global const uint* in, __global uint* bins, uint per_item) {
  __local uint counts[256];
  const uint lane = local_id(x);
  counts[lane] = 0u;
  group_barrier();
  for (uint n = 0u; n < per_item; ++n) {
    const uint four = in[(group_id(x) * per_item + n) * 256u + lane];
    add_atomic(&counts[four & 255u], 1u);
    add_atomic(&counts[four >> 8 & 255u], 1u);
    add_atomic(&counts[four >> 16 & 255u], 1u);
    add_atomic(&counts[four >> 24], 1u);
  }
  group_barrier();
  add_atomic(&bins[lane], counts[lane]);
}
