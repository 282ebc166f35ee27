// Arguments of all kinds of widths, each where the ABI puts it.
__kernel void take_integers(__global long *out, char a, uchar b, short c, ushort d, int e, uint f, long g, ulong h) {
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
  out[4] = e;
  out[5] = f;
  out[6] = g;
  out[7] = (long)h;
}

__kernel void take_vectors(__global float *out, float3 a, float b, uchar4 c, int3 d, float4 e, short2 f, float16 g) {
  out[0] = a.x;
  out[1] = a.y;
  out[2] = a.z;
  out[3] = b;
  out[4] = c.x + 256.0f * c.w;
  out[5] = d.x + d.y;
  out[6] = d.z;
  out[7] = e.x;
  out[8] = e.w;
  out[9] = f.x * f.y;
  out[10] = g.s0 + g.sf;
  out[11] = g.s9;
}

__kernel void place(__global uint *out) {
  const uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  out[(z * 8 + y) * 8 + x] = x | y << 8 | z << 16;
}
