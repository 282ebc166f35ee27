// c = a * b for square matrices whose width is a multiple of 16.
__kernel __attribute__((reqd_work_group_size(16, 16, 1))) void multiply(__global const float *a,
                                                                      __global const float *restrict b,
                                                                      __global float *c, const uint width) {
  __local float left[16][16], right[16][16];
  const uint x = get_local_id(0), y = get_local_id(1);
  const uint column = get_group_id(0) * 16 + x, row = get_group_id(1) * 16 + y;
  float sum = 0.0f;
  for (uint k = 0; k < width; k += 16) {
    left[y][x] = a[row * width + k + x];
    right[y][x] = b[(k + y) * width + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint n = 0; n < 16; ++n) sum += left[y][n] * right[n][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * width + column] = sum;
}
