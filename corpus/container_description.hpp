// Containers written down as text: what corpus/containers/*.container hold.
//
//   # comment
//   class: 32                                    ELF class
//   device: pitcairn                             outer e_machine
//   compile-options: -O2                         also linker-options, driver, source
//   llvmir: 42 43 c0 de                          bytes of the section
//   global: 0                                    data segment; below it its text, or its bytes in hex
//     00 00 80 3f
//   function: NAME                               below it its metadata
//     ;ARGSTART:NAME
//   kernel: NAME                                 the keys below belong to it
//   metadata:                                    text, as in the file
//     ;ARGSTART:__OpenCL_NAME_kernel
//   header: hwlocal=512 flags=2                  kernel header, other fields 0, version 1
//   image: [il] DEVICE vgprs=6 sgprs=14 …        CAL image for the device, after an IL encoding if `il` is there;
//                                                group=8,8,1 samplers=0,1 constants=0,1 are what it lists
//   amdil:                                       IL text
//
// Lines of text are indented by two blanks, which do not count.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include <cl1_builder.hpp>

namespace corpus {

// The error says which line is wrong.
[[nodiscard]] std::expected<amdcompat::cl1::ContainerSpec, std::string> parse_container(std::string_view text);

// One encoding with a minimal program (`s_endpgm`; nothing but its bytes matters here) for a device.
[[nodiscard]] amdcompat::cl1::EncodingSpec encoding_for(const amdcompat::Device& device,
                                                        const amdcompat::Registers& registers);
[[nodiscard]] std::vector<std::byte> bytes_of(std::string_view text);

}  // namespace corpus
