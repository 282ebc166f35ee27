// The verbs of the tool, one source file each. Options are plain data filled by main.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <amdcompat/pipeline.hpp>

#include "common.hpp"

namespace amdcompat::cli {

struct InspectOptions {
  Common common;
  bool explain = false;  // print the directive table with its evidence instead of a file
  bool registers = false;  // list what each register holds at the start of a CL2 kernel
  bool isa = false;        // disassemble machine code
  bool encoding = false;   // with its words
  bool lift = false;       // machine code as OpenCL C
  bool cal = false;        // show the CAL images
};
struct CheckOptions {
  Common common;
  std::string use;     // describe, in-place, object, lift; empty: the best that can be had
  std::string target;  // of the machine code; of a bundle: the entry
};
struct ConvertOptions {
  Common common;
  std::string to;          // empty: by the name of the output, else yaml
  std::string output;      // file; empty: standard output
  std::string output_dir;  // one file an input
  bool summary = false;
  std::string target;
  bool metadata_only = false;                    // --to elf without code
  std::string compiler = "comgr";                // of --layout natural with code
  pipeline::Request request;                     // without the target
  std::string metadata_version = "3:1:111";      // of --to text
  std::vector<std::string> struct_align;         // NAME=BYTES
};

struct RoundtripOptions {
  Common common;
  bool all = false;  // every form, not the text's alone
};
struct LayoutOptions {
  Common common;
  bool svg = false;
  std::string profile = "amd";
  std::string output;      // file; empty: standard output
};
struct PackOptions {
  Common common;
  std::string launch;          // launch file
  std::string output;          // directory; of a template: file
  bool explain = false;
  bool make_template = false;
};
struct PrintfOptions {
  Common common;
  std::string buffer;          // file with the buffer's bytes
  std::string abi = "auto";
  std::uint32_t dwords_per_item = 0;  // 0: the buffer divided by `items`
  std::uint64_t items = 0;            // 0: as many as there is room for
};

struct VerifyOptions {
  Common common;
  std::string target;          // which entry of a bundle
  pipeline::VerifyRequest request;
};

struct ExtractOptions {
  Common common;
  std::string output;  // directory
};
struct LiftOptions {
  Common common;
  std::string output;      // file; empty: standard output
  std::string output_dir;  // one file an input
  std::string target;      // which entry of a bundle
  pipeline::LiftRequest request;  // without the name of the file
};
struct StubOptions {
  Common common;
  std::string api;  // api_name
  std::string output;  // file; empty: standard output
  std::string target;  // which entry of a bundle
};
struct RunOptions {
  Common common;
  std::string launch;              // launch file
  std::string cb0, cb1;            // files instead of the built images
  std::vector<std::string> dumps;  // ADDRESS:SIZE:FILE
  bool trace = false;
  bool races = false;
  std::uint64_t instructions = emulate::Limits{}.lane_instructions;
};

struct DeviceLaunchOptions {
  Common common;
  std::string launch;              // launch file
  std::string device;              // OpenCL device by a part of its name; empty: the one of proofs
  std::vector<std::string> dumps;  // ADDRESS:SIZE:FILE
  lift::Options lift;              // without kernel and name of the file
};
struct OpenClOptions {
  std::vector<std::string> host;  // program and arguments
  std::string pose, device, log, cache;  // of the layer's environment; empty: as it is
  bool exact = false;
  bool list = false, json = false;
};

struct MigrateOptions {
  Common common;
  std::string output;  // directory
  std::string policy;  // TOML file
  std::vector<std::string> targets;  // GFX or DEVICE=GFX
  std::string metadata;              // empty: as the policy says
  std::string compiler;              // empty: as the policy says
  std::optional<pipeline::Layout> layout;  // absent: as the policy says
  std::optional<hsa::CodeObjectVersion> code_object;
  std::optional<std::uint32_t> seed;
  std::optional<bool> prove, lift, scan, archives, strict;  // absent: as the policy says
  std::string shard;   // INDEX/COUNT
  unsigned jobs = 0;   // 0: one for each core, or for each 256 MiB of limited address space
  bool merge = false;  // FILE… are output directories of shards
  bool dry_run = false, fsync = false;
  bool report = true;     // write one
  std::string report_of;  // directory: only write its report again
};

struct DoctorOptions {
  Common common;
  std::string gpu;                 // a board, device or target, or "cpu"; empty: what is in the machine
  std::string compiler = "comgr";  // or none
};

struct DevicesOptions {
  bool json = false;
  bool boards = false, targets = false;  // these instead of Catalyst's devices
  std::string output;                    // file; empty: standard output
};

struct ExplainOptions {
  std::vector<std::string> codes;
  bool list = false;   // all codes, a line each
  bool json = false;
  std::string output;  // file; empty: standard output
};

int run_doctor(const DoctorOptions& options);
int run_explain(const ExplainOptions& options);
int run_inspect(const InspectOptions& options);
int run_check(const CheckOptions& options);
int run_convert(const ConvertOptions& options);
int run_roundtrip(const RoundtripOptions& options);
int run_layout(const LayoutOptions& options);
int run_pack(const PackOptions& options);
int run_printf(const PrintfOptions& options);
int run_verify(const VerifyOptions& options);
int run_extract(const ExtractOptions& options);
int run_lift(const LiftOptions& options);
int run_stub(const StubOptions& options);
int run_run(const RunOptions& options);
int run_launch(const DeviceLaunchOptions& options);
int run_opencl(const OpenClOptions& options);
int run_migrate(const MigrateOptions& options);
int run_devices(const DevicesOptions& options);

}  // namespace amdcompat::cli
