// An interpreter of GCN machine code that runs kernels.
//
// The interpreter exists to prove conversions: the old machine code is run as the old runtime started it, the
// converted one as its kernel descriptor says, both on the same memory, and everything they wrote is compared. So it
// is strict where hardware is silent: a register that nothing has set is "poisoned" and using it is reported (moving
// it is not: compilers copy variables that are not set yet), as is every access to a byte that the caller did not
// list. An unknown encoding stops the run with its encoding; nothing is guessed.
//
//   emulate::Memory memory;
//   memory.map(0x10000, bytes, "in");
//   emulate::Report report = emulate::run(launch, memory, {}, diagnostics);
//
// GFX6 (Southern Islands), GFX7 (Sea Islands), GFX8 (Volcanic Islands) and what compilers make for GFX9 are covered,
// except for exports and interpolation. A wavefront has 64 lanes. docs/emulate.md has the details.
//
// Converting alone does not need it: a static link leaves it out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <amdcompat/code_object.hpp>
#include <amdcompat/device.hpp>
#include <amdcompat/diagnostic.hpp>
#include <amdcompat/export.h>
#include <amdcompat/gcn.hpp>
#include <amdcompat/program.hpp>

namespace amdcompat::emulate {

// Whether code of this generation can be run.
[[nodiscard]] constexpr bool runs(gcn::Generation generation) { return generation <= gcn::Generation::Gfx9; }
// The generation of a target, or of a device's Isa, whose code can be run; empty: it cannot.
template <class Processor>
[[nodiscard]] std::optional<gcn::Generation> runnable(const Processor& processor) {
  const std::optional<gcn::Generation> out = gcn::generation_of(processor);
  return out && runs(*out) ? out : std::nullopt;
}

// --- memory ------------------------------------------------------------------------------------------------------

// Bytes at 64-bit addresses: ranges that the caller lists, and nothing between them.
class Space;
class AMDCOMPAT_API Memory {
 public:
  struct Range {
    std::uint64_t address = 0;
    std::vector<std::byte> bytes;
    std::string name;  // for findings
    std::uint64_t written = 0;  // how many stores went there
  };
  // False, and nothing happens: the range is empty, overlaps another or passes the end of the address space.
  bool map(std::uint64_t address, std::vector<std::byte> bytes, std::string name = {});
  // Ascending by address.
  [[nodiscard]] std::span<const Range> ranges() const { return ranges_; }
  // `size` bytes from `address` on, all inside one range; empty otherwise.
  [[nodiscard]] std::span<const std::byte> view(std::uint64_t address, std::uint64_t size) const;
  // The same, to be written; counts as one store of `Range::written`.
  [[nodiscard]] std::span<std::byte> store(std::uint64_t address, std::uint64_t size);

 private:
  friend class Space;
  [[nodiscard]] std::size_t find(std::uint64_t address, std::uint64_t size) const;
  std::vector<Range> ranges_;
  mutable std::size_t last_ = 0;
};

// --- running -----------------------------------------------------------------------------------------------------

// Where scratch memory of a work-group's wavefronts lies, one after another: 0 of all offsets into scratch memory. No
// memory of the caller's.
inline constexpr std::uint64_t kScratchAddress = 0x7c00'0000'0000;

// Upper halves of the addresses at which FLAT instructions see local and scratch memory where a launch says no others:
// beyond the 48 bits of descriptors.
inline constexpr std::uint32_t kLocalAperture = 0x1'0000, kScratchAperture = 0x2'0000;
// At most so many bytes of scratch memory for a work-item: 64 MiB for 1024 of them.
inline constexpr std::uint32_t kMostScratchBytes = 65'536;

// How a kernel is started. What is not set here is poisoned.
struct Launch {
  gcn::Generation gfx = gcn::Generation::Gfx6;  // one that `runs`
  // Of that generation, where its processors give encodings different meanings; null: the generation's first.
  const Target* target = nullptr;
  std::span<const std::byte> code;  // must outlive the run
  std::uint32_t entry = 0;  // bytes from the start of the code
  std::uint64_t code_address = 0x7f00'0000'0000;  // of `code`: what s_getpc_b64 gives; not mapped as memory

  std::vector<std::optional<std::uint32_t>> user_sgprs;  // s0 and up; empty ones are poisoned
  std::array<bool, 3> group_id{};  // which work-group ids follow the user SGPRs
  bool group_info = false;  // a further SGPR: number of waves; poisoned here
  bool scratch_offset = false;  // a further SGPR: where the wavefront's part of scratch memory begins, in bytes
  std::uint32_t local_ids = 0;  // v0 to v<local_ids> hold the work-item's ids in its group: 0, 1 or 2
  // Allocated: at most 104, 112 on GFX8. The last ones are XNACK_MASK, FLAT_SCRATCH and VCC, as on hardware, so code
  // that uses those and has too few overwrites its own. Writing others stops.
  std::uint32_t sgprs = 104;
  std::uint32_t vgprs = 256;
  std::uint32_t lds_bytes = 0;  // allocated for a work-group, poisoned
  // Of each work-item, poisoned, in elements of 4 bytes, at most `kMostScratchBytes`; 0: the offset is poisoned too.
  std::uint32_t scratch_bytes = 0;
  // Upper halves of the addresses at which FLAT instructions see local and scratch memory; a queue has them too.
  std::uint32_t local_aperture = kLocalAperture, scratch_aperture = kScratchAperture;
  std::vector<std::byte> gds;  // the global data share at the start, at most 64 KiB; empty: using it stops the run
  // Counters of OpenCL 1.x: what memory holds there is put into `gds` before the first work-group, and what GDS holds
  // then back into memory behind the last one.
  struct Counter {
    std::uint32_t offset = 0;  // bytes into `gds`; the run does not start where the counter does not lie in it
    std::uint32_t bytes = 4;  // 4 or 8
    std::uint64_t address = 0;  // of memory; the run does not start where there is none
  };
  std::vector<Counter> counters;
  std::uint8_t float_mode = 0xc0;  // as in COMPUTE_PGM_RSRC1: 5:4 denormals of 32 bits, 7:6 of 64 bits
  bool keep_denormals = false;  // of 32 bits, also where the code sets another mode
  bool dx10_clamp = true;  // clamp makes 0 of NaN
  // Whether the runtime has installed a handler of traps, as ROCm's does: then s_trap stops the run, but for a
  // debugger's. Without one it does nothing, as on hardware.
  bool trap_handler = false;
  bool ieee = false;  // minima and maxima of signalling NaNs, and output modifiers, then stop the run

  std::array<std::uint32_t, 3> global{1, 1, 1};  // work-items
  std::array<std::uint32_t, 3> local{1, 1, 1};
};

// What a legacy runtime has bound when it starts a kernel: descriptors, as words of hardware.
struct CalBindings {
  struct Slot {
    std::uint32_t slot = 0;
    std::vector<std::uint32_t> words;  // 4 or 8
  };
  std::vector<std::byte> cb0, cb1;
  std::vector<Slot> constant_buffers;  // other than 0 and 1
  std::vector<Slot> uavs, resources, samplers;
  struct Counter {
    std::uint32_t id = 0;  // 0 to 7 [BE AMDIL.h]
    std::uint32_t bits = 32;  // 32 or 64, the same for all counters of a launch
    std::uint64_t address = 0;  // of its number, in memory
  };
  std::vector<Counter> counters;
};
// Addresses that user registers of code objects and CL2 kernels hold; 0: not there, and the registers are poisoned.
struct ObjectBindings {
  std::uint64_t kernarg = 0;  // argument block
  std::uint64_t packet = 0;  // AQL packet of the dispatch
  std::uint64_t queue = 0;  // amd_queue_t
  std::uint64_t samplers = 0;  // the objects of the program's samplers get their place there; 0: none, nor handles
};
using Bindings = std::variant<CalBindings, ObjectBindings>;

// The launch of a kernel as its entry state says. `bindings` are those of its runtime: `CalBindings` for a CAL state,
// `ObjectBindings` for the others.
//
// CAL: constant buffers and tables get places of their own in `memory`; entries that nothing was bound to are not
// there, so reading one is reported. The launch's code refers to `program`, and `base` does not count. Code that is
// given a range of GDS gets one: its counters by their ids, and behind them the kernel's region memory.
//
// The others: all sections are put into `memory`, at their distances from `base`, and relocated; the launch's code lies
// there too, so `memory` must outlive the run. User registers that the bindings do not give are poisoned. Handles of
// samplers are not there unless the bindings say where their objects shall be, which are then made.
//
// Scratch memory is as large as the entry state says; apertures are those of a queue that `memory` holds.
//
// Refused: VLIW code and other generations, no machine code, more than 64 KiB of scratch memory for a work-item, a
// stack, an entry state that contradicts itself, user data that is not known or not bound, references to what the file
// does not hold. `global` and `local` are left to the caller; `lds_bytes` is what the launch needs
// (`LaunchImage::local_bytes`).
[[nodiscard]] AMDCOMPAT_API Result<Launch> kernel_launch(const Program& program, std::size_t kernel,
                                                         const Bindings& bindings, std::uint64_t lds_bytes,
                                                         Memory& memory, std::uint64_t base = 0x7f00'0000'0000);
// The same for kernel `kernel` of a code object that has no `Program` (yet).
[[nodiscard]] AMDCOMPAT_API Result<Launch> object_launch(const hsa::CodeObject& object, std::size_t kernel,
                                                         const ObjectBindings& bindings, std::uint64_t lds_bytes,
                                                         Memory& memory, std::uint64_t base = 0x7f00'0000'0000);

struct Limits {
  std::uint64_t lane_instructions = 400'000'000;  // in all, as `Report` counts them: some seconds
  std::uint64_t work_items = std::uint64_t{1} << 24;
  std::size_t findings = 64;  // kept of each kind
  // Of the host, among which the work-groups of a large launch are divided; 0: as many as it has. The result is the
  // same for any number.
  unsigned threads = 1;
  bool races = false;  // look for those, which takes longer and a single thread
  // What registers, local and scratch memory hold that nothing has set: zeros, or for any other number what is made of
  // it and of the place. Using it is a finding whatever it is; results that no number changes do not depend on it.
  std::uint32_t unset = 0;
  bool local_zeros = false;  // local memory begins as zeros, whatever `unset` is
  // By how many units in the last place floats and doubles are other ones that approximations give
  // (`gcn::is_approximation`), away from zero if it is positive; any small number. Zeros, infinities, NaNs and denormal
  // numbers stay what they are, and so do halves. If it is negative, the nearest texels of normalized coordinates are
  // those of OpenCL's formulas [OpenCL 1.2 §8.2], without the steps that hardware rounds coordinates to. What no such
  // number changes does not depend on how a device approximates.
  std::int32_t last_places = 0;
};

enum class Outcome : std::uint8_t {
  Ended,  // all wavefronts reached s_endpgm
  Stopped,  // at an instruction that cannot be run here; a diagnostic says which
  Budget,  // it took as many instructions as allowed
  Refused,  // the launch itself is not possible
};

// A read of a register that nothing has set, or of an LDS byte.
struct PoisonRead {
  std::uint32_t offset = 0;  // of the instruction
  std::string what;  // "v3", "s[4:5]", "LDS"
  friend bool operator==(const PoisonRead&, const PoisonRead&) = default;
};
// An access to a byte that is not listed.
struct OutsideAccess {
  std::uint32_t offset = 0;  // of the instruction
  std::uint64_t address = 0;
  std::uint32_t size = 0;
  bool store = false;
  bool lds = false;  // `address` is one of local memory or GDS: outside of what is there, or of M0's limit
  bool poison = false;  // of a scalar load: a note, because only using what it gives counts
};

// Two work-items access the same byte, one of them storing another value there, with no barrier between: what the byte
// holds, or what was loaded, depends on which comes first. Atomic accesses are no races among each other.
struct Race {
  enum class Between : std::uint8_t {
    Items,  // of a group, without an order
    // Different instructions of one wavefront, which hardware with wavefronts of this size executes in their order: a
    // race of the source, and of what is made of it, all the same.
    ItemsInStep,
    Groups,
  };
  std::uint32_t offset = 0;  // of the instruction that came later here
  std::uint32_t other = 0;  // of the earlier one
  std::uint64_t address = 0;
  bool lds = false;  // `address` is one of local memory
  bool stores = false;  // the later one does; else the earlier one did
  Between between = Between::Items;
};

struct Report {
  Outcome outcome = Outcome::Refused;
  std::uint64_t instructions = 0;  // of wavefronts
  // By time: a scalar one counts 2, and 1 for each dword it loads; a vector one 8, and 1 or more for each enabled lane.
  std::uint64_t lane_instructions = 0;
  std::uint64_t stores = 0;  // to memory, one for each lane
  std::vector<bool> reached;  // by dword of the code: an instruction that began there was executed
  std::vector<PoisonRead> poison;  // distinct ones
  std::vector<OutsideAccess> outside;  // loads give 0, scalar ones poison; stores are dropped
  // Buffer accesses, loads of images and their atomics that a descriptor's size stopped: no fault, loads give 0.
  std::uint64_t out_of_range = 0;
  // Samples of images at coordinates that are no numbers, infinite or beyond what `int` holds: devices do what they
  // like. [OpenCL 1.2 §8.2: (int)floor(u)]
  std::uint64_t odd_samples = 0;
  std::vector<std::byte> gds;  // what GDS holds at the end
  std::vector<Race> races;  // distinct pairs of instructions, if the limits ask for them
  std::array<std::uint64_t, 3> races_found{};  // of each kind, by bytes and times
  bool races_missed = false;  // there is more memory than is watched: 4 MiB that the launch accesses
  std::uint64_t poison_reads = 0;  // all of them
  std::uint64_t outside_accesses = 0;  // without those of scalar loads
  [[nodiscard]] bool clean() const { return outcome == Outcome::Ended && poison_reads == 0 && outside_accesses == 0; }
};

// Called before each instruction with the wavefront's registers, for traces.
class Observer {
 public:
  struct View {
    std::array<std::uint32_t, 3> group;
    std::uint32_t wave = 0;  // in its group
    std::span<const std::uint32_t> sgprs;  // 128: as source codes name them (106 VCC, 124 M0, 126 EXEC)
    std::span<const std::array<std::uint32_t, 64>> vgprs;
    bool scc = false;
  };
  virtual ~Observer() = default;
  virtual void before(const gcn::Instruction& instruction, const View& view) = 0;
};

// Runs the whole launch. Work-groups run one after another, wavefronts of a group by turns; so kernels that wait for
// another group end at the budget.
[[nodiscard]] AMDCOMPAT_API Report run(const Launch& launch, Memory& memory, const Limits& limits,
                                       Diagnostics& diagnostics, Observer* observer = nullptr);

// How many instructions of the code were reached, and how many can be: other kernels may follow where no symbol says
// how large one is. Where that is not known, as of jumps to addresses in registers, how many there are up to the last
// s_endpgm, behind which is only padding. `reports` may be of several runs of the same code.
struct Coverage {
  std::uint32_t reached = 0;
  std::uint32_t instructions = 0;
};
[[nodiscard]] AMDCOMPAT_API Coverage coverage(std::span<const std::byte> code, std::uint32_t begin, gcn::Generation gfx,
                                              std::span<const Report> reports);

}  // namespace amdcompat::emulate
