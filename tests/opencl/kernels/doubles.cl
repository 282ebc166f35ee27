#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void add_scaled(__global double *y, __global const double *x, double a, uint n) {
  const uint i = get_global_id(0);
  if (i < n) y[i] += a * x[i];
}
