// Kernels whose work-groups are one wavefront, so that a compiler for a GPU leaves out their barriers. With
// bench/kernels/device.h.
#define OF_64 __attribute__((reqd_work_group_size(64, 1, 1)))

OF_64 __kernel void neighbours(__global uint* out, __global const uint* in) {
  __local uint t[64];
  const uint l = local_id(x);
  t[l] = in[global_id(x)];
  group_barrier();
  const uint next = t[(l + 1) & 63];
  group_barrier();
  t[l] = next * 3;
  group_barrier();
  out[global_id(x)] = t[l ^ 5];
}
OF_64 __kernel void halves(__global uint* out, __global const uint* in) {
  __local uint t[64];
  const uint l = local_id(x);
  t[l] = in[global_id(x)];
  group_barrier();
  for (uint step = 32; step > 0; step >>= 1) {
    if (l < step) t[l] += t[l + step];
    group_barrier();
  }
  if (l == 0) out[group_id(x)] = t[0];
}
// The same in a loop: what is read in one turn was written in the one before.
OF_64 __kernel void halves_of(__global uint* out, __global const uint* in, uint from) {
  __local uint t[64];
  const uint l = local_id(x);
  t[l] = in[global_id(x)];
  group_barrier();
  for (uint step = (from & 1) << 5; step > 0; step >>= 1) {
    if (l < step) t[l] += t[l + step];
    group_barrier();
  }
  out[global_id(x)] = t[l];
}
OF_64 __kernel void sums(__global uint* out, __global const uint* in) {
  __local uint t[64];
  const uint l = local_id(x);
  t[l] = in[global_id(x)];
  group_barrier();
  for (uint step = 1; step < 64; step <<= 1) {
    const uint before = l >= step ? t[l - step] : 0;
    group_barrier();
    t[l] += before;
    group_barrier();
  }
  out[global_id(x)] = t[l];
}
// Atomic operations whose order does not matter, between others.
OF_64 __kernel void counts(__global uint* out, __global const uint* in, uint n) {
  __local uint t[16];
  const uint l = local_id(x);
  if (l < 16) t[l] = 0;
  group_barrier();
  for (uint i = 0; i < (n & 7); ++i) add_atomic(&t[in[global_id(x) + i * 64] & 15], 1u);
  group_barrier();
  if (l < 16) out[group_id(x) * 16 + l] = t[l];
}
__attribute__((reqd_work_group_size(8, 8, 1))) __kernel void tile(__global uint* out, __global const uint* in) {
  __local uint t[8][8];
  const uint c = local_id(x), r = local_id(y), at = group_id(x) * 64 + r * 8 + c;
  t[r][c] = in[at];
  group_barrier();
  const uint other = t[c][r];
  group_barrier();
  t[c][r] = other + t[r][c];
  group_barrier();
  out[at] = t[r][c] + t[7 - r][c];
}
// One place for all, of another work-item in each turn.
OF_64 __kernel void one_place(__global uint* out, __global const uint* in) {
  __local uint one;
  const uint l = local_id(x);
  uint sum = 0;
  for (uint i = 0; i < 4; ++i) {
    if (l == i * 7) one = in[global_id(x)];
    group_barrier();
    sum = sum * 5 + one;
    group_barrier();
  }
  out[global_id(x)] = sum;
}
// A place of each, which is another one's in the next turn.
OF_64 __kernel void in_turn(__global uint* out, __global const uint* in, uint n) {
  __local uint t[128];
  const uint l = local_id(x);
  uint v = in[global_id(x)];
  for (uint i = 0; i < (n & 15); ++i) {
    t[(l + i) & 127] = v;
    group_barrier();
    v += t[(l + i + 3) & 63];
    group_barrier();
  }
  out[global_id(x)] = v;
}
// Of two dimensions, in places that say one of them only.
__attribute__((reqd_work_group_size(8, 4, 1))) __kernel void by_column(__global uint* out, __global const uint* in) {
  __local uint t[8];
  const uint c = local_id(x), r = local_id(y), at = group_id(x) * 32 + r * 8 + c;
  uint sum = 0;
  for (uint turn = 0; turn < 4; ++turn) {
    if (r == turn) t[c] = in[at];
    group_barrier();
    sum = sum * 3 + t[c];
    group_barrier();
  }
  out[at] = sum;
}
// Global memory, for which compilers leave the barriers out as well.
OF_64 __kernel void turns(__global uint* out, __global const uint* in) {
  const uint g = global_id(x);
  out[g] = in[g] * 3;
  group_barrier();
  const uint other = out[g ^ 1];
  group_barrier();
  out[g] = other + 1;
}
OF_64 __kernel void sums_in_global(__global uint* out, __global uint* work) {
  const uint g = global_id(x), l = local_id(x);
  work[g] = out[g];
  group_barrier();
  for (uint far = 32; far > 0; far >>= 1) {
    if (l < far) work[g] += work[g + far];
    group_barrier();
  }
  out[g] = work[g - l];
}
// Stores only, between which clang leaves nothing of a barrier.
OF_64 __kernel void cleared(__global uint* out, __global const uint* in) {
  const uint g = global_id(x), l = local_id(x);
  out[g] = 0;
  group_barrier();
  if (l & 1) out[g - l + (in[g] & 63)] = 1;
}
// A group that is one wavefront whatever its size.
__attribute__((amdgpu_flat_work_group_size(1, 64))) __kernel void of_any_size(__global uint* out,
                                                                              __global const uint* in) {
  __local uint t[64];
  const uint l = local_id(x);
  t[l] = in[global_id(x)];
  group_barrier();
  out[global_id(x)] = t[l == 0 ? 0 : l - 1];
}
