__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void matrix(__global const float* a, __global const float* b, __global float* c, uint n) {
  __local float tile_a[16][16], tile_b[16][16];
  const uint x = local_id(x), y = local_id(y), column = global_id(x), row = global_id(y);
  float sum = 0.0f;
  for (uint tile = 0u; tile < n; tile += 16u) {
    tile_a[y][x] = a[row * n + tile + x];
    tile_b[y][x] = b[(tile + y) * n + column];
    group_barrier();
    for (uint k = 0u; k < 16u; ++k)
      sum += tile_a[y][k] * tile_b[k][x];
    group_barrier();
  }
  c[row * n + column] = sum;
}
