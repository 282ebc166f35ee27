// Writes the sample files: amdcompat_build_samples SOURCE-DIRECTORY OUTPUT-DIRECTORY
//
// Output: bin/ and refused/ (texts as they are, containers built from their descriptions), broken/ (defective
// binaries). What an earlier run wrote and no source stands for any more is removed.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

#include "broken.hpp"
#include "cl2_samples.hpp"
#include "code_object_sample.hpp"
#include "code_samples.hpp"
#include "container_description.hpp"
#include <cl1_builder.hpp>
#include <cl2_builder.hpp>

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error(fmt::format("cannot read {}", path.string()));
  std::ostringstream out;
  out << in.rdbuf();
  return std::move(out).str();
}

class OutputDirectory {
 public:
  explicit OutputDirectory(fs::path path) : path_(std::move(path)) { fs::create_directories(path_); }
  void write(const std::string& name, std::span<const std::byte> bytes) {
    std::ofstream out(path_ / name, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!out.flush()) throw std::runtime_error(fmt::format("cannot write {}", (path_ / name).string()));
    written_.insert(name);
  }
  void remove_others() const {
    for (const auto& entry : fs::directory_iterator(path_))
      if (!written_.contains(entry.path().filename().string())) fs::remove(entry.path());
  }

 private:
  fs::path path_;
  std::set<std::string> written_;
};

void copy_texts(const fs::path& from, OutputDirectory& to) {
  for (const auto& entry : fs::directory_iterator(from))
    to.write(entry.path().filename().string(), corpus::bytes_of(read(entry.path())));
}

void build_containers(const fs::path& from, OutputDirectory& to) {
  for (const auto& entry : fs::directory_iterator(from)) {
    const auto fail = [&](const std::string& why) {
      throw std::runtime_error(fmt::format("{}: {}", entry.path().string(), why));
    };
    const auto spec = corpus::parse_container(read(entry.path()));
    if (!spec) fail(spec.error());
    const auto bytes = amdcompat::cl1::build(*spec);
    if (!bytes) fail(bytes.error().message);
    to.write(entry.path().stem().string() + ".clo", *bytes);
  }
}

void build_code(OutputDirectory& to) {
  for (const corpus::Cl1Code& sample : corpus::cl1_code_samples()) {
    const auto bytes = amdcompat::cl1::build(corpus::container_of(sample));
    if (!bytes) throw std::runtime_error(fmt::format("{}: {}", sample.file, bytes.error().message));
    to.write(sample.file, *bytes);
  }
}

void build_cl2(OutputDirectory& to) {
  for (const corpus::Cl2Sample& sample : corpus::cl2_samples()) {
    const auto bytes = amdcompat::cl2::build(sample.spec);
    if (!bytes) throw std::runtime_error(fmt::format("{}: {}", sample.name, bytes.error().message));
    to.write(sample.name, *bytes);
  }
}

void build_code_object(OutputDirectory& to) {
  const auto bytes = amdcompat::hsa::write_code_object(corpus::code_object_sample());
  if (!bytes) throw std::runtime_error(fmt::format("the code object: {}", bytes.error().message));
  to.write("object-gfx906.hsaco", std::as_bytes(std::span(*bytes)));
}

void run(const fs::path& source, const fs::path& output) {
  OutputDirectory bin(output / "bin"), refused(output / "refused"), broken(output / "broken");
  copy_texts(source / "texts", bin);
  build_containers(source / "containers", bin);
  build_code(bin);
  build_cl2(bin);
  build_code_object(bin);
  copy_texts(source / "refused", refused);
  for (const corpus::BrokenFile& file : corpus::broken_files()) {
    const std::string name = amdcompat::code_label(file.code);
    broken.write(name + ".bin", file.bytes);
    broken.write(name + ".txt", corpus::bytes_of(file.what));
  }
  for (OutputDirectory* directory : {&bin, &refused, &broken}) directory->remove_others();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: amdcompat_build_samples SOURCE-DIRECTORY OUTPUT-DIRECTORY\n", stderr);
    return 2;
  }
  try {
    run(argv[1], argv[2]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "amdcompat_build_samples: {}\n", error.what());
    return 1;
  }
  return 0;
}
