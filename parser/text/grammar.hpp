// The X3 grammars of single directives, as plain functions. Each reads the fields after `keyword:` from
// [first, last), advances `first` past the last field and fills `out`. On failure it returns false and
// `context.failure` says where and why; `out` is unspecified then. Text after the last field is the caller's.
#pragma once

#include "fields.hpp"

namespace amdcompat::text {

// grammar_arguments.cpp
bool parse_value(const char*& first, const char* last, FieldContext& context, ValueArg& out);
bool parse_pointer(const char*& first, const char* last, FieldContext& context, PointerArg& out);
bool parse_image(const char*& first, const char* last, FieldContext& context, ImageArg& out);
bool parse_sampler(const char*& first, const char* last, FieldContext& context, SamplerDef& out);
bool parse_counter(const char*& first, const char* last, FieldContext& context, CounterArg& out);
bool parse_semaphore(const char*& first, const char* last, FieldContext& context, SemaphoreArg& out);
bool parse_queue(const char*& first, const char* last, FieldContext& context, QueueArg& out);

// grammar_limits.cpp
bool parse_version(const char*& first, const char* last, FieldContext& context, Version& out);
bool parse_number(const char*& first, const char* last, FieldContext& context, std::uint32_t& out);
bool parse_group_size(const char*& first, const char* last, FieldContext& context, GroupSize& out);
bool parse_memory(const char*& first, const char* last, FieldContext& context, Directive& out);
// The ids go to context.ids; out.stored is their number.
bool parse_id_list(const char*& first, const char* last, FieldContext& context, IdList& out);
bool parse_constarg(const char*& first, const char* last, FieldContext& context, ConstArg& out);
bool parse_reflection(const char*& first, const char* last, FieldContext& context, Reflection& out);
bool parse_name(const char*& first, const char* last, FieldContext& context, std::string_view& out);
bool parse_text(const char*& first, const char* last, FieldContext& context, std::string_view& out);

// grammar_data.cpp
struct DataStart {
  std::optional<std::uint32_t> constant_buffer;
  std::uint32_t size = 0;
};
bool parse_data_start(const char*& first, const char* last, FieldContext& context, DataStart& out);
bool parse_data_end(const char*& first, const char* last, FieldContext& context, std::optional<std::uint32_t>& out);
// `first` stands on the type. Words go to context.words.
bool parse_data_words(const char*& first, const char* last, FieldContext& context, DataWords& out);
// `first` stands on the id, `last` behind the final `;`. Sizes go to context.ids.
bool parse_printf(const char*& first, const char* last, FieldContext& context, PrintfFmt& out);

}  // namespace amdcompat::text
