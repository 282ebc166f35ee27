#include "explanations.hpp"

#include <algorithm>
#include <array>

namespace amdcompat::cli {

namespace {

constexpr std::string_view kCut = "the file was cut, damaged or made by hand: no compiler of AMD wrote it so";
constexpr std::string_view kFetch =
    "take an undamaged copy of the file; `amdcompat roundtrip` shows the first byte that is wrong";

constexpr std::array kExplanations{
    // Files.
    Explanation{1, 1, "the name is misspelt, the file is a directory, or its rights forbid reading",
                "check name and rights; whole directories are for `amdcompat migrate DIR --out NEW`"},
    Explanation{2, 2, "the directory does not exist, is not writable, or the disk is full",
                "name another output with -o, or make the directory"},
    Explanation{3, 3, "many kernels share a part of their code, so that one file each would repeat it many times",
                "take fewer kernels at a time with --kernel"},

    // Metadata text.
    Explanation{1000, 1099, "the text was edited, cut, or written by an assembler instead of AMD's compilers",
                "lenient reading (the default) goes on as AMD's runtime did; correct the line if its value matters"},
    Explanation{
        1001, 1001, "a compiler of a version that nobody has described, or a misspelt word",
        "nothing, if AMD's runtime skipped it too; else correct the word (`amdcompat inspect --explain` lists all)"},
    Explanation{1002, 1008, "the line was edited, cut or written by another tool: fields stand in a fixed order",
                "compare the line with its row in `amdcompat inspect --explain` and correct it"},
    Explanation{1013, 1013, "hostile or damaged input: no real name is so long", "limits are in docs/limits.md"},
    Explanation{1017, 1017, "hostile or damaged input: no real list is so long", "limits are in docs/limits.md"},
    Explanation{1020, 1020, "the text was cut: a block begins and does not end", "take the whole text"},
    Explanation{1031, 1031, "hostile input, or many dumps in one file", "split the file; limits are in docs/limits.md"},
    Explanation{1033, 1033, "blocks are named `__OpenCL_NAME_kernel`; these are of functions alone",
                "take the text with the kernel's own block too"},
    Explanation{1051, 1051, "the compiler took the size of a struct for its alignment",
                "nothing; give the alignment with --struct-align where a struct is passed by value"},
    Explanation{1054, 1054, "hostile input: no real kernel has so many", "limits are in docs/limits.md"},
    Explanation{1055, 1055, "AMD's compilers reserved 16 bytes where 24 are needed",
                "nothing: the old code reads it so, and the new layout gives each argument its own place"},
    Explanation{1059, 1059, "CLRX assembled or rewrote the file: its wrapper lists its own id",
                "nothing: memory of such a function counts once"},
    Explanation{1062, 1062, "AMD's compiler failed on this kernel and wrote down why",
                "the kernel was never built: its source has to be mended and compiled again"},
    Explanation{1063, 1063, "AMD's compiler had something to say about the source", "nothing"},
    Explanation{1067, 1067, "recursion, which OpenCL C does not allow", "correct the text: such code never ran"},
    Explanation{1069, 1069, "damaged sizes, or a call graph that no compiler made", kFetch},
    Explanation{1073, 1073, "a damaged number: ids are counted from 1", kFetch},
    Explanation{1080, 1080, "the text was cut: a data segment begins and does not end", "take the whole text"},
    Explanation{1090, 1090, "a few letters announce a size; all segments together may have 256 MiB",
                "correct the size; limits are in docs/limits.md"},
    Explanation{1099, 1099, "the text is metadata alone: the IL of these macros stood in the compiler's library",
                "nothing, unless their ids matter: then read the container that the text was taken from"},

    // OpenCL 1.x containers.
    Explanation{2000, 2099, kCut, kFetch},
    Explanation{2001, 2001, "a download or copy that failed", "take the file again"},
    Explanation{2002, 2002, "hostile input, or a file of another kind", "limits are in docs/limits.md"},
    Explanation{2003, 2003, "the file is of another kind, packed, or cut at its front",
                "programs inside other files are found by `amdcompat migrate --scan`"},
    Explanation{2004, 2004, "a program or library for the processor", "look into it with `amdcompat migrate --scan`"},
    Explanation{2005, 2005, "the program was built for the processor: it holds x86 code",
                "take the binary that was built for a GPU; x86 code needs no conversion"},
    Explanation{2006, 2006, "the application protected its kernels; only AMD's runtime had the key",
                "dump the binary on a machine with Catalyst (CL_PROGRAM_BINARIES), or ask for the source"},
    Explanation{2007, 2007, "the program was built with -fno-bin-exe or for no device of the machine",
                "`amdcompat extract` takes the source or LLVM IR out; compile that"},
    Explanation{2008, 2014, "a file of another family where a reader of OpenCL 1.x containers was called",
                "call `amdcompat::open`, which takes them all, as the tool does"},
    Explanation{2010, 2010, "Mesa's clover built the file", "build the kernel again from its source"},
    Explanation{2011, 2011, "the finalizer of HSA was to make machine code of it",
                "build the kernel again from its source"},
    Explanation{2026, 2026, "hostile input: no real file has so many", "limits are in docs/limits.md"},
    Explanation{2030, 2030, "the program was built without kernels, as libraries are", "nothing"},
    Explanation{2031, 2031, "a device newer than the last Catalyst, or a damaged header",
                "nothing, if the metadata names the device; else see `amdcompat devices`"},
    Explanation{2036, 2037, "CLRX or an editor wrote the file", "nothing: the metadata text has what is needed"},
    Explanation{2039, 2040, "the binary was stripped of machine code (-fno-bin-exe)",
                "convert the metadata, or dump the binary again with machine code"},
    Explanation{2043, 2043, "hostile input: no compiler shares bytes so", "limits are in docs/limits.md"},
    Explanation{2053, 2054, "the binary is for several devices, or for one whose code number is not known",
                "nothing, if the kernel converts; else name the target with --target"},
    Explanation{2056, 2056, "an assembler left it out",
                "nothing: registers are found in the code where they are needed"},
    Explanation{2057, 2059, "the image was assembled apart from the text, or one of them was edited",
                "nothing: the message says which of the two counts"},
    Explanation{2090, 2090, "the two count private memory differently, by driver version", "nothing"},

    // OpenCL 2.0 containers.
    Explanation{2100, 2199, kCut, kFetch},
    Explanation{2100, 2100, "the program was built without kernels, as libraries are", "nothing"},
    Explanation{2101, 2103, "chip ids changed their meaning between drivers, and some were never written down",
                "nothing, if the device named is right; else see `amdcompat devices`"},
    Explanation{2107, 2107, "CLRX or an editor left the code out", "dump the binary again"},
    Explanation{2109, 2109, "hostile input: no compiler shares bytes so", "limits are in docs/limits.md"},
    Explanation{2114, 2114, "a type of a compiler that nobody has described, or a damaged record", kFetch},
    Explanation{2123, 2124, "another compiler or assembler wrote the code setup",
                "nothing, if the kernel works: hardware acts on what the setup says"},
    Explanation{2130, 2133, "the binary was rewritten, and its BRIG module kept from before",
                "nothing: the binary counts, as it did for AMD's runtime"},

    // Launches.
    Explanation{3000, 3059, "the launch does not fit the kernel: its sizes or one of its values",
                "correct the value that the message names; `amdcompat pack --template` writes a launch that fits"},
    Explanation{3006, 3006, "AMD's compiler reserved 16 bytes for 24", "nothing: the old code reads it so"},
    Explanation{3008, 3008, "the three kinds of kernels read three kinds of images",
                "make the image of the kernel's own kind: Kernel::launch says which"},
    Explanation{3020, 3020, "`abi::Range::dimensions` was not set, or set wrongly", "set it to 1, 2 or 3"},
    Explanation{3025, 3025, "the global size is not a multiple of the local size",
                "nothing: the kernel has to look at its id, as the old one had to"},
    Explanation{3027, 3027, "`build` was called before `set_range`", "set the range first"},
    Explanation{3029, 3031, "the kernel needs something that the launch does not give",
                "give its address in the launch file, if the kernel gets as far as using it"},
    Explanation{3033, 3033, "the kernel needs something that the launch does not give",
                "give its address in the launch file, if the kernel gets as far as using it"},
    Explanation{3034, 3034, "AQL packets begin with work-group 0", "launch the whole range"},
    Explanation{3051, 3051, "descriptors of these images are known to AMD's driver alone",
                "give the object's bytes (`object`), made by a driver, in the launch file"},
    Explanation{3060, 3061, "the launch file was written by hand, or for another kernel",
                "compare it with `amdcompat pack --template`; docs/launch.schema.json describes every field"},
    Explanation{3062, 3062, "the file has several kernels, or none that fits", "name one with --kernel"},
    Explanation{3070, 3089, "the buffer is not that of this kernel and launch, or was copied in part",
                "check --items, --dwords-per-item and that the dump is the whole buffer"},

    // Conversion.
    Explanation{4001, 4001, "bare text, or an image without program information, counts no registers",
                "nothing: none are made up"},
    Explanation{4002, 4003, "OpenCL 1.x counters lie in memory that HSA does not have",
                "compile the kernel again with a buffer and atomic functions"},
    Explanation{4004, 4004, "old metadata has the size of a struct, not its alignment",
                "nothing, if the rule is right; else --struct-align KERNEL.ARG=BYTES"},
    Explanation{4005, 4005, "something in the metadata of this kernel, or of a function it calls, could not be read",
                "see the other errors about this kernel (`amdcompat check -v`)"},
    Explanation{4006, 4006, "HSA has no argument of that kind", "compile the kernel again with another argument"},
    Explanation{4007, 4007, "the file is a dump of several compilation units",
                "split the file at its `il_cs` lines and convert the parts"},
    Explanation{4008, 4008, "the file has none, or --kernel left none", "look at it with `amdcompat inspect`"},
    Explanation{4009, 4009, "the metadata of today reads backslashes as escapes", "nothing, unless the text matters"},
    Explanation{4010, 4010, "the binary is for a GPU before GCN (Radeon HD 6000 and older)",
                "convert its metadata (--layout natural) and compile the source again"},
    Explanation{4011, 4011, "the name is no target, device or GPU that is known, or the file names none",
                "see `amdcompat devices` and `amdcompat devices --boards`"},
    Explanation{4012, 4012, "the kernels were built for different GPUs", "choose with --kernel or --target"},
    Explanation{4013, 4013, "machine code of one generation does not run on another",
                "lift and compile it: `amdcompat convert --layout natural --to elf --target GPU` (`amdcompat doctor`)"},
    Explanation{4014, 4014, "the name is misspelt, or of another file", "`amdcompat inspect` lists the kernels"},
    Explanation{4015, 4015, "units were numbered apart", "nothing: the second has a new number everywhere"},
    Explanation{4016, 4016, "OpenCL 2.0 files without BRIG have binary metadata alone", "use --to yaml or json"},

    // HSA metadata and code objects.
    Explanation{4100, 4199, "the metadata was written by hand or by another tool, or is damaged",
                "correct the value that the path names; `amdcompat convert` writes metadata without such faults"},
    Explanation{4104, 4105, "hostile input: no real metadata is so large", "limits are in docs/limits.md"},
    Explanation{4122, 4122, "a compiler newer than this tool", "nothing: it is kept"},
    Explanation{4129, 4129, "metadata of one version was to be written as another",
                "`amdcompat convert --code-object N` turns versions into each other"},
    Explanation{4139, 4141, "a caller of the library asked for what the form cannot hold",
                "ask for another version, target or form"},
    Explanation{4171, 4172, "some compilers write so", "nothing"},
    Explanation{4175, 4175, "the code was compiled for an older version", "nothing"},
    Explanation{4182, 4182, "compilers count their own argument", "nothing"},
    Explanation{4200, 4206, "the setup was written by another compiler than the metadata, or by hand",
                "nothing, if the kernel works: loaders and hardware act on the setup"},
    Explanation{4202, 4202, "the new form has no words for it", "the message says what; such a kernel stays as it is"},
    Explanation{4220, 4220, "the form or version that was asked for does not have it",
                "ask for another one: the message says which"},
    Explanation{4221, 4221, "the object was made without metadata of arguments", "fill the segment as its author did"},
    Explanation{4222, 4222, "older versions have fewer keys", "nothing, or a newer --code-object"},
    Explanation{4223, 4223, "the binary was built for 32-bit pointers (GPU_FORCE_64BIT_PTR was not set)",
                "lift it: `amdcompat lift`, or compile the lifted source with --layout natural --to elf"},
    Explanation{4224, 4224, "the file is a text, or was stripped of code", "--layout natural writes its metadata"},
    Explanation{4225, 4226, "OpenCL 2.0 code reads such things through memory", "nothing: hosts pass them as it says"},
    Explanation{4227, 4227, "assembly cannot say it", "write --to elf instead"},
    Explanation{4228, 4228, "V3 says on or off, and the code takes both", "nothing, or --code-object 4"},
    Explanation{4230, 4249, "another tool wrote the object, or it is damaged",
                "nothing, if a loader takes it; else build it again"},
    Explanation{4233, 4234, "the object was assembled without such metadata", "nothing; who launches it has to know"},
    Explanation{4247, 4247, "the code was compiled for another target than the object says",
                "give the right one with --target, or compile it for this one"},
    Explanation{4248, 4249, "instructions newer than this tool", "nothing: the rest was checked"},
    Explanation{4250, 4252, "bundles hold objects for several GPUs",
                "choose one with --target; the message lists them"},
    Explanation{4260, 4260, "the files are of different kernels, or one was changed",
                "the message names kernel and value; `amdcompat verify --execute` runs both"},
    Explanation{4261, 4261, "conversions change it on purpose", "nothing"},

    // In place.
    Explanation{4300, 4309, "the old machine code needs something that no runtime of today gives it",
                "lift it instead: `amdcompat lift`, or --layout natural --to elf --target GPU (`amdcompat doctor`)"},
    Explanation{4308, 4308, "the code keeps offsets of buffers in 32 bits",
                "allocate its buffers below 4 GiB, or lift it"},
    Explanation{4310, 4310, "--prove ran both", "nothing"},
    Explanation{4311, 4311, "random launches made the code read elsewhere, or the budget was spent",
                "raise --proof-instructions, try another --seed, or compare launches of your own (`amdcompat run`)"},
    Explanation{4312, 4312, "the conversion does not keep something that this code depends on",
                "lift the kernel instead, and please report the file"},
    Explanation{4314, 4314, "a kernel could not be run, or not far enough",
                "see the finding about that kernel; raise --proof-instructions or leave --prove out"},

    // Lifting.
    Explanation{4400, 4419, "the code does what OpenCL C has no words for, or what cannot be shown to be right",
                "the other kernels are lifted; convert this one in place for a GPU of its generation, or compile its "
                "source"},
    Explanation{4400, 4400, "the file is a text, or was stripped of code", "dump the binary again with machine code"},
    Explanation{4401, 4401, "the binary is for a GPU before GCN, or after GFX9",
                "compile its source again; `amdcompat extract` takes out what the file has of it"},
    Explanation{4420, 4420, "--form wave was asked for", "leave --form out"},
    Explanation{4421, 4421, "--prove ran both", "nothing"},
    Explanation{4422, 4422, "random launches made the code read elsewhere, the budget was spent, or there is no device",
                "see the reason in the message; `amdcompat launch` runs a launch of your own"},
    Explanation{4423, 4423, "a fault of lifting or of the OpenCL device",
                "try another --device; please report the file if it differs there too"},

    // Compiling.
    Explanation{4500, 4500, "the compiler is not installed, or not where it was looked for",
                "install libamd-comgr2 or clang with lld, or name one with --compiler"},
    Explanation{4501, 4501, "the compiler is older than the GPU, or newer than the version of code objects",
                "name a newer one with --compiler, or another --code-object"},
    Explanation{4502, 4502, "the compiler crashed, took too long, or does not take the source",
                "raise --compiler-seconds or name another --compiler; the log says what it stopped at"},
    Explanation{4503, 4503, "the compiler lays arguments out in another way",
                "name another --compiler; please report it"},
    Explanation{4504, 4504, "--prove ran both", "nothing"},
    Explanation{4505, 4505, "the interpreter does not run code of this target, or the launches did not go far enough",
                "compare the results on the GPU; proofs are had for gfx600 to gfx90c"},
    Explanation{4506, 4506, "a fault of lifting or of the compiler", "name another --compiler; please report the file"},

    // The interpreter.
    Explanation{5001, 5003, "the code is damaged or of another device, or does what the interpreter does not know",
                "`amdcompat inspect --isa` shows the instruction at that offset"},
    Explanation{5004, 5004, "an endless loop, or a large launch", "raise --instructions, or launch fewer work-items"},
    Explanation{5005, 5005, "sizes, memory or mode of the launch", "compare it with `amdcompat pack --template`"},
    Explanation{5006, 5006, "a caller of `gcn::encode` asked for an instruction that the generation does not have",
                "the message names the instruction and what does not fit"},

    // Migration.
    Explanation{6001, 6001, "the policy file was written by hand", "docs/migrate.md lists keys and values"},
    Explanation{6010, 6011, "the tree has links, devices or pipes in it", "nothing, or name the target as an input"},
    Explanation{6012, 6012, "something wrote to the file meanwhile", "run the same command again"},
    Explanation{6013, 6013, "the output lies among the inputs", "name another --out, or narrower inputs"},
    Explanation{6020, 6022, "the archive is damaged, encrypted, or packed in a way that is not supported",
                "unpack it yourself and name the directory"},
    Explanation{6030, 6032, "directories of different runs, or a run that has not ended",
                "run every shard to its end with one policy and one version, then merge"},
    Explanation{6040, 6040, "no code object can hold this machine code without lifting",
                "--target GPU has it compiled for that GPU; --lift writes its source"},
    Explanation{6050, 6050, "another migration is writing there", "wait for it, or name another --out"},
    Explanation{6051, 6051, "the disk is full, or the file was changed by something else",
                "run again; if that fails, delete .amdcompat in the output directory, and the work is done again"},
    Explanation{6060, 6060, "the file is of another kind", "--scan searches in files that are no program"},
    Explanation{6061, 6061, "one budget is shared by all programs", "split the inputs, or --shard them"},
    Explanation{6070, 6070, "a signal, such as Ctrl-C", "run the same command again: it does the rest"},

    Explanation{9001, 9001, "a fault of this library", "please report it with the input"},
};

constexpr int width(const Explanation& row) { return row.last - row.first; }

}  // namespace

std::span<const Explanation> explanations() { return kExplanations; }

const Explanation& explanation_of(Code code) {
  const auto number = static_cast<std::uint16_t>(code);
  const Explanation* best = &kExplanations.back();
  for (const Explanation& row : kExplanations)
    if (row.first <= number && number <= row.last && (best == &kExplanations.back() || width(row) < width(*best)))
      best = &row;
  return *best;
}

}  // namespace amdcompat::cli
