// Files of an output directory, each written under another name first.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <amdcompat/diagnostic.hpp>

#include "read_some.hpp"

namespace amdcompat::migrate {

// Whether a path has the form that outputs have: "objects/3f/3f2a….hsaco". A manifest from elsewhere may say anything.
[[nodiscard]] bool is_output_path(std::string_view path);

// With its parents. False, with a finding (AC0002): it cannot be made.
[[nodiscard]] bool make_directory(const std::string& directory, Diagnostics& diagnostics);

// An output directory, opened once: files in it are reached from there, not by its path again and again. Many threads
// may use one.
class OutputRoot {
 public:
  explicit OutputRoot(std::string path);
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] int descriptor() const { return descriptor_.get(); }  // -1: it cannot be opened …
  [[nodiscard]] int error() const { return error_; }  // … for this reason, as errno has them

 private:
  std::string path_;
  FileDescriptor descriptor_;
  int error_ = 0;
};

// The directory that an output lies in, opened part by part below `directory` without following links: what somebody
// put there in a directory's place leads nowhere else.
struct Parent {
  FileDescriptor descriptor;  // -1: it cannot be opened
  std::string name;  // of the output in it
  std::string problem;  // why it cannot be opened
};
// Refused: a path with parts that are empty, "." or "..", wherever it comes from.
// `make`: directories that are missing are made.
[[nodiscard]] Parent open_parent(const OutputRoot& directory, std::string_view path, bool make);
// Removes an output, and with `directories` those that it lay in below the first, as far as they are empty then.
void remove_output(const OutputRoot& directory, std::string_view path, bool directories);

// `path` counts from `directory`; directories on the way are made. Replaces what is there by a rename: nobody sees half
// a file. With `durable` the contents are on the disk before. An error: AC0002.
[[nodiscard]] std::optional<Diagnostic> write_output(const OutputRoot& directory, const std::string& path,
                                                     std::string_view bytes, bool durable);
// An output to read: a regular file, and no link on the way to it. -1: there is none.
[[nodiscard]] FileDescriptor open_output(const OutputRoot& directory, std::string_view path);
// The same file as another directory's, by a hard link where the file system has them. `opened` is that file at its
// path `from`: a regular one, which is what comes to be, whatever stands at the path meanwhile.
[[nodiscard]] std::optional<Diagnostic> copy_output(int opened, const std::string& from, const OutputRoot& directory,
                                                    const std::string& path, bool durable);

// A file that is written in parts. Without `finish` it does not come to be. `directory` outlives it.
class OutputFile {
 public:
  OutputFile(const OutputRoot& directory, std::string path);
  OutputFile(const OutputRoot&& directory, std::string path) = delete;
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  bool write(std::string_view bytes);
  [[nodiscard]] std::optional<Diagnostic> finish(bool durable);

 private:
  const OutputRoot& directory_;
  std::string path_, temporary_, buffer_;
  int descriptor_ = -1;
  int error_ = 0;
  bool flush();
};

}  // namespace amdcompat::migrate
