// Programs as people write them: dense and sparse algebra, sorting, hashing, images, physics, strings, random numbers.
// tests/lift/programs_test.cpp compiles, lifts and proves them.
typedef struct {
  int key;
  float val;
  char tag[8];
} Rec;

__kernel void spmv_csr(__global const int* rowptr, __global const int* col, __global const float* val,
                       __global const float* x, __global float* y, int rows) {
  int r = get_global_id(0);
  if (r >= rows) return;
  float s = 0;
  int b = rowptr[r] & 63, e = b + (rowptr[r + 1] & 15);
  for (int j = b; j < e; ++j) s += val[j] * x[col[j] & 255];
  y[r] = s;
}

__kernel void bitonic_local(__global uint* data, __local uint* l) {
  uint t = get_local_id(0), n = get_local_size(0);
  uint g = get_group_id(0) * n;
  l[t] = data[g + t];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 2; k <= n; k <<= 1)
    for (uint j = k >> 1; j > 0; j >>= 1) {
      uint p = t ^ j;
      uint a = l[t], b = l[p & (n - 1)];
      bool up = (t & k) == 0;
      bool lo = p > t;
      uint v = (up == lo) ? min(a, b) : max(a, b);
      barrier(CLK_LOCAL_MEM_FENCE);
      l[t] = v;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  data[g + t] = l[t];
}

__kernel void mandel(__global uchar4* img, float x0, float y0, float dx, int maxit, int w) {
  int i = get_global_id(0);
  float cx = x0 + dx * (i % w), cy = y0 + dx * (i / w), zx = 0, zy = 0;
  int n = 0;
  while (n < maxit && zx * zx + zy * zy < 4.0f) {
    float t = zx * zx - zy * zy + cx;
    zy = 2 * zx * zy + cy;
    zx = t;
    ++n;
  }
  img[i] = (uchar4)(n & 255, (n * 7) & 255, (uchar)(zx * 10), 255);
}
__constant uint kSha[8] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5,
                           0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5};

__kernel void sha_like(__global const uint* in, __global uint* out, int rounds) {
  int i = get_global_id(0);
  uint s[8];
  for (int k = 0; k < 8; ++k) s[k] = in[(i * 8 + k) & 1023];
  for (int r = 0; r < rounds % 64; ++r) {
    uint S1 = rotate(s[4], 26u) ^ rotate(s[4], 21u) ^ rotate(s[4], 7u);
    uint ch = bitselect(s[6], s[5], s[4]);
    uint t1 = s[7] + S1 + ch + kSha[r & 7];
    uint S0 = rotate(s[0], 30u) ^ rotate(s[0], 19u) ^ rotate(s[0], 10u);
    uint maj = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    uint t2 = S0 + maj;
    s[7] = s[6];
    s[6] = s[5];
    s[5] = s[4];
    s[4] = s[3] + t1;
    s[3] = s[2];
    s[2] = s[1];
    s[1] = s[0];
    s[0] = t1 + t2;
  }
  for (int k = 0; k < 8; ++k) out[i * 8 + k] = s[k];
}

__kernel void crc32(__global const uchar* in, __global uint* out, int len) {
  uint c = ~0u;
  int i = get_global_id(0);
  for (int k = 0; k < (len & 31); ++k) {
    c ^= in[i * 4 + k];
    for (int b = 0; b < 8; ++b) c = (c >> 1) ^ (0xEDB88320u & (0u - (c & 1)));
  }
  out[i] = ~c;
}

__kernel void hist256(__global const uchar* in, __global uint* out, int n) {
  __local uint h[256];
  for (int i = get_local_id(0); i < 256; i += get_local_size(0)) h[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < (n & 4095); i += get_global_size(0)) atomic_inc(&h[in[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_local_id(0); i < 256; i += get_local_size(0)) atomic_add(&out[i], h[i]);
}

__kernel void stencil(__global const float* in, __global float* out, int w, int h) {
  __local float t[10][10];
  int lx = get_local_id(0) & 7, ly = (get_local_id(0) >> 3) & 7;
  int gx = (get_group_id(0) % 4) * 8 + lx, gy = (get_group_id(0) / 4) * 8 + ly;
  int W = 64;
  t[ly + 1][lx + 1] = in[(gy * W + gx) & 4095];
  if (lx == 0) t[ly + 1][0] = in[(gy * W + gx + 4095) & 4095];
  if (lx == 7) t[ly + 1][9] = in[(gy * W + gx + 1) & 4095];
  if (ly == 0) t[0][lx + 1] = in[(gy * W + gx + 4096 - W) & 4095];
  if (ly == 7) t[9][lx + 1] = in[(gy * W + gx + W) & 4095];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) < 64)
    out[gy * W + gx] =
        0.25f * (t[ly][lx + 1] + t[ly + 2][lx + 1] + t[ly + 1][lx] + t[ly + 1][lx + 2]) - t[ly + 1][lx + 1];
}
int fib(int n) {
  int a = 0, b = 1;
  for (int i = 0; i < n; ++i) {
    int t = a + b;
    a = b;
    b = t;
  }
  return a;
}

__kernel void switches(__global const int* in, __global int* out) {
  int i = get_global_id(0);
  int v = in[i], r;
  switch (v & 15) {
    case 0: r = v * 3; break;
    case 1: r = v - 7;
    case 2: r = v + 9; break;
    case 3: r = fib(v & 15); break;
    case 7: r = ~v; break;
    case 9:
    case 10: r = v << 3; break;
    case 12:
      for (r = 0; v > 0; v >>= 1) r += v & 1;
      break;
    default: r = -1;
  }
  out[i] = r;
}

__kernel void records(__global Rec* r, int k) {
  int i = get_global_id(0);
  Rec a = r[i];
  a.key = a.key * k + 1;
  for (int j = 0; j < 8; ++j) a.tag[j] = (char)(a.tag[7 - j] + j);
  if (a.val < 0) a.val = -a.val;
  r[i] = a;
}

__kernel void matmul_d(__global const double* a, __global const double* b, __global double* c, int n) {
  int i = get_global_id(0);
  int N = 16;
  double s = 0;
  for (int k = 0; k < N; ++k) s = fma(a[(i / N % N) * N + k], b[k * N + i % N], s);
  c[i] = s;
}

__kernel void qsortish(__global int* data, int n) {
  int i = get_global_id(0);
  int st[16];
  int top = 0;
  __global int* d = data + i * 16;
  int lo = 0, hi = 15;
  st[top++] = lo;
  st[top++] = hi;
  int guard = 0;
  while (top > 0 && guard++ < 64) {
    hi = st[--top];
    lo = st[--top];
    int p = d[hi], k = lo;
    for (int j = lo; j < hi; ++j)
      if (d[j] < p) {
        int t = d[j];
        d[j] = d[k];
        d[k] = t;
        ++k;
      }
    int t = d[k];
    d[k] = d[hi];
    d[hi] = t;
    if (k - 1 > lo && top < 14) {
      st[top++] = lo;
      st[top++] = k - 1;
    }
    if (k + 1 < hi && top < 14) {
      st[top++] = k + 1;
      st[top++] = hi;
    }
  }
}

__kernel void strsearch(__global const char* text, __constant char* pat, __global int* res, int plen) {
  int i = get_global_id(0);
  int ok = 1;
  for (int k = 0; k < (plen & 7); ++k)
    if (text[i + k] != pat[k]) {
      ok = 0;
      break;
    }
  if (ok) atomic_inc(res);
  res[1 + i] = ok;
}

__kernel void nbody(__global const float4* p, __global float4* o, float eps) {
  __local float4 t[64];
  float4 me = p[get_global_id(0)];
  float3 a = 0;
  for (int g = 0; g < 2; ++g) {
    t[get_local_id(0)] = p[g * 64 + get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 64; ++j) {
      float3 d = t[j].xyz - me.xyz;
      float r = dot(d, d) + eps;
      float s = t[j].w * native_rsqrt(r * r * r);
      a += d * s;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  o[get_global_id(0)] = (float4)(a, 0);
}

__kernel void lcg64(__global ulong* s, int n) {
  ulong x = s[get_global_id(0)];
  for (int i = 0; i < (n & 63); ++i) x = x * 6364136223846793005UL + 1442695040888963407UL;
  s[get_global_id(0)] = x ^ (x >> 33);
}

__kernel void divs(__global const int* a, __global const int* b, __global int* q, __global long* ql,
                   __global uint* qu) {
  int i = get_global_id(0);
  int d = b[i];
  if (d == 0) d = 7;
  q[i] = a[i] / d + a[i] % d;
  long L = ((long)a[i] << 20) | b[i];
  ql[i] = L / (d | 1) + L % (long)(d | 3);
  qu[i] = (uint)a[i] / (uint)d;
}

__kernel void half_io(__global const half* in, __global half* out, float k) {
  int i = get_global_id(0);
  float4 v = vload_half4(i, in);
  vstore_half4_rtz(v * k, i, out);
}

__kernel void async(__global const float4* in, __global float4* out) {
  __local float4 t[64];
  event_t e = async_work_group_copy(t, in + get_group_id(0) * 64, 64, 0);
  wait_group_events(1, &e);
  out[get_global_id(0)] = t[63 - get_local_id(0)];
}

__kernel void scan(__global uint* d) {
  __local uint t[128];
  uint l = get_local_id(0), n = get_local_size(0);
  t[l] = d[get_global_id(0)];
  for (uint o = 1; o < n; o <<= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    uint v = l >= o ? t[l - o] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] += v;
  }
  d[get_global_id(0)] = t[l];
}

__kernel void early(__global int* d, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  int v = d[i];
  do {
    if (v == 1) break;
    if (v & 1) {
      v = 3 * v + 1;
      if (v < 0) return;
    } else
      v >>= 1;
  } while (++i < 200);
  d[get_global_id(0)] = v + i;
}

__kernel void shuffle16(__global const uchar16* in, __global uchar16* out, __global const uchar16* m) {
  int i = get_global_id(0);
  out[i] = shuffle(in[i], m[i]);
}

__kernel void popc(__global const ulong4* in, __global ulong4* out) {
  int i = get_global_id(0);
  out[i] = popcount(in[i]) + clz(in[i]) + (in[i] << (ulong4)(3, 5, 7, 9));
}
typedef struct {
  float3 pos;
  float radius;
  int material;
} Sphere;
typedef struct {
  float m[16];
  int w, h;
  float bias[3];
} Params;

__kernel void raytrace(__global const Sphere* s, int ns, __global float4* img, Params p) {
  int i = get_global_id(0);
  int x = i % 64, y = i / 64;
  float3 o = (float3)(p.m[12], p.m[13], p.m[14]);
  float3 d = normalize((float3)(x * p.m[0] - 1, y * p.m[5] - 1, -1.5f));
  float best = 1e9f;
  int hit = -1;
  for (int k = 0; k < (ns & 7); ++k) {
    float3 oc = o - s[k].pos;
    float b = dot(oc, d), c = dot(oc, oc) - s[k].radius * s[k].radius;
    float disc = b * b - c;
    if (disc > 0) {
      float t = -b - sqrt(disc);
      if (t > 0.001f && t < best) {
        best = t;
        hit = k;
      }
    }
  }
  float4 col = (float4)(0.1f, 0.2f, 0.3f, 1);
  if (hit >= 0) {
    float3 n = normalize(o + d * best - s[hit].pos);
    float l = max(0.0f, dot(n, (float3)(0.577f)));
    col = (float4)(l * (s[hit].material & 3) + p.bias[s[hit].material % 3], l, l * 0.5f, 1);
  }
  img[i] = col;
}

__kernel void lzcount(__global const uchar* in, __global uint* out, uint n) {
  uint i = get_global_id(0);
  uint run = 1;
  uint best = 0;
  for (uint k = 1; k < (n & 31); ++k) {
    if (in[i + k] == in[i + k - 1])
      ++run;
    else {
      best = max(best, run);
      run = 1;
    }
  }
  out[i] = max(best, run);
}

__kernel void radix_count(__global const uint* keys, __global uint* counts, uint shift, __local uint* l) {
  uint t = get_local_id(0);
  for (uint k = t; k < 16; k += get_local_size(0)) l[k] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint key = keys[get_global_id(0)] >> (shift & 28) & 15;
  atomic_inc(l + key);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t < 16) counts[t * get_num_groups(0) + get_group_id(0)] = l[t];
}

__kernel void transpose(__global const float* in, __global float* out, __local float* t, int w) {
  int lx = get_local_id(0) & 7, ly = get_local_id(0) >> 3 & 7;
  int g = get_group_id(0);
  t[ly * 9 + lx] = in[g * 64 + ly * 8 + lx];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[g * 64 + lx * 8 + ly] = t[lx * 9 + ly];
}

__kernel void reduce(__global const float* in, __global float* out, __local float* s, int n) {
  int l = get_local_id(0);
  float a = 0;
  for (int i = get_global_id(0); i < (n & 1023); i += get_global_size(0)) a += in[i];
  s[l] = a;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int o = get_local_size(0) / 2; o > 0; o >>= 1) {
    if (l < o) s[l] += s[l + o];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) out[get_group_id(0)] = s[0];
}

__kernel void reduce_unroll(__global const int* in, __global int* out) {
  __local volatile int s[128];
  int l = get_local_id(0);
  s[l] = in[get_global_id(0)];
  s[l + 64] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 32) s[l] += s[l + 32];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 16) s[l] += s[l + 16];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 8) s[l] += s[l + 8];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 4) s[l] += s[l + 4];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 2) s[l] += s[l + 2];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) out[get_group_id(0)] = s[0] + s[1];
}

__kernel void kmeans(__global const float* f, __global const float* c, __global int* m, int np, int nc, int nf) {
  uint i = get_global_id(0);
  int idx = 0;
  float mn = FLT_MAX;
  for (int k = 0; k < (nc & 7); ++k) {
    float d = 0;
    for (int l = 0; l < (nf & 7); ++l) {
      float t = f[l * 64 + (i & 63)] - c[k * 8 + l];
      d += t * t;
    }
    if (d < mn) {
      mn = d;
      idx = k;
    }
  }
  m[i] = idx;
}

__kernel void bfs(__global const int2* nodes, __global const int* edges, __global char* mask, __global char* upd,
                  __global const char* vis, __global int* cost, int n) {
  int t = get_global_id(0);
  if (t < n && mask[t]) {
    mask[t] = 0;
    int s = nodes[t].x & 63;
    for (int i = s; i < s + (nodes[t].y & 7); ++i) {
      int id = edges[i] & 127;
      if (!vis[id]) {
        cost[t + 1024] = id + 1;
        upd[t] = 1;
      }
    }
  }
}

__kernel void dct8(__global const short* in, __global short* out, __constant float* cosv) {
  int i = get_global_id(0);
  for (int u = 0; u < 8; ++u) {
    float s = 0;
    for (int x = 0; x < 8; ++x) s += in[i * 8 + x] * cosv[u * 8 + x];
    out[i * 8 + u] = convert_short_sat_rte(s);
  }
}

__kernel void yuv(__global const uchar4* in, __global uchar* y, __global uchar2* uv) {
  int i = get_global_id(0);
  int4 p = convert_int4(in[i]);
  y[i] = (uchar)((66 * p.x + 129 * p.y + 25 * p.z + 128) >> 8) + 16;
  if (!(i & 1))
    uv[i / 2] = convert_uchar2_sat(
        (int2)((-38 * p.x - 74 * p.y + 112 * p.z + 128) >> 8, (112 * p.x - 94 * p.y - 18 * p.z + 128) >> 8) + 128);
}

__kernel void keccakish(__global ulong* st, int rounds) {
  int i = get_global_id(0);
  ulong s[5];
  for (int k = 0; k < 5; ++k) s[k] = st[i * 5 + k];
  for (int r = 0; r < (rounds & 15); ++r) {
    ulong c = s[0] ^ s[1] ^ s[2] ^ s[3] ^ s[4];
    for (int k = 0; k < 5; ++k) s[k] ^= rotate(c, (ulong)(k * 7 + 1));
    ulong t = s[0];
    for (int k = 0; k < 4; ++k) s[k] = s[k] ^ (~s[k + 1] & s[(k + 2) % 5]);
    s[4] = rotate(t, (ulong)13) + r;
  }
  for (int k = 0; k < 5; ++k) st[i * 5 + k] = s[k];
}

__kernel void collatz(__global const ulong* in, __global uint* out, uint lim) {
  ulong v = in[get_global_id(0)] >> 40;
  uint c = 0;
  while (v > 1 && c < (lim & 255)) {
    v = (v & 1) ? 3 * v + 1 : v >> 1;
    ++c;
  }
  out[get_global_id(0)] = c;
}

__kernel void gauss(__global const uchar* in, __global uchar* out, __constant float* k, int w, int h) {
  int i = get_global_id(0);
  int x = i & 63, y = (i >> 6) & 15;
  float s = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      int xx = clamp(x + dx, 0, 63), yy = clamp(y + dy, 0, 15);
      s += k[(dy + 1) * 3 + dx + 1] * in[yy * 64 + xx];
    }
  out[i] = convert_uchar_sat(s);
}

__kernel void julia_d(__global int* o, double cx, double cy) {
  int i = get_global_id(0);
  double x = (i & 31) * 0.0625 - 1, y = (i >> 5) * 0.0625 - 1;
  int n = 0;
  for (; n < 50; ++n) {
    double t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
    if (x * x + y * y > 4) break;
  }
  o[i] = n;
}

__kernel void insertion(__global float* d, int n) {
  __global float* a = d + get_global_id(0) * 8;
  for (int i = 1; i < 8; ++i) {
    float v = a[i];
    int j = i - 1;
    while (j >= 0 && a[j] > v) {
      a[j + 1] = a[j];
      --j;
    }
    a[j + 1] = v;
  }
}

__kernel void hashprobe(__global uint* tab, __global const uint* keys, __global uint* where) {
  uint k = keys[get_global_id(0)] | 1;
  uint h = (k * 2654435761u) >> 24;
  for (uint p = 0; p < 32; ++p) {
    uint s = (h + p) & 255;
    uint old = atomic_cmpxchg(tab + s, 0u, k);
    if (old == 0 || old == k) {
      where[get_global_id(0)] = 1;
      return;
    }
  }
  where[get_global_id(0)] = ~0u;
}

__kernel void warpvote(__global const int* in, __global int* out) {
  int p = in[get_global_id(0)] > 0;
  __local int any;
  if (get_local_id(0) == 0) any = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (p) any = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = any;
}

__kernel void lut(__global const uchar* in, __global ushort* out) {
  const ushort t[16] = {1, 5, 9, 2, 7, 3, 8, 4, 0, 6, 11, 15, 10, 14, 12, 13};
  int i = get_global_id(0);
  out[i] = t[in[i] & 15] * t[(in[i] >> 4)];
}

__kernel void rng(__global uint4* s, __global float* o, int n) {
  uint4 a = s[get_global_id(0)];
  float m = 0;
  for (int i = 0; i < (n & 15); ++i) {
    uint t = a.x ^ (a.x << 11);
    a.xyz = a.yzw;
    a.w = a.w ^ (a.w >> 19) ^ t ^ (t >> 8);
    m = fmax(m, (a.w >> 8) * (1.0f / 16777216.0f));
  }
  s[get_global_id(0)] = a;
  o[get_global_id(0)] = m;
}

__kernel void bs(__global const float* s, __global const float* k, __global float* c, float r, float v, float T) {
  int i = get_global_id(0);
  float S = fabs(s[i]) + 1, K = fabs(k[i]) + 1;
  float d1 = (log(S / K) + (r + 0.5f * v * v) * T) / (v * sqrt(T));
  float d2 = d1 - v * sqrt(T);
  c[i] = S * 0.5f * erfc(-d1 * M_SQRT1_2_F) - K * exp(-r * T) * 0.5f * erfc(-d2 * M_SQRT1_2_F);
}

__kernel void wave2d(__global const float* a, __global float* b, int n) {
  size_t x = get_global_id(0), y = get_global_id(1);
  size_t w = get_global_size(0);
  b[y * w + x] = a[y * w + x] * 2 + (x > 0 ? a[y * w + x - 1] : 0) + (y > 0 ? a[(y - 1) * w + x] : 0);
}

__kernel void three(__global uint* o) {
  size_t i = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
  o[i] = get_local_id(0) + 10 * get_local_id(1) + 100 * get_local_id(2) + 1000 * get_group_id(0) +
         10000 * get_group_id(1) + 100000 * get_group_id(2) + get_num_groups(1) + get_work_dim();
}

__kernel void packed(__global const char* in, __global int* out) {
  int i = get_global_id(0);
  char4 a = vload4(i, in);
  short2 s = (short2)(a.x * a.y, a.z - a.w);
  out[i] = upsample(s.x, (ushort)s.y) + mad24((int)a.x, (int)a.w, i) + hadd((int)a.y, (int)a.z) +
           rhadd((int)a.x, (int)a.y) + mul_hi((int)a.x << 20, (int)a.y << 20) + sub_sat((int)a.z << 24, (int)a.w << 24);
}

__kernel void nested(__global const int* in, __global int* out, int n, int m) {
  int i = get_global_id(0), s = 0;
  for (int a = 0; a < (n & 7); ++a) {
    if (in[i + a] == 3) continue;
    for (int b = a; b < (m & 7); ++b) {
      if (in[i + b] > 100) {
        s += b;
        break;
      }
      if (in[i + a] < -5) goto out_;
      s += in[i + a] * b;
    }
  }
out_:
  out[i] = s;
}

__kernel void muls(__global const long* a, __global const long* b, __global long* hi, __global ulong* c) {
  int i = get_global_id(0);
  hi[i] = mul_hi(a[i], b[i]);
  c[i] = mad_hi((ulong)a[i], (ulong)b[i], (ulong)i) + (ulong)(a[i] * b[i]);
}

__kernel void conv(__global const double* a, __global int* o, __global uchar* u, __global half* h) {
  int i = get_global_id(0);
  o[i] = convert_int_sat_rtp(a[i]);
  u[i] = convert_uchar_sat((float)a[i]);
  vstore_half((float)a[i], i, h);
}

__kernel void ptrs(__global int* a, __global int* b, int sel) {
  __global int* p = sel & 1 ? a : b;
  __global int* q = (sel & 2) ? p + 64 : a;
  q[get_global_id(0)] = p[get_global_id(0)] + 1;
}

__kernel void binsearch(__global const int* sorted, __global const int* q, __global int* pos, int n) {
  int lo = 0, hi = n & 255, k = q[get_global_id(0)];
  while (lo < hi) {
    int mid = (lo + hi) >> 1;
    if (sorted[mid] < k)
      lo = mid + 1;
    else
      hi = mid;
  }
  pos[get_global_id(0)] = lo;
}

__kernel void lds_bank(__global const float* a, __global const float* b, __global float* c, int n) {
  __local float As[8][8], Bs[8][8];
  int tx = get_local_id(0) & 7, ty = (get_local_id(0) >> 3) & 7;
  int bx = get_group_id(0) & 3, by = (get_group_id(0) >> 2) & 3;
  float acc = 0;
  for (int t = 0; t < 4; ++t) {
    As[ty][tx] = a[(by * 8 + ty) * 32 + t * 8 + tx];
    Bs[ty][tx] = b[(t * 8 + ty) * 32 + bx * 8 + tx];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 8; ++k) acc = mad(As[ty][k], Bs[k][tx], acc);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[(by * 8 + ty) * 32 + bx * 8 + tx] = acc;
}

__kernel void fft8(__global float2* d) {
  float2 v[8];
  int i = get_global_id(0);
  for (int k = 0; k < 8; ++k) v[k] = d[i * 8 + k];
  for (int s = 1; s < 8; s <<= 1)
    for (int k = 0; k < 8; k += 2 * s)
      for (int j = 0; j < s; ++j) {
        float ang = -M_PI_F * j / s;
        float2 w = (float2)(native_cos(ang), native_sin(ang));
        float2 t = (float2)(w.x * v[k + j + s].x - w.y * v[k + j + s].y, w.x * v[k + j + s].y + w.y * v[k + j + s].x);
        v[k + j + s] = v[k + j] - t;
        v[k + j] += t;
      }
  for (int k = 0; k < 8; ++k) d[i * 8 + k] = v[k];
}

__kernel void viterbi(__global const int* obs, __global int* path, __constant int* trans, int T) {
  int i = get_global_id(0);
  int sc[4] = {0, 0, 0, 0};
  for (int t = 0; t < (T & 15); ++t) {
    int ns[4];
    for (int s = 0; s < 4; ++s) {
      int b = -1000000;
      for (int p = 0; p < 4; ++p) b = max(b, sc[p] + trans[p * 4 + s]);
      ns[s] = b + ((obs[i + t] & 3) == s ? 5 : 0);
    }
    for (int s = 0; s < 4; ++s) sc[s] = ns[s];
  }
  int b = 0;
  for (int s = 1; s < 4; ++s)
    if (sc[s] > sc[b]) b = s;
  path[i] = b;
}

__kernel void edit(__global const uchar* a, __global const uchar* b, __global int* o, int n) {
  int row[9];
  int i = get_global_id(0);
  for (int k = 0; k < 9; ++k) row[k] = k;
  for (int y = 0; y < (n & 7); ++y) {
    int prev = row[0];
    row[0] = y + 1;
    for (int x = 1; x < 9; ++x) {
      int t = row[x];
      row[x] = min(min(row[x] + 1, row[x - 1] + 1), prev + (a[i + y] != b[i + x]));
      prev = t;
    }
  }
  o[i] = row[8];
}

__kernel void sobel(__global const uchar4* in, __global uchar4* out, int w) {
  int i = get_global_id(0) + 65;
  int4 a = convert_int4(in[i - 65]), b = convert_int4(in[i - 64]), c = convert_int4(in[i - 63]),
       d = convert_int4(in[i - 1]), f = convert_int4(in[i + 1]), g = convert_int4(in[i + 63]),
       h = convert_int4(in[i + 64]), k = convert_int4(in[i + 65]);
  float4 gx = convert_float4(a + 2 * d + g - c - 2 * f - k), gy = convert_float4(a + 2 * b + c - g - 2 * h - k);
  out[i] = convert_uchar4_sat(sqrt(gx * gx + gy * gy));
}

__kernel void particles(__global float4* pos, __global float4* vel, float dt, float4 g, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float4 p = pos[i], v = vel[i];
  for (int s = 0; s < 4; ++s) {
    v += g * dt;
    p += v * dt;
    if (p.y < 0) {
      p.y = -p.y;
      v.y *= -0.8f;
    }
    if (fabs(p.x) > 10) {
      v.x = -v.x;
      p.x = copysign(10.0f, p.x);
    }
  }
  pos[i] = p;
  vel[i] = v;
}

__kernel void bitset(__global uint* bits, __global const uint* q, __global uint* r) {
  uint i = q[get_global_id(0)] & 1023;
  uint old = atomic_or(&bits[i >> 5], 1u << (i & 31));
  r[get_global_id(0)] = (old >> (i & 31)) & 1;
}

__kernel void minmax(__global const float* in, __global int* mm) {
  int v = as_int(in[get_global_id(0)]);
  v = v < 0 ? v ^ 0x7fffffff : v;
  atomic_min(mm, v);
  atomic_max(mm + 1, v);
}

__kernel void queue(__global const int* in, __global int* out, __global int* count) {
  __local int n;
  __local int buf[256];
  __local int base;
  if (get_local_id(0) == 0) n = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  int v = in[get_global_id(0)];
  if ((v & 3) == 0) {
    int k = atomic_inc(&n);
    buf[k] = v;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) base = atomic_add(count, n);
  barrier(CLK_LOCAL_MEM_FENCE);
  int s = 0;
  for (int k = get_local_id(0); k < n; k += get_local_size(0)) s += buf[k];
  if (s) atomic_add(out + (get_group_id(0)), s);
}

__kernel void matvec4(__global const float16* m, __global const float4* v, __global float4* o) {
  int i = get_global_id(0);
  float16 a = m[i];
  float4 x = v[i];
  o[i] = (float4)(dot(a.s0123, x), dot(a.s4567, x), dot(a.s89ab, x), dot(a.scdef, x));
}

__kernel void quat(__global float4* q, __global const float4* r) {
  int i = get_global_id(0);
  float4 a = q[i], b = r[i];
  float3 v = cross(a.xyz, b.xyz) + a.w * b.xyz + b.w * a.xyz;
  q[i] = fast_normalize((float4)(v, a.w * b.w - dot(a.xyz, b.xyz)));
}

__kernel void prefix_ballot(__global const uint* in, __global uint* out) {
  __local uint s[256];
  uint l = get_local_id(0), n = get_local_size(0);
  s[l] = in[get_global_id(0)] & 1;
  for (uint d = 1; d < n; d *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    uint idx = (l + 1) * 2 * d - 1;
    if (idx < n) s[idx] += s[idx - d];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) s[n - 1] = 0;
  for (uint d = n / 2; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    uint idx = (l + 1) * 2 * d - 1;
    if (idx < n) {
      uint t = s[idx - d];
      s[idx - d] = s[idx];
      s[idx] += t;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = s[l];
}

__kernel void xtea(__global uint2* d, uint4 key) {
  uint2 v = d[get_global_id(0)];
  uint sum = 0;
  uint k[4] = {key.x, key.y, key.z, key.w};
  for (int i = 0; i < 32; ++i) {
    v.x += (((v.y << 4) ^ (v.y >> 5)) + v.y) ^ (sum + k[sum & 3]);
    sum += 0x9E3779B9;
    v.y += (((v.x << 4) ^ (v.x >> 5)) + v.x) ^ (sum + k[(sum >> 11) & 3]);
  }
  d[get_global_id(0)] = v;
}

__kernel void rle(__global const uchar* in, __global uchar2* out, __global int* len) {
  int i = get_global_id(0) * 16, n = 0;
  uchar c = in[i], r = 1;
  for (int k = 1; k < 16; ++k) {
    if (in[i + k] == c && r < 255)
      ++r;
    else {
      out[i + n++] = (uchar2)(c, r);
      c = in[i + k];
      r = 1;
    }
  }
  out[i + n++] = (uchar2)(c, r);
  len[get_global_id(0)] = n;
}

__kernel void gcd(__global const uint2* in, __global uint* out) {
  uint2 v = in[get_global_id(0)] & 0xffff;
  uint a = v.x | 1, b = v.y | 1;
  while (b != 0) {
    uint t = a % b;
    a = b;
    b = t;
  }
  out[get_global_id(0)] = a;
}

__kernel void modpow(__global const uint* b, __global uint* o, uint m) {
  ulong r = 1, x = b[get_global_id(0)];
  uint e = b[get_global_id(0) + 1] & 0xffff;
  uint mm = m | 1;
  x %= mm;
  while (e) {
    if (e & 1) r = r * x % mm;
    x = x * x % mm;
    e >>= 1;
  }
  o[get_global_id(0)] = (uint)r;
}

__kernel void newton(__global const double* in, __global double* out) {
  double a = fabs(in[get_global_id(0)]) + 1, x = a;
  for (int i = 0; i < 30; ++i) {
    double n = 0.5 * (x + a / x);
    if (fabs(n - x) < 1e-9 * a) break;
    x = n;
  }
  out[get_global_id(0)] = x;
}

__kernel void cplx(__global const double2* z, __global double2* o) {
  double2 a = z[get_global_id(0)];
  double r = hypot(a.x, a.y), t = atan2(a.y, a.x);
  o[get_global_id(0)] = (double2)(log(r + 1e-3), t) * exp(-r * 0.01);
}

__kernel void lookup_struct(__constant int4* tab, __global const uchar* in, __global int* out, int4 bias) {
  int i = get_global_id(0);
  int4 t = tab[in[i] & 15];
  out[i] = t.x * t.y + t.z - t.w + ((int*)&bias)[in[i] >> 6];
}

__kernel void multi_out(__global int* a, __global float* b, __global char* c, __global ulong* d, int k) {
  int i = get_global_id(0);
  int v = a[i];
  b[i] = v * 0.5f;
  c[i] = (char)(v >> k);
  d[i] = (ulong)v * v;
  a[i] = v + 1;
}

__kernel void persist(__global int* work, __global int* head, __global int* out, int n) {
  for (int it = 0; it < 8; ++it) {
    int k = atomic_inc(head);
    if (k >= (n & 63)) break;
    atomic_xor(out + (k & 15), work[k & 63]);
  }
}

__kernel void images_like(__global const float* t, __global float* o, float u0, float du) {
  int i = get_global_id(0);
  float u = u0 + du * i;
  u -= floor(u);
  float x = u * 63.0f;
  int k = (int)x;
  float f = x - k;
  o[i] = mix(t[k], t[min(k + 1, 63)], f) + step(0.5f, f) * smoothstep(0.0f, 1.0f, f);
}

__kernel void lj(__global const float4* p, __global float4* f, __global const int* nb, int m) {
  int i = get_global_id(0);
  float4 a = p[i];
  float3 s = 0;
  for (int k = 0; k < (m & 7); ++k) {
    int j = nb[i * 8 + k] & 127;
    float3 d = a.xyz - p[j].xyz;
    float r2 = dot(d, d);
    if (r2 < 6.25f && j != i) {
      float r6 = 1.0f / (r2 * r2 * r2 + 0.01f);
      s += d * (r6 * (r6 - 0.5f));
    }
  }
  f[i] = (float4)(s, 0);
}

__kernel void before(__global int* out, __constant int4* table, int n) {
  int4 sum = 0;
  for (int k = n & 31; k > 4; k -= 3) sum += table[k - 1] * table[k - 4];
  out[get_global_id(0)] = sum.x ^ sum.y ^ sum.z ^ sum.w;
}

__kernel void two_fills(__global const uchar* in, __global uint* out, int n) {
  for (int i = get_local_id(0); i < 256; i += get_local_size(0)) out[i] = 7;
  for (int i = get_global_id(0) + 256; i < (n & 1023); i += get_global_size(0)) out[i] = in[i];
}
