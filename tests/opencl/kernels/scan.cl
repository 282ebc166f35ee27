// Inclusive sums of blocks, then what the blocks before a block add up to.
__kernel void scan_blocks(__local int *tile, __global const int *in, __global int *out, __global int *totals, int n) {
  const int lane = (int)get_local_id(0), width = (int)get_local_size(0), i = (int)get_global_id(0);
  tile[lane] = i < n ? in[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 1; step < width; step *= 2) {
    const int other = lane >= step ? tile[lane - step] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[lane] += other;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i < n) out[i] = tile[lane];
  if (lane == width - 1) totals[get_group_id(0)] = tile[lane];
}

__kernel void add_totals(__global int *out, __global const int *totals, int n) {
  const int i = (int)get_global_id(0), block = (int)get_group_id(0);
  int sum = 0;
  for (int b = 0; b < block; ++b) sum += totals[b];
  if (i < n) out[i] += sum;
}
