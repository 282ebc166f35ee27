/* AMDCOMPAT_API marks what the shared library exports. It means something only while that library itself is compiled:
 * whoever links the static library into a shared object of their own, such as an OpenCL layer, exports none of it. */
#ifndef AMDCOMPAT_EXPORT_H
#define AMDCOMPAT_EXPORT_H

#if !defined(AMDCOMPAT_BUILDS_SHARED)
#define AMDCOMPAT_API
#elif defined(__cplusplus)
#define AMDCOMPAT_API [[gnu::visibility("default")]]
#else
#define AMDCOMPAT_API __attribute__((visibility("default")))
#endif

#endif
