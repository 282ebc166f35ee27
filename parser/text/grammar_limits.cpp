// Directives that say something of the whole function: version, ids, memory, group sizes, call graph, reflection.
//
//   version:MAJOR:MINOR:REVISION          cws|crs|wsh:X:Y:Z
//   memory:SPACE:BYTES | memory:FLAG      uniqueid|uavid|…:N
//   function|intrinsic:N:ID…              constarg:INDEX:NAME      reflection:INDEX:TYPE
//
// [SPEC «Compiler Metadata»; BE printKernelArgs; RT gpuprogram.cpp parseFuncMetadata]
#include "primitives.hpp"

BOOST_FUSION_ADAPT_STRUCT(amdcompat::text::Version, major, minor, revision)
BOOST_FUSION_ADAPT_STRUCT(amdcompat::text::GroupSize, x, y, z)
BOOST_FUSION_ADAPT_STRUCT(amdcompat::text::MemorySize, space, bytes)
BOOST_FUSION_ADAPT_STRUCT(amdcompat::text::ConstArg, index, name)
BOOST_FUSION_ADAPT_STRUCT(amdcompat::text::Reflection, index, type)

namespace amdcompat::text::grammar {

// `:number` zero or more times, appended to the context's list; the attribute is how many were read.
struct NumberList : x3::parser<NumberList> {
  using attribute_type = std::uint32_t;
  static constexpr bool has_attribute = true;
  const char* name;
  constexpr explicit NumberList(const char* field) : name(field) {}
  template <class Context, class RuleContext, class Attribute>
  bool parse(const char*& first, const char* const& last, const Context& context, RuleContext&, Attribute& out) const {
    FieldContext& field = fields(context);
    std::uint32_t stored = 0;
    while (first != last && *first == ':') {
      ++first;
      std::uint32_t value = 0;
      if (!read_number(first, last, field, name, value)) return false;
      if (stored == field.list_limit) {
        field.list_over_limit = first;
        return field.fail(Code::ListTooLong, first, first, "no more ids than the limit");
      }
      field.ids->push_back(value);
      ++stored;
    }
    x3::traits::move_to(stored, out);
    return true;
  }
};
constexpr NumberList number_list(const char* field) { return NumberList(field); }

struct ListFields {
  std::uint32_t count = 0, stored = 0;
};

inline constexpr auto group_extent = number("a work-group size in work-items");

x3::rule<class VersionRule, Version> const version_rule = "version";
x3::rule<class GroupRule, GroupSize> const group_rule = "group size";
x3::rule<class MemorySizeRule, MemorySize> const memory_size_rule = "memory size";
x3::rule<class ListRule, ListFields> const list_rule = "id list";
x3::rule<class ConstArgRule, ConstArg> const constarg_rule = "constarg";
x3::rule<class ReflectionRule, Reflection> const reflection_rule = "reflection";
x3::rule<class NameRule, std::string_view> const name_rule = "name";

auto const version_rule_def = number("a major version") >> separator >> number("a minor version") >> separator >>
                              number("a revision");
auto const group_rule_def = group_extent >> separator >> group_extent >> separator >> group_extent;
auto const memory_size_rule_def = quietly_one_of<kMemorySpaces>("a memory space") >> separator >>
                                  number("a memory size in bytes");
auto const list_rule_def = number("a number of ids") >> number_list("a function id");
auto const constarg_rule_def = number("an argument index") >> separator >> name_of("an argument name");
auto const reflection_rule_def = number("an argument index") >> separator >> rest;
auto const name_rule_def = name_of("a name");

BOOST_SPIRIT_DEFINE(version_rule, group_rule, memory_size_rule, list_rule, constarg_rule, reflection_rule, name_rule)

}  // namespace amdcompat::text::grammar

BOOST_FUSION_ADAPT_STRUCT(amdcompat::text::grammar::ListFields, count, stored)

namespace amdcompat::text {

bool parse_version(const char*& first, const char* last, FieldContext& context, Version& out) {
  return grammar::run(grammar::version_rule, first, last, context, out);
}

bool parse_number(const char*& first, const char* last, FieldContext& context, std::uint32_t& out) {
  return grammar::run(grammar::number("a number"), first, last, context, out);
}

bool parse_group_size(const char*& first, const char* last, FieldContext& context, GroupSize& out) {
  return grammar::run(grammar::group_rule, first, last, context, out);
}

bool parse_memory(const char*& first, const char* last, FieldContext& context, Directive& out) {
  const char* const start = first;
  MemorySize size;
  if (grammar::run(grammar::memory_size_rule, first, last, context, size)) {
    out = size;
    return true;
  }
  if (context.failure.at != nullptr) return false;  // a known space with a bad size
  first = start;
  MemoryFlag flag{};
  if (grammar::run(grammar::quietly_one_of<kMemoryFlags>("a memory flag"), first, last, context, flag)) {
    out = MemoryFlagged{flag};
    return true;
  }
  // AMD's runtime compares these two by prefix. [RT gpukernel.cpp parseArguments]
  const std::string_view word(first, static_cast<std::size_t>(last - first));
  for (const MemoryFlag loose : {MemoryFlag::CompilerWrite, MemoryFlag::Abi64}) {
    const std::string_view text = spelling_of(kMemoryFlags, loose);
    if (!word.starts_with(text)) continue;
    first += text.size();
    out = MemoryFlagged{loose};
    return true;
  }
  const bool empty = word.empty() || word.front() == ':';
  return context.fail(empty ? Code::MissingField : Code::UnknownSpelling, first, grammar::token_end(first, last),
                      "a memory space (private, local, region, hwprivate, uavprivate, hwlocal, hwregion) or flag "
                      "(compilerwrite, datareqd, 64bitABI, gws, swgws, packedreg)");
}

bool parse_id_list(const char*& first, const char* last, FieldContext& context, IdList& out) {
  grammar::ListFields list;
  out.first = static_cast<std::uint32_t>(context.ids->size());
  if (!grammar::run(grammar::list_rule, first, last, context, list)) {
    context.ids->resize(out.first);
    return false;
  }
  out.count = list.count;
  out.stored = list.stored;
  return true;
}

bool parse_constarg(const char*& first, const char* last, FieldContext& context, ConstArg& out) {
  return grammar::run(grammar::constarg_rule, first, last, context, out);
}

bool parse_reflection(const char*& first, const char* last, FieldContext& context, Reflection& out) {
  return grammar::run(grammar::reflection_rule, first, last, context, out);
}

bool parse_name(const char*& first, const char* last, FieldContext& context, std::string_view& out) {
  return grammar::run(grammar::name_rule, first, last, context, out);
}

bool parse_text(const char*& first, const char* last, FieldContext& context, std::string_view& out) {
  return grammar::run(grammar::rest, first, last, context, out);
}

}  // namespace amdcompat::text
