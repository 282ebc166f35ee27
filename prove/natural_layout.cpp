// Whether a compiler put arguments where the natural layout has them.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "compile_pipeline.hpp"

namespace amdcompat::pipeline {
namespace {

using Argument = hsa::MetadataArgument;

std::vector<const Argument*> explicit_ones(const hsa::MetadataKernel& kernel) {
  std::vector<const Argument*> out;
  for (const Argument& argument : kernel.args)
    if (!argument.value_kind || !hsa::value_kind_info(*argument.value_kind).hidden) out.push_back(&argument);
  return out;
}

std::string text(const std::string& value) { return "'" + value + "'"; }
std::string text(std::uint64_t value) { return fmt::format("{}", value); }
std::string text(hsa::ValueKind value) { return std::string(hsa::spelling(value)); }
std::string text(hsa::AddressSpace value) { return std::string(hsa::spelling(value)); }
std::string text(hsa::AccessQualifier value) { return std::string(hsa::spelling(value)); }

// Empty: the same, or nothing is promised.
template <class Value>
std::string difference(const char* what, const std::optional<Value>& promised, const std::optional<Value>& compiled) {
  if (!promised || promised == compiled) return {};
  return fmt::format("{} {} instead of {}", what, compiled ? text(*compiled) : std::string("none"), text(*promised));
}

// A name that the lifted source has other uses for has an underscore behind it.
bool is_same_name(const std::string& promised, const std::string& compiled) {
  return compiled.starts_with(promised) && compiled.find_first_not_of('_', promised.size()) == std::string::npos;
}
// A pipe is lifted to the buffer that its packets are in, at the same place.
std::optional<hsa::ValueKind> lifted_kind(std::optional<hsa::ValueKind> kind) {
  return kind == hsa::ValueKind::Pipe ? hsa::ValueKind::GlobalBuffer : kind;
}

std::string argument_difference(const Argument& promised, const Argument& compiled) {
  const bool same_name = promised.name && compiled.name && is_same_name(*promised.name, *compiled.name);
  for (std::string found :
       {same_name ? std::string() : difference(".name", promised.name, compiled.name),
        difference(".offset", promised.offset, compiled.offset), difference(".size", promised.size, compiled.size),
        difference(".value_kind", lifted_kind(promised.value_kind), compiled.value_kind),
        difference(".address_space", promised.address_space, compiled.address_space),
        promised.value_kind == hsa::ValueKind::Image ? difference(".access", promised.access, compiled.access)
                                                     : std::string()})
    if (!found.empty()) return found;
  return {};
}

}  // namespace

std::string natural_difference(const hsa::MetadataKernel& promised, const hsa::MetadataKernel& compiled) {
  const std::vector<const Argument*> wanted = explicit_ones(promised), got = explicit_ones(compiled);
  if (wanted.size() != got.size()) return fmt::format("{} arguments instead of {}", got.size(), wanted.size());
  for (std::size_t n = 0; n < wanted.size(); ++n)
    if (const std::string found = argument_difference(*wanted[n], *got[n]); !found.empty())
      return fmt::format("argument {} has {}", wanted[n]->name.value_or(fmt::format("{}", n)), found);
  if (promised.reqd_workgroup_size && promised.reqd_workgroup_size != compiled.reqd_workgroup_size)
    return "another required size of work-groups";
  return {};
}

}  // namespace amdcompat::pipeline
