#include "code_object_v2_builder.hpp"

#include <span>
#include <string_view>

#include <amdcompat/cl2.hpp>

namespace amdcompat::hsa {
namespace {

// Little-endian numbers behind one another.
class Bytes {
 public:
  template <class T>
  Bytes& put(T value) {
    for (std::size_t i = 0; i < sizeof value; ++i)
      text_ += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xff);
    return *this;
  }
  Bytes& put_text(std::string_view text) {
    text_ += text;
    return *this;
  }
  void align(std::size_t to) { text_.resize((text_.size() + to - 1) / to * to); }
  [[nodiscard]] std::size_t size() const { return text_.size(); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void note(Bytes& out, std::uint32_t type, std::string_view description) {
  out.put(std::uint32_t{4}).put(static_cast<std::uint32_t>(description.size())).put(type);
  out.put_text(std::string_view("AMD\0", 4)).put_text(description);
  out.align(4);
}

std::string notes(const V2Object& object) {
  Bytes out, version, isa;
  note(out, 1, version.put(object.version[0]).put(object.version[1]).text());
  if (object.isa) {
    isa.put(std::uint16_t{4}).put(std::uint16_t{7});
    for (const std::uint32_t part : *object.isa) isa.put(part);
    note(out, 3, isa.put_text(std::string_view("AMD\0AMDGPU\0", 11)).text());
  }
  if (!object.isa_name.empty()) note(out, 11, object.isa_name);
  if (object.metadata) note(out, 10, *object.metadata);
  return out.text();
}

struct Section {
  std::string_view name;
  std::uint32_t type;
  std::uint64_t flags, align;
  std::string bytes;
  std::uint32_t link = 0, info = 0;
  std::uint64_t entry = 0;
};

}  // namespace

std::string build_v2(const V2Object& object) {
  constexpr std::uint64_t kHeader = 64, kPage = 0x1000;
  const std::string note_bytes = notes(object);
  const std::uint64_t text_at = (kHeader + note_bytes.size() + kPage - 1) / kPage * kPage;  // address and place
  constexpr std::uint8_t kFunction = 0x12, kKernel = 0x1a;
  Bytes text, symbols, strings;
  strings.put(std::uint8_t{0});
  symbols.put_text(std::string(24, '\0'));
  const auto symbol = [&](std::string_view name, std::uint8_t info, std::uint64_t value, std::uint64_t size) {
    symbols.put(static_cast<std::uint32_t>(strings.size())).put(info).put(std::uint8_t{0}).put(std::uint16_t{2});
    symbols.put(value).put(size);
    strings.put_text(name).put(std::uint8_t{0});
  };
  for (const V2Kernel& kernel : object.kernels) {
    text.align(256);
    const std::uint64_t at = text_at + text.size(), code = kernel.code.size() * 4;
    for (const std::byte byte : cl2::write_kernel_code(kernel.setup)) text.put(static_cast<std::uint8_t>(byte));
    for (const std::uint32_t word : kernel.code) text.put(word);
    if (kernel.symbols_apart) {
      symbol(kernel.name + "@kd", kKernel, at, kKernelCodeBytes);
      symbol(kernel.name, kFunction, at + kKernelCodeBytes, code);
    } else {
      symbol(kernel.name, kKernel, at, kKernelCodeBytes + code);
    }
  }
  std::vector<Section> sections{{"", 0, 0, 0, ""},
                                {".note", 7, 2, 4, note_bytes},
                                {".text", 1, 6, 256, text.text()},
                                {".symtab", 2, 0, 8, symbols.text(), 4, 1, 24},
                                {".strtab", 3, 0, 1, strings.text()},
                                {".shstrtab", 3, 0, 1, ""}};
  Bytes names;
  for (const Section& section : sections) names.put_text(section.name).put(std::uint8_t{0});
  sections.back().bytes = names.text();

  std::string body;
  std::vector<std::uint64_t> places;
  for (const Section& section : sections) {
    std::uint64_t at = kHeader + body.size();
    if (section.name == ".text") at = text_at;
    body.resize(at - kHeader);
    places.push_back(at);
    body += section.bytes;
  }
  body.resize((body.size() + 7) / 8 * 8);

  Bytes out;
  out.put_text("\x7f"
               "ELF")
      .put(std::uint32_t{0x40010102})
      .put(std::uint64_t{0});  // 64 bits, OS ABI 64, ABI version 0
  out.put(std::uint16_t{3}).put(std::uint16_t{224}).put(std::uint32_t{1});
  out.put(std::uint64_t{0}).put(std::uint64_t{0}).put(kHeader + body.size()).put(object.flags);
  out.put(std::uint16_t{64}).put(std::uint16_t{56}).put(std::uint16_t{0}).put(std::uint16_t{64});
  out.put(static_cast<std::uint16_t>(sections.size())).put(static_cast<std::uint16_t>(sections.size() - 1));
  out.put_text(body);
  std::uint32_t name = 0;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const Section& section = sections[i];
    const std::uint64_t address = section.name == ".text" ? places[i] : 0;
    out.put(i == 0 ? 0 : name).put(section.type).put(section.flags).put(address).put(i == 0 ? 0 : places[i]);
    out.put(std::uint64_t{section.bytes.size()}).put(section.link).put(section.info).put(section.align);
    out.put(section.entry);
    name += static_cast<std::uint32_t>(section.name.size()) + 1;
  }
  return out.text();
}

}  // namespace amdcompat::hsa
