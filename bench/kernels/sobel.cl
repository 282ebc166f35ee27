// Edges of an image of bytes, four of them in a word.
static inline int gray(uint pixel) {
  return (int)((pixel & 255u) * 77u + (pixel >> 8 & 255u) * 151u + (pixel >> 16 & 255u) * 28u) >> 8;
}
__kernel void sobel(__global const uint* in, __global uint* out, uint width, uint height) {
  const uint x = global_id(x), y = global_id(y), at = y * width + x;
  if (x == 0u || y == 0u || x + 1u >= width || y + 1u >= height) {
    out[at] = 0u;
    return;
  }
  const int above = gray(in[at - width]), below = gray(in[at + width]);
  const int left = gray(in[at - 1u]), right = gray(in[at + 1u]);
  const int nw = gray(in[at - width - 1u]), ne = gray(in[at - width + 1u]);
  const int sw = gray(in[at + width - 1u]), se = gray(in[at + width + 1u]);
  const int gx = ne + 2 * right + se - nw - 2 * left - sw, gy = sw + 2 * below + se - nw - 2 * above - ne;
  const uint sum = (uint)(gx < 0 ? -gx : gx) + (uint)(gy < 0 ? -gy : gy), edge = sum < 255u ? sum : 255u;
  out[at] = edge | edge << 8 | edge << 16 | (in[at] & 0xff000000u);
}
