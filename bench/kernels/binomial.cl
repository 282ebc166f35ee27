// The value of a call option on a lattice of 255 steps, one option a work-group.
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void binomial(__global const float4* options, __global float* values) {
  __local float lattice[256];
  const uint lane = local_id(x);
  const float4 option = options[group_id(x)];  // price at the lowest end, growth a step, strike, discounted probability
  float price = option.x;
  for (uint n = 0u; n < lane; ++n)
    price *= option.y;
  lattice[lane] = price > option.z ? price - option.z : 0.0f;
  group_barrier();
  for (uint step = 255u; step > 0u; --step) {
    float value = 0.0f;
    if (lane < step)
      value = option.w * lattice[lane + 1u] + (0.999f - option.w) * lattice[lane];
    group_barrier();
    if (lane < step)
      lattice[lane] = value;
    group_barrier();
  }
  if (lane == 0u)
    values[group_id(x)] = lattice[0];
}
