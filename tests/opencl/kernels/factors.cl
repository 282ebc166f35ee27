typedef struct {
  uint unused[2];
  uint factor;
  float more;
} Factors;

__kernel void scale_by(__global uint *data, Factors factors) { data[get_global_id(0)] *= factors.factor; }
