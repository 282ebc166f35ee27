// What the kernels here use of OpenCL C's library, for a compiler that has no library for AMD GPUs. In OpenCL 2.0
// containers the offset of the launch is the first three of the hidden arguments in front of all others; code objects
// have it behind all others.
#pragma OPENCL FP_CONTRACT OFF
#define DEVICE __attribute__((always_inline, overloadable))
#define BY_DIMENSION(d, name) ((d) == 0 ? name##_x() : (d) == 1 ? name##_y() : name##_z())
size_t DEVICE get_local_id(uint d) { return BY_DIMENSION(d, __builtin_amdgcn_workitem_id); }
size_t DEVICE get_group_id(uint d) { return BY_DIMENSION(d, __builtin_amdgcn_workgroup_id); }
size_t DEVICE get_local_size(uint d) { return BY_DIMENSION(d, __builtin_amdgcn_workgroup_size); }
size_t DEVICE get_global_size(uint d) { return BY_DIMENSION(d, __builtin_amdgcn_grid_size); }
size_t DEVICE get_global_offset(uint d) {
#ifdef HIDDEN_IN_FRONT
  return ((__constant size_t *)__builtin_amdgcn_kernarg_segment_ptr())[d];
#else
  return ((__constant size_t *)__builtin_amdgcn_implicitarg_ptr())[d];
#endif
}
size_t DEVICE get_global_id(uint d) {
  return (uint)get_group_id(d) * (uint)get_local_size(d) + (uint)get_local_id(d) + get_global_offset(d);
}
void DEVICE barrier(cl_mem_fence_flags flags) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
uint DEVICE atomic_add(volatile __local uint *p, uint value) { return __atomic_fetch_add(p, value, __ATOMIC_RELAXED); }
uint DEVICE atomic_add(volatile __global uint *p, uint value) { return __atomic_fetch_add(p, value, __ATOMIC_RELAXED); }
