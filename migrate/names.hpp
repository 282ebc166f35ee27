// Names of outputs that people find again: they mirror the inputs' directories and names.
//
//   vault/d4/p4.bin             ->  files/d4/p4.bin.gfx600.hsaco       below the directory that all inputs lie in
//   vault/t.tgz!/a/b.bin        ->  files/t.tgz!/a/b.bin.yaml          a member of an archive
//   vault/app.exe, byte 0x1a40  ->  files/app.exe.0x1a40.gfx700.hsaco  one of several programs, or carved out
//
// Every name can be made on every file system that is in use, and stays below the output directory, whatever the
// inputs are called (members of archives are called what a stranger chose): control characters, what the Windows API
// forbids (`<>:"\|?*`, a dot or a blank at the end, names of devices), marks that turn the direction of writing, bytes
// that are no UTF-8 and `%` itself stand as `%XX`; long names are cut and get part of a SHA-256. A directory whose name
// ends like an output has its last dot escaped, so that no output can stand where a directory has to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifest.hpp"

namespace amdcompat::migrate {

inline constexpr std::string_view kNamesDirectory = "files";

// The directory that all of these lie in or are, by their names alone; empty: there is none. `directories` have no
// empty parts and no "." in them.
[[nodiscard]] std::string common_directory(const std::vector<std::string>& directories);
// Of inputs as they are named: a directory is its own, a file's is the one it lies in.
[[nodiscard]] std::string directory_of_inputs(const std::vector<std::string>& inputs);

// What tells the outputs of one program apart, and their target: ".gfx600.hsaco", ".gfx1030.compiled.hsaco", ".yaml".
[[nodiscard]] std::string output_suffix(const ManifestOutput& output);

// The name of an output of the program at `place` of `file`, which is asked for again with the next `attempt` where the
// name is taken, from 0 to `kNameAttempts` - 1. Parts, `/` between them, of at most 255 bytes; 1200 bytes in all.
inline constexpr unsigned kNameAttempts = 64;
[[nodiscard]] std::string output_name(const FileRecord& file, const ProgramPlace& place, std::string_view base,
                                      std::string_view suffix, unsigned attempt);
// Equal for names that are one where capitals do not count.
[[nodiscard]] std::string name_key(std::string_view name);

// Whether a path has the form of such names: a manifest from elsewhere may say anything.
[[nodiscard]] bool is_output_name(std::string_view path);

}  // namespace amdcompat::migrate
