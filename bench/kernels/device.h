// What the kernels here use of OpenCL, for compilers that have no library of device functions too.
#pragma OPENCL FP_CONTRACT OFF
#ifdef __AMDGCN__
#define local_id(d) __builtin_amdgcn_workitem_id_##d()
#define local_size(d) __builtin_amdgcn_workgroup_size_##d()
#define group_id(d) __builtin_amdgcn_workgroup_id_##d()
static inline void group_barrier(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#define add_atomic(p, v) __atomic_fetch_add(p, v, __ATOMIC_RELAXED)
#else
#define DIMENSION_x 0
#define DIMENSION_y 1
#define local_id(d) ((uint)get_local_id(DIMENSION_##d))
#define local_size(d) ((uint)get_local_size(DIMENSION_##d))
#define group_id(d) ((uint)get_group_id(DIMENSION_##d))
#define group_barrier() barrier(CLK_LOCAL_MEM_FENCE)
#define add_atomic(p, v) atomic_add(p, v)
#endif
#define global_id(d) (group_id(d) * local_size(d) + local_id(d))
