/* C interface: open legacy files, look at their kernels, build the bytes a launch needs, decode printf buffers, convert
 * files to code objects of today, lift machine code to OpenCL C, and prove that these do the same.
 *
 * For runtimes in C, Rust, Go, Python and whatever else can call C; docs/c-api.md has a walk through it. Meaning,
 * units and limits are those of the C++ headers named in brackets.
 *
 * Handles are opaque. No function throws, prints or exits. Text is UTF-8 and ends with a NUL; bytes of a file that are
 * no UTF-8, and NULs, are replaced by U+FFFD. No text is a null pointer: what is absent is "".
 *
 * Structures. The first member, `size`, is set by the caller to sizeof of the structure, in those that are given and in
 * those that are filled in. Later versions only append members. A library reads what an older caller has (the rest
 * counts as 0), fills in no more than the caller has room for, and refuses (AMDCOMPAT_BAD_CALL) what a newer caller
 * sets and it does not know. So zero a structure before filling it in: `amdcompat_range r = {.size = sizeof r};`
 *
 * Who owns what. A handle belongs to the caller until its `_free` function. Everything that a handle gives out (text,
 * bytes, diagnostics) belongs to the handle and lives as long as it does, unless said otherwise. What is given to
 * a function is copied. Launches do not need their file any more.
 *
 * Threads. Functions that take a handle as pointer to const may run at the same time; any other function needs the
 * handle for itself. Different handles are independent, a launch and its file as well.
 */
#ifndef AMDCOMPAT_AMDCOMPAT_H
#define AMDCOMPAT_AMDCOMPAT_H

#include <stddef.h>
#include <stdint.h>

#include <amdcompat/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when something is appended; what is there keeps its meaning. `amdcompat_c_version` is the library's own. */
#define AMDCOMPAT_C_VERSION 4u
AMDCOMPAT_API uint32_t amdcompat_c_version(void);
/* "0.1.0" */
AMDCOMPAT_API const char* amdcompat_library_version(void);

typedef int32_t amdcompat_status;
enum {
  AMDCOMPAT_OK = 0,
  AMDCOMPAT_REFUSED = 1,   /* the input or a value is wrong: the handle's diagnostics say what */
  AMDCOMPAT_NOT_FOUND = 2, /* there is nothing of that name */
  AMDCOMPAT_BAD_CALL = 3,  /* a null pointer, an index or choice out of range, a structure of a wrong size */
  AMDCOMPAT_NO_MEMORY = 4, /* the handle can still be used; what was given may have to be given again */
  AMDCOMPAT_DEFECT = 5     /* an error of this library; please report it */
};
/* A few words, also for numbers that are no status. */
AMDCOMPAT_API const char* amdcompat_status_text(amdcompat_status status);

typedef struct amdcompat_file amdcompat_file;
typedef struct amdcompat_launch amdcompat_launch;
typedef struct amdcompat_text amdcompat_text;
typedef struct amdcompat_conversion amdcompat_conversion;
typedef struct amdcompat_lifted amdcompat_lifted;
typedef struct amdcompat_diagnostics amdcompat_diagnostics;

/* --- diagnostics [diagnostic.hpp] ------------------------------------------------------------------------- */

enum { AMDCOMPAT_NOTE = 0, AMDCOMPAT_WARNING = 1, AMDCOMPAT_ERROR = 2 };

typedef struct amdcompat_diagnostic {
  size_t size;
  uint32_t code;       /* 3043 for AC3043: docs/diagnostics.md */
  uint32_t severity;   /* AMDCOMPAT_NOTE, ... */
  uint64_t offset;     /* of the file's bytes it is about */
  uint64_t length;     /* bytes; 0: a position */
  const char* block;   /* metadata block */
  const char* path;    /* place in a structure, such as "arguments[2]" */
  const char* message;
  const char* kernel;   /* name of the kernel it is about */
  const char* argument; /* name of the argument it is about */
} amdcompat_diagnostic;

/* The list of a handle lives as long as the handle and grows with what later calls find. */
AMDCOMPAT_API size_t amdcompat_diagnostics_count(const amdcompat_diagnostics* list);
AMDCOMPAT_API amdcompat_status amdcompat_diagnostics_get(const amdcompat_diagnostics* list, size_t index,
                                                         amdcompat_diagnostic* out);

/* --- files and kernels [open.hpp, program.hpp] ------------------------------------------------------------- */

/* Flag of files and launches: what AMD's own runtime tolerated is an error, too. */
#define AMDCOMPAT_STRICT 1u

/* `*out` is a handle, except after AMDCOMPAT_BAD_CALL, _NO_MEMORY and _DEFECT (then null). After AMDCOMPAT_REFUSED it
 * has no kernels, and its diagnostics say why. A file that opens may have diagnostics as well, errors included: of
 * kernels that cannot be used, or not wholly. `path` is taken as it is. */
AMDCOMPAT_API amdcompat_status amdcompat_open(const void* bytes, size_t byte_count, uint32_t flags,
                                              amdcompat_file** out);
AMDCOMPAT_API amdcompat_status amdcompat_open_path(const char* path, uint32_t flags, amdcompat_file** out);
/* From AMDCOMPAT_C_VERSION 4 on: of an offload bundle the entry of that processor, with or without features
 * ("gfx906", "gfx906:xnack-"); other files have no entries. Null or "": as amdcompat_open, which refuses a bundle of
 * several code objects with a list of them. */
AMDCOMPAT_API amdcompat_status amdcompat_open_entry(const void* bytes, size_t byte_count, uint32_t flags,
                                                    const char* entry, amdcompat_file** out);
AMDCOMPAT_API void amdcompat_file_free(amdcompat_file* file); /* null: nothing happens */
AMDCOMPAT_API const amdcompat_diagnostics* amdcompat_file_diagnostics(const amdcompat_file* file);

enum { AMDCOMPAT_FAMILY_TEXT = 0, AMDCOMPAT_FAMILY_CL1 = 1, AMDCOMPAT_FAMILY_CL2 = 2, AMDCOMPAT_FAMILY_HSA = 3 };

/* From AMDCOMPAT_C_VERSION 4 on. */
typedef struct amdcompat_program {
  size_t size;
  const char* kind;            /* of file: "CL1 GPU container", "HSA code object V5", ... */
  const char* device;          /* Catalyst's name, lower case */
  const char* target;          /* LLVM's, of the machine code, such as "gfx601" or "gfx906:xnack-"; or "" */
  const char* driver;          /* as the container names it */
  const char* compile_options; /* the same */
  uint64_t refused;            /* kernels that the container names but which could not be read at all */
  uint32_t family;             /* AMDCOMPAT_FAMILY_TEXT, ... */
  uint32_t reserved;
} amdcompat_program;

/* AMDCOMPAT_BAD_CALL for a file that was refused. */
AMDCOMPAT_API amdcompat_status amdcompat_program_get(const amdcompat_file* file, amdcompat_program* out);

/* Bits of amdcompat_kernel.flags. */
#define AMDCOMPAT_KERNEL_COMPLETE 1u    /* its metadata was understood; without this bit nothing can be launched */
#define AMDCOMPAT_KERNEL_PRINTF 2u      /* it, or a function it calls, prints */
#define AMDCOMPAT_KERNEL_DATA_SEGMENT 4u /* it needs the data segment */
#define AMDCOMPAT_KERNEL_IMAGES 8u
#define AMDCOMPAT_KERNEL_PRIVATE_RING 16u /* compiled to write to a dummy page: see amdcompat_rings */
#define AMDCOMPAT_KERNEL_ENQUEUES 32u

typedef struct amdcompat_kernel {
  size_t size;
  const char* name;
  const char* device;         /* Catalyst's name, lower case */
  uint32_t family;            /* AMDCOMPAT_FAMILY_TEXT, ... */
  uint32_t address_bits;      /* 32 or 64 */
  uint32_t flags;             /* AMDCOMPAT_KERNEL_COMPLETE, ... */
  uint32_t argument_count;
  uint32_t required_group[3]; /* cws; all 0: none */
  uint32_t max_group;         /* work-items of a group */
  uint64_t local_bytes;       /* static local memory of a group */
  uint64_t private_bytes;     /* of a work-item */
  uint32_t hidden_arguments;  /* CL2: the first so many are the compiler's; range and environment give their values.
                                 Code objects: 0; theirs have AMDCOMPAT_ARGUMENT_HIDDEN, wherever they stand */
  uint32_t reserved;
} amdcompat_kernel;

/* Kinds of arguments, and what gives them their value. In CL2 kernels and those of code objects
 * amdcompat_launch_set_buffer also gives the address of a structure, image or sampler object that the caller placed,
 * and _set_object an object's bytes. */
enum {
  AMDCOMPAT_VALUE = 0,            /* amdcompat_launch_set_bytes */
  AMDCOMPAT_GLOBAL_POINTER = 1,   /* amdcompat_launch_set_buffer, _set_null */
  AMDCOMPAT_CONSTANT_POINTER = 2, /* the same */
  AMDCOMPAT_LOCAL_POINTER = 3,    /* amdcompat_launch_set_local */
  AMDCOMPAT_IMAGE = 4,            /* amdcompat_launch_set_image */
  AMDCOMPAT_SAMPLER = 5,          /* amdcompat_launch_set_sampler */
  AMDCOMPAT_COUNTER = 6,          /* amdcompat_launch_set_buffer, _set_null */
  AMDCOMPAT_SEMAPHORE = 7,        /* the same */
  AMDCOMPAT_OTHER = 8,            /* nothing: of a kind that needs no value, or cannot be launched */
  AMDCOMPAT_QUEUE = 9,            /* CL2: amdcompat_launch_set_buffer, _set_null */
  AMDCOMPAT_PIPE = 10             /* the same */
};

/* Bits of amdcompat_argument.flags. */
#define AMDCOMPAT_ARGUMENT_CONST 1u
#define AMDCOMPAT_ARGUMENT_VOLATILE 2u
#define AMDCOMPAT_ARGUMENT_RESTRICT 4u
#define AMDCOMPAT_ARGUMENT_KERNARG 8u /* it lies in an argument block (CL2) or a kernarg segment (code objects) */
#define AMDCOMPAT_ARGUMENT_HIDDEN 16u /* the compiler added it: range and environment give its value */
/* Code objects that were converted in place: the library fills it unless the caller gives it. */
#define AMDCOMPAT_ARGUMENT_OPTIONAL 32u

typedef struct amdcompat_argument {
  size_t size;
  const char* name;
  const char* type_name;   /* of the source */
  uint32_t kind;           /* AMDCOMPAT_VALUE, ... */
  uint32_t flags;          /* AMDCOMPAT_ARGUMENT_CONST, ... */
  uint32_t value_bytes;    /* AMDCOMPAT_VALUE: what set_bytes takes, three elements counted as four; else 0 */
  uint32_t align;          /* pointers: of addresses, bytes, as the metadata has it; else 0 */
  uint32_t buffer;         /* constant buffer it lies in */
  uint32_t offset;         /* bytes into it */
  uint64_t kernarg_offset; /* bytes into the argument block; 0 without AMDCOMPAT_ARGUMENT_KERNARG */
  uint64_t kernarg_bytes;  /* that it has there */
  /* From AMDCOMPAT_C_VERSION 4 on. */
  const char* element;     /* values: type of an element, "float", "u32", "struct"; pointers: of what they point to */
  const char* memory;      /* pointers, queues: kind of memory as text metadata spells it, "uav", "hl", ... */
  const char* dimension;   /* images: "2D", ... */
  const char* access;      /* pointers, images, pipes: "RO", "WO" or "RW" */
  const char* hidden;      /* AMDCOMPAT_ARGUMENT_HIDDEN: what it is, such as "global_offset_x" */
  uint32_t elements;       /* values: 1, 2, 3, 4, 8 or 16; structures: bytes; else 0 */
  uint32_t id;             /* pointers: its number in its class; images, samplers, counters, semaphores: own */
} amdcompat_argument;

AMDCOMPAT_API size_t amdcompat_kernel_count(const amdcompat_file* file);
AMDCOMPAT_API amdcompat_status amdcompat_kernel_get(const amdcompat_file* file, size_t kernel, amdcompat_kernel* out);
/* The first kernel, the first argument of a name. */
AMDCOMPAT_API amdcompat_status amdcompat_kernel_find(const amdcompat_file* file, const char* name, size_t* kernel);
AMDCOMPAT_API amdcompat_status amdcompat_argument_get(const amdcompat_file* file, size_t kernel, size_t argument,
                                                      amdcompat_argument* out);
AMDCOMPAT_API amdcompat_status amdcompat_argument_find(const amdcompat_file* file, size_t kernel, const char* name,
                                                       size_t* argument);

typedef struct amdcompat_data_segment {
  size_t size;
  const char* section;      /* CL2: name of the section it is */
  const void* bytes;        /* null when there are none */
  uint64_t byte_count;
  uint64_t zero_bytes;      /* CL2: zeros that follow them */
  uint32_t constant_buffer; /* 0: the global data segment */
  uint32_t reserved;
} amdcompat_data_segment;

AMDCOMPAT_API size_t amdcompat_data_segment_count(const amdcompat_file* file);
AMDCOMPAT_API amdcompat_status amdcompat_data_segment_get(const amdcompat_file* file, size_t segment,
                                                          amdcompat_data_segment* out);

/* --- launches [launch_image.hpp, cl2_launch.hpp, kernarg_launch.hpp] -------------------------------------------- */

enum { AMDCOMPAT_PROFILE_AMD = 0, AMDCOMPAT_PROFILE_SPEC = 1 };
enum { AMDCOMPAT_ARGUMENTS_AMD = 0, AMDCOMPAT_ARGUMENTS_SAFE = 1 };
enum { AMDCOMPAT_IMAGES_R8XX = 0, AMDCOMPAT_IMAGES_R7XX = 1 };

typedef struct amdcompat_launch_options {
  size_t size;
  uint32_t flags;               /* AMDCOMPAT_STRICT */
  uint32_t profile;             /* CL1: AMDCOMPAT_PROFILE_AMD, ... */
  uint32_t arguments;           /* CL1: AMDCOMPAT_ARGUMENTS_AMD, ... */
  uint32_t image_layout;        /* CL1: AMDCOMPAT_IMAGES_R8XX, ... */
  uint32_t max_constant_buffer; /* CL1: bytes; 0: 65,536 */
  uint32_t max_local_bytes;     /* bytes; 0: 32,768, for code objects what their target has */
  uint32_t max_block_bytes;     /* of CL2's argument block, bytes; 0: 65,536. Of a kernarg segment; 0: 1 MiB */
  uint32_t max_memory_bytes;    /* CL2: of amdcompat_launch_memory, bytes; 0: 1 MiB */
  uint32_t packet_header;       /* CL2, code objects: first 16 bits of the packet; 0: 0x0d02, as AMD's runtime */
  uint32_t reserved;            /* 0 */
} amdcompat_launch_options;

/* Bits of amdcompat_range.flags. */
#define AMDCOMPAT_RANGE_TASK 1u  /* clEnqueueTask: all sizes are ignored */
#define AMDCOMPAT_RANGE_SPLIT 2u /* CL1: this dispatch is only the part that the `split_` members give */

typedef struct amdcompat_range {
  size_t size;
  uint32_t dimensions; /* 1 to 3; components from there on are ignored */
  uint32_t flags;      /* AMDCOMPAT_RANGE_TASK, ... */
  uint64_t global[3];  /* work-items */
  uint64_t offset[3];
  uint32_t local[3];   /* work-items of a group; all 0: the library chooses */
  uint32_t split_group_offset[3];
  uint64_t split_global[3];
  uint64_t split_offset[3];
} amdcompat_range;

typedef struct amdcompat_buffer {
  size_t size;
  uint64_t address;    /* of its first byte */
  uint64_t base;       /* of its descriptor: the kernel is told address - base; CL2, code objects: 0 */
  uint64_t byte_count; /* 0: not known */
} amdcompat_buffer;

/* `channel_order` and `channel_type` are OpenCL's numbers (CL_RGBA, CL_FLOAT). */
typedef struct amdcompat_image {
  size_t size;
  uint64_t address; /* a multiple of 256; 0: no hardware descriptor is made, which CL2 kernels need */
  uint32_t width;
  uint32_t height;
  uint32_t depth;
  uint32_t channel_order;
  uint32_t channel_type;
  uint32_t row_pitch;   /* bytes; 0: width x element size */
  uint32_t slice_pitch; /* bytes; 0: height x row pitch */
  uint32_t array_size;  /* layers of an array image */
  uint32_t offset;      /* AMDCOMPAT_IMAGES_R7XX only */
  uint32_t reserved;    /* 0 */
} amdcompat_image;

typedef struct amdcompat_printf_buffer {
  size_t size;
  uint64_t address;
  uint64_t base;
  uint64_t byte_count; /* of the whole buffer; 0: not known */
  uint32_t dwords_per_item;
  uint32_t reserved; /* 0 */
} amdcompat_printf_buffer;

typedef struct amdcompat_rings {
  size_t size;
  uint64_t private_offset;
  uint64_t local_offset;
  uint32_t private_bytes; /* per work-item */
  uint32_t local_bytes;   /* per work-group */
  uint32_t math_table;    /* AMDCOMPAT_PROFILE_SPEC only */
  uint32_t reserved;      /* 0 */
} amdcompat_rings;

/* Where the memory of a launch of a CL2 kernel or a code object's is and what it runs on. Addresses have at most 48
 * bits, 32 in kernels with 32-bit addresses, 57 in those of code objects; 0: none. */
typedef struct amdcompat_environment {
  size_t size;
  uint64_t memory;            /* where amdcompat_launch_memory will lie; 0: all addresses inside are offsets */
  uint64_t printf_buffer;     /* hidden argument */
  uint64_t default_queue;     /* hidden argument: the device queue that enqueueing kernels use */
  uint64_t aql_wrap;          /* hidden argument: AMD's parent wrap of enqueueing kernels (completion action) */
  uint64_t kernel_object;     /* of the kernel's setup in device memory, a multiple of 64 */
  uint64_t completion_signal; /* AMD's OpenCL runtime used none */
  uint64_t queue;             /* that the kernel runs on; 0: queue words of our own are placed in the memory */
  uint64_t scratch;           /* base of scratch memory */
  uint32_t local_aperture;    /* bits 32 to 63 of the addresses at which FLAT instructions see local memory, */
  uint32_t scratch_aperture;  /* and scratch memory; for queue words of our own */
  uint32_t scratch_bytes;     /* of all scratch memory */
  uint32_t scratch_offset;    /* GFX7 and GFX8: from the hidden private base to `scratch`, a multiple of 256 */
  /* From AMDCOMPAT_C_VERSION 2 on; hidden arguments of code objects. */
  uint64_t hostcall_buffer;
  uint64_t multigrid_sync;
  uint64_t heap;
} amdcompat_environment;

/* A launch is made once for a kernel and serves any number of launches: set what differs, build, upload. `options` may
 * be null; those of the other family are not read. `*out` as for amdcompat_open; after AMDCOMPAT_REFUSED only its
 * diagnostics can be used. */
AMDCOMPAT_API amdcompat_status amdcompat_launch_create(const amdcompat_file* file, size_t kernel,
                                                       const amdcompat_launch_options* options, amdcompat_launch** out);
AMDCOMPAT_API void amdcompat_launch_free(amdcompat_launch* launch); /* null: nothing happens */

/* What every call for this launch found, in order, since it was made or the list was cleared. Clear it now and then: at
 * most 100,000 are kept. Clearing ends the life of the texts got from the list. */
AMDCOMPAT_API const amdcompat_diagnostics* amdcompat_launch_diagnostics(const amdcompat_launch* launch);
AMDCOMPAT_API void amdcompat_launch_clear_diagnostics(amdcompat_launch* launch);

/* AMDCOMPAT_REFUSED: there is no valid value then, and building fails, until one is given. An `argument` that the
 * kernel does not have, or that is of another kind, is refused in the same way. Arguments count from 0, hidden ones
 * included: those of a CL2 kernel that need a value start at amdcompat_kernel.hidden_arguments; in code objects all
 * without AMDCOMPAT_ARGUMENT_HIDDEN and _OPTIONAL need one. */
AMDCOMPAT_API amdcompat_status amdcompat_launch_set_range(amdcompat_launch* launch, const amdcompat_range* range);
AMDCOMPAT_API amdcompat_status amdcompat_launch_set_bytes(amdcompat_launch* launch, size_t argument, const void* bytes,
                                                          size_t byte_count);
AMDCOMPAT_API amdcompat_status amdcompat_launch_set_buffer(amdcompat_launch* launch, size_t argument,
                                                           const amdcompat_buffer* buffer);
AMDCOMPAT_API amdcompat_status amdcompat_launch_set_null(amdcompat_launch* launch, size_t argument);
AMDCOMPAT_API amdcompat_status amdcompat_launch_set_local(amdcompat_launch* launch, size_t argument,
                                                          uint64_t byte_count);
AMDCOMPAT_API amdcompat_status amdcompat_launch_set_image(amdcompat_launch* launch, size_t argument,
                                                          const amdcompat_image* image);
AMDCOMPAT_API amdcompat_status amdcompat_launch_set_sampler(amdcompat_launch* launch, size_t argument, uint32_t word);
/* CL2: the bytes of an image (48) or sampler (32) object as the caller's driver makes them. */
AMDCOMPAT_API amdcompat_status amdcompat_launch_set_object(amdcompat_launch* launch, size_t argument,
                                                           const void* bytes, size_t byte_count);
/* CL2 and code objects, of the launch as a whole. Null takes the value away again. */
AMDCOMPAT_API amdcompat_status amdcompat_launch_set_environment(amdcompat_launch* launch,
                                                                const amdcompat_environment* environment);
/* CL1, of the launch as a whole. Null takes the value away again. What is of the other family (amdcompat_kernel.family)
 * is refused and changes nothing. Kernels of code objects that were converted in place take printf buffer and data
 * segments too. */
AMDCOMPAT_API amdcompat_status amdcompat_launch_set_printf(amdcompat_launch* launch,
                                                           const amdcompat_printf_buffer* buffer);
AMDCOMPAT_API amdcompat_status amdcompat_launch_set_data_segment(amdcompat_launch* launch,
                                                                 const amdcompat_buffer* buffer);
AMDCOMPAT_API amdcompat_status amdcompat_launch_set_rings(amdcompat_launch* launch, const amdcompat_rings* rings);
/* Where the data segment of constant buffer `number` (2 and up) lies; `base` does not count. */
AMDCOMPAT_API amdcompat_status amdcompat_launch_set_constant_data(amdcompat_launch* launch, uint32_t number,
                                                                  const amdcompat_buffer* buffer);

/* Brings the bytes up to date: writes what changed and, unless there is something to report, allocates nothing. After
 * AMDCOMPAT_REFUSED they are those of the last successful build. */
AMDCOMPAT_API amdcompat_status amdcompat_launch_build(amdcompat_launch* launch);

/* CL1. The bytes of constant buffer `number`; they keep their place as long as the launch lives, and change with each
 * build. Null, and 0 bytes, for a number without arguments. Numbers from 16 on are for later versions. */
AMDCOMPAT_API const void* amdcompat_launch_image(const amdcompat_launch* launch, uint32_t number, size_t* byte_count);
/* Bytes [*begin, *end) of it, outside which the last build changed nothing. */
AMDCOMPAT_API void amdcompat_launch_changed(const amdcompat_launch* launch, uint32_t number, size_t* begin,
                                            size_t* end);
/* Local memory of a work-group in all, bytes; the local size used. After a successful build. */
AMDCOMPAT_API uint64_t amdcompat_launch_local_bytes(const amdcompat_launch* launch);
AMDCOMPAT_API void amdcompat_launch_local_size(const amdcompat_launch* launch, uint32_t local[3]);

/* CL2 and code objects: the memory of a launch. */
typedef struct amdcompat_memory {
  size_t size;
  const void* bytes;      /* for address amdcompat_environment.memory; keep their place, change with each build */
  uint64_t byte_count;    /* of all: argument block or kernarg segment, AQL packet, objects that the block points to */
  uint64_t block_bytes;   /* of the block or segment, rounded up to 16: the 64 bytes of the packet start there */
  uint64_t changed_begin; /* bytes [changed_begin, changed_end): outside, the last build changed nothing */
  uint64_t changed_end;
  uint32_t align;         /* what amdcompat_environment.memory must be a multiple of */
  uint32_t packet_header; /* first dword of the packet: to be stored last in a queue, atomically */
} amdcompat_memory;

/* AMDCOMPAT_NOT_FOUND for a CL1 launch. `align` and the sizes count before the first build already. */
AMDCOMPAT_API amdcompat_status amdcompat_launch_memory(const amdcompat_launch* launch, amdcompat_memory* out);

/* CL2 and code objects: scalar registers that the kernel asks for by name, and what they hold when it starts, the whole
 * of amdcompat_memory being at amdcompat_environment.memory. After a successful build; none for CL1 and when the
 * container has no setup. Kernarg words that the hardware preloads into the registers behind them are not listed. Texts
 * live as long as the library. */
typedef struct amdcompat_register {
  size_t size;
  const char* name;
  const char* meaning;
  uint32_t first; /* s[first] */
  uint32_t count;
  uint32_t known; /* 0: only the hardware queue or the runtime knows the words, which are 0 here; else 1 */
  uint32_t reserved;
  uint32_t words[4]; /* `count` of them */
} amdcompat_register;

AMDCOMPAT_API size_t amdcompat_launch_register_count(const amdcompat_launch* launch);
AMDCOMPAT_API amdcompat_status amdcompat_launch_register(const amdcompat_launch* launch, size_t index,
                                                         amdcompat_register* out);

enum {
  AMDCOMPAT_BIND_UAV = 0,
  AMDCOMPAT_BIND_CONSTANT_BUFFER = 1,
  AMDCOMPAT_BIND_RESOURCE = 2,
  AMDCOMPAT_BIND_SAMPLER = 3,
  AMDCOMPAT_BIND_COUNTER = 4,
  AMDCOMPAT_BIND_SEMAPHORE = 5
};

/* CL1: something to bind before the launch. */
typedef struct amdcompat_binding {
  size_t size;
  const char* what; /* the argument's name, or "cb0", "printf buffer", ... */
  uint32_t kind; /* AMDCOMPAT_BIND_UAV, ... */
  uint32_t slot; /* in the table of its kind */
  int64_t argument; /* index, or -1 */
  uint64_t address; /* base of the descriptor; 0: the caller places it */
  uint64_t byte_count; /* from `address` on; 0: not known */
  uint32_t stride; /* bytes */
  uint32_t descriptor_words; /* 0, 4 or 8: how many of the next member count */
  uint32_t descriptor[8]; /* of GCN hardware */
} amdcompat_binding;

AMDCOMPAT_API size_t amdcompat_launch_binding_count(const amdcompat_launch* launch);
AMDCOMPAT_API amdcompat_status amdcompat_launch_binding(const amdcompat_launch* launch, size_t index,
                                                        amdcompat_binding* out);

/* What lies where, from AMDCOMPAT_C_VERSION 4 on: one entry for each value that the bytes of a launch hold. Bytes
 * without an entry are 0. */
typedef struct amdcompat_map_entry {
  size_t size;
  const char* name;        /* of the argument, the word of constant buffer 0, the member of the packet, ... */
  const char* part;        /* "elements 0 to 3", "width (u32)": of an argument with several entries; also in `what` */
  const char* what;        /* in words */
  const char* value;       /* as text; "" until there was a build */
  const char* evidence;    /* "documented", "observed", ... */
  const char* source;      /* where that is known from: docs/sources.md */
  int64_t argument;        /* index, or -1 */
  uint32_t buffer;         /* CL1: constant buffer; else 0: block or kernarg segment, 1: packet, 2: objects behind it */
  uint32_t offset;         /* bytes, from the start of that constant buffer; else from that of amdcompat_memory.bytes */
  uint32_t byte_count;     /* that are written; 0: room that stays 0 */
  uint32_t reserved_bytes; /* that the argument has there */
} amdcompat_map_entry;

/* Makes the map, also before the first build, and gives the number of its entries. They are ascending by buffer, and
 * may overlap: AMD's runtime wrote three 64-bit elements over the next argument, which was written later. Values are
 * those of now. Texts live until the map is made again or the launch freed. AMDCOMPAT_BAD_CALL, and 0 entries, for a
 * launch that was refused; of the second, for an index of no entry, or before there is a map. */
AMDCOMPAT_API amdcompat_status amdcompat_launch_map(amdcompat_launch* launch, size_t* count);
AMDCOMPAT_API amdcompat_status amdcompat_launch_map_get(const amdcompat_launch* launch, size_t index,
                                                        amdcompat_map_entry* out);

/* --- printf [printf.hpp] ------------------------------------------------------------------------------------ */

enum { AMDCOMPAT_PRINTF_LEGACY = 0, AMDCOMPAT_PRINTF_HSA = 1 };

typedef struct amdcompat_printf_layout {
  size_t size;
  uint64_t items; /* legacy: regions in the buffer; 0: as many as there are */
  uint32_t dwords_per_item; /* legacy: as told to the kernel */
  uint32_t kind; /* AMDCOMPAT_PRINTF_LEGACY, ... */
} amdcompat_printf_layout;

/* Makes the regions of a legacy buffer empty, as they must be before the launch. */
AMDCOMPAT_API amdcompat_status amdcompat_printf_reset(void* bytes, size_t byte_count, uint32_t dwords_per_item);
/* What kernel `kernel` of the file printed into the buffer. `*out` as for amdcompat_open; after AMDCOMPAT_REFUSED it
 * holds what could be decoded, and its diagnostics say what is wrong with the buffer. */
AMDCOMPAT_API amdcompat_status amdcompat_printf_decode(const amdcompat_file* file, size_t kernel, const void* bytes,
                                                       size_t byte_count, const amdcompat_printf_layout* layout,
                                                       amdcompat_text** out);
/* As the kernel printed it: not always UTF-8, and a NUL may be part of it; another one follows the last byte. */
AMDCOMPAT_API const char* amdcompat_text_bytes(const amdcompat_text* text, size_t* byte_count);
AMDCOMPAT_API const amdcompat_diagnostics* amdcompat_text_diagnostics(const amdcompat_text* text);
AMDCOMPAT_API void amdcompat_text_free(amdcompat_text* text); /* null: nothing happens */

/* --- conversion [pipeline.hpp] ------------------------------------------------------------------------------ */

enum {
  AMDCOMPAT_LAYOUT_AUTO = 0,     /* code objects with the old machine code where possible, metadata for what is left */
  AMDCOMPAT_LAYOUT_IN_PLACE = 1, /* code objects or nothing */
  AMDCOMPAT_LAYOUT_NATURAL = 2   /* metadata for code that is compiled again */
};

/* Bits of amdcompat_convert_options.flags. */
#define AMDCOMPAT_CONVERT_PROVE 1u      /* run old and new code; what differs is left out */
#define AMDCOMPAT_CONVERT_UNVERIFIED 2u /* do not check the object nor compare it with its origin */

typedef struct amdcompat_convert_options {
  size_t size;
  const char* target;   /* LLVM's, such as "gfx601" or "gfx906:xnack-"; null or "": the file's own */
  uint32_t layout;      /* AMDCOMPAT_LAYOUT_AUTO, ... */
  uint32_t code_object; /* version 3 to 6; 0: what loaders of the target take */
  uint32_t flags;       /* AMDCOMPAT_CONVERT_PROVE, ... */
  uint32_t seed;        /* of proofs; 0: 1 */
  uint32_t launches;    /* that a proof has to compare; 0: 3 */
  uint32_t attempts;    /* launches that are tried for it; 0: 48 */
} amdcompat_convert_options;

/* Converts the file. `options` may be null. `*out` as for amdcompat_open. AMDCOMPAT_OK: what was asked for is made.
 * AMDCOMPAT_REFUSED: something of it is not: a kernel is refused, one is described where code for a target was wanted,
 * or one is not proved where proofs were. amdcompat_conversion_kernel and the diagnostics say which; the object and
 * the metadata of what was made are there nevertheless, but in a file that was opened with AMDCOMPAT_STRICT. */
AMDCOMPAT_API amdcompat_status amdcompat_convert(const amdcompat_file* file, const amdcompat_convert_options* options,
                                                 amdcompat_conversion** out);
AMDCOMPAT_API void amdcompat_conversion_free(amdcompat_conversion* conversion); /* null: nothing happens */
AMDCOMPAT_API const amdcompat_diagnostics* amdcompat_conversion_diagnostics(const amdcompat_conversion* conversion);

/* The code object of the converted kernels, an ELF file for a loader. Null, and 0 bytes: there is none. */
AMDCOMPAT_API const void* amdcompat_conversion_object(const amdcompat_conversion* conversion, size_t* byte_count);
enum { AMDCOMPAT_METADATA_YAML = 0, AMDCOMPAT_METADATA_MSGPACK = 1 };
/* The metadata of the described kernels in that form. Null, and 0 bytes: there is none. */
AMDCOMPAT_API const void* amdcompat_conversion_metadata(const amdcompat_conversion* conversion, uint32_t form,
                                                        size_t* byte_count);

enum {
  AMDCOMPAT_OUTCOME_REFUSED = 0,
  AMDCOMPAT_OUTCOME_DESCRIBED = 1, /* metadata only; this and what is above it is in the result */
  AMDCOMPAT_OUTCOME_CONVERTED = 2, /* in the object, as what is above it */
  AMDCOMPAT_OUTCOME_PROVED = 3,    /* and both codes did the same when they were run */
  AMDCOMPAT_OUTCOME_AS_IT_IS = 4   /* the object is the file: nothing had to be done */
};
enum {
  AMDCOMPAT_PROOF_NONE = 0, /* not asked for, or there was nothing to run */
  AMDCOMPAT_PROOF_PROVED = 1,
  AMDCOMPAT_PROOF_UNPROVED = 2,       /* both sides agreed wherever they could be compared, which was not enough */
  AMDCOMPAT_PROOF_NOT_EXECUTABLE = 3, /* the old code cannot be run here */
  AMDCOMPAT_PROOF_DIFFERS = 4         /* the kernel is not in the object */
};

typedef struct amdcompat_kernel_outcome {
  size_t size;
  const char* name;
  const char* reason_text; /* why it is not in the object */
  const char* proof_text;  /* why it is not proved */
  uint64_t kernarg_bytes;  /* of its kernarg segment; 0: refused */
  uint32_t outcome;        /* AMDCOMPAT_OUTCOME_REFUSED, ... */
  uint32_t reason;         /* 4300 for AC4300: docs/diagnostics.md; 0: none */
  uint32_t proof;          /* AMDCOMPAT_PROOF_NONE, ... */
  uint32_t launches;       /* that were compared */
  uint32_t reached;        /* instructions of the old code, over these launches, */
  uint32_t instructions;   /* of so many */
} amdcompat_kernel_outcome;

/* As many as the file has kernels, in their order. */
AMDCOMPAT_API size_t amdcompat_conversion_kernel_count(const amdcompat_conversion* conversion);
AMDCOMPAT_API amdcompat_status amdcompat_conversion_kernel(const amdcompat_conversion* conversion, size_t index,
                                                           amdcompat_kernel_outcome* out);

#define AMDCOMPAT_VERIFY_EXECUTE 1u /* run the kernels of both files instead of comparing what loaders are told */

typedef struct amdcompat_verify_options {
  size_t size;
  uint32_t flags;    /* AMDCOMPAT_VERIFY_EXECUTE */
  uint32_t seed;     /* as in amdcompat_convert_options, like the next ones */
  uint32_t launches;
  uint32_t attempts;
} amdcompat_verify_options;

/* Whether `after` runs as `before` does. `options` may be null. AMDCOMPAT_REFUSED: it does not, or that cannot be told;
 * the diagnostics of `*out` say in what. With AMDCOMPAT_VERIFY_EXECUTE the kernels of `*out` are those that both files
 * have, with their proofs; it has no object and no metadata. */
AMDCOMPAT_API amdcompat_status amdcompat_verify(const amdcompat_file* before, const amdcompat_file* after,
                                                const amdcompat_verify_options* options, amdcompat_conversion** out);

/* --- machine code as OpenCL C [lift.hpp, pipeline.hpp]; from AMDCOMPAT_C_VERSION 3 on ------------------------- */

enum {
  AMDCOMPAT_FORM_AUTO = 0,      /* what can be shown to be right */
  AMDCOMPAT_FORM_WORK_ITEM = 1, /* every work-item computes its own lane */
  AMDCOMPAT_FORM_WAVE = 2       /* one work-item those of its wavefront */
};

/* Bits of amdcompat_lift_options.flags. */
#define AMDCOMPAT_LIFT_PROVE 1u    /* run machine code and source; a kernel that differs is left out */
#define AMDCOMPAT_LIFT_EXACT 2u    /* denormal floats are zeros where the machine code has them so */
#define AMDCOMPAT_LIFT_ANNOTATE 4u /* offsets of the machine code in comments */

typedef struct amdcompat_lift_options {
  size_t size;
  const char* kernel; /* only the kernels of this name; null or "": all */
  const char* file;   /* named in the first comment of the source; null or "": none */
  const char* device; /* of proofs: part of the name of an OpenCL device; null or "": pocl, else the first one */
  uint32_t form;      /* AMDCOMPAT_FORM_AUTO, ... */
  uint32_t flags;     /* AMDCOMPAT_LIFT_PROVE, ... */
  uint32_t seed;      /* of proofs; 0: 1 */
  uint32_t launches;  /* that a proof has to compare; 0: 3 */
  uint32_t attempts;  /* launches that are tried for it; 0: 64 */
  uint32_t reserved;  /* 0 */
} amdcompat_lift_options;

/* Lifts the kernels of a file. `options` may be null. `*out` as for amdcompat_open. AMDCOMPAT_REFUSED: a kernel is not
 * lifted, or not proved where proofs were asked for; the source of the others is there nevertheless, but in a file that
 * was opened with AMDCOMPAT_STRICT. AMDCOMPAT_NOT_FOUND, and null: there is no kernel of that name. A proof loads
 * libOpenCL.so.1 in child processes, made by fork. */
AMDCOMPAT_API amdcompat_status amdcompat_lift(const amdcompat_file* file, const amdcompat_lift_options* options,
                                              amdcompat_lifted** out);
AMDCOMPAT_API void amdcompat_lifted_free(amdcompat_lifted* lifted); /* null: nothing happens */
AMDCOMPAT_API const amdcompat_diagnostics* amdcompat_lifted_diagnostics(const amdcompat_lifted* lifted);

/* One OpenCL C 1.2 translation unit for clCreateProgramWithSource; its NUL does not count. "" where no kernel is in it.
 * `byte_count` may be null. */
AMDCOMPAT_API const char* amdcompat_lifted_source(const amdcompat_lifted* lifted, size_t* byte_count);

enum {
  AMDCOMPAT_LIFT_REFUSED = 0,
  AMDCOMPAT_LIFT_LIFTED = 1, /* in the source, as what is above it */
  AMDCOMPAT_LIFT_PROVED = 2  /* and machine code and source did the same when they were run */
};
/* Bits of amdcompat_lift_outcome.flags: what a proof says besides. */
#define AMDCOMPAT_LIFT_APPROXIMATE 1u /* the machine code has instructions whose results are approximations */
#define AMDCOMPAT_LIFT_DENORMALS 2u   /* results depend on whether denormal floats are kept */
#define AMDCOMPAT_LIFT_ALONE 4u       /* some launches had work-groups of one work-item, or one: others race */
#define AMDCOMPAT_LIFT_LOCAL_ZEROS 8u /* some launches had local memory that began as zeros: it is used unset */

typedef struct amdcompat_lift_outcome {
  size_t size;
  const char* name;
  const char* reason_text; /* why it is not lifted */
  const char* proof_text;  /* why it is not proved */
  const char* device;      /* OpenCL device that the source ran on; "": none */
  uint32_t outcome;        /* AMDCOMPAT_LIFT_REFUSED, ... */
  uint32_t form;           /* AMDCOMPAT_FORM_WORK_ITEM, ...; 0: not lifted */
  uint32_t reason;         /* 4406 for AC4406: docs/diagnostics.md; 0: none */
  uint32_t statements;     /* of the lifted kernel */
  uint32_t proof;          /* AMDCOMPAT_PROOF_NONE, ... */
  uint32_t launches;       /* that were compared */
  uint32_t reached;        /* instructions of the machine code, over these launches, */
  uint32_t instructions;   /* of so many */
  uint32_t flags;          /* AMDCOMPAT_LIFT_APPROXIMATE, ... */
  uint32_t error;          /* of approximations: largest difference in 10^-9 of the largest number in its buffer */
} amdcompat_lift_outcome;

/* As many as kernels were to be lifted, in the file's order. */
AMDCOMPAT_API size_t amdcompat_lifted_kernel_count(const amdcompat_lifted* lifted);
AMDCOMPAT_API amdcompat_status amdcompat_lifted_kernel(const amdcompat_lifted* lifted, size_t index,
                                                       amdcompat_lift_outcome* out);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
