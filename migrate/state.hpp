// What is done in an output directory: a database beside the outputs, so that a run can be killed at any point and the
// next one continues, with memory that does not grow with the tree.
//
//   DIR/.amdcompat/state.sqlite   records of files and programs, each with the recipe it was made by
//   DIR/.amdcompat/tmp/           files that are being written; emptied when a run starts
//
// A record is inserted after the outputs it speaks of were renamed into place, so it never promises too much. Killed in
// between, the work of the last open transaction (a tenth of a second) is done again, with the same bytes.
//
// SQLite keeps its pages in files and a small cache, survives being killed in a transaction, sorts on disk, and locks
// the directory against a second run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <amdcompat/diagnostic.hpp>

#include "database.hpp"
#include "manifest.hpp"
#include "output.hpp"

namespace amdcompat::migrate {

inline constexpr std::string_view kStateDirectory = ".amdcompat";

// Of everything that decides what is made of given bytes: the tool's version, the policy, and the share of proofs.
[[nodiscard]] Digest recipe_of(std::string_view tool, std::string_view policy,
                               const std::optional<ProofShare>& proofs = std::nullopt);

// What is kept of a program, made where it was converted: putting it in its place is all that is left to do.
struct ProgramRow {
  Digest digest{};
  Outcome outcome = Outcome::None;
  OutcomeCounts kernels{};
  LiftCounts lifted{};
  std::uint64_t described_code = 0, described_lifted = 0;  // kernels, as in SummaryRecord
  std::string outputs, reason, targets;  // as texts of the database
  std::string json;  // its line of the manifest
};
[[nodiscard]] ProgramRow row_of(const ProgramRecord& record, const Digest& digest);

class State {
 public:
  // `directory` exists; empty: nothing is kept after the run, and nobody looks for outputs. Refused: another run uses
  // it (AC6050), its records cannot be read or written (AC6051).
  [[nodiscard]] static Result<std::unique_ptr<State>> open(const std::string& directory, const Digest& recipe,
                                                           bool durable);

  // Whether this file with these contents, all that is in it and the outputs, unchanged, are there already; its records
  // then count for this run.
  [[nodiscard]] bool has_file(const std::string& path, const Digest& contents);
  // Whether there are records of a file of this name, so that its contents are probably the same.
  [[nodiscard]] bool knows(const std::string& path);
  struct Known {
    Outcome outcome = Outcome::None;
    std::string reason;  // the first error, "error[AC2005]: …"; empty: none
  };
  // What became of a program, when it was made by this recipe and its outputs are there.
  [[nodiscard]] std::optional<Known> find_program(const Digest& digest);
  // Replaces what there was. Outputs of the old record that the new one does not have are removed.
  void put(const ProgramRow& row);
  // With `whole`, other records of the same root from earlier runs are dropped: all of its members are known now.
  void put(const FileRecord& record, bool whole);
  // Makes what was put proof against a kill; done ten times a second anyway.
  void commit() { database_.commit(); }

  // Forgets files that this run did not come across.
  void forget_unseen_files();
  // Every file record and every program that they refer to, in the order of a manifest, then the counts. `write` gets
  // lines with their ends and returns false to stop. On the way, every output gets the names that its files give it
  // (names.hpp), below `base`: hard links, or copies where the file system has none. `jobs` threads make them.
  bool list(const std::string& base, unsigned jobs, const std::function<bool(std::string_view)>& write,
            SummaryRecord& summary);
  // The first name that could not be made; the manifest does not have it.
  [[nodiscard]] const std::optional<Diagnostic>& link_failure() const { return link_failure_; }
  // Removes names that the last listing did not give.
  void drop_old_names();

  // The directory, for whoever writes outputs.
  [[nodiscard]] const OutputRoot& root() const { return root_; }

  // The first failure of the database; every call after it does nothing.
  [[nodiscard]] const std::string& error() const { return database_.error(); }

 private:
  State(const std::string& directory, const Digest& recipe)
      : directory_(directory), root_(directory), recipe_(recipe) {}
  // SQLite's status of what could not be done, or its OK.
  int prepare(bool durable);
  struct Naming;
  // Chooses the names of a file's outputs, which nobody has then.
  void choose_names(Naming& naming, const std::string& base);
  // Makes them, and the line that has them.
  void make_names(Naming& naming) const;

  std::string directory_;
  OutputRoot root_;
  Digest recipe_;
  Database database_;
  std::int64_t run_ = 0;
  std::optional<Diagnostic> link_failure_;
};

}  // namespace amdcompat::migrate
