// How often the program asked for memory; a translation unit of its own replaces operator new.
#pragma once

#include <cstddef>

[[nodiscard]] std::size_t allocations();
