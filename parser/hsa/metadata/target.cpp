// Processors and their features as e_flags and as target ids.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include <amdcompat/hsa.hpp>

namespace amdcompat::hsa {
namespace {

constexpr std::uint32_t kXnackV3 = 0x100;
constexpr std::uint32_t kSrameccV3 = 0x200;
constexpr unsigned kXnackShift = 8;     // V4 and later: two bits each, 0 unsupported, 1 any, 2 off, 3 on
constexpr unsigned kSrameccShift = 10;
constexpr unsigned kGenericShift = 24;  // V6

enum class Setting : std::uint8_t { Unsupported, Any, Off, On };
struct Settings {
  Setting xnack = Setting::Unsupported;
  Setting sramecc = Setting::Unsupported;
};

// Processors whose feature is on unless a V3 compiler was told otherwise. [S1 "Processors"]
constexpr std::string_view kXnackOnV3[] = {"gfx801", "gfx810", "gfx902", "gfx909"};
constexpr std::string_view kSrameccOnV3[] = {"gfx908"};

bool contains(std::span<const std::string_view> names, std::string_view name) {
  for (const std::string_view each : names)
    if (each == name) return true;
  return false;
}

Result<Setting> resolve(FeatureSetting wanted, bool supported, Setting default_setting, std::string_view feature,
                        std::string_view target) {
  if (!supported) {
    if (wanted == FeatureSetting::Default) return Setting::Unsupported;
    return std::unexpected(make_diagnostic(Code::HsaFeatureRefused, {}, fmt::format("{} has no {}", target, feature)));
  }
  switch (wanted) {
    case FeatureSetting::Default: return default_setting;
    case FeatureSetting::Any: return Setting::Any;
    case FeatureSetting::Off: return Setting::Off;
    case FeatureSetting::On: return Setting::On;
  }
  return default_setting;
}

Result<Settings> resolve(const Target& target, CodeObjectVersion version, TargetFeatures features) {
  if (version < CodeObjectVersion::V3 || version > CodeObjectVersion::V6)
    return std::unexpected(make_diagnostic(Code::HsaVersionRefused, {},
                                           "V2 metadata is YAML in a note of another name; V3 to V6 are written"));
  if (target.generic != 0 && version < CodeObjectVersion::V6)
    return std::unexpected(make_diagnostic(Code::HsaFeatureRefused, {},
                                           fmt::format("{} is a generic target, which V6 introduced", target.name)));
  const bool old = version == CodeObjectVersion::V3;
  const auto usual = [&](std::span<const std::string_view> on) {
    return !old ? Setting::Any : contains(on, target.name) ? Setting::On : Setting::Off;
  };
  const auto xnack = resolve(features.xnack, target.xnack, usual(kXnackOnV3), "XNACK", target.name);
  if (!xnack) return std::unexpected(xnack.error());
  const auto sramecc = resolve(features.sramecc, target.sramecc, usual(kSrameccOnV3), "SRAM-ECC", target.name);
  if (!sramecc) return std::unexpected(sramecc.error());
  return Settings{*xnack, *sramecc};
}

}  // namespace

Result<std::uint32_t> elf_flags(const Target& target, CodeObjectVersion version, TargetFeatures features) {
  const auto settings = resolve(target, version, features);
  if (!settings) return std::unexpected(settings.error());
  std::uint32_t flags = target.mach;
  if (version == CodeObjectVersion::V3) {
    // One bit cannot say `any`; LLVM's V3 writer sets it for that.
    const auto set = [](Setting setting) { return setting == Setting::On || setting == Setting::Any; };
    if (set(settings->xnack)) flags |= kXnackV3;
    if (set(settings->sramecc)) flags |= kSrameccV3;
    return flags;
  }
  flags |= static_cast<std::uint32_t>(settings->xnack) << kXnackShift;
  flags |= static_cast<std::uint32_t>(settings->sramecc) << kSrameccShift;
  if (version == CodeObjectVersion::V6) flags |= std::uint32_t{target.generic} << kGenericShift;
  return flags;
}

TargetSpec read_elf_flags(std::uint32_t flags, CodeObjectVersion version) {
  TargetSpec spec;
  spec.target = find_target_by_mach(static_cast<std::uint8_t>(flags & 0xff));
  if (spec.target == nullptr) return spec;
  const auto setting = [&](bool has, std::uint32_t bit, unsigned shift) {
    if (!has) return FeatureSetting::Default;
    if (version == CodeObjectVersion::V3) return (flags & bit) != 0 ? FeatureSetting::On : FeatureSetting::Off;
    constexpr FeatureSetting kSettings[] = {FeatureSetting::Default, FeatureSetting::Any, FeatureSetting::Off,
                                            FeatureSetting::On};
    return kSettings[flags >> shift & 3];
  };
  spec.features.xnack = setting(spec.target->xnack, kXnackV3, kXnackShift);
  spec.features.sramecc = setting(spec.target->sramecc, kSrameccV3, kSrameccShift);
  return spec;
}

std::optional<TargetSpec> parse_target(std::string_view text) {
  TargetSpec spec;
  const std::size_t colon = std::min(text.find(':'), text.size());
  spec.target = find_target(text.substr(0, colon));
  if (spec.target == nullptr) return std::nullopt;
  text.remove_prefix(colon);
  while (!text.empty()) {
    text.remove_prefix(1);
    const std::size_t end = std::min(text.find(':'), text.size());
    const std::string_view feature = text.substr(0, end);
    text.remove_prefix(end);
    if (feature.empty() || (feature.back() != '+' && feature.back() != '-')) return std::nullopt;
    const FeatureSetting setting = feature.back() == '+' ? FeatureSetting::On : FeatureSetting::Off;
    const std::string_view name = feature.substr(0, feature.size() - 1);
    FeatureSetting* const one = name == "xnack"     ? &spec.features.xnack
                                : name == "sramecc" ? &spec.features.sramecc
                                                    : nullptr;
    // A feature is named once [LU «Target ID»].
    if (one == nullptr || *one != FeatureSetting::Default) return std::nullopt;
    *one = setting;
  }
  return spec;
}

std::string target_text(const Target& target, TargetFeatures features) {
  const auto id = target_id(target, CodeObjectVersion::V6, features);
  constexpr std::string_view kTriple = "amdgcn-amd-amdhsa--";
  return id ? id->substr(kTriple.size()) : std::string(target.name);
}

Result<std::string> target_id(const Target& target, CodeObjectVersion version, TargetFeatures features) {
  const auto settings = resolve(target, version, features);
  if (!settings) return std::unexpected(settings.error());
  std::string id = fmt::format("amdgcn-amd-amdhsa--{}", target.name);
  const auto name = [&](std::string_view feature, Setting setting) {
    if (setting == Setting::Off) id += fmt::format(":{}-", feature);
    if (setting == Setting::On) id += fmt::format(":{}+", feature);
  };
  name("sramecc", settings->sramecc);
  name("xnack", settings->xnack);
  return id;
}

}  // namespace amdcompat::hsa
