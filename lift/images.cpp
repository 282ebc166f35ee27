// Images and samplers.
//
// An image instruction names its image by the eight words of a descriptor (T#), and its sampler by four more (S#). Both
// are followed to where the old runtime put them: a table in which the numbers of the metadata count, or the object
// that an argument of OpenCL 2.0 points to. The instruction says neither how many coordinates there are nor what the
// components of a texel are; the descriptor does, at run time. The dimensions stand in the metadata. Whether texels are
// floats or integers is what the kernel does with them, or else what its image says when it runs.
// [SIA, CIA «Vector Memory Image Instructions», «Image Resource»; RT gpukernel.cpp ImageConstants, sampler.hpp]
#include <algorithm>
#include <bit>
#include <bitset>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <amdcompat/launch_image.hpp>

#include "ir.hpp"

namespace amdcompat::lift {
namespace {

struct Dim {
  ImageDim dim;
  std::string_view type;
  u8 coordinates;
  bool array;
};
constexpr Dim kDims[] = {
    {ImageDim::D1, "image1d_t", 1, false},
    {ImageDim::D1Array, "image1d_array_t", 2, true},
    {ImageDim::D1Buffer, "image1d_buffer_t", 1, false},
    {ImageDim::D2, "image2d_t", 2, false},
    {ImageDim::D2Array, "image2d_array_t", 3, true},
    {ImageDim::D3, "image3d_t", 3, false},
};
const Dim* find_dim(ImageDim dim) {
  const auto* const row = std::ranges::find(kDims, dim, &Dim::dim);
  return row == std::end(kDims) ? nullptr : row;
}
const Image& image_at(const Source& source, u32 argument) {
  return std::get<Image>(source.kernel.arguments[argument].kind);
}

// The argument whose image a descriptor is of; empty: there is none, or more than one.
std::optional<u32> image_of(const Source& source, const Descriptor& from) {
  const auto& arguments = source.kernel.arguments;
  if (from.kind == kImageArguments)
    return std::holds_alternative<Image>(arguments[from.slot].kind) ? std::optional(from.slot) : std::nullopt;
  // Images that are read and images that are written count by themselves.
  if (from.kind != kImages && from.kind != kUavs) return std::nullopt;
  const auto access = from.kind == kImages ? amdcompat::Access::ReadOnly : amdcompat::Access::WriteOnly;
  std::optional<u32> out;
  for (u32 n = 0; n < arguments.size(); ++n)
    if (const auto* const image = std::get_if<Image>(&arguments[n].kind))
      if (image->access == access && image->id == from.slot) {
        if (out) return std::nullopt;
        out = n;
      }
  return out;
}
// The argument of whose descriptor a value is this word.
std::optional<u32> image_of_word(const Graph& g, const Source& source, Id id, u32 word) {
  const Node& n = g.at(id);
  if (n.op != Op::Resource || (n.imm & 7) != word) return std::nullopt;
  return image_of(source, {static_cast<u32>(n.imm >> 4 & 15), static_cast<u32>(n.imm >> 8)});
}

// A size of an image less one, where a value is that part of a descriptor; `kNone`: it is not. How many images an array
// has is in other words on GFX9. [abi/descriptors.cpp; ROCm device libs, ockl image.cl]
Id size_in_descriptor(Graph& g, const Source& source, const Node& part) {
  const auto mask = part.op == Op::And ? g.value(part.args[1]) : std::nullopt;
  if (!mask) return kNone;
  const Node& inner = g.at(part.args[0]);
  const auto shift = inner.op == Op::Shr ? g.value(inner.args[1]) : std::optional<u32>(0);
  const Id word = shift == 0u ? part.args[0] : inner.args[0];
  struct Field {
    Info what;
    u32 word, first, mask;
  };
  constexpr u32 kSide = 0x3fff, kDepth = 0x1fff;
  constexpr Field kFields[] = {{Info::Width, 2, 0, kSide},
                               {Info::Height, 2, 14, kSide},
                               {Info::Depth, 4, 0, kDepth},
                               {Info::ArraySize, 4, 0, kDepth},
                               {Info::ArraySize, 5, 13, kDepth}};
  for (const auto& [what, number, first, bits] : kFields) {
    if (bits != mask || first != shift) continue;
    const auto argument = image_of_word(g, source, word, number);
    const Dim* const dim = argument ? find_dim(image_at(source, *argument).dim) : nullptr;
    if (dim == nullptr || dim->dim == ImageDim::D1Buffer) continue;
    const u32 sides = dim->coordinates - (dim->array ? 1 : 0);
    const bool is_there = what == Info::ArraySize
                              ? dim->array && (number == 4) == (source.generation == gcn::Generation::Gfx9)
                              : static_cast<u32>(what) < sides;
    if (!is_there) continue;
    const Id size = g.make(Op::ImageInfo, {}, u64{*argument} << 8 | static_cast<u32>(what));
    return g.make(Op::Add, {size, g.constant(~0u)});
  }
  return kNone;
}

// Where a word of an image's object is that lanes load themselves, alone or with others.
struct ObjectWord {
  Id object = kNone;  // its address
  u64 at = 0;  // byte in it
};
std::optional<ObjectWord> object_word(const Graph& g, const Node& word) {
  const bool is_part = word.op == Op::Loaded;
  const Node& load = is_part ? g.at(word.args[0]) : word;
  if (load.op != Op::Load) return std::nullopt;
  const Access& access = g.accesses[load.access];
  if (access.room != Room::Generic || access.bytes != 4 || is_part != (access.components > 1)) return std::nullopt;
  const Node& address = g.at(load.args[1]);
  const bool is_sum = address.op == Op::Add64 && g.value64(address.args[1]);
  const u64 at = is_part ? 4 * word.imm : 0;
  if (is_sum) return ObjectWord{g.resolve(address.args[0]), at + *g.value64(address.args[1])};
  return ObjectWord{g.resolve(load.args[1]), at};
}
// The image argument to whose object an address points.
std::optional<u32> object_at(const Graph& g, Id address) {
  const Node& pair = g.at(address);
  if (pair.op != Op::Join) return std::nullopt;
  const Node &low = g.at(pair.args[0]), &high = g.at(pair.args[1]);
  const bool is_one =
      low.op == Op::Table && high.op == Op::Table && high.imm == low.imm + 1 && (low.imm >> 4 & 15) == kImageArguments;
  return is_one ? std::optional(static_cast<u32>(low.imm >> 8)) : std::nullopt;
}
// A word of an image's object that lanes load themselves; `kNone`: it is none.
Id word_of_object(Graph& g, const Node& load) {
  const auto word = object_word(g, load);
  const auto argument = word ? object_at(g, word->object) : std::nullopt;
  return argument ? image_object(g, *argument, word->at) : kNone;
}

bool accesses_images(const Graph& g) {
  return std::ranges::any_of(g.accesses, [](const Access& access) { return access.room == Room::Image; });
}

// --- samplers --------------------------------------------------------------------------------------------------------

// The word of a sampler in the metadata: bit 0 normalized coordinates, 1-3 addressing, 4-5 filter. [RT sampler.hpp]
struct Row {
  std::string_view name, text;
};
constexpr Row kAddressing[] = {{"any", "CLK_ADDRESS_CLAMP_TO_EDGE"},
                               {"repeat", "CLK_ADDRESS_REPEAT"},
                               {"edge", "CLK_ADDRESS_CLAMP_TO_EDGE"},
                               {"clamp", "CLK_ADDRESS_CLAMP"},
                               {"mirror", "CLK_ADDRESS_MIRRORED_REPEAT"}};
bool is_normalized(u32 value) { return (value & 1) != 0; }
bool is_linear(u32 value) { return value >> 4 == 2; }
u32 addressing(u32 value) { return value >> 1 & 7; }
bool is_sampler(u32 value) {
  return addressing(value) < std::size(kAddressing) && (value >> 4 == 1 || value >> 4 == 2);
}

// The sampler of a descriptor, as `ImageAccess::sampler` has it; empty: there is none, or more than one.
std::optional<i32> sampler_of(const Source& source, const Descriptor& from) {
  const auto& arguments = source.kernel.arguments;
  if (from.kind == kSamplerArguments) return -2 - static_cast<i32>(from.slot);
  if (from.kind == kSamplerObjects) return static_cast<i32>(abi::sampler_word(source.program.samplers[from.slot]));
  if (from.kind != kSamplers) return std::nullopt;
  std::optional<i32> out;
  const auto found = [&](i32 sampler) {
    const bool first = !out || *out == sampler;
    out = sampler;
    return first;
  };
  for (const ConstantSampler& sampler : source.kernel.samplers)
    if (sampler.id == from.slot && (!is_sampler(sampler.value) || !found(static_cast<i32>(sampler.value))))
      return std::nullopt;
  for (std::size_t n = 0; n < arguments.size(); ++n)
    if (const auto* const sampler = std::get_if<Sampler>(&arguments[n].kind))
      if (sampler->id == from.slot && !found(-2 - static_cast<i32>(n))) return std::nullopt;
  return out;
}

// The sampler whose descriptor stands in the code as numbers, as AMD's device library has samplers of a program.
std::optional<i32> sampler_of(const Graph& g, std::span<const Id> words) {
  std::array<u32, 4> numbers{};
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    const auto number = g.value(words[n]);
    if (!number) return std::nullopt;
    numbers[n] = *number;
  }
  const auto field = [&](std::size_t word, u32 first, u32 width) {
    return numbers[word] >> first & ((u32{1} << width) - 1);
  };
  // The rows of S# in abi/descriptors.cpp; modes by the addressing of the metadata's word. [Mesa sid.h: not verified]
  constexpr std::array<u32, 5> kClamp{8, 0, 2, 6, 1};
  const u32 clamp = field(0, 0, 3), unnormalized = field(0, 15, 1), filter_mode = field(0, 29, 2);
  const u32 magnified = field(2, 20, 2), minified = field(2, 22, 2), border = field(3, 30, 2);
  const auto mode = std::ranges::find(kClamp, clamp);
  const bool alike = field(0, 3, 3) == clamp && field(0, 6, 3) == clamp;
  if (mode == kClamp.end() || !alike || filter_mode != 0 || border != 0) return std::nullopt;
  if (magnified != minified || magnified > 1) return std::nullopt;
  return static_cast<i32>((1 - unnormalized) | static_cast<u32>(mode - kClamp.begin()) << 1 | (magnified + 1) << 4);
}

// --- coordinates -----------------------------------------------------------------------------------------------------

// The whole number that a float always is; `kNone`: it may be another one. Compilers round down what a sampler without
// filter is given. Beyond 2^24, where floats have gaps, there is no image.
Id whole_number(Graph& g, Id id) {
  const Node& n = g.at(id);
  if (n.op == Op::FloorF) return whole_number(g, n.args[0]);
  if (n.op == Op::FloatOfInt) return g.resolve(n.args[0]);
  if (n.op != Op::Const) return kNone;
  const float value = std::bit_cast<float>(static_cast<u32>(n.imm));
  constexpr float kMost = 1 << 24;
  if (!(std::abs(value) <= kMost) || value != std::floor(value)) return kNone;
  return g.constant(static_cast<u32>(static_cast<i32>(value)));
}

class Placer {
 public:
  Placer(Graph& graph, const Source& source, Id id)
      : g_(graph), source_(source), id_(id), node_(graph.nodes[id]), what_(graph.accesses[node_.access]) {}

  void run() {
    constexpr std::size_t kSamplerWords = 4;
    ImageAccess& image = what_.image;
    const std::size_t image_words = image.buffer ? 4 : 8;
    const std::size_t words = 1 + image.coordinates;
    find_descriptor_words(g_, id_, words, image_words + (image.sampled ? kSamplerWords : 0));
    node_.args = g_.nodes[id_].args;
    const auto part = [&](std::size_t from, std::size_t count) { return std::span(node_.args).subspan(from, count); };
    const auto from = descriptor(g_, part(words, image_words));
    const auto argument = from ? image_of(source_, *from) : std::nullopt;
    if (!argument) return refuse("accesses an image of which it is not certain which one it is");
    const Dim* const dim = find_dim(image_at(source_, *argument).dim);
    if (dim == nullptr || image.buffer != (dim->dim == ImageDim::D1Buffer))
      return refuse("accesses an image of a kind that is not lifted");
    // The instruction reads coordinates for what the descriptor says; an array it has to know of.
    if (!image.size && image.array != dim->array)
      return refuse("accesses an array of images as one, or one as an array");
    const u32 count = image.size ? 0 : dim->coordinates;
    const u32 needed = count + (image.level ? 1 : 0);
    if (image.coordinates < needed) return refuse("accesses an image by too few coordinates");
    if (image.level && g_.value(node_.args[1 + count]) != 0u) return refuse("accesses a mip level of an image");
    what_.argument = static_cast<i32>(*argument);
    if (image.size) return size(*argument, *dim);

    std::size_t next = words + image_words;
    Ids args(node_.args.begin(), node_.args.begin() + 1 + count);
    if (image.sampled) {
      if (!sampler(part(next, kSamplerWords))) return;
      next += kSamplerWords;
      make_whole(args);
    }
    args.insert(args.end(), node_.args.begin() + static_cast<std::ptrdiff_t>(next), node_.args.end());
    image.coordinates = static_cast<u8>(count);
    image.level = false;
    const auto at = std::ranges::find(g_.accesses, what_);
    const u32 index = static_cast<u32>(at - g_.accesses.begin());
    if (at == g_.accesses.end()) g_.accesses.push_back(what_);
    g_.nodes[id_].access = index;
    g_.nodes[id_].args = std::move(args);
  }

 private:
  void refuse(std::string why) { g_.refuse(Code::LiftAddress, node_.offset, std::move(why)); }

  bool sampler(std::span<const Id> words) {
    ImageAccess& image = what_.image;
    const auto from = descriptor(g_, words);
    const auto found = from ? sampler_of(source_, *from) : sampler_of(g_, words);
    if (!found) {
      refuse("samples an image by a sampler of which it is not certain which one it is");
      return false;
    }
    image.sampler = *found;
    // The instruction can have its coordinates in texels whatever the sampler says. In OpenCL 1.x containers it says so
    // always for samplers that have them; the objects of OpenCL 2.0 say it themselves.
    const bool constant = *found >= 0, normalized = constant && is_normalized(static_cast<u32>(*found));
    const bool old = from && from->kind == kSamplers;
    if ((image.unnormalized && (!constant || normalized)) || (old && constant && !image.unnormalized && !normalized)) {
      refuse("samples an image by coordinates that are not those of its sampler");
      return false;
    }
    return true;
  }
  void make_whole(Ids& args) {
    ImageAccess& image = what_.image;
    constexpr u32 kRepeat = 1, kMirror = 4;
    if (image.sampler < 0) return;
    const u32 value = static_cast<u32>(image.sampler);
    if (is_normalized(value) || is_linear(value) || addressing(value) == kRepeat || addressing(value) == kMirror)
      return;
    Ids whole{args[0]};
    for (std::size_t n = 1; n < args.size(); ++n) {
      whole.push_back(whole_number(g_, args[n]));
      if (whole.back() == kNone) return;
    }
    args = std::move(whole);
    image.whole = true;
  }
  void size(u32 argument, const Dim& dim) {
    const std::vector<bool> live = g_.live();
    for (Id n = 0; n < live.size(); ++n) {
      if (!live[n] || g_.nodes[n].op != Op::Loaded || g_.nodes[n].forward != kNone ||
          g_.resolve(g_.nodes[n].args[0]) != id_)
        continue;
      const u32 component = static_cast<u32>(g_.nodes[n].imm);
      if (dim.array || component >= dim.coordinates) return refuse("asks for the size of an array, or for mip levels");
      const Id now = g_.make(Op::ImageInfo, {}, u64{argument} << 8 | component);
      g_.nodes[n].forward = now;
    }
    g_.nodes[id_].forward = g_.make(Op::Undefined);
  }

  Graph& g_;
  const Source& source_;
  Id id_;
  Node node_;
  Access what_;
};

// --- one of several images -------------------------------------------------------------------------------------------

// An access to one of several images, or by one of several samplers, becomes one to each, made by the lanes that mean
// it.
class Choices {
 public:
  explicit Choices(Graph& graph) : g_(graph) {}

  void run() {
    for (u32 b = 0; b < g_.blocks.size(); ++b)
      for (std::size_t at = 0; at < g_.blocks[b].effects.size();)
        if (!split(b, at)) ++at;
    if (changed_) g_.simplify(!g_.wave);
  }

 private:
  static constexpr u32 kMost = 64;  // accesses that are split, of a kernel
  static constexpr u32 kDeepest = 256;  // addresses one in another

  // Makes two accesses of one, which may be of several images still. False: it is of one, or of none that is known.
  bool split(u32 block, std::size_t at) {
    const Id id = g_.blocks[block].effects[at];
    const bool is_access = g_.is(id, Op::Load) || g_.is(id, Op::Store);
    if (!is_access || g_.nodes[id].forward != kNone) return false;
    const Access& what = g_.accesses[g_.nodes[id].access];
    if (what.room != Room::Image) return false;
    const std::size_t first = 1 + what.image.coordinates;
    const std::size_t count = (what.image.buffer ? 4 : 8) + (what.image.sampled ? 4 : 0);
    find_descriptor_words(g_, id, first, count);
    for (std::size_t k = first; k < first + count; ++k)
      if (const Id word = word_of_chosen(g_.nodes[id].args[k]); word != kNone) g_.nodes[id].args[k] = word;
    const Node node = g_.nodes[id];
    const std::span<const Id> words = std::span(node.args).subspan(first, count);
    const auto choice = std::ranges::find_if(words, [&](Id word) { return is_choice(word); });
    if (choice == words.end() || splits_ == kMost || !g_.spend()) return false;
    ++splits_;
    changed_ = true;
    const Id condition = g_.resolve(g_.at(*choice).args[0]), opposite = g_.make(Op::BoolNot, {condition});
    const auto copy_of = [&](bool yes) {
      Node copy = node;
      copy.args[0] = g_.make(Op::BoolAnd, {node.args[0], yes ? condition : opposite});
      for (std::size_t k = first; k < first + count; ++k)
        if (const Node& word = g_.at(copy.args[k]); word.op == Op::Select && g_.resolve(word.args[0]) == condition)
          copy.args[k] = word.args[yes ? 1 : 2];
      return g_.add(std::move(copy));
    };
    const std::array<Id, 2> copies{copy_of(true), copy_of(false)};
    auto& effects = g_.blocks[block].effects;
    effects[at] = copies[0];
    effects.insert(effects.begin() + static_cast<std::ptrdiff_t>(at) + 1, copies[1]);
    if (node.op == Op::Store) return true;
    for (Id user = 0, nodes = static_cast<Id>(g_.nodes.size()); user < nodes; ++user) {
      const Node loaded = g_.nodes[user];
      if (loaded.op != Op::Loaded || loaded.forward != kNone || g_.resolve(loaded.args[0]) != id) continue;
      const Id yes = g_.make(Op::Loaded, {copies[0]}, loaded.imm), no = g_.make(Op::Loaded, {copies[1]}, loaded.imm);
      const Id chosen = g_.make(Op::Select, {condition, yes, no}, 0, block);
      g_.nodes[user].forward = chosen;
    }
    g_.nodes[id].forward = copies[0];
    return true;
  }
  // A word of the object of one of several images that lanes load: a choice among those of each, by the number of its
  // argument, which goes the ways that the address does. `kNone`: it is none.
  Id word_of_chosen(Id id) {
    const auto word = object_word(g_, g_.at(id));
    if (!word) return kNone;
    const Id number = number_of(word->object);
    // Numbers on the way may be of merges that were still open when the search ended: none of them holds.
    for (const Id address : std::exchange(asked_, {}))
      if (number == kNone) numbers_[address] = kNone;
    if (number == kNone) return kNone;
    std::set<u32> arguments;
    if (!find_numbers(number, arguments) || arguments.empty()) return kNone;
    Id out = kNone;
    for (const u32 argument : arguments) {
      const Id one = image_object(g_, argument, word->at);
      if (one == kNone) return kNone;
      const Id is = g_.make(Op::EqU, {number, g_.constant(argument)});
      out = out == kNone ? one : g_.make(Op::Select, {is, one, out});
    }
    return out;
  }
  // The number of the argument at whose object an address is; `kNone`: that takes too much work. Registers are used
  // again: what they hold on a way where nothing has chosen an image is no image, and the access is for no lane then.
  Id number_of(Id address) {
    address = g_.resolve(address);
    if (const auto argument = object_at(g_, address)) return g_.constant(*argument);
    if (const auto known = numbers_.find(address); known != numbers_.end()) return known->second;
    if (!g_.spend() || depth_ == kDeepest) return kNone;
    ++depth_;
    asked_.push_back(address);
    const Id out = number_anew(address);
    --depth_;
    return numbers_[address] = out;
  }
  Id number_anew(Id address) {
    const Node n = g_.nodes[address];
    // Words that are chosen or merged alike are parts of one address.
    if (n.op == Op::Join) {
      const Node low = g_.at(n.args[0]), high = g_.at(n.args[1]);
      if (low.op != high.op || low.args.size() != high.args.size()) return no_image();
      const auto part = [&](std::size_t k) { return g_.make(Op::Join, {low.args[k], high.args[k]}); };
      if (low.op == Op::Select && g_.resolve(low.args[0]) == g_.resolve(high.args[0]))
        return chosen(low, part(1), part(2));
      return low.op == Op::Phi && low.block == high.block ? merged(address, low, part) : no_image();
    }
    if (n.op == Op::SelectWide) return chosen(n, n.args[1], n.args[2]);
    return n.op == Op::PhiWide ? merged(address, n, [&](std::size_t k) { return n.args[k]; }) : no_image();
  }
  Id no_image() { return g_.make(Op::Undefined); }
  Id chosen(const Node& choice, Id yes, Id no) {
    const Id one = number_of(yes), other = one == kNone ? kNone : number_of(no);
    return other == kNone ? kNone : g_.make(Op::Select, {choice.args[0], one, other}, 0, choice.block);
  }
  template <class Part>
  Id merged(Id address, const Node& phi, const Part& part) {
    const Id out = g_.add({.op = Op::Phi, .block = phi.block, .offset = phi.offset, .args = phi.args});
    g_.blocks[phi.block].phis.push_back(out);
    numbers_[address] = out;  // loops come back to it
    Ids args;
    for (std::size_t k = 0; k < phi.args.size(); ++k) {
      args.push_back(number_of(part(k)));
      if (args.back() == kNone) return kNone;
    }
    g_.nodes[out].args = std::move(args);
    return out;
  }
  // The constants that a value is one of. False: it may be another one.
  bool find_numbers(Id id, std::set<u32>& out) const {
    Seen seen;
    std::vector<Id> open{g_.resolve(id)};
    while (!open.empty()) {
      const Id one = open.back();
      const Node& n = g_.nodes[one];
      open.pop_back();
      if (!g_.spend()) return false;
      if (!seen.insert(one) || n.op == Op::Undefined) continue;
      if (n.op != Op::Const && n.op != Op::Select && n.op != Op::Phi) return false;
      if (n.op == Op::Const) out.insert(static_cast<u32>(n.imm));
      for (std::size_t k = n.op == Op::Select ? 1 : 0; k < n.args.size(); ++k) open.push_back(g_.resolve(n.args[k]));
    }
    return true;
  }
  bool is_choice(Id word) const {
    const Node& n = g_.at(word);
    return n.op == Op::Select && is_resource(n.args[1]) && is_resource(n.args[2]);
  }
  bool is_resource(Id id) const {
    constexpr u32 kSteps = 64;
    std::vector<Id> open{id};
    for (u32 step = 0; !open.empty(); ++step) {
      const Node& n = g_.at(open.back());
      open.pop_back();
      if (step == kSteps || (n.op != Op::Resource && n.op != Op::Select)) return false;
      if (n.op == Op::Select) open.insert(open.end(), {n.args[1], n.args[2]});
    }
    return true;
  }

  Graph& g_;
  u32 splits_ = 0, depth_ = 0;
  bool changed_ = false;
  std::map<Id, Id> numbers_;  // by address
  std::vector<Id> asked_;  // addresses whose numbers were made for one word
};

// --- coordinates that compilers round --------------------------------------------------------------------------------

// What a coordinate was before AMD's device library rounded it: for nearest texels at normalized coordinates it gives
// the floor of a coordinate in texels, divided by the size, which samplers of hardware take for that texel. A device
// with coordinates of more bits may take the one before it; `read_imagef` rounds down itself. [ROCm device libs, ockl
// image.cl]
Id before_rounding(const Graph& g, Id coordinate, u64 size) {
  const auto is_size = [&](Id id) {
    const Node& n = g.at(id);
    if (n.op != Op::FloatOfUint && n.op != Op::FloatOfInt) return false;
    const Node& whole = g.at(n.args[0]);
    return whole.op == Op::ImageInfo && whole.imm == size;
  };
  const auto other_factor = [&](const Node& product, const auto& is_it) {
    if (product.op == Op::MulF)
      for (const u32 k : {0u, 1u})
        if (is_it(product.args[k])) return g.resolve(product.args[1 - k]);
    return kNone;
  };
  const Id floor =
      other_factor(g.at(coordinate), [&](Id id) { return g.at(id).op == Op::RcpF && is_size(g.at(id).args[0]); });
  return floor != kNone && g.at(floor).op == Op::FloorF ? other_factor(g.at(g.at(floor).args[0]), is_size) : kNone;
}

// --- what texels are -------------------------------------------------------------------------------------------------

// What is done with the components of a texel that is read, and of what the components of one that is stored are made.
// Registers that are merged where lanes meet may be merged by accident. So a texel is read as one type only if it is
// used as that itself, and stored as one only if nothing of another type, or of none, may be among what is stored.
class Texels {
 public:
  Texels(Graph& graph, const Source& source) : g_(graph), source_(source) {}

  void run() {
    if (!accesses_images(g_)) return;
    const std::vector<bool> live = g_.live();
    uses_.resize(g_.nodes.size());
    std::vector<Id> loads, stores;
    for (Id id = 0; id < g_.nodes.size(); ++id) {
      const Node& n = g_.nodes[id];
      if (!live[id] || n.forward != kNone) continue;
      if (is_access(n)) (n.op == Op::Load ? loads : stores).push_back(id);
      for (u32 k = 0; k < n.args.size(); ++k) uses_[g_.resolve(n.args[k])].push_back({id, k});
    }
    for (const Id id : loads) g_.nodes[id].imm = static_cast<u64>(read_as(id));
    for (const Id id : stores) g_.nodes[id].imm = static_cast<u64>(stored_as(id));
  }

 private:
  struct Use {
    Id user;
    u32 argument;
  };
  bool is_access(const Node& n) const {
    return (n.op == Op::Load || n.op == Op::Store) && g_.accesses[n.access].room == Room::Image;
  }
  bool is_stored(const Node& n, u32 argument) const {
    return n.op == Op::Store && is_access(n) && argument > g_.accesses[n.access].image.coordinates;
  }
  static bool moves(const Node& n) { return n.op == Op::Phi || n.op == Op::Select; }

  using Kinds = std::bitset<4>;
  static void add(Kinds& to, Texel one) { to.set(static_cast<std::size_t>(one)); }
  // Bits: several.
  static Texel only(Kinds of) {
    return of.count() == 1 ? static_cast<Texel>(std::countr_zero(of.to_ulong())) : Texel::Bits;
  }
  Texel read_as(Id load) const {
    std::set<Id> seen;
    std::vector<Id> components, open;
    for (const Use& use : uses_[load])
      if (g_.is(use.user, Op::Loaded)) components.push_back(use.user);
    open = components;
    Kinds directly, all;
    while (!open.empty()) {
      const Id id = open.back();
      open.pop_back();
      if (!seen.insert(id).second) continue;
      if (!g_.spend()) return Texel::Bits;
      const bool direct = std::ranges::find(components, id) != components.end();
      for (const Use& use : uses_[id]) {
        const Node& user = g_.nodes[use.user];
        if (moves(user)) {
          open.push_back(use.user);
        } else if (!is_stored(user, use.argument)) {
          const Texel as = used_as(user, use.argument);
          add(all, as);
          if (direct) add(directly, as);
        }
      }
    }
    return directly.any() ? only(all) : Texel::Bits;
  }
  Texel stored_as(Id store) const {
    std::set<Id> seen;
    const Node& n = g_.nodes[store];
    std::vector<Id> open(n.args.begin() + 1 + g_.accesses[n.access].image.coordinates, n.args.end());
    Kinds all;
    while (!open.empty()) {
      const Id id = g_.resolve(open.back());
      open.pop_back();
      if (!seen.insert(id).second) continue;
      if (!g_.spend()) return Texel::Bits;
      const Node& value = g_.nodes[id];
      if (moves(value))
        open.insert(open.end(), value.args.begin() + (value.op == Op::Select ? 1 : 0), value.args.end());
      else if (const auto as = made_as(value))
        add(all, *as);
    }
    return only(all);
  }
  Texel of_argument(const Access& access) const {
    if (access.argument < 0) return Texel::Bits;
    const Argument& argument = source_.kernel.arguments[static_cast<std::size_t>(access.argument)];
    const bool floats = std::visit(
        [](const auto& kind) {
          if constexpr (std::is_base_of_v<PointerInfo, std::decay_t<decltype(kind)>>)
            return kind.pointee == ScalarType::Float;
          return false;
        },
        argument.kind);
    return floats ? Texel::Floats : Texel::Bits;
  }
  // Nothing: a constant, which may be anything.
  std::optional<Texel> made_as(const Node& n) const {
    switch (n.op) {
      case Op::Const:
      case Op::Undefined: return std::nullopt;
      case Op::UintOfFloat:
      case Op::UintOfDouble: return Texel::Uints;
      case Op::IntOfFloat:
      case Op::IntOfDouble: return Texel::Ints;
      case Op::Load:
      case Op::Atomic: return of_argument(g_.accesses[n.access]);
      case Op::Loaded: {
        const Node& load = g_.at(n.args[0]);
        return is_access(load) ? static_cast<Texel>(load.imm) : of_argument(g_.accesses[load.access]);
      }
      case Op::ArgumentWord:
        for (const Argument& argument : source_.kernel.arguments) {
          const auto place = place_of(argument);
          const auto* const value = std::get_if<ByValue>(&argument.kind);
          if (place && value != nullptr && value->type == ScalarType::Float && n.imm >= *place &&
              n.imm < *place + u64{4} * value->elements)
            return Texel::Floats;
        }
        return Texel::Bits;
      default: return info(n.op).result == Float ? Texel::Floats : Texel::Bits;
    }
  }
  Texel used_as(const Node& n, u32 k) const {
    if (n.op == Op::Load || n.op == Op::Store || n.op == Op::Atomic) {
      const Access& access = g_.accesses[n.access];
      if (access.room == Room::Image)
        return k > 0 && access.image.sampled && !access.image.whole ? Texel::Floats : Texel::Bits;
      return n.op == Op::Store && k >= 2 ? of_argument(access) : Texel::Bits;
    }
    switch (n.op) {
      case Op::ClassF: return k == 0 ? Texel::Floats : Texel::Bits;
      // Bits of floats are shifted and compared as integers, but not converted.
      case Op::FloatOfUint:
      case Op::DoubleOfUint: return Texel::Uints;
      case Op::FloatOfInt:
      case Op::DoubleOfInt: return Texel::Ints;
      default: return k < info(n.op).arguments.size() && info(n.op).arguments[k] == 'f' ? Texel::Floats : Texel::Bits;
    }
  }

  Graph& g_;
  const Source& source_;
  std::vector<std::vector<Use>> uses_;
};

}  // namespace

u32 most_coordinates(const Source& source) {
  u32 out = 0;
  for (const Argument& argument : source.kernel.arguments)
    if (const auto* const image = std::get_if<Image>(&argument.kind))
      if (const Dim* const dim = find_dim(image->dim)) out = std::max<u32>(out, dim->coordinates);
  return out;
}

Id image_constant(Graph& g, const Source& source, u32 argument, u32 word) {
  const Dim* const dim = find_dim(image_at(source, argument).dim);
  constexpr u32 kDataType = 3, kScales = 4, kOrder = 7;
  const auto ask = [&](Op op, u32 what) { return g.make(op, {}, u64{argument} << 8 | what); };
  if (dim == nullptr) return kNone;
  if (word == kDataType) return ask(Op::ImageInfo, static_cast<u32>(Info::DataType));
  if (word == kOrder) return ask(Op::ImageInfo, static_cast<u32>(Info::Order));
  // Of arrays it is not known which sizes are written beside those of one image.
  const u32 axis = word >= kScales ? word - kScales : word;
  if (axis >= dim->coordinates || (dim->array && axis + 1 == dim->coordinates)) return kNone;
  return ask(word >= kScales ? Op::ImageScale : Op::ImageInfo, axis);
}

Id image_object(Graph& g, u32 argument, u64 at) {
  // Bytes. The width is what ROCm's runtime puts there and its device library reads. [ROCR image_manager_kv.cpp,
  // image_manager_ai.cpp]
  constexpr u32 kDescriptor = 32, kType = 32, kOrder = 36, kWidth = 40;
  const auto tell = [&](Info what) { return g.make(Op::ImageInfo, {}, u64{argument} << 8 | static_cast<u64>(what)); };
  if (at < kDescriptor && at % 4 == 0)
    return g.make(Op::Resource, {}, u64{argument} << 8 | kImageArguments << 4 | at / 4);
  if (at == kWidth) return tell(Info::Width);
  return at == kType ? tell(Info::ObjectType) : at == kOrder ? tell(Info::ObjectOrder) : kNone;
}

Id sampler_handle(Graph& g, const Source& source, Id low, Id high, u32 at) {
  const Node &l = g.at(low), &h = g.at(high);
  // In a container of 32 bits the high half is 0.
  const bool narrow = source.kernel.address_bits == AddressBits::Bits32 && g.value(high) == 0u;
  if (l.op != Op::Low || (!narrow && (h.op != Op::High || g.resolve(h.args[0]) != g.resolve(l.args[0])))) return kNone;
  const Node& address = g.at(l.args[0]);
  const Node& data = address.op == Op::Add64 ? g.at(address.args[0]) : address;
  const auto distance = address.op == Op::Add64 ? g.value64(address.args[1]) : std::optional<u64>(0);
  if (data.op != Op::Data || data.imm < kSections || !distance) return kNone;
  const std::string& section = source.program.code.sections[data.imm - kSections].name;
  const auto& samplers = source.program.samplers;
  for (u32 n = 0; n < samplers.size(); ++n)
    for (const u32 half : {0u, 1u})
      if (samplers[n].section == section && samplers[n].offset + u64{4} * half == *distance + at)
        return g.make(Op::Table, {}, u64{n} << 8 | kSamplerObjects << 4 | half);
  return kNone;
}

// AMD's device library rounds coordinates down itself where the sampler has no filter, which it reads in its
// descriptor. `read_imagef` does what is needed: it is as if there were one. `kNone`: it is another question.
Id filter_of_sampler(Graph& g, const Node& part) {
  constexpr u32 kWord = 2, kBit = 20;  // `xy mag filter`
  const auto mask = g.value(part.args[1]);
  const Node& inner = g.at(part.args[0]);
  const bool shifted = inner.op == Op::Shr && g.value(inner.args[1]) == kBit;
  const Node& word = shifted ? g.at(inner.args[0]) : inner;
  const bool is_word = word.op == Op::Resource && (word.imm >> 4 & 15) == kSamplerArguments && (word.imm & 7) == kWord;
  return is_word && mask == (shifted ? 1u : u32{1} << kBit) ? g.constant(*mask) : kNone;
}

Id image_part(Graph& graph, const Source& source, const Node& node) {
  if (node.op == Op::And) {
    const Id size = size_in_descriptor(graph, source, node);
    return size == kNone ? filter_of_sampler(graph, node) : size;
  }
  return word_of_object(graph, node);
}

void open_image_choices(Graph& graph) {
  if (accesses_images(graph)) Choices(graph).run();
}

void place_image(Graph& graph, const Source& source, Id access) { Placer(graph, source, access).run(); }

void forget_rounding(Graph& graph) {
  if (!accesses_images(graph)) return;
  for (Node& n : graph.nodes) {
    if (n.forward != kNone || n.op != Op::Load) continue;
    const Access& access = graph.accesses[n.access];
    if (access.room != Room::Image || !access.image.sampled || access.image.sampler < 0 || access.argument < 0)
      continue;
    const u32 sampler = static_cast<u32>(access.image.sampler);
    if (!is_normalized(sampler) || is_linear(sampler)) continue;
    const u32 sides = access.image.coordinates - (access.image.array ? 1 : 0);
    for (u32 axis = 0; axis < sides; ++axis) {
      const Id before = before_rounding(graph, n.args[1 + axis], static_cast<u64>(access.argument) << 8 | axis);
      if (before != kNone) n.args[1 + axis] = before;
    }
  }
}

void find_texels(Graph& graph, const Source& source) { Texels(graph, source).run(); }

std::string_view image_type(const Image& image) {
  const Dim* const dim = find_dim(image.dim);
  return dim != nullptr ? dim->type : std::string_view();
}

std::string sampler_name(u32 value) {
  return fmt::format("sampler_{}{}_{}", is_normalized(value) ? "normalized_" : "",
                     is_linear(value) ? "linear" : "nearest", kAddressing[addressing(value)].name);
}

std::string sampler_declaration(u32 value) {
  return fmt::format("const sampler_t {} = CLK_NORMALIZED_COORDS_{} | {} | CLK_FILTER_{};\n", sampler_name(value),
                     is_normalized(value) ? "TRUE" : "FALSE", kAddressing[addressing(value)].text,
                     is_linear(value) ? "LINEAR" : "NEAREST");
}

}  // namespace amdcompat::lift
