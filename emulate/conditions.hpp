// The conditions of VOPC.
#pragma once

#include "semantics.hpp"

namespace amdcompat::emulate {

// One condition over two operands of type T. A NaN makes every plain condition false.
enum class Is {
  Never,
  Less,
  Equal,
  LessEqual,
  Greater,
  LessGreater,
  GreaterEqual,
  Ordered,
  Unordered,
  NotGreaterEqual,
  NotLessGreater,
  NotGreater,
  NotLessEqual,
  NotEqual,
  NotLess,
  Always,
};
template <Is Condition, class T>
bool holds(T a, T b) {
  switch (Condition) {
    case Is::Never: return false;
    case Is::Always: return true;
    case Is::Less: return a < b;
    case Is::Equal: return a == b;
    case Is::LessEqual: return a <= b;
    case Is::Greater: return a > b;
    case Is::LessGreater: return a < b || a > b;
    case Is::GreaterEqual: return a >= b;
    case Is::Ordered: return !std::isunordered(static_cast<double>(a), static_cast<double>(b));
    case Is::Unordered: return std::isunordered(static_cast<double>(a), static_cast<double>(b));
    case Is::NotGreaterEqual: return !(a >= b);
    case Is::NotLessGreater: return !(a < b || a > b);
    case Is::NotGreater: return !(a > b);
    case Is::NotLessEqual: return !(a <= b);
    case Is::NotEqual: return a != b;
    case Is::NotLess: return !(a < b);
  }
  return false;
}

}  // namespace amdcompat::emulate
