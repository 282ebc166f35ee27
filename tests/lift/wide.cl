// Numbers of 64 bits, of which machine code computes the halves. With bench/kernels/device.h.

// Arithmetic, each result at its own distance.
__kernel void computes(__global ulong* out, __global const ulong* in, ulong by, int n) {
  const uint g = global_id(x);
  const ulong a = in[g], b = in[g + 1];
  out[g] = a + by;
  out[g + 600] = a - b;
  out[g + 1200] = a * b;
  out[g + 1800] = a * 6364136223846793005ul + 1442695040888963407ul;
  out[g + 2400] = a < b ? a : by;
  ulong x = a;
  for (int k = 0; k < n; ++k) x = x * 31 + in[k];
  out[g + 3000] = x;
}
// A generator of random numbers: bits and products by turns.
__kernel void shifts(__global ulong* out, __global const ulong* in) {
  ulong x = in[global_id(x)];
  for (uint k = 0; k < 3; ++k) {
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    x *= 2685821657736338717ul;
  }
  out[global_id(x)] = ~(x & 0x00ff00ff00ff00fful);
}
__kernel void doubles(__global double* out, __global const double* in, double by) {
  const uint g = global_id(x);
  out[g] = in[g] * by + in[g + 1];
  out[g + 600] = g > 3 ? in[g] : by;
}
// Two words, and no number of 64 bits.
__kernel void words(__global uint2* out, __global const uint2* in) {
  const uint2 a = in[global_id(x)];
  out[global_id(x)] = a ^ a >> 3;
}
// Vectors of such numbers, and two neighbours that are loaded together.
__kernel void vectors(__global ulong2* out, __global const ulong2* in, __global double* pairs, __global double4* of,
                      ulong by, double4 factors) {
  const uint g = global_id(x);
  out[g] = in[g] * by + in[g + 1];
  const double first = pairs[2 * g], second = pairs[2 * g + 1];
  pairs[2 * g] = first + second;
  pairs[2 * g + 1] = first - second;
  of[g] *= factors;
}
// Words that are declared as such numbers.
__kernel void hashes(__global uint* out, __global const ulong8* table, uint n) {
  uint sum = 0;
  for (uint k = 0; k < 4; ++k) {
    const uint2 words = as_uint2(table[(n + k) & 15].s0);
    sum = (sum * 0x1000193 ^ words.x) * 0x1000193 ^ words.y;
  }
  out[global_id(x)] = sum;
}
// Numbers whose high half is made of the low one.
__kernel void mixes(__global ulong* out, __global const uint* in, uint z) {
  const uint g = global_id(x);
  const uint a = in[g], b = in[g + 1], sum = a + b, product = a * z, difference = a - b;
  const uint high_of_sum = z + (sum ^ 5u) + (sum < a ? 1u : 0u);
  const uint high_of_product = (uint)((ulong)a * z >> 32) + product * z;
  const uint high_of_difference = z - (difference & 77u) - (a < b ? 1u : 0u);
  out[g] = (ulong)high_of_sum << 32 | sum;
  out[g + 600] = (ulong)high_of_product << 32 | product;
  out[g + 1200] = (ulong)high_of_difference << 32 | difference;
}
