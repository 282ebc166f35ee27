#include "manual_pages.hpp"

#include <algorithm>

namespace amdcompat::cli {

namespace {

const std::vector<Page>& pages() {
  static const std::vector<Page> table{
      {"",
       "amdcompat reads kernels that AMD's discontinued Catalyst OpenCL compilers made, and turns them into what "
       "loaders "
       "of today take: HSA metadata and code objects. It reads AMDIL and HSAIL metadata text, OpenCL 1.x and 2.0 "
       "binaries, HSA code objects of versions 1 to 6 and offload bundles of these.\n\n"
       "Everything wrong or doubtful about an input is reported on standard error with a stable code (AC1001), the "
       "place "
       "in the input and what was expected. By default departures that AMD's own runtime tolerated are warnings; "
       "--strict "
       "makes them errors. Inputs are never changed, and an output is written whole or not at all.",
       {{"Convert the metadata of a kernel, read from standard input, to YAML as the assembler takes it:",
         "amdcompat convert - <<'END'\n"
         ";ARGSTART:__OpenCL_scale_kernel\n"
         ";version:3:1:111\n"
         ";device:pitcairn\n"
         ";uniqueid:1024\n"
         ";pointer:dst:float:1:1:0:uav:12:4:RW:0:0\n"
         ";value:k:float:4:1:16\n"
         ";uavid:11\n"
         ";reflection:0:float4*\n"
         ";reflection:1:float4\n"
         ";ARGEND:__OpenCL_scale_kernel\n"
         "END"},
        {"See what a binary holds, and what is doubtful about it:",
         "amdcompat inspect tahiti-923.clo\namdcompat check -v tahiti-923.clo"},
        {"Turn an OpenCL 1.x binary into a code object with its machine code, and prove it by running both:",
         "amdcompat convert --to elf --layout in-place --prove -o scale.hsaco pitcairn-scale-64.clo"}},
       ""},
      {"doctor",
       "Says on one screen a file what it is (container, driver, years, device, kernels), which ways there are to "
       "carry "
       "its kernels to a GPU, what is lost on each, and the command to type next. Every way is taken in memory, as its "
       "verb would take it: converted, lifted, and compiled by the compiler that is installed; what is said was found, "
       "not guessed. Nothing is written and no kernel is run; --prove of the verbs does that.\n\n"
       "The ways: the file as it is; in place, a code object with the old machine code; compiled again from lifted "
       "source; lifted to OpenCL C, which the OpenCL layer also gives to runtimes; described, metadata alone.\n\n"
       "Without --gpu it looks what is in the machine: what the kernel driver for compute says of its GPUs, PCI ids, "
       "and "
       "devices of OpenCL. AMDCOMPAT_SYSROOT names a directory that stands for the root of another machine, with sys "
       "and "
       "usr/share/libdrm/amdgpu.ids below it.",
       {{"What becomes of a binary on a GPU of today:", "amdcompat doctor --gpu 'RX 6800' tahiti-923.clo"},
        {"On the CPU, and for scripts:", "amdcompat doctor --gpu cpu --format json tahiti-923.clo"},
        {"On what is in this machine:", "amdcompat doctor pitcairn-scale.clo"}},
       "inspect convert lift devices"},
      {"explain",
       "Says of each code of a finding what it means, where such a thing comes from, what to do about it, and shows an "
       "example as it is printed. Codes may be written as AC4303, 4303, or by name, InPlaceUserData. With --list all "
       "codes there are. The page of diagnostics that comes with the library has the same.",
       {{"A code that a migration gave as its reason:", "amdcompat explain AC4303"},
        {"All codes of conversion in place:", "amdcompat explain --list | grep AC43"}},
       "check doctor"},
      {"inspect",
       "Prints the kernels of each file: arguments with their places, memory, limits, registers and resource ids. "
       "Nothing "
       "is converted and nothing is judged; see amdcompat-check(1) for that.",
       {{"Kernels and arguments:", "amdcompat inspect images.amdil"},
        {"For scripts, one JSON object a file:", "amdcompat inspect --format json tahiti-923.clo"},
        {"The machine code, with what it reads of the constant buffers:", "amdcompat inspect --isa tahiti-923.clo"},
        {"Every directive of the metadata language and where we know it from:", "amdcompat inspect --explain"}},
       "check layout extract"},
      {"check",
       "Reads each file and reports everything wrong or doubtful about it: grammar, containers, contradictions between "
       "the "
       "parts of a file, and what AMD's runtime would have made of it. Text goes to standard error, JSON Lines to "
       "standard "
       "output. Every code is explained, with an example, in the page of diagnostics that comes with the library.",
       {{"Notes too:", "amdcompat check -v tahiti-923.clo"},
        {"For scripts, one JSON object a finding:", "amdcompat check --format json counters.amdil"}},
       "inspect verify"},
      {"convert",
       "Writes the kernels of each file in another form. The default, YAML, is metadata of a kernel that is compiled "
       "again "
       "from source: the natural layout that compilers of today give the same signature. With --to elf the result is a "
       "whole code object: OpenCL 2.0 binaries and HSA code objects keep their machine code and their argument block; "
       "that of OpenCL 1.x binaries stands behind a prologue that sets up what it expects. Where no kernel has machine "
       "code that can be kept, --to elf holds the metadata alone; --layout in-place refuses such a file, --layout "
       "natural leaves the code out of any, unless --target names a GPU: then the machine code is lifted to OpenCL C "
       "and "
       "compiled for it by comgr (AMD's code object manager) or clang, as --compiler says. What the compiler wrote is "
       "held "
       "against the natural layout, and --prove runs it where the interpreter can.\n\n"
       "A kernel that cannot be converted is refused with the reason, and the others are still written. Whole code "
       "objects "
       "are read back and compared with the input unless --no-verify is given.",
       {{"HSA metadata as YAML:", "amdcompat convert tahiti-923.clo"},
        {"A code object for a given target:",
         "amdcompat convert --to elf --target gfx701 -o k.hsaco tahiti-923.clo || true"},
        {"The same kernels compiled for a GPU of today, where comgr is installed:",
         "amdcompat convert --layout natural --to elf --target gfx1030 -o new.hsaco pitcairn-scale.clo || true"},
        {"The parsed text as XML, and metadata of several files into a directory:",
         "amdcompat convert --to xml images.amdil\n"
         "amdcompat convert --to msgpack --out-dir out --summary images.amdil values-32.amdil"}},
       "verify roundtrip layout"},
      {"roundtrip",
       "Prints every metadata block again from its parsed fields, writes every container again from its model, and "
       "compares the bytes with the input: `identical', or the first byte that differs.\n\n"
       "With --all every other form that the file has is written, read and written again in every form there is: "
       "metadata "
       "text as XML and in canonical spelling, HSA metadata as YAML, JSON, MessagePack, note record and ELF file "
       "(files of "
       "version 2 also as its own YAML), and code objects. The first difference is reported with its path, such as "
       "amdhsa.kernels[0].args[2].offset.",
       {{"Every form of a binary:", "amdcompat roundtrip --all tahiti-923.clo"}},
       "convert verify"},
      {"layout",
       "Shows where every argument lies: in constant buffers 0 and 1 of OpenCL 1.x kernels or in the argument block of "
       "OpenCL 2.0 kernels, and in the kernarg segment of a kernel that is compiled again; in the kernarg segment of a "
       "code object's kernel.",
       {{"As a table:", "amdcompat layout values-32.amdil"},
        {"As a drawing:", "amdcompat layout --svg -o layout.svg values-32.amdil"}},
       "pack inspect"},
      {"pack",
       "Writes the exact bytes of one launch: constant buffers, data segments and a summary for OpenCL 1.x kernels; "
       "argument block, objects and AQL packet for OpenCL 2.0 kernels; kernarg segment and AQL packet for those of "
       "code objects. Sizes, values and addresses come from a launch file in JSON.",
       {{"A launch file to fill in, then the bytes of that launch:",
         "amdcompat pack --template -o launch.json values-32.amdil\n"
         "amdcompat pack --launch launch.json -o image values-32.amdil"},
        {"Why every byte is what it is:", "amdcompat pack --launch launch.json --explain values-32.amdil"}},
       "layout run"},
      {"extract",
       "Writes the parts of a container as files of their own: machine code, IL, LLVM IR, source, metadata and data, "
       "as far "
       "as the container has them.",
       {{"All parts:", "amdcompat extract -o parts tahiti-923.clo"}},
       "inspect"},
      {"lift",
       "Writes the GCN machine code of each file as one OpenCL C 1.2 source: the same kernels with the same "
       "parameters, "
       "for every runtime that compiles OpenCL C. FILE needs no source, IL or debug information; machine code is "
       "enough.\n\n"
       "A kernel that cannot be lifted is refused with the reason and the offset of the instruction, and the others "
       "are "
       "still written; the exit status is 1 then. Where no kernel is lifted nothing is written. With --format json the "
       "output is one object a file: name, form, instructions and statements of each kernel or why it is refused, its "
       "proof, and the source.\n\n"
       "--prove runs machine code and source of each kernel on the same random launches: the one on the built-in "
       "interpreter, the other on an OpenCL device, in a process of its own with a time limit. A kernel that differs "
       "is not written, and one that could not be compared often enough is said to be unproved; the exit status is 1 "
       "then. Nothing of OpenCL is needed otherwise.",
       {{"The source of a binary:", "amdcompat lift -o scale.cl pitcairn-scale.clo || true"},
        {"The same, held against the machine code:", "amdcompat lift --prove -o scale.cl pitcairn-scale.clo || true"},
        {"What becomes of each kernel:", "amdcompat lift --format json -q pitcairn-1702.clo || true"}},
       "convert check"},
      {"stub",
       "Writes the source of a host program that launches a kernel of FILE, an old file or a code object: C99 for "
       "OpenCL, "
       "C++ for HIP, C11 for the HSA runtime. It makes an object for each argument, with type, kind and place in a "
       "comment, "
       "and prints what the buffers hold after the launch. Sizes and values are examples.\n\n"
       "The program for OpenCL loads the lifted source (amdcompat-lift(1)) or a binary; those for HIP and HSA load a "
       "code "
       "object, with the arguments in a packed structure at the offsets of FILE's metadata. A kernel with an argument "
       "that "
       "the interface does not pass is left out, with the reason in a comment.",
       {{"A host for OpenCL, and what it loads:", "amdcompat stub --api opencl -o stub.c pitcairn-scale.clo\n"
                                                  "amdcompat lift -q -o unit.cl pitcairn-scale.clo || true"},
        {"A host that writes kernarg segment and packet itself:",
         "amdcompat stub --api hsa -o stub.c pitcairn-scale-64.clo"}},
       "lift convert"},
      {"run",
       "Executes GCN machine code on the built-in interpreter, with the launch and the memory that a launch file "
       "describes, "
       "and prints or dumps memory afterwards. The interpreter stops at what it does not know, and reports every use "
       "of a "
       "register or byte that nobody set.",
       {{"A launch with all its defaults:",
         "amdcompat pack --template -o launch.json tahiti-923.clo\n"
         "amdcompat run --launch launch.json --instructions 10000 tahiti-923.clo || true"}},
       "pack convert"},
      {"launch",
       "Runs a kernel on an OpenCL device of this machine, with the launch and the memory that a launch file describes "
       "(the same as for run), and prints which buffers changed; --dump writes them. The kernel is lifted to OpenCL C "
       "first; a kernel that cannot be lifted is refused with the reason. Everything of OpenCL happens in a process of "
       "its own.",
       {{"A launch with all its defaults:",
         "amdcompat pack --template -o launch.json pitcairn-scale.clo\n"
         "amdcompat launch --launch launch.json --dump 0x100000:1024:data pitcairn-scale.clo || test $? -eq 3"}},
       "run lift opencl"},
      {"opencl",
       "Starts HOST, a program that brings binaries of Catalyst's compilers, with the OpenCL layer of this package: "
       "what "
       "it gives to clCreateProgramWithBinary is lifted to OpenCL C and compiled by the runtime of today. HOST needs "
       "no "
       "change and no source. With --pose the device answers as one of Catalyst's did, for programs that look for "
       "AMD's "
       "name or for a GPU.\n\n"
       "The same is had without this verb by the environment: OPENCL_LAYERS names the layer, and "
       "AMDCOMPAT_OPENCL_POSE, AMDCOMPAT_OPENCL_DEVICE, AMDCOMPAT_OPENCL_LOG, AMDCOMPAT_OPENCL_CACHE, "
       "AMDCOMPAT_OPENCL_CACHE_MIB and AMDCOMPAT_OPENCL_EXACT are its settings.",
       {{"What OpenCL offers here, and whether its loader takes the layer:", "amdcompat opencl --list"},
        {"A program that wants a Radeon HD 7970, with a log of what becomes of its kernels:",
         "amdcompat opencl --pose tahiti --log - -- true || test $? -eq 3"}},
       "launch lift"},
      {"printf",
       "Prints the text that a kernel's printf calls left in a buffer, with the formats that FILE holds. The buffer is "
       "that "
       "of the old runtime, or of HSA.",
       {{"An empty buffer of one work-item:",
         "printf '\\001\\000\\000\\000\\000\\000\\000\\000' > buffer\namdcompat printf --buffer buffer printf.amdil"}},
       "pack"},
      {"verify",
       "Compares two files kernel by kernel: arguments, layouts, segment sizes, descriptors, register counts, code, "
       "data "
       "and relocations. A difference after which NEW does not run as OLD did is an error. One file alone is checked "
       "by "
       "itself.",
       {{"A conversion against what it was made from:",
         "amdcompat convert -q --to elf --layout in-place -o scale.hsaco pitcairn-scale-64.clo\n"
         "amdcompat verify --execute pitcairn-scale-64.clo scale.hsaco"}},
       "convert check"},
      {"migrate",
       "Converts everything that can be converted below the inputs: directory trees, members of archives and, with "
       "--scan, "
       "programs anywhere inside other files. Every distinct program is converted once, by the policy of the options "
       "or of "
       "a TOML file, and written under DIR/objects. Inputs are only read.\n\n"
       "DIR/manifest.jsonl says of every file and every kernel what became of it, and why; DIR/report.xhtml says the "
       "same "
       "to people, in a browser and without a network. With --target, kernels whose old machine code cannot be kept "
       "are "
       "lifted and compiled for it, by comgr if --compiler says nothing else. The same command again does only what is "
       "left or has changed, "
       "also "
       "after a run that was killed.",
       {{"A whole tree, with the old machine code where that is possible, proved by running it:",
         "amdcompat migrate --prove --out new *.clo || test $? -eq 4"},
        {"Programs inside of applications:", "amdcompat migrate --scan --out found tahiti-923.clo"},
        {"Two machines, a share each, and what they made put together:",
         "amdcompat migrate -q --shard 1/2 --out part1 *.clo || test $? -eq 4\n"
         "amdcompat migrate -q --shard 2/2 --out part2 *.clo || test $? -eq 4\n"
         "amdcompat migrate --merge --out all part1 part2 || test $? -eq 4"}},
       "convert verify"},
      {"devices",
       "Lists the devices that Catalyst knew and the LLVM targets that they are known as today; with --boards GPUs as "
       "they are sold; with --targets the oldest runtime that takes code for each target. Every row says where it "
       "comes "
       "from. All of these names are taken by --target and --gpu.",
       {{"As a table:", "amdcompat devices"}, {"GPUs by the names on their boxes:", "amdcompat devices --boards"}},
       "doctor convert"},
      {"manual",
       "Writes the man pages of the tool and completions for bash, zsh and fish, as packages install them: DIR/man1, "
       "DIR/bash/amdcompat, DIR/zsh/_amdcompat, DIR/fish/amdcompat.fish.",
       {{"Into a directory:", "amdcompat manual -o pages"}},
       ""},
  };
  return table;
}

}  // namespace

const Page* find_page(std::string_view verb) {
  const auto found = std::ranges::find(pages(), verb, &Page::verb);
  return found == pages().end() ? nullptr : &*found;
}

}  // namespace amdcompat::cli
