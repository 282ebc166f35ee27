// What generated programs call of HIP, declared as HIP's documentation has it, so that they are compiled where HIP is
// not installed.
#pragma once

#include <cstddef>

typedef enum { hipSuccess = 0 } hipError_t;
typedef struct ihipModule_t* hipModule_t;
typedef struct ihipModuleSymbol_t* hipFunction_t;
typedef struct ihipStream_t* hipStream_t;
typedef enum { hipMemcpyHostToDevice = 1, hipMemcpyDeviceToHost = 2 } hipMemcpyKind;
typedef enum { HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1 } hipFunction_attribute;

#define HIP_LAUNCH_PARAM_BUFFER_POINTER (reinterpret_cast<void*>(1))
#define HIP_LAUNCH_PARAM_BUFFER_SIZE (reinterpret_cast<void*>(2))
#define HIP_LAUNCH_PARAM_END (reinterpret_cast<void*>(3))

const char* hipGetErrorString(hipError_t error);
hipError_t hipMalloc(void** to, std::size_t size);
hipError_t hipFree(void* what);
hipError_t hipMemcpy(void* to, const void* from, std::size_t size, hipMemcpyKind kind);
hipError_t hipModuleLoad(hipModule_t* module, const char* name);
hipError_t hipModuleUnload(hipModule_t module);
hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* name);
hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute attribute, hipFunction_t function);
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                 unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                 hipStream_t stream, void** parameters, void** extra);
hipError_t hipDeviceSynchronize();
