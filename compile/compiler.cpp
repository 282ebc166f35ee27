#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <amdcompat/compile.hpp>

#include "tool.hpp"

namespace amdcompat::compile {

Compiler::Compiler(std::unique_ptr<Tool> tool) : tool_(std::move(tool)) {}
Compiler::~Compiler() = default;
Compiler::Compiler(Compiler&&) noexcept = default;
Compiler& Compiler::operator=(Compiler&&) noexcept = default;

const std::string& Compiler::name() const { return tool_->name; }
std::span<const std::string> Compiler::targets() const { return tool_->targets; }

Result<Compiler> Compiler::find(std::string_view which) {
  const bool path = which.contains('/') || which.contains(".so");
  const std::string given(path ? which : std::string_view());
  Result<std::unique_ptr<Tool>> tool = which == "comgr" || which.contains(".so") ? find_comgr(given)
                                       : which == "clang"                        ? find_clang({})
                                                                                 : find_clang(std::string(which));
  if (!tool) return std::unexpected(std::move(tool.error()));
  return Compiler(std::move(*tool));
}

std::optional<Diagnostic> Compiler::refusal(const hsa::TargetSpec& target, hsa::CodeObjectVersion version) const {
  if (target.target == nullptr) return make_diagnostic(Code::CompilerTarget, {}, "there is no target to compile for");
  const std::string_view processor = target.target->name;
  if (std::ranges::find(tool_->targets, processor) == tool_->targets.end())
    return make_diagnostic(Code::CompilerTarget, {},
                           fmt::format("{} does not know {}; the last that it knows is {}", tool_->name, processor,
                                       tool_->targets.empty() ? "none" : tool_->targets.back()));
  const bool generic = target.target->generic != 0 && version < hsa::CodeObjectVersion::V6;
  if (generic || version < tool_->first || version > tool_->last)
    return make_diagnostic(
        Code::CompilerTarget, {},
        fmt::format("{} makes no code objects of {} for {}", tool_->name, hsa::version_info(version).name, processor));
  return std::nullopt;
}

Result<std::string> Compiler::compile(std::string_view source, const Settings& settings) const {
  if (auto refused = refusal(settings.target, settings.version)) return std::unexpected(std::move(*refused));
  return tool_->compile(source, settings);
}

std::string target_text(const hsa::TargetSpec& target) {
  std::string out(target.target->name);
  const auto add = [&](std::string_view feature, hsa::FeatureSetting setting) {
    if (setting == hsa::FeatureSetting::On || setting == hsa::FeatureSetting::Off)
      out += fmt::format(":{}{}", feature, setting == hsa::FeatureSetting::On ? '+' : '-');
  };
  add("sramecc", target.features.sramecc);
  add("xnack", target.features.xnack);
  return out;
}

Diagnostic compiler_failed(std::string_view compiler, std::string_view why, std::string_view log) {
  constexpr std::size_t kMost = 300;
  std::string said(log.substr(0, kMost));
  while (!said.empty() && (said.back() == '\n' || said.back() == '\0')) said.pop_back();
  std::ranges::replace(said, '\n', ' ');
  return make_diagnostic(Code::CompilerFailed, {},
                         fmt::format("{}: {}{}{}", compiler, why, said.empty() ? "" : ": ", said));
}

}  // namespace amdcompat::compile
