// Sums of work-groups in local memory that the host gives, then the sum of those by one work-item.
__kernel void sum_groups(__local uint *part, __global const uint *in, __global uint *sums, uint count) {
  const uint lane = get_local_id(0);
  uint sum = 0;
  for (uint i = get_global_id(0); i < count; i += get_global_size(0)) sum += in[i];
  part[lane] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
    if (lane < half_size) part[lane] += part[lane + half_size];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lane == 0) sums[get_group_id(0)] = part[0];
}

__kernel void sum_rest(__global const uint *sums, __global uint *total, uint groups) {
  uint sum = 0;
  for (uint i = 0; i < groups; ++i) sum += sums[i];
  *total = sum;
}
