// What a migration is asked to make: everything that decides what its outputs are.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <amdcompat/diagnostic.hpp>
#include <amdcompat/hsa.hpp>
#include <amdcompat/pipeline.hpp>

namespace amdcompat::migrate {

// Beyond these, an input is refused with a finding. docs/limits.md
struct Limits {
  std::uint64_t program_bytes = std::uint64_t{64} << 20;  // one program; larger files are only searched for programs
  std::uint64_t archive_bytes = std::uint64_t{16} << 30;  // unpacked, of one file with all that is nested in it
  std::uint64_t archive_ratio = 1000;  // unpacked to packed bytes, after the first 64 MiB
  std::uint64_t archive_members = 1'000'000;  // of one file, nested ones included
  std::uint64_t archive_depth = 4;  // archives in archives; 1: none
  // Lane instructions of all proofs of a migration, which its programs share: enough for the whole budget of 100,000.
  std::uint64_t all_proof_instructions = 100'000 * pipeline::kProofInstructions;
};

struct Policy {
  pipeline::Request request;  // of every program; its target is chosen by device:
  // LLVM target by device: names of the device table, processors of code objects ("gfx803"), or "*" for the others.
  std::map<std::string, std::string, std::less<>> targets;
  // What compiles kernels that no code object in place can have, where a target is chosen: a name as
  // `compile::Compiler::find` takes it, or "none". Whoever runs the policy puts the compiler into `request`.
  std::string compiler = "comgr";
  bool lift = false;  // machine code as OpenCL C too, proved where `request` asks for proofs
  std::string metadata = "yaml";  // form of natural metadata: yaml, json or msgpack
  bool strict = false;  // every departure from the grammar is an error, and a program with errors is refused
  bool scan = false;  // search files that are no program themselves for programs
  bool archives = true;  // look into archives
  Limits limits;
};

// The policy with all defaults spelled out, as one line of JSON: the same policy gives the same text.
[[nodiscard]] std::string canonical_policy(const Policy& policy);

// Takes a TOML file over `policy`; docs/migrate.md lists the keys. Unknown keys, devices and targets, wrong types and
// values out of range are errors (AC6001) with their place; the policy is then not to be used. True: no error.
bool read_policy(std::string_view toml, Policy& policy, Diagnostics& diagnostics);

// DEVICE=GFX, or GFX for all devices, as in the table `targets`. False, with a finding: not known.
bool add_target(std::string_view text, Policy& policy, Diagnostics& diagnostics);

// Whether the policy asks for code that a compiler may have to make.
[[nodiscard]] bool wants_compiler(const Policy& policy);
// Why the compiler of `request` cannot make code objects for one of the targets; nothing: it can.
[[nodiscard]] std::optional<Diagnostic> compiler_refusal(const Policy& policy);

// The target for a device (a name as in `targets`); absent: the device's own.
[[nodiscard]] std::optional<hsa::TargetSpec> target_for(const Policy& policy, std::string_view device);

}  // namespace amdcompat::migrate
