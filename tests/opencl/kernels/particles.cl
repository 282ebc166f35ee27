typedef struct {
  float4 gravity;
  float step;
  int steps;
  uint count;
  uint unused;
} Settings;

__kernel void advance(__global float4 *position, __global float4 *velocity, Settings settings) {
  const uint i = get_global_id(0);
  if (i >= settings.count) return;
  float4 p = position[i], v = velocity[i];
  for (int n = 0; n < settings.steps; ++n) {
    v += settings.gravity * settings.step;
    p += v * settings.step;
  }
  position[i] = p;
  velocity[i] = v;
}

__kernel void mirror(__global float4 *position, Settings settings) {
  const uint i = get_global_id(0);
  if (i < settings.count) position[i] = (float4)(-position[i].x, position[i].y, -position[i].z, position[i].w);
}
