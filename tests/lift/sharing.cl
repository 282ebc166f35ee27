// Kernels whose lanes tell one another something, and whose sources say what may change behind their backs. With
// bench/kernels/device.h.
#define device_fence() __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "agent")

// Only a cast says that the place is volatile.
__kernel void waits(__global uint* out, __global uint* ticket, uint goal) {
  if (local_id(x) == 0)
    while (*(volatile __global uint*)ticket < goal) {
    }
  out[global_id(x)] = goal;
}
// Which place is known when it runs.
__kernel void waits_behind(__global uint* out, __global uint* places, uint goal) {
  volatile __global uint* const place = places + (places[0] & 63);
  uint turns = 0;
  while (*place < goal) ++turns;
  out[global_id(x)] = turns;
}
// Bytes, and elements of two numbers.
__kernel void waits_for_bytes(__global uint* out, __global uint* places, __global ulong* pairs) {
  while (*(volatile __global uchar*)(places + 3) == 0) {
  }
  while (*(volatile __global ulong*)pairs == 0) {
  }
  out[global_id(x)] = places[global_id(x)];
}
// Local memory has no first cache to go past: only that nothing else happens in the loop shows it.
__kernel void waits_for_local(__global uint* out, __global const uint* in) {
  volatile __local uint ready;
  if (local_id(x) == 0) ready = 0;
  group_barrier();
  if (local_id(x) == 0) ready = in[group_id(x)] | 1;
  while (ready == 0) {
  }
  out[global_id(x)] = ready;
}
// Loads that are streamed go past caches too, and are no more than that.
__kernel void streams(__global uint* out, __global uint* in, __global const uint* fixed) {
  uint sum = __builtin_nontemporal_load(fixed + global_id(x));
  for (uint n = 0; n < 8; ++n) sum += __builtin_nontemporal_load(in + global_id(x) + n * 64);
  out[global_id(x)] = sum;
}

// Who comes last reads what all others stored before they came.
__kernel void sums_up_in_the_last_group(__global uint* out, __global const uint* in, __global uint* parts,
                                        __global uint* came, uint groups) {
  __local uint is_last;
  if (local_id(x) == 0) {
    parts[group_id(x)] = in[global_id(x)] * 3;
    device_fence();
    is_last = __atomic_fetch_add(came, 1, __ATOMIC_RELAXED) == groups - 1;
  }
  group_barrier();
  if (is_last && local_id(x) < groups) out[local_id(x)] = parts[local_id(x)];
}
// What is read behind the fence is new.
__kernel void reads_when_told(__global uint* out, __global const uint* parts, __global uint* came, uint groups) {
  while (__atomic_load_n(came, __ATOMIC_RELAXED) < groups) {
  }
  device_fence();
  out[global_id(x)] = parts[global_id(x)];
}
// The branch is between the fence and what it is for.
__kernel void tells_by_a_flag(__global uint* out, __global const uint* in, __global uint* flags) {
  out[global_id(x)] = in[global_id(x)];
  device_fence();
  if (in[group_id(x)] != 0) flags[global_id(x)] = 1;
}
// What was loaded is waited for, not what is stored.
__kernel void counts_after_a_load(__global uint* out, __global const uint* in, __global uint* came) {
  out[global_id(x)] = 7;
  __atomic_fetch_add(came, in[global_id(x)], __ATOMIC_RELAXED);
}

// A store that others may overwrite, read back until it stays: lanes are in step. Histograms did so.
__kernel void counts_by_tags(__global uint* out, __global const uint* in) {
  volatile __local uint counts[64];
  const uint l = local_id(x);
  if (l < 64) counts[l] = 0;
  group_barrier();
  const uint bin = in[global_id(x)] & 63;
  uint now;
  do {
    now = (l & 63) << 26 | ((counts[bin] & 0x03ffffff) + 1);
    counts[bin] = now;
  } while (counts[bin] != now);
  group_barrier();
  if (l < 64) out[group_id(x) * 64 + l] = counts[l] & 0x03ffffff;
}
// The same in a loop, in a part of the array for each wavefront, which the host gives.
__kernel void counts_all_by_tags(__global uint* out, __global const uint* in, volatile __local uint* counts) {
  const uint l = local_id(x);
  volatile __local uint* const own = counts + (l >> 6) * 16;
  if ((l & 63) < 16) own[l & 63] = 0;
  group_barrier();
  for (uint n = 0; n < 3; ++n) {
    const uint bin = in[global_id(x) * 3 + n] & 15;
    uint now;
    do {
      now = (l & 63) << 26 | ((own[bin] & 0x03ffffff) + 1);
      own[bin] = now;
    } while (own[bin] != now);
  }
  group_barrier();
  if ((l & 63) < 16) out[group_id(x) * 64 + (l >> 6) * 16 + (l & 63)] = own[l & 63] & 0x03ffffff;
}
// What a work-item reads back of its own place, or alone, is there.
__kernel void keeps_its_own(__global uint* out, __global const uint* in) {
  volatile __local uint t[256];
  volatile __local uint first;
  const uint l = local_id(x) & 255;
  t[l] = in[global_id(x)];
  t[l] += 3;
  if (local_id(x) == 0) {
    first = in[0];
    first += 5;
  }
  group_barrier();
  out[global_id(x)] = t[l] + first;
}

// Lanes are in step, where work-items would not be: an atomic operation behind a load of the next one's place.
__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void adds_what_is_left_of_it(__global uint* data) {
  __local uint sums[256];
  const uint l = local_id(x), g = global_id(x);
  sums[l + 128] = data[g];
  sums[l] = 0;
  group_barrier();
  if (l < 64) __atomic_fetch_add(&sums[l + 128], sums[l + 127], __ATOMIC_RELAXED);
  group_barrier();
  data[g] = sums[l + 128];
}
// Four lanes add up what they found, behind a branch that some have left by.
__kernel void sums_of_four(__global uint* out, __global const uint* in, __local uint* found, uint n) {
  const uint row = global_id(x) >> 2, i = global_id(x) & 3;
  if (row >= n) return;
  found += 4 * (local_id(x) >> 2);
  found[i] = in[global_id(x)];
  const uint sum = found[0] + found[1] + found[2] + found[3];
  if (i == 0) out[row] = sum;
}
// What the runtime adds to the arguments, by a pointer that is set on two ways.
#define offset_of_launch() ((uint)((__constant ulong*)__builtin_amdgcn_implicitarg_ptr())[5])
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void adds_tiles(__global uint* out, __global const uint* in,
                                                                         int rows, int n) {
  __local uint tile[64];
  uint sum = 0;
  for (int k = 0; k < n; k += 64) {
    tile[local_id(x)] = in[k + local_id(x)];
    group_barrier();
    if (group_id(x) * 64 + local_id(x) + offset_of_launch() < rows)
      for (uint i = 0; i < 4; ++i) sum += tile[i] * in[k + i];
    group_barrier();
  }
  const uint place = group_id(x) * 64 + local_id(x) + offset_of_launch();
  if (place < rows) out[place] = sum;
}
// The same where ways are told by masks that are set in front: compilers say so whether the loop was gone through. And
// places that only the source knows to be other ones in each work-item.
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void adds_tiles_by_rows(__global float* out,
                                                                                 __global const float* in, int rows,
                                                                                 int n, int turned, int width,
                                                                                 int step) {
  __local float tile[64];
  float sum = 0;
  for (int k = 0; k < n; k += 64) {
    tile[local_id(x)] = in[k + local_id(x)];
    group_barrier();
    const int g = group_id(x) * 64 + local_id(x) + offset_of_launch();
    if (g < rows) {
      if (turned == 0)
        for (int i = 0; i < 4; ++i) sum += tile[i] * in[width * (k + i) + g];
      else
        for (int i = 0; i < 4; ++i) sum += tile[i] * in[width * g + k + i];
    }
    group_barrier();
  }
  const int place = group_id(x) * 64 + local_id(x) + offset_of_launch();
  if (place < rows) {
    for (int k = n & ~63; k < n; ++k) sum += in[k];
    out[place * step] += sum;
  }
}
// The fourth component is whatever its register holds: from GFX8 on clang 19 has a word of the address there.
__kernel void leaves_one_unset(__global float4* out, int n) {
  const uint i = global_id(x);
  if (i >= n) return;
  const float4 v = out[i];
  float4 r;
  r.x = v.x + v.y;
  r.y = v.y * v.z;
  r.z = v.z - v.x;
  out[i] = r;
}

// Each turn takes two places off a stack, whichever lane gets them: the first one takes as many as there are lanes.
__kernel void takes_two(__global const int* in, __global int* out) {
  __local int stack[1024];
  __local int top;
  const uint l = local_id(x);
  if (l == 0) top = local_size(x);
  stack[l] = in[l];
  group_barrier();
  for (int i = 0; i < (in[l] & 3); ++i) {
    int k = add_atomic(&top, -1) - 1;
    if (k >= 0) out[k] = stack[k];
    k = add_atomic(&top, -1) - 1;
    if (k >= 0) out[k] = stack[k];
  }
}
// The same in a loop that all go through together.
__kernel void takes_until_none_is_left(__global const int* in, __global int* out) {
  __local int stack[1024];
  __local int top;
  const int l = local_id(x), size = local_size(x);
  if (l == 0) top = 4 * size;
  stack[l] = in[l];
  group_barrier();
  while (top != 0) {
    group_barrier();
    const int k = add_atomic(&top, -1) - 1;
    if (k >= 0 && k < size) out[k] = stack[k];
    group_barrier();
  }
}

// The middle loop's test stands in front of it, and turned around at the end of the outer one.
__kernel void ends_where_both_are_zero(__global const int* in, __global int* out, int radius, int n) {
  const int x = global_id(x);
  int sum = 0;
  for (int i = -radius; i <= 0; ++i)
    for (int j = -radius; j <= (n == 2 ? 0 : radius); ++j) {
      if (i != 0 && j != 0)
        for (int k = 0; k < n * 2; ++k) sum += in[(x + (k & 1 ? j : -j)) & 63];
      sum += in[x];
      if (i == 0 && j == 0) break;
    }
  out[x] = sum;
}

// Metadata have a name for these types that says nothing.
typedef double real;
typedef struct {
  float of, root;
} rooted;
__kernel void roots(__global const rooted* in, __global rooted* out) {
  const uint i = global_id(x);
  out[i].of = __builtin_amdgcn_exp2f(in[i].of) + __builtin_amdgcn_sinf(in[i].root);
  out[i].root = __builtin_amdgcn_rsqf(in[i].of);
}
// Which of two NaNs a difference is depends on the device.
__kernel void differences_of_nans(__global const real* a, __global const real* b, __global real* out) {
  const uint i = global_id(x);
  const ulong nan = 0x7ff8000000000000, bits = 0xffffff;
  out[i] = as_double(nan | (as_ulong(a[i]) & bits)) - as_double(nan | (as_ulong(b[i]) & bits));
}

// A choice of lanes that is the same in every turn of a loop with barriers.
__kernel void counts_until_none_is_more(__global uint* counts, __global const uint* in, uint turns) {
  __local uint count;
  const uint l = local_id(x), own = in[global_id(x)];
  if (l == 0) count = 0;
  group_barrier();
  if (own & 1) __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
  group_barrier();
  for (uint n = 0; n < turns; ++n) {
    const uint left = count;
    if (left == 0) break;
    group_barrier();
    if (l == 0) count = 0;
    group_barrier();
    if (l < left && in[l] > in[n]) __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
    group_barrier();
  }
  if (l < count) counts[1 + global_id(x)] = l;
  if (l == 0) __atomic_fetch_add(counts, count, __ATOMIC_RELAXED);
}

// Last places of a sine decide.
__kernel void ways_by_sines(__global const float* in, __global uint* out, __global uint* others,
                            __global float* sines) {
  const uint i = global_id(x);
  const float sine = __builtin_amdgcn_sinf(in[i] * 0.1234f);
  out[i] = __builtin_amdgcn_fractf(sine * 1000000.0f) > 0.5f ? i : i * 3;
  others[i] = i + 5;
  sines[i] = sine;
}
