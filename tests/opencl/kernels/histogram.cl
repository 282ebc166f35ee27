// How often each of 64 values occurs; `bins` begins as zeroes and is shared by all work-groups.
__kernel void count_values(__global uint *bins, __global const uint *in, uint per_item) {
  __local uint counts[64];
  const uint lane = get_local_id(0);
  if (lane < 64) counts[lane] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint n = 0; n < per_item; ++n)
    atomic_add(&counts[in[(get_group_id(0) * per_item + n) * get_local_size(0) + lane] & 63], 1u);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane < 64) atomic_add(&bins[lane], counts[lane]);
}
