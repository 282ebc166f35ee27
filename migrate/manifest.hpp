// What a migration did, as data: the records of `manifest.jsonl`, their reader and their writer.
//
// A manifest is JSON Lines, one record a line, in this order:
//
//   {"record":"manifest", …}   one; what was asked for
//   {"record":"file", …}       every file that was looked at, and every member of an archive; by path, then ordinal
//   {"record":"program", …}    every distinct program that files hold; by SHA-256
//   {"record":"summary", …}    one; counts
//
// A program is a piece of a file that can be converted by itself: the whole file, a member of an archive, an entry of a
// bundle, an image carved out of something else. It is known by the SHA-256 of its bytes; files that hold the same
// program refer to one record, so that nothing is converted or said twice.
//
// The bytes depend on the inputs, the policy and the tool's version, and on nothing else: no times, no order of
// threads, no machine; but for what is compiled, by the compiler that the policy names with its version, and for the
// proofs of lifted source, which need an OpenCL device. docs/manifest.schema.json says
// the same in JSON Schema; a test holds the writer to it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <amdcompat/diagnostic.hpp>

#include "digest.hpp"
#include "shard.hpp"

namespace amdcompat::migrate {

inline constexpr std::uint32_t kManifestSchema = 1;
inline constexpr std::string_view kManifestName = "manifest.jsonl";

// What became of a file, a program or a kernel: the worst of what is in it.
enum class Outcome : std::uint8_t {
  None,  // files and programs: there is no kernel in it
  AsItIs,  // a code object of today, to which nothing had to be done
  Proved,  // Converted, and old and new code did the same when they were run
  Converted,  // loads with its old machine code, or with code that was compiled from its lift
  Described,  // metadata only (natural layout): the code has to be compiled again
  Partial,  // files and programs: something that was asked for was not made; an error among the findings says what
  Refused,  // no artifact can be made; the findings say why
  Failed,  // files: could not be read to the end, or written
};
[[nodiscard]] std::string_view outcome_name(Outcome outcome);  // "as-it-is", "converted"
[[nodiscard]] std::string_view outcome_text(Outcome outcome);  // for people: "runs as it is", "without kernels"
[[nodiscard]] std::optional<Outcome> outcome_from_name(std::string_view name);

// A diagnostic with its place worked out, since the bytes are gone when a manifest is read.
struct Finding {
  std::string code;  // "AC4302"
  Severity severity = Severity::Error;
  std::uint64_t offset = 0;  // bytes from the start of the program (of files: of the file)
  std::uint64_t size = 0;  // bytes; 0: a position, or the whole
  std::uint32_t line = 0;  // in the text part at `offset`, from 1; 0: not text
  std::uint32_t column = 0;  // bytes, from 1
  std::string text;  // that line, cut at 200 bytes; empty: not text
  std::string block;  // metadata block, or empty
  std::string kernel;  // name of the kernel it is about, or empty
  std::string argument;  // name of the argument it is about, or empty
  std::string path;  // place in a decoded structure, or empty
  std::string message;
  friend bool operator==(const Finding&, const Finding&) = default;
};

// One argument of a kernel, where old code reads it and where a launch of today puts it.
struct ManifestArgument {
  std::string name;
  std::string type;  // in the source, "float4*"; empty: not stated
  std::string kind;  // value kind of the new metadata, "global_buffer"; empty: not in it
  std::optional<std::uint32_t> buffer;  // OpenCL 1.x: constant buffer …
  std::optional<std::uint64_t> from;  // … and bytes into it; OpenCL 2.0: bytes into the argument block
  std::optional<std::uint64_t> to;  // bytes into the kernarg segment; absent: the kernel was refused
  std::uint64_t size = 0;  // bytes there; of a refused kernel 0
  friend bool operator==(const ManifestArgument&, const ManifestArgument&) = default;
};

// What running old and new code on the same launches showed. [prove.hpp]
struct ManifestProof {
  std::string verdict;  // verdict_name of emulate::Verdict: "proved"
  std::uint32_t launches = 0;  // that were compared
  std::uint32_t alone_in_group = 0;  // of them in work-groups of one work-item, as those of larger ones race
  std::uint32_t alone_in_launch = 0;  // of them of one work-item, as more race
  std::uint32_t local_zeros = 0;  // of them with local memory that begins as zeros, as some is used that nothing set
  std::uint32_t reached = 0;  // instructions of the old code …
  std::uint32_t instructions = 0;  // … and all of them
  std::string reason;  // empty when proved
  std::string device;  // of lifted source: OpenCL device that it ran on; empty: none, or the interpreter
  friend bool operator==(const ManifestProof&, const ManifestProof&) = default;
};

// What became of a kernel's machine code as OpenCL C. [pipeline.hpp, LiftResult]
struct ManifestLift {
  std::string result;  // outcome_name of pipeline::LiftOutcome: "proved"
  std::string form;  // form_name of lift::Form, "work-item"; empty: not lifted
  std::uint32_t statements = 0;
  std::string reason;  // why it is not lifted: a code, "AC4406"; empty: it is, or its proof differs
  std::optional<ManifestProof> proof;  // on the OpenCL device of the machine that migrated; absent: not asked for
  friend bool operator==(const ManifestLift&, const ManifestLift&) = default;
};

// The kernarg segment of the layout that was not made, where it is known too.
struct ManifestSegment {
  std::string layout;  // "in-place" (of the old machine code) or "natural"
  std::uint64_t kernarg_bytes = 0;
  std::vector<ManifestArgument> arguments;  // without old places
  friend bool operator==(const ManifestSegment&, const ManifestSegment&) = default;
};

struct ManifestKernel {
  std::string name;
  std::string version;  // of the legacy metadata, "3:1:111"; empty: none
  Outcome outcome = Outcome::Refused;
  // "in-place", "compiled" (again, from lifted source), "natural" or "kept" (a code object's own); empty: refused
  std::string layout;
  std::uint64_t kernarg_bytes = 0;  // kernarg segment; 0 when refused
  std::vector<ManifestArgument> arguments;  // explicit ones of the source first, then what the launch adds
  std::optional<ManifestSegment> other;  // absent: there is none, or it was not looked for
  bool machine_code = false;  // there is machine code of GCN, which --lift tries
  std::optional<ManifestProof> proof;  // absent: not asked for, or nothing to run
  std::optional<ManifestLift> lift;  // absent: not asked for, or no machine code of GCN
  friend bool operator==(const ManifestKernel&, const ManifestKernel&) = default;
};

struct ManifestOutput {
  std::string path;  // from the output directory, '/' between its parts: "objects/3f/3f2a….hsaco"
  std::string form;  // "elf", "yaml", "msgpack", "json" or "cl"
  std::string layout;  // as in ManifestKernel; of "cl": "lifted"
  std::string target;  // "gfx601", with features; empty: metadata without a target
  std::uint32_t code_object = 0;  // version of a code object or of metadata, 3 to 6
  std::uint64_t size = 0;  // bytes
  std::string sha256;  // of the output
  friend bool operator==(const ManifestOutput&, const ManifestOutput&) = default;
};

struct ProgramRecord {
  std::string sha256;  // 64 hexadecimal digits
  std::uint64_t size = 0;  // bytes
  std::string kind;  // kind_name: "CL1 GPU container"
  std::string device;  // Catalyst name or processor; empty: not known
  std::string driver;  // driver string; empty: not stated
  Outcome outcome = Outcome::None;
  std::vector<ManifestOutput> outputs;
  std::vector<ManifestKernel> kernels;  // in the program's order
  std::vector<Finding> findings;  // by place; of more than `kMostFindings` so many, errors first
  std::uint64_t findings_left_out = 0;
  friend bool operator==(const ProgramRecord&, const ProgramRecord&) = default;
};
inline constexpr std::size_t kMostFindings = 200;

// A program as it lies in a file.
struct ProgramPlace {
  std::string sha256;
  std::uint64_t offset = 0;  // bytes from the start of the file
  std::uint64_t size = 0;  // bytes
  std::string entry;  // id of a bundle's entry, or empty
  friend bool operator==(const ProgramPlace&, const ProgramPlace&) = default;
};

// An output under a name that mirrors its file's.
struct FileOutput {
  std::string path;  // from the output directory: "files/d4/p4.bin.gfx600.hsaco" (names.hpp)
  std::string object;  // path of the program's output whose bytes these are
  friend bool operator==(const FileOutput&, const FileOutput&) = default;
};

struct FileRecord {
  // As named on the command line, with what was found below it. Bytes that are no UTF-8 stand as in the file system
  // here, and as U+FFFD beside the hexadecimal `path_bytes` in JSON. A member of an archive: "vault.zip!/a/b.bin".
  std::string path;
  std::string root;  // path of the file in the file system that this is a member of; empty: is no member
  std::uint64_t ordinal = 0;  // of a member: its number in `root`, nested members counted, from 1; else 0
  std::uint64_t size = 0;  // bytes
  std::string sha256;  // empty: not read to the end
  std::string kind;  // kind_name, "archive"; empty: not read
  Outcome outcome = Outcome::None;  // of its programs together; an archive's members speak for themselves
  std::vector<ProgramPlace> programs;  // by offset
  std::vector<Finding> findings;
  std::vector<FileOutput> outputs;  // of its programs, in their order
  friend bool operator==(const FileRecord&, const FileRecord&) = default;
};

// What the proofs of each program may spend where the policy's budget of a migration is too small for all of them.
struct ProofShare {
  std::uint64_t programs = 0;  // distinct ones, of all shards
  std::uint64_t instructions = 0;  // lane instructions
  friend bool operator==(const ProofShare&, const ProofShare&) = default;
};

struct HeaderRecord {
  std::uint32_t schema = kManifestSchema;
  std::string tool;  // version
  std::string policy;  // canonical JSON of everything that decides what is made (policy.hpp)
  bool complete = true;  // false: the run was interrupted; what is listed is done
  std::optional<Shard> shard;  // absent: all of the inputs
  std::optional<ProofShare> proofs;  // absent: each program has what the policy gives to one
  std::string base;  // directory that all inputs lie in or are: names of outputs count from there; empty: none
  friend bool operator==(const HeaderRecord&, const HeaderRecord&) = default;
};

// Indexed by Outcome.
using OutcomeCounts = std::array<std::uint64_t, 8>;
using LiftCounts = std::array<std::uint64_t, 3>;  // by pipeline::LiftOutcome
inline constexpr std::array kRunning{Outcome::AsItIs, Outcome::Proved, Outcome::Converted};  // what has code
// What runs on a target.
struct TargetCounts {
  std::uint64_t programs = 0;  // with such a kernel
  OutcomeCounts kernels{};  // those of kRunning
  friend bool operator==(const TargetCounts&, const TargetCounts&) = default;
};
struct SummaryRecord {
  OutcomeCounts files{};  // members of archives included
  OutcomeCounts programs{};  // distinct ones
  OutcomeCounts kernels{};  // of distinct programs
  std::uint64_t outputs = 0;
  std::uint64_t proved = 0;  // kernels
  LiftCounts lifted{};  // kernels
  std::uint64_t described_code = 0;  // kernels that are described only and have machine code of GCN …
  std::uint64_t described_lifted = 0;  // … and those of them that are OpenCL C, too
  std::map<std::string, TargetCounts> targets;  // by the target of the code object, "gfx600"
  friend bool operator==(const SummaryRecord&, const SummaryRecord&) = default;
};

// Which kernels have code for which target, by the program's outputs; each counts its program once.
[[nodiscard]] std::map<std::string, TargetCounts> targets_of(const ProgramRecord& program);
// The target of the code object that holds this kernel; empty: none does.
[[nodiscard]] std::string target_of(const ProgramRecord& program, const ManifestKernel& kernel);

[[nodiscard]] bool is_lifted(const ManifestKernel& kernel);
// "3 kernels: 2 proved, 1 refused"; empty: nothing was to be lifted.
[[nodiscard]] std::string lifted_text(const SummaryRecord& summary);

// One line, with its line end.
[[nodiscard]] std::string to_line(const HeaderRecord& record);
[[nodiscard]] std::string to_line(const FileRecord& record);
[[nodiscard]] std::string to_line(const ProgramRecord& record);
[[nodiscard]] std::string to_line(const SummaryRecord& record);

using Record = std::variant<HeaderRecord, FileRecord, ProgramRecord, SummaryRecord>;
// A line as `to_line` writes it; keys of later versions are ignored. Refused (AC6031): anything else.
[[nodiscard]] Result<Record> parse_line(std::string_view line);

// Calls `visit` with each record of a manifest, in their order and one at a time, on any of the threads. A few lines a
// thread are in memory; `visit` returns false to stop. False, with a finding: the file cannot be read (AC0001), a line
// is no record, or a record is missing or out of order (AC6031).
bool read_manifest(const std::string& path, const std::function<bool(Record&&)>& visit, Diagnostics& diagnostics,
                   unsigned jobs = 1);

}  // namespace amdcompat::migrate
