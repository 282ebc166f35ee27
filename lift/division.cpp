// Divisions of integers of 32 bits, which GCN has no instruction for.
//
// Compilers estimate 2^32 / d by the reciprocal of a float, mend the estimate by one step of Newton's method, and mend
// the quotient, which is wrong by one or two then at most. AMD's compilers mend it in both directions; LLVM's of today
// twice in one, as their estimate is never too large: `expandDivRem32` of LLVM's AMDGPUCodeGenPrepare.cpp. What they
// give for a division by zero is kept. LLVM divides numbers of up to 24 bits in floats: the quotient of the reciprocal,
// cut off, is one too small at most, which the rest shows; `expandDivRem24` there.
//
// Floats are divided by instructions that scale both, estimate the reciprocal, mend it and the quotient by steps of
// Newton's method, and undo the scale; the result is rounded correctly. [VEGA «V_DIV_SCALE_F32», «V_DIV_FMAS_F32»,
// «V_DIV_FIXUP_F32»; LLVM SIISelLowering.cpp: LowerFDIV32, LowerFDIV64] GFX6's mask of the scale is wrong, and
// compilers compare the high words there.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>

#include "ir.hpp"

namespace amdcompat::lift {
namespace {

constexpr u32 kTwoTo32 = 0x4f800000, kBelowTwoTo32 = 0x4f7ffffe;  // floats

// The operations of a division, by width; how often its reciprocal and its quotient are mended at least.
struct FloatOps {
  Op fixup, fmas, fma, mul, negative, reciprocal, scale, scaled, division;
  u32 reciprocal_steps, quotient_steps;
};
constexpr FloatOps kFloats{.fixup = Op::DivFixupF,
                           .fmas = Op::DivFmasF,
                           .fma = Op::FmaF,
                           .mul = Op::MulF,
                           .negative = Op::NegF,
                           .reciprocal = Op::RcpF,
                           .scale = Op::DivScaleF,
                           .scaled = Op::DivScaledF,
                           .division = Op::DivF,
                           .reciprocal_steps = 1,
                           .quotient_steps = 1};
constexpr FloatOps kDoubles{.fixup = Op::DivFixupD,
                            .fmas = Op::DivFmasD,
                            .fma = Op::FmaD,
                            .mul = Op::MulD,
                            .negative = Op::NegD,
                            .reciprocal = Op::RcpD,
                            .scale = Op::DivScaleD,
                            .scaled = Op::DivScaledD,
                            .division = Op::DivD,
                            .reciprocal_steps = 2,
                            .quotient_steps = 0};

class Divisions {
 public:
  Divisions(Graph& graph, bool exact) : g_(graph), exact_(exact) {}

  void run() {
    bool changed = false;
    for (Id id = 0, count = static_cast<Id>(g_.nodes.size()); id < count && g_.spend(); ++id) {
      if (g_.nodes[id].forward != kNone) continue;
      Id found = kNone;
      if (g_.nodes[id].op == Op::Add) found = mended_by_carries(id);
      if (g_.nodes[id].op == Op::Add && found == kNone) found = by_floats(id);
      if (g_.nodes[id].op == Op::Select) found = mended_both(id);
      if (g_.nodes[id].op == Op::Select && found == kNone) found = mended_twice(id);
      // Devices may round `/` of floats as they like.
      if (g_.nodes[id].op == Op::DivFixupF && !exact_) found = of_floats(id, kFloats);
      if (g_.nodes[id].op == Op::DivFixupD) found = of_floats(id, kDoubles);
      if (found == kNone) continue;
      g_.nodes[found].offset = g_.nodes[id].offset;
      g_.nodes[id].forward = found;
      changed = true;
    }
    if (changed) g_.simplify(false);
  }

 private:
  struct Estimate {
    Id number, divisor;
    bool below;  // never too large
  };

  Id arg(Id id, std::size_t n) const { return g_.resolve(g_.at(id).args[n]); }
  bool is(Id id, Op op) const { return g_.is(id, op); }
  // The other operand of a node of that operation that takes `id`.
  Id partner(Id id, Op op, Id of) const {
    if (!is(id, op)) return kNone;
    return arg(id, 0) == of ? arg(id, 1) : arg(id, 1) == of ? arg(id, 0) : kNone;
  }
  bool difference(Id id, Id from, Id what) const { return is(id, Op::Sub) && arg(id, 0) == from && arg(id, 1) == what; }
  bool negative(Id id, Id of) const { return is(id, Op::Sub) && g_.value(arg(id, 0)) == 0u && arg(id, 1) == of; }
  bool plus(Id id, Id of, u32 number) const {
    if (const Id other = partner(id, Op::Add, of); other != kNone && g_.value(other) == number) return true;
    return is(id, Op::Sub) && arg(id, 0) == of && g_.value(arg(id, 1)) == 0u - number;
  }
  // A choice with the branch first that is taken where `is_condition` says that its condition holds, or does not.
  struct Choice {
    Id yes = kNone, no = kNone;
  };
  template <class Holds>
  std::optional<Choice> choice(Id id, const Holds& holds) const {
    if (!is(id, Op::Select)) return std::nullopt;
    const std::optional<bool> known = holds(arg(id, 0));
    if (!known) return std::nullopt;
    return *known ? Choice{arg(id, 1), arg(id, 2)} : Choice{arg(id, 2), arg(id, 1)};
  }
  // Whether a condition is that a number is zero; false: that it is not.
  std::optional<bool> zero(Id condition, Id number) const {
    if (is(condition, Op::BoolNot)) {
      const std::optional<bool> other = zero(arg(condition, 0), number);
      return other ? std::optional(!*other) : std::nullopt;
    }
    const Id equal = partner(condition, Op::EqU, number), unequal = partner(condition, Op::NeU, number);
    if (equal != kNone && g_.value(equal) == 0u) return true;
    if (unequal != kNone && g_.value(unequal) == 0u) return false;
    return std::nullopt;
  }
  // Whether a condition is a <= b; false: that it is not.
  std::optional<bool> at_most(Id condition, Id a, Id b) const {
    if (is(condition, Op::LeU) && arg(condition, 0) == a && arg(condition, 1) == b) return true;
    if (is(condition, Op::LtU) && arg(condition, 0) == b && arg(condition, 1) == a) return false;
    return std::nullopt;
  }

  // d, of the integer of factor / d.
  Id estimated(Id id, u32 factor) const {
    if (!is(id, Op::UintOfFloat) || !is(arg(id, 0), Op::MulF)) return kNone;
    const Id product = arg(id, 0);
    for (const std::size_t n : {0u, 1u}) {
      const Id reciprocal = arg(product, 1 - n);
      if (g_.value(arg(product, n)) == factor && is(reciprocal, Op::RcpF) && is(arg(reciprocal, 0), Op::FloatOfUint))
        return arg(arg(reciprocal, 0), 0);
    }
    return kNone;
  }
  // d, of the estimate of 2^32 / d that AMD's compilers mend by the error's sign.
  Id reciprocal(Id id) const {
    if (!is(id, Op::Select)) return kNone;
    for (const std::size_t n : {1u, 2u}) {
      if (!is(arg(id, n), Op::Sub)) continue;
      const Id first = arg(arg(id, n), 0), error = arg(arg(id, n), 1), d = estimated(first, kTwoTo32);
      if (d == kNone || partner(arg(id, 3 - n), Op::Add, first) != error) continue;
      const auto overflows = [&](Id condition) -> std::optional<bool> {
        for (const std::size_t k : {0u, 1u}) {
          const Id test = is(condition, Op::BoolNot) ? arg(condition, 0) : condition;
          if (!is(test, Op::EqU) && !is(test, Op::NeU)) return std::nullopt;
          const Id high = arg(test, k);
          if (partner(high, Op::MulHighU, first) == d)
            if (const auto known = zero(condition, high)) return !*known;
        }
        return std::nullopt;
      };
      const auto mended = choice(id, overflows);
      if (!mended || mended->yes != arg(id, n)) continue;
      const Id what = partner(error, Op::MulHighU, first);
      if (what == kNone) continue;
      const auto size = choice(what, overflows);
      if (size && partner(size->yes, Op::Mul, first) == d && negative(size->no, size->yes)) return d;
    }
    return kNone;
  }
  // d, of LLVM's estimate.
  Id reciprocal_below(Id id) const {
    if (!is(id, Op::Add)) return kNone;
    for (const std::size_t n : {0u, 1u}) {
      const Id first = arg(id, n), d = estimated(first, kBelowTwoTo32);
      if (d == kNone) continue;
      const Id error = partner(arg(id, 1 - n), Op::MulHighU, first);
      if (error == kNone) continue;
      if (const Id factor = partner(error, Op::Mul, first); factor != kNone && negative(factor, d)) return d;
      if (is(error, Op::Sub) && g_.value(arg(error, 0)) == 0u && partner(arg(error, 1), Op::Mul, first) == d) return d;
    }
    return kNone;
  }
  std::optional<Estimate> quotient(Id id) {
    if (is(id, Op::Shr)) {  // of a power of two
      const auto count = g_.value(arg(id, 1));
      if (!count || *count == 0 || *count > 31) return std::nullopt;
      const Id of = arg(id, 0), d = reciprocal(of), below = d == kNone ? reciprocal_below(of) : d;
      if (below == kNone) return std::nullopt;
      return Estimate{g_.resolve(g_.constant(u32{1} << (32 - *count))), below, d == kNone};
    }
    if (!is(id, Op::MulHighU)) return std::nullopt;
    for (const std::size_t n : {0u, 1u}) {
      if (const Id d = reciprocal(arg(id, n)); d != kNone) return Estimate{arg(id, 1 - n), d, false};
      if (const Id d = reciprocal_below(arg(id, n)); d != kNone) return Estimate{arg(id, 1 - n), d, true};
    }
    return std::nullopt;
  }
  // What all hold where a condition does; none: too many to be a sequence's.
  std::vector<Id> terms(Id condition) const {
    constexpr std::size_t kMost = 8;
    std::vector<Id> out, open{g_.resolve(condition)};
    for (std::size_t steps = 0; !open.empty(); ++steps) {
      if (steps == 2 * kMost) return {};
      const Id one = open.back();
      open.pop_back();
      if (is(one, Op::BoolAnd))
        open.insert(open.end(), {arg(one, 0), arg(one, 1)});
      else
        out.push_back(one);
    }
    return out;
  }
  bool has_term(Id condition, Id term) const {
    return std::ranges::any_of(terms(condition), [&](Id one) { return one == term; });
  }
  // Whether a condition is that a <= b, and may be another one too.
  bool both(Id condition, Id a, Id b, Id other) const {
    const std::vector<Id> all = terms(condition);
    const auto wanted = [&](Id term) { return at_most(term, a, b) == true; };
    return std::ranges::any_of(all, wanted) &&
           std::ranges::all_of(all, [&](Id term) { return term == other || wanted(term); });
  }

  // ge ? (d <= r ? q + 1 : q) : q - 1, and of the remainder; ge: q * d <= n.
  Id mended_both(Id id) {
    const Id condition = arg(id, 0);
    if (!is(condition, Op::LeU) && !is(condition, Op::LtU)) return kNone;
    const bool holds = is(condition, Op::LeU);
    const Id product = arg(condition, holds ? 0 : 1), n = arg(condition, holds ? 1 : 0);
    if (!is(product, Op::Mul)) return kNone;
    for (const std::size_t k : {0u, 1u}) {
      const Id q = arg(product, k);
      const std::optional<Estimate> of = quotient(q);
      if (!of || of->below || of->number != n || of->divisor != arg(product, 1 - k)) continue;
      const Id d = of->divisor, enough = arg(id, holds ? 1 : 2), less = arg(id, holds ? 2 : 1);
      if (!is(enough, Op::Select)) return kNone;
      const Id more = arg(enough, 1), same = arg(enough, 2);
      const Id rest = same == q ? remainder_in(arg(enough, 0), d) : same;
      if (rest == kNone || !difference(rest, n, product) || !both(arg(enough, 0), d, rest, condition)) return kNone;
      // Where `ge` does not hold what it is a part of does not either.
      const bool part = has_term(arg(enough, 0), condition);
      if (same == q && plus(more, q, 1) && (plus(less, q, ~0u) || (part && plus(less, enough, ~0u))))
        return g_.make(Op::QuotientU, {n, d});
      if (same == rest && difference(more, rest, d) &&
          (partner(less, Op::Add, rest) == d || (part && partner(less, Op::Add, enough) == d)))
        return g_.make(Op::RemainderU, {n, d});
      return kNone;
    }
    return kNone;
  }
  // q + (ge && d <= r) + ge - 1.
  Id mended_by_carries(Id id) {
    constexpr std::size_t kTerms = 4;
    Ids terms, open{id};
    u32 number = 0;
    while (!open.empty()) {
      const Id one = open.back();
      open.pop_back();
      if (terms.size() + open.size() >= kTerms) return kNone;
      if (const auto known = g_.value(one)) {
        number += *known;
      } else if (is(one, Op::Add)) {
        open.push_back(arg(one, 0));
        open.push_back(arg(one, 1));
      } else {
        terms.push_back(one);
      }
    }
    if (terms.size() != 3 || number != ~0u) return kNone;
    const auto at = std::ranges::find_if(terms, [&](Id term) { return quotient(term).has_value(); });
    if (at == terms.end()) return kNone;
    const Id q = *at;
    terms.erase(at);
    const std::optional<Estimate> of = quotient(q);
    if (!of || of->below) return kNone;
    // One of both conditions is a part of the other.
    const std::array conditions = {bit(terms[0]), bit(terms[1])};
    for (const std::size_t k : {0u, 1u}) {
      const Id enough = conditions[k], more = conditions[1 - k];
      if (enough == kNone || more == kNone || !is(enough, Op::LeU) || arg(enough, 1) != of->number) continue;
      const Id product = arg(enough, 0), rest = remainder_in(more, of->divisor);
      if (partner(product, Op::Mul, q) == of->divisor && rest != kNone && difference(rest, of->number, product) &&
          is(more, Op::BoolAnd) && both(more, of->divisor, rest, enough))
        return g_.make(Op::QuotientU, {of->number, of->divisor});
    }
    return kNone;
  }
  // The condition of which a number is the only bit.
  Id bit(Id id) const {
    if (is(id, Op::ToWord)) return arg(id, 0);
    return is(id, Op::Select) && g_.value(arg(id, 1)) == 1u && g_.value(arg(id, 2)) == 0u ? arg(id, 0) : kNone;
  }
  // r, of d <= r, which may be a part of the condition.
  Id remainder_in(Id condition, Id d) const {
    for (const Id term : terms(condition))
      if (is(term, Op::LeU) && arg(term, 0) == d) return arg(term, 1);
    return kNone;
  }

  // Once: d <= r ? q + 1 : q, and r - d : r.
  struct Mended {
    Id number, divisor, rest;
  };
  std::optional<Mended> first_rest(Id id) {  // by the remainder
    if (!is(id, Op::Select) || !is(arg(id, 2), Op::Sub) || !is(arg(arg(id, 2), 1), Op::Mul)) return std::nullopt;
    const Id rest = arg(id, 2), product = arg(rest, 1);
    for (const std::size_t k : {0u, 1u}) {
      const std::optional<Estimate> of = quotient(arg(product, k));
      if (!of || !of->below || of->divisor != arg(product, 1 - k) || of->number != arg(rest, 0)) continue;
      if (at_most(arg(id, 0), of->divisor, rest) == true && difference(arg(id, 1), rest, of->divisor))
        return Mended{of->number, of->divisor, arg(product, k)};
    }
    return std::nullopt;
  }
  Id mended_twice(Id id) {
    const Id condition = arg(id, 0);
    if (!is(condition, Op::LeU)) return kNone;
    const Id d = arg(condition, 0), rest = arg(condition, 1), same = arg(id, 2);
    const std::optional<Mended> of = first_rest(rest);
    if (!of || of->divisor != d) return kNone;
    if (same == rest && difference(arg(id, 1), rest, d)) return g_.make(Op::RemainderU, {of->number, d});
    const Id q = of->rest;
    if (!plus(arg(id, 1), same, 1) || !is(same, Op::Select) || arg(same, 2) != q || !plus(arg(same, 1), q, 1) ||
        arg(same, 0) != arg(rest, 0))
      return kNone;
    return g_.make(Op::QuotientBelowU, {of->number, d});
  }

  // Of an integer that a float holds, and of few bits. A quotient that is one too large would be so by 1 / n of itself
  // or more, which is over 2^-21; a reciprocal is wrong by 2^-23 of itself at most [VEGA «V_RCP_F32»: 1 ulp], and
  // the product by 2^-24.
  Id small_integer(Id id) {
    constexpr u32 kMostBits = 21;
    if (is(id, Op::FloatOfUint)) return g_.bits_of(arg(id, 0)) <= kMostBits ? arg(id, 0) : kNone;
    const auto bits = g_.value(id);
    const float number = bits ? std::bit_cast<float>(*bits) : -1;
    if (!(number >= 0 && number < static_cast<float>(u32{1} << kMostBits) && number == std::trunc(number)))
      return kNone;
    return g_.resolve(g_.constant(static_cast<u32>(number)));
  }
  // trunc(n * rcp(d)), and one more where d <= |n - that * d|.
  Id by_floats(Id id) {
    for (const std::size_t k : {0u, 1u}) {
      if (!is(arg(id, k), Op::UintOfFloat) || !is(arg(id, 1 - k), Op::ToWord)) continue;
      const Id cut = arg(arg(id, k), 0), test = arg(arg(id, 1 - k), 0);
      if (!is(cut, Op::TruncF) || !is(arg(cut, 0), Op::MulF) || !is(test, Op::LeF)) continue;
      for (const std::size_t m : {0u, 1u}) {
        const Id number = arg(arg(cut, 0), m), reciprocal = arg(arg(cut, 0), 1 - m);
        if (!is(reciprocal, Op::RcpF)) continue;
        const Id divisor = arg(reciprocal, 0), n = small_integer(number), d = small_integer(divisor);
        if (n == kNone || d == kNone || without_sign(arg(test, 0)) != divisor) continue;
        if (is_rest(without_sign(arg(test, 1)), number, cut, divisor)) return g_.make(Op::QuotientByFloats, {n, d});
      }
    }
    return kNone;
  }
  Id without_sign(Id id) const { return is(id, Op::AbsF) ? arg(id, 0) : id; }
  // n - q * d.
  bool is_rest(Id id, Id number, Id cut, Id divisor) const {
    const auto is_product = [&](Id a, Id b) {
      return (is(a, Op::NegF) && arg(a, 0) == cut && b == divisor) ||
             (is(a, Op::NegF) && arg(a, 0) == divisor && b == cut);
    };
    if (is(id, Op::FmaF))
      return arg(id, 2) == number && (is_product(arg(id, 0), arg(id, 1)) || is_product(arg(id, 1), arg(id, 0)));
    const Id product = partner(id, Op::AddF, number);
    return product != kNone && is(product, Op::MulF) &&
           (is_product(arg(product, 0), arg(product, 1)) || is_product(arg(product, 1), arg(product, 0)));
  }

  // fixup(fmas(n - d * q, y, q, scaled), d, n), of d and n scaled: q is n * y, mended or not, and y is 1 / d.
  Id of_floats(Id id, const FloatOps& ops) {
    const Id fmas = arg(id, 0), d = arg(id, 1), n = arg(id, 2);
    if (!is(fmas, ops.fmas)) return kNone;
    for (const std::size_t k : {0u, 1u}) {
      const Id rest = arg(fmas, k), inverse = arg(fmas, 1 - k), q = arg(fmas, 2);
      if (!is(rest, ops.fma)) continue;
      const Id number = arg(rest, 2), divisor = negative_factor(rest, q, ops);
      if (divisor == kNone || !is_scaled(number, n, d, n, ops) || !is_scaled(divisor, d, d, n, ops)) continue;
      if (mended_reciprocal(inverse, divisor, ops) < ops.reciprocal_steps) continue;
      const auto steps = mended_quotient(q, number, divisor, inverse, ops);
      if (steps && *steps >= ops.quotient_steps && is_scale(arg(fmas, 3), number, divisor, ops))
        return g_.make(ops.division, {n, d});
    }
    return kNone;
  }
  bool is_scaled(Id id, Id what, Id d, Id n, const FloatOps& ops) const {
    return is(id, ops.scale) && arg(id, 0) == what && arg(id, 1) == d && arg(id, 2) == n;
  }
  // The x of -x * `other` in a product, which may have a third operand added to it; `kNone`: it is none.
  Id negative_factor(Id product, Id other, const FloatOps& ops) const {
    for (const std::size_t k : {0u, 1u}) {
      const Id a = arg(product, k), b = arg(product, 1 - k);
      if (!is(a, ops.negative)) continue;
      if (b == other) return arg(a, 0);
      if (arg(a, 0) == other) return b;
    }
    return kNone;
  }
  // fma(e, x, x) of an error e: x, or `kNone`. `is_error` asks of what the error is.
  template <class IsError>
  Id mended(Id id, const FloatOps& ops, const IsError& is_error) const {
    if (!is(id, ops.fma)) return kNone;
    for (const std::size_t k : {0u, 1u})
      if (const Id before = arg(id, 2); arg(id, k) == before && is_error(arg(id, 1 - k), before)) return before;
    return kNone;
  }
  static constexpr u32 kMostSteps = 4;
  // How often 1 / d is mended; 0: it is another value.
  u32 mended_reciprocal(Id id, Id d, const FloatOps& ops) const {
    for (u32 steps = 0; steps <= kMostSteps; ++steps) {
      if (is(id, ops.reciprocal)) return arg(id, 0) == d ? steps : 0;
      id = mended(id, ops, [&](Id error, Id of) {
        return is(error, ops.fma) && is_one(arg(error, 2)) && negative_factor(error, of, ops) == d;
      });
      if (id == kNone) return 0;
    }
    return 0;
  }
  // How often n * y is mended: fma(n - d * q, y, q).
  std::optional<u32> mended_quotient(Id q, Id n, Id d, Id y, const FloatOps& ops) const {
    for (u32 steps = 0; steps <= kMostSteps; ++steps) {
      if (is(q, ops.mul)) return partner(q, ops.mul, n) == y ? std::optional(steps) : std::nullopt;
      if (!is(q, ops.fma)) return std::nullopt;
      const Id before = arg(q, 2);
      const auto is_rest = [&](Id rest) {
        return is(rest, ops.fma) && arg(rest, 2) == n && negative_factor(rest, before, ops) == d;
      };
      if (!(arg(q, 1) == y && is_rest(arg(q, 0))) && !(arg(q, 0) == y && is_rest(arg(q, 1)))) return std::nullopt;
      q = before;
    }
    return std::nullopt;
  }
  bool is_one(Id id) const {
    return g_.value(id) == std::bit_cast<u32>(1.0F) || g_.value64(id) == std::bit_cast<u64>(1.0);
  }
  // Whether a condition is that the last step undoes a scale, of what is scaled.
  bool is_scale(Id condition, Id number, Id divisor, const FloatOps& ops) {
    const Ids of = g_.at(number).args;
    if (is(condition, ops.scaled))
      return std::ranges::equal(g_.at(condition).args, of, [&](Id a, Id b) { return g_.resolve(a) == g_.resolve(b); });
    // One of both is another than before, by its high word.
    if (!is(condition, Op::BoolXor) || ops.fixup != Op::DivFixupD) return false;
    const auto compares = [&](Id test, Id scaled) {
      const Id after = g_.resolve(g_.make(Op::High, {scaled})), own = arg(scaled, 0);
      return is_high(partner(test, Op::EqU, after), own) || is_high(partner(test, Op::NeU, after), own);
    };
    const Id a = arg(condition, 0), b = arg(condition, 1);
    if (g_.at(a).op != g_.at(b).op) return false;
    return (compares(a, number) && compares(b, divisor)) || (compares(a, divisor) && compares(b, number));
  }

  // Whether one number is the high word of another, which may be merged with it in a loop.
  bool is_high(Id id, Id whole) {
    if (id == kNone) return false;
    if (g_.resolve(g_.make(Op::High, {whole})) == id) return true;
    if (!is(id, Op::Phi) || !is(whole, Op::PhiWide) || g_.at(id).block != g_.at(whole).block) return false;
    const Ids halves = g_.at(id).args, wholes = g_.at(whole).args;
    return std::ranges::equal(halves, wholes, [&](Id a, Id b) {
      const bool turn = g_.resolve(a) == id && g_.resolve(b) == whole;
      return turn || g_.resolve(g_.make(Op::High, {b})) == g_.resolve(a);
    });
  }

  Graph& g_;
  bool exact_;
};

// x / d is the upper part of x * m, where m * d is 2^(32 + s) or e above it: for each x of so few bits that x * e is
// below 2^(32 + s). Granlund and Montgomery, "Division by Invariant Integers using Multiplication", theorem 4.2.
class ConstantDivisors {
 public:
  explicit ConstantDivisors(Graph& graph) : g_(graph) {}

  void run() {
    if (!replace([&](Id id) { return quotient(id); })) return;
    g_.simplify(false);  // quotients have few bits
    static_cast<void>(replace([&](Id id) { return remainder(id); }));
  }

 private:
  template <class Other>
  bool replace(const Other& other) {
    bool out = false;
    const std::vector<bool> live = g_.live();
    for (Id id = 0; id < live.size() && g_.spend(); ++id) {
      const Id found = live[id] && g_.nodes[id].forward == kNone ? other(id) : kNone;
      if (found == kNone) continue;
      g_.nodes[id].forward = found;
      out = true;
    }
    return out;
  }
  bool is(Id id, Op op) const { return g_.is(id, op); }
  Id arg(Id id, std::size_t n) const { return g_.resolve(g_.at(id).args[n]); }
  Id quotient(Id id) {
    u32 shift = 0;
    Id top = g_.resolve(id);
    if (is(top, Op::Shr)) {
      if (const auto by = g_.value(arg(top, 1)); by && *by < 32) {
        shift = *by;
        top = arg(top, 0);
      }
    }
    if (is(top, Op::MulHighU)) return by_factor(top, shift, 0);
    if (is(top, Op::DivU) && shift != 0) return by_product(top, u64{1} << shift);
    // ((x - t) / 2 + t) / 2^s, where t is the upper part of x * (m - 2^32): of a factor of 33 bits.
    if (!is(top, Op::Add)) return kNone;
    for (const std::size_t k : {0u, 1u}) {
      const Id product = arg(top, k), half = arg(top, 1 - k);
      if (!is(product, Op::MulHighU) || !is(half, Op::Shr) || g_.value(arg(half, 1)) != 1u) continue;
      const Id rest = arg(half, 0);
      if (is(rest, Op::Sub) && arg(rest, 1) == product && arg(rest, 0) == arg(product, 0))
        return by_factor(product, shift + 1, u64{1} << 32);
    }
    return kNone;
  }
  // The upper part of a product, shifted down; `more`: of 33 bits, what its factor is without.
  Id by_factor(Id product, u32 shift, u64 more) {
    const auto factor = g_.value(arg(product, 1));
    const Id number = arg(product, 0);
    const u64 power = u64{1} << (32 + shift), times = factor.value_or(0) + more;
    if (!factor || shift > 31 || times < 2 || times > power / 3 * 2) return kNone;
    const u64 divisor = (power + times - 1) / times;
    const u64 above = times * divisor - power;
    if (above == 0 || above > power >> std::min(g_.bits_of(number), 32u)) return kNone;
    return by_product(number, divisor);
  }
  // Of an even divisor compilers divide half of the number, and of one quotient's quotient the number.
  Id by_product(Id number, u64 divisor) {
    const bool half = is(number, Op::Shr);
    const auto by = half || is(number, Op::DivU) ? g_.value(arg(number, 1)) : std::nullopt;
    const u64 product = !by ? 0 : half ? divisor << (*by & 31) : divisor * *by;
    if (product != 0 && product <= ~u32{0}) {
      divisor = product;
      number = arg(number, 0);
    }
    return g_.make(Op::DivU, {number, g_.constant(static_cast<u32>(divisor))});
  }
  // What is divided, and by which number.
  std::pair<Id, u64> divided(Id id) const {
    const bool known = is(id, Op::DivU) && g_.value(arg(id, 1));
    return known ? std::pair(arg(id, 0), u64{*g_.value(arg(id, 1))}) : std::pair(g_.resolve(id), u64{1});
  }
  Id remainder(Id id) {
    if (!is(id, Op::Sub) || !is(arg(id, 1), Op::Mul)) return kNone;
    const Id quotient = arg(arg(id, 1), 0);
    const auto divisor = g_.value(arg(arg(id, 1), 1));
    const auto [number, first] = divided(arg(id, 0));
    if (!divisor || *divisor < 2 || divided(quotient) != std::pair(number, first * *divisor)) return kNone;
    return g_.make(Op::RemU, {arg(id, 0), g_.constant(*divisor)});
  }

  Graph& g_;
};

}  // namespace

void find_divisions(Graph& graph, bool exact) { Divisions(graph, exact).run(); }

void find_constant_divisors(Graph& graph) { ConstantDivisors(graph).run(); }

}  // namespace amdcompat::lift
