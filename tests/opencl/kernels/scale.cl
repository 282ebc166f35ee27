__kernel void scale(__global uint *data, uint factor) { data[get_global_id(0)] *= factor; }
