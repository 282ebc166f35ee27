// Kernel argument directives. [SPEC «Pass by value arguments» ff.; RT gpukernel.cpp parseArguments; BIN]
//
//   value:NAME:TYPE:N:CB:OFFSET
//   pointer:NAME:TYPE:1:CB:OFFSET:MEM:BUF:ALIGN[:ACC[:VOL:RESTR[:PIPE]]]
//   image:NAME:DIM:ACC:ID:CB:OFFSET
//   sampler:NAME:ID:LOCATION:VALUE
//   counter:NAME:BITS:ID:CB:OFFSET
//   sema:NAME:ID:CB:OFFSET
//   queue:NAME:TYPE:1:CB:OFFSET:MEM
//
// Which optional fields of a pointer stand depends on version and dialect, and real files mix them; the grammar
// reads what is there, check.cpp compares it with the version.
#include "primitives.hpp"

BOOST_FUSION_ADAPT_STRUCT(amdcompat::text::ValueArg, name, type, elements, cb, offset)
BOOST_FUSION_ADAPT_STRUCT(amdcompat::text::PointerArg, name, type_text, elements, cb, offset, memory, buffer, align,
                          access, is_volatile, is_restrict, is_pipe)
BOOST_FUSION_ADAPT_STRUCT(amdcompat::text::ImageArg, name, dim, access, id, cb, offset)
BOOST_FUSION_ADAPT_STRUCT(amdcompat::text::SamplerDef, name, id, location, value)
BOOST_FUSION_ADAPT_STRUCT(amdcompat::text::CounterArg, name, bits, id, cb, offset)
BOOST_FUSION_ADAPT_STRUCT(amdcompat::text::SemaphoreArg, name, id, cb, offset)
BOOST_FUSION_ADAPT_STRUCT(amdcompat::text::QueueArg, name, type, elements, cb, offset, memory)

namespace amdcompat::text::grammar {

inline constexpr auto argument_name = name_of("an argument name");
inline constexpr auto buffer_number = number("a constant buffer number");
inline constexpr auto byte_offset = number("an offset in bytes");
inline constexpr auto element_count = number("an element count");

inline constexpr Spelling<std::uint32_t> kCounterBits[] = {{"32", 32}, {"64", 64}};

x3::rule<class ValueRule, ValueArg> const value_rule = "value";
x3::rule<class PointerRule, PointerArg> const pointer_rule = "pointer";
x3::rule<class ImageRule, ImageArg> const image_rule = "image";
x3::rule<class SamplerRule, SamplerDef> const sampler_rule = "sampler";
x3::rule<class CounterRule, CounterArg> const counter_rule = "counter";
x3::rule<class SemaphoreRule, SemaphoreArg> const semaphore_rule = "sema";
x3::rule<class QueueRule, QueueArg> const queue_rule = "queue";

auto const
    value_rule_def = argument_name >> separator >>
                     one_of<kScalarTypes>("a data type (i1 … u64, half, float, double, struct, union)") >> separator
                     >> element_count >> separator >> buffer_number >> separator >> byte_offset;

auto const pointer_rule_def =
    argument_name >> separator >> name_of("a pointee type") >> separator >> element_count >> separator >> buffer_number
    >> separator >> byte_offset >> separator
    >> one_of<kMemoryKinds>("a memory kind (g, p, l, uav, c, r, hl, hp, hc, hr, up, uc or flat)") >> separator >>
    number("a buffer number") >> optional_number("an alignment in bytes") >> optional_access >>
    optional_bit("a volatile flag (0 or 1)") >> optional_bit("a restrict flag (0 or 1)") >>
    optional_bit("a pipe flag (0 or 1)");

auto const image_rule_def =
    argument_name >> separator >>
    one_of<kImageDims>("an image dimension (1D, 1DA, 1DB, 2D, 2DA, 3D, 2DDepth or 2DADepth)") >> separator
    >> one_of<kAccesses>("an access qualifier (RO, RW or WO)") >> separator >> number("an image id") >> separator
    >> buffer_number >> separator >> byte_offset;

auto const sampler_rule_def = name_of("a sampler name") >> separator >> number("a sampler id") >> separator >>
                              number("a sampler location (0 argument, 1 in the kernel)") >> separator >>
                              number("a sampler state word");

auto const counter_rule_def = argument_name >> separator >>
                              one_of<kCounterBits>("a counter width (32 or 64)") >> separator >>
                              number("a counter id") >> separator >> buffer_number >> separator >> byte_offset;

auto const semaphore_rule_def = argument_name >> separator >> number("a semaphore id") >> separator >> buffer_number
                                >> separator >> byte_offset;

auto const queue_rule_def = argument_name >> separator >> name_of("a queue type") >> separator >> element_count
                            >> separator >> buffer_number >> separator >> byte_offset >> separator
                            >> one_of<kQueueMemoryKinds>("a queue memory kind (uav, hp or p)");

BOOST_SPIRIT_DEFINE(value_rule, pointer_rule, image_rule, sampler_rule, counter_rule, semaphore_rule, queue_rule)

}  // namespace amdcompat::text::grammar

namespace amdcompat::text {

bool parse_value(const char*& first, const char* last, FieldContext& context, ValueArg& out) {
  return grammar::run(grammar::value_rule, first, last, context, out);
}

bool parse_pointer(const char*& first, const char* last, FieldContext& context, PointerArg& out) {
  if (!grammar::run(grammar::pointer_rule, first, last, context, out)) return false;
  const ScalarType* type = find_spelling<kScalarTypes>(out.type_text);
  out.type = type != nullptr ? *type : ScalarType::Other;
  // Only `g` stands without an alignment: AMD's runtime reads no more than its number. [RT BufType]
  if (!out.align && out.memory != MemoryKind::Global)
    return context.fail(Code::MissingField, first, first, "an alignment in bytes");
  // volatile and restrict come together in every version and dialect.
  if (out.is_volatile && !out.is_restrict)
    return context.fail(Code::MissingField, first, first, "a restrict flag (0 or 1)");
  return true;
}

bool parse_image(const char*& first, const char* last, FieldContext& context, ImageArg& out) {
  return grammar::run(grammar::image_rule, first, last, context, out);
}

bool parse_sampler(const char*& first, const char* last, FieldContext& context, SamplerDef& out) {
  return grammar::run(grammar::sampler_rule, first, last, context, out);
}

bool parse_counter(const char*& first, const char* last, FieldContext& context, CounterArg& out) {
  return grammar::run(grammar::counter_rule, first, last, context, out);
}

bool parse_semaphore(const char*& first, const char* last, FieldContext& context, SemaphoreArg& out) {
  return grammar::run(grammar::semaphore_rule, first, last, context, out);
}

bool parse_queue(const char*& first, const char* last, FieldContext& context, QueueArg& out) {
  return grammar::run(grammar::queue_rule, first, last, context, out);
}

}  // namespace amdcompat::text
