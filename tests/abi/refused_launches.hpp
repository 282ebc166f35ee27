// Launch files that `pack` refuses: read by the tests of the tool and of the files' schema.
#pragma once

#include <string>
#include <string_view>

namespace amdcompat_test {

struct RefusedLaunch {
  const char* launch;
  const char* code;
  const char* path;  // part of the output: where, or what
};
inline constexpr RefusedLaunch kRefusedLaunches[] = {
    {"{", "AC3060", "not JSON: syntax error while parsing object key"},
    {R"({"global": [1e999]})", "AC3060", "a number that no double holds: number overflow parsing '1e999'"},
    {"[]", "AC3061", "expected an object"},
    {"{}", "AC3061", "'global' is missing"},
    {R"({"global": [1], "glboal": [1]})", "AC3061", "no field"},
    {R"({"global": [-1]})", "AC3061", "global[0]"},
    {R"({"global": [1.5]})", "AC3061", "global[0]"},
    {R"({"global": ["0x1ffffffffffffffff"]})", "AC3061", "global[0]"},
    {R"({"global": ["12x"]})", "AC3061", "global[0]"},
    {R"({"global": [1], "dim": 4})", "AC3061", "dim"},
    {R"({"global": [1], "dim": 2})", "AC3061", "a list of 2"},
    {R"({"global": [1], "local": [4294967296]})", "AC3061", "local[0]"},
    {R"({"global": [1], "profile": "cuda"})", "AC3061", "one of amd, spec"},
    {R"({"global": [1], "task": 1})", "AC3061", "true or false"},
    {R"({"global": [1], "arguments": {}})", "AC3061", "arguments"},
    {R"({"global": [1], "arguments": [1]})", "AC3061", "arguments[0]"},
    {R"({"global": [1], "arguments": [{}]})", "AC3061", "0 values"},
    {R"({"global": [1], "arguments": [{"null": true, "local": 4}]})", "AC3061", "2 values"},
    {R"({"global": [1], "arguments": [{"null": false}]})", "AC3061", "arguments[0].null"},
    {R"({"global": [1], "arguments": [{"bytes": "123"}]})", "AC3061", "two hexadecimal digits"},
    {R"({"global": [1], "arguments": [{"bytes": "0g"}]})", "AC3061", "two hexadecimal digits"},
    {R"({"global": [1], "arguments": [{"image": {"width": 1}}]})", "AC3061", "'order' is missing"},
    {R"({"global": [1], "arguments": [{"local": 4, "base": 0}]})", "AC3061", "go with 'buffer'"},
    {R"({"global": [1], "printf": {"address": 0}})", "AC3061", "'dwords_per_item' is missing"},
    {R"({"global": [1], "constant_data": {"two": 0}})", "AC3061", "constant_data[two]"},
    {R"({"global": [1], "arguments": [{"name": "q", "null": true}, {"bytes": "00000000"}]})", "AC3061", "not 'q'"},
    {R"({"global": [1], "arguments": [{"null": true}]})", "AC3041", "'n' has no value"},
    {R"({"global": [1], "kernel": "other", "arguments": []})", "AC4014", "no kernel 'other'"},
};

// Fields of a launch file that has the sizes already; refused for a CL2 kernel with one pointer, `hinted` of
// cl2-tonga-attributes.clo.
struct RefusedFields {
  const char* fields;
  const char* expected;  // part of the output
};
inline constexpr RefusedFields kRefusedCl2Fields[] = {
    {R"("arguments": [{"buffer": "0x100000"}], "printf": {"address": 0, "dwords_per_item": 1})", "printf"},
    {R"("arguments": [{"buffer": "0x100000"}], "data_segment": 0)", "data_segment"},
    {R"("arguments": [{"buffer": "0x100000"}], "rings": {})", "rings"},
    {R"("arguments": [{"buffer": "0x100000"}], "constant_data": {"2": 0})", "constant_data"},
    {R"("arguments": [{"buffer": "0x100000"}], "profile": "spec")", "profile"},
    {R"("arguments": [{"buffer": "0x100000"}], "profile": "safe")", "argument_profile"},
    {R"("arguments": [{"buffer": "0x100000"}], "image_layout": "7xx")", "image_layout"},
    {R"("arguments": [{"buffer": "0x100000"}], "split": {})", "AC3034"},
    {R"("arguments": [{"buffer": "0x100000", "base": 4}])", "arguments[0].base"},
    {R"("arguments": [{"name": "in", "buffer": "0x100000"}])", "arguments[0].name"},
    {R"("arguments": [{"buffer": "0x100000"}, {"null": true}])", "AC3040"},
    {R"("arguments": [{"buffer": "0x100000"}], "cl2": {"memroy": 0})", "no field"},
    {R"("arguments": [{"buffer": "0x100000"}], "cl2": {"memory": -1})", "cl2.memory"},
    {R"("arguments": [{"buffer": "0x100000"}], "cl2": {"scratch_bytes": 4294967296})", "cl2.scratch_bytes"},
    {R"("arguments": [{"object": "00"}])", "AC3042"},
    {R"("arguments": [{"object": "0"}])", "arguments[0].object"},
};
inline std::string around_fields(std::string_view fields) { return "{\"global\": [64], " + std::string(fields) + "}"; }

}  // namespace amdcompat_test
