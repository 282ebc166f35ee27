// The ways of a file, each taken as its verb takes it, with findings of its own.
#include <amdcompat/ways.hpp>

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include <amdcompat/gcn.hpp>
#include <amdcompat/pipeline.hpp>

namespace amdcompat::pipeline {
namespace {

// A message without the names of kernel and argument that it is about, so that equal ones are seen to be equal.
std::string saying(const Diagnostic& finding) {
  std::string out = finding.subject == Subject::Argument ? sentence(finding) : finding.message;
  for (const std::string& name :
       {fmt::format("kernel '{}' ", finding.kernel), fmt::format("kernel {}: ", finding.kernel)})
    if (!finding.kernel.empty() && out.starts_with(name)) out.erase(0, name.size());
  return out;
}

// A unit without its first comment, which says how it was made.
std::string_view without_comment(std::string_view source) {
  while (source.starts_with("//")) source.remove_prefix(std::min(source.find('\n') + 1, source.size()));
  return source;
}

class Taker {
 public:
  Taker(const File& file, const WayRequest& request) : file_(file), request_(request) {}

  Ways run() {
    Ways out;
    for (std::size_t n = 0; n < kWays; ++n) {
      WayResult& way = out[n];
      way.way = static_cast<Way>(n);
      way.of = file_.program.kernels.size() + file_.program.refused;
    }
    as_it_is(out[0]);
    in_place(out[1]);
    compiled(out[2]);
    lifted(out[3]);
    described(out[4]);
    return out;
  }

 private:
  static void not_tried(WayResult& way, std::string why) { way.losses.push_back({0, {}, {}, std::move(why)}); }

  // A refusal of `kernel`, with those that say the same.
  static void refuse(WayResult& way, const std::string& kernel, const Diagnostic& reason) {
    const std::string message = saying(reason);
    const auto same = std::ranges::find_if(
        way.losses, [&](const WayLoss& loss) { return loss.code == reason.code && loss.message == message; });
    if (same != way.losses.end())
      ++same->kernels;
    else
      way.losses.push_back({1, kernel, reason.code, message});
  }

  // What a conversion says of each kernel; `has` is true of a result that goes this way.
  template <class Has>
  void count(WayResult& way, const Conversion& conversion, const Diagnostics& findings, const Has& has) const {
    way.tried = true;
    // The first error of each kernel; of no name: of all of them.
    std::unordered_map<std::string_view, const Diagnostic*> errors;
    for (const Diagnostic& finding : findings.all())
      if (finding.severity == Severity::Error) errors.try_emplace(finding.kernel, &finding);
    const auto error_of = [&](std::string_view name) {
      const auto at = errors.find(name);
      return at == errors.end() ? nullptr : at->second;
    };
    for (const KernelResult& result : conversion.kernels) {
      if (has(result)) {
        ++way.kernels;
        continue;
      }
      const std::string& name = file_.program.kernels[result.kernel].name;
      const Diagnostic *const own = error_of(name), *const all = error_of({});
      const Diagnostic* reason = own == nullptr || (all != nullptr && all < own) ? all : own;  // of one list
      if (result.reason) reason = &*result.reason;
      if (reason != nullptr) refuse(way, name, *reason);
    }
    count_unread(way);
  }
  void count_unread(WayResult& way) const {
    if (file_.program.refused != 0)
      way.losses.push_back({file_.program.refused, {}, {}, "cannot be read, as `amdcompat check` says"});
  }

  [[nodiscard]] bool is_modern() const {
    return file_.kind == FileKind::HsaV3 || file_.kind == FileKind::HsaV4 || file_.kind == FileKind::HsaV5 ||
           file_.kind == FileKind::HsaV6 || file_.kind == FileKind::OffloadBundle;
  }

  void as_it_is(WayResult& way) const {
    if (file_.object() == nullptr) {
      not_tried(way, file_.cl1() || file_.cl2() ? "only AMD's drivers of its time load such a file"
                                                : "it is a text, without machine code");
      return;
    }
    if (!request_.target) return not_tried(way, "its code is for GPUs of AMD");
    if (!is_modern()) return not_tried(way, "runtimes of today load code objects of V3 and later");
    const hsa::CodeObject& object = *file_.object();
    way.tried = true;
    const Target* const own = file_.program.target;
    Diagnostics findings;
    if (own != request_.target->target)
      findings.report(Code::TargetDiffers, {},
                      fmt::format("the code is for {}, not for {}", own == nullptr ? "no known target" : own->name,
                                  request_.target->target->name));
    else
      convert::check_object(object, findings);
    const auto error = std::ranges::find(findings.all(), Severity::Error, &Diagnostic::severity);
    if (error == findings.all().end())
      way.kernels = way.of;
    else
      for (const Kernel& kernel : file_.program.kernels) refuse(way, kernel.name, *error);
  }

  [[nodiscard]] bool has_code() const {
    return std::ranges::any_of(file_.program.kernels, [](const Kernel& kernel) { return kernel.code.has_value(); });
  }
  // What can be lifted at all.
  [[nodiscard]] bool has_gcn_code() const {
    return file_.program.target != nullptr && gcn::generation_of(*file_.program.target) && has_code();
  }

  void in_place(WayResult& way) const {
    if (!has_code() && !file_.program.kernels.empty()) return not_tried(way, "there is no machine code");
    if (!request_.target) return not_tried(way, "its code is for GPUs of AMD");
    Request wanted;
    wanted.layout = Layout::InPlace;
    wanted.object.target = request_.target;
    Diagnostics findings;
    const Conversion conversion = convert(file_, wanted, findings);
    count(way, conversion, findings, [](const KernelResult& result) { return pipeline::has_code(result.outcome); });
    if (!conversion.object) return;
    std::size_t trailing = 0;
    for (const convert::InPlaceKernel& kernel : conversion.in_place)
      trailing +=
          std::ranges::any_of(kernel.arguments, [](const auto& one) { return one.trailing.has_value(); }) ? 1 : 0;
    if (trailing != 0)
      way.losses.push_back({trailing,
                            file_.program.kernels[conversion.in_place.front().kernel].name,
                            {},
                            "the host sets further arguments (amdcompat.cb0 and others)"});
  }

  void compiled(WayResult& way) const {
    if (!has_gcn_code() && !file_.program.kernels.empty())
      return not_tried(way, "there is no machine code of GFX6 to GFX9 to lift");
    if (!request_.target) return not_tried(way, "no GPU of AMD to compile for");
    if (request_.compiler == nullptr) return not_tried(way, "no compiler was asked");
    Request wanted;
    wanted.layout = Layout::Natural;
    wanted.object.target = request_.target;
    wanted.compiler = request_.compiler;
    wanted.compiler_seconds = request_.compiler_seconds;
    if (auto refusal = request_.compiler->refusal(*request_.target, compile::kUsualVersion))
      return not_tried(way, refusal->message);
    Diagnostics findings;
    const Conversion conversion = convert(file_, wanted, findings);
    count(way, conversion, findings,
          [](const KernelResult& result) { return result.compiled && pipeline::has_code(result.outcome); });
  }

  void lifted(WayResult& way) const {
    Diagnostics findings;
    const Lifted unit = lift_file(file_, {}, findings);
    way.tried = true;
    std::size_t waves = 0;
    std::string first;
    for (const LiftResult& result : unit.kernels) {
      if (result.outcome == LiftOutcome::Refused) {
        if (result.kernel.refusal) refuse(way, result.kernel.name, *result.kernel.refusal);
        continue;
      }
      ++way.kernels;
      if (result.kernel.form != lift::Form::Wave) continue;
      if (waves++ == 0) first = result.kernel.name;
    }
    count_unread(way);
    LiftRequest exact;
    exact.lift.exact = true;
    Diagnostics again;
    if (way.kernels != 0 && without_comment(unit.source) != without_comment(lift_file(file_, exact, again).source))
      way.losses.push_back(
          {0, {}, {}, "denormal floats are as the device has them; --exact makes them zeros, as they were"});
    if (waves != 0) way.losses.push_back({waves, first, {}, "one work-item computes a whole wavefront: slow on a GPU"});
  }

  void described(WayResult& way) const {
    Request wanted;
    wanted.layout = Layout::Natural;
    Diagnostics findings;
    const Conversion conversion = convert(file_, wanted, findings);
    count(way, conversion, findings, [](const KernelResult& result) { return result.outcome == Outcome::Described; });
    if (way.kernels == 0) return;
    std::string parts;
    for (const std::string_view part : source_parts(file_))
      parts += fmt::format("{}{}", parts.empty() ? "" : ", ", part);
    if (has_code() || !parts.empty())
      way.losses.push_back(
          {0,
           {},
           {},
           fmt::format("{}the source has to be compiled again{}", has_code() ? "the machine code is left behind; " : "",
                       parts.empty() ? "" : fmt::format(" (the file holds {})", parts))});
  }

  const File& file_;
  const WayRequest& request_;
};

}  // namespace

std::string_view way_name(Way way) {
  switch (way) {
    case Way::AsItIs: return "as-it-is";
    case Way::InPlace: return "in-place";
    case Way::Compiled: return "compiled";
    case Way::Lifted: return "lifted";
    case Way::Described: return "described";
  }
  return "";
}

Ways find_ways(const File& file, const WayRequest& request) { return Taker(file, request).run(); }

std::vector<std::string_view> source_parts(const File& file) {
  std::vector<std::string_view> out;
  if (file.cl1() == nullptr) return out;
  const cl1::Binary& binary = *file.cl1();
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(binary.sections, [&](const elf::Section& section) {
      return binary.text(section.name) == name && section.contents.size != 0;
    });
  };
  if (has(".source")) out.push_back("OpenCL source");
  if (has(".llvmir")) out.push_back("LLVM IR");
  if (std::ranges::any_of(binary.kernels, [](const cl1::Kernel& kernel) { return kernel.il.size != 0; }))
    out.push_back("IL");
  return out;
}

}  // namespace amdcompat::pipeline
