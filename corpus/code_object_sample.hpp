// A small code object of V5 that has a bit of everything: a kernel with arguments, LDS and scratch, data, a variable, a
// relocation and a printf string. Its code is two `s_endpgm`.
#pragma once

#include <amdcompat/code_object.hpp>

namespace corpus {

[[nodiscard]] amdcompat::hsa::CodeObject code_object_sample();

}  // namespace corpus
