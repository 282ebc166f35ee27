// Written by `golden_test --rebase` from the examples in tests/golden/diagnostics. Edit those.
#include "explanations.hpp"

#include <array>

namespace amdcompat::cli {

namespace {

// clang-format off
constexpr auto kExamples = std::to_array<PrintedExample>({
    {1,
     "", true,
     "`amdcompat check no-such-file.amdil`",
     "no-such-file.amdil: error[AC0001]: cannot open the file: No such file or directory\n"},
    {2,
     "", true,
     "`amdcompat convert -o no-such-directory/out.yaml AC4001.amdil`",
     "no-such-directory/out.yaml: error[AC0002]: cannot create the file: No such file or directory\n"},
    {3,
     "16 kernels, each of which is the end of the code of the one before", false,
     "`amdcompat extract -o $OUT AC0003.bin`",
     "AC0003.bin: error[AC0003]: 'k10.isa' and 5 other files are not written: kernels share their code, and"
     " all of it would be more than four times the file\n"},
    {1001,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";colour:blue\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1001.amdil`",
     "AC1001.amdil:6:2: warning[AC1001]: unknown directive 'colour'\n"
     "  ;colour:blue\n"
     "   ^~~~~~\n"},
    {1002,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1002.amdil`",
     "AC1002.amdil:5:29: warning[AC1002]: pointer: expected ':' and a further field, found the end of the f"
     "ield\n"
     "  ;pointer:out:float:1:1:0:uav\n"
     "                              ^\n"},
    {1003,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";value:n:u32:1:1:1x6\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1003.amdil`",
     "AC1003.amdil:6:18: warning[AC1003]: value: expected an offset in bytes, found '1x6'\n"
     "  ;value:n:u32:1:1:1x6\n"
     "                   ^~~\n"},
    {1004,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";value:n:u32:1:1:4294967296\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1004.amdil`",
     "AC1004.amdil:6:18: warning[AC1004]: value: expected an offset in bytes of at most 32 bits, found '429"
     "4967296'\n"
     "  ;value:n:u32:1:1:4294967296\n"
     "                   ^~~~~~~~~~\n"},
    {1005,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";value:n:u32:1:1:-16\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1005.amdil`",
     "AC1005.amdil:6:18: warning[AC1005]: value: expected an offset in bytes, found '-16'\n"
     "  ;value:n:u32:1:1:-16\n"
     "                   ^~~\n"},
    {1006,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RX:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1006.amdil`",
     "AC1006.amdil:5:35: warning[AC1006]: pointer: expected an access qualifier (RO, RW or WO), found 'RX'\n"
     "  ;pointer:out:float:1:1:0:uav:12:4:RX:0:0\n"
     "                                    ^~\n"},
    {1007,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";value:n:u32:1:1:16 elements\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1007.amdil`",
     "AC1007.amdil:6:20: warning[AC1007]: value: expected the end of the line, found ' elements'\n"
     "  ;value:n:u32:1:1:16 elements\n"
     "                     ^~~~~~~~~\n"},
    {1008,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";value:n:u32:1:1:0;value:m:u32:1:1:16\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1008.amdil`",
     "AC1008.amdil:5:19: warning[AC1008]: 'value' on the line of value: AMD's runtime loses it; it needs a "
     "line of its own\n"
     "  ;value:n:u32:1:1:0;value:m:u32:1:1:16\n"
     "                    ^~~~~~~~~~~~~~~~~~~\n"},
    {1009,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     "mov r0, r1\n"
     ";value:n:u32:1:1:16\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1009.amdil`",
     "AC1009.amdil:6:1: warning[AC1009]: expected ';' and a directive, found 'mov r0, r1'\n"
     "  mov r0, r1\n"
     "  ^~~~~~~~~~\n"},
    {1010,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     "  ;value:n:u32:1:1:16\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check -v AC1010.amdil`",
     "AC1010.amdil:6:1: note[AC1010]: blanks before a directive\n"
     "    ;value:n:u32:1:1:16\n"
     "  ^~\n"},
    {1011,
     "a NUL inside the metadata", false,
     "`amdcompat check AC1011.bin`",
     "AC1011.bin:+0x242(6:14): warning[AC1011]: a NUL byte inside the text: AMD's runtime stops reading her"
     "e\n"
     "  ;pointer:out:\xe2\x90\x80""float:1:1:0:uav:12:4:RW:0:0\n"
     "               ^\n"},
    {1012,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";value:n:u32:1:1:00000000000000016\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1012.amdil`",
     "AC1012.amdil:6:18: warning[AC1012]: a number of more than 16 digits\n"
     "  ;value:n:u32:1:1:00000000000000016\n"
     "                   ^\n"},
    {1013,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`open` with a limit of name_bytes 10",
     "AC1013.amdil:1:11: error[AC1013]: a name of 17 bytes; at most 10\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "            ^~~~~~~~~~~~~~~~~\n"},
    {1014,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";limitgroupsizes\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1014.amdil`",
     "AC1014.amdil:5:16: warning[AC1014]: limitgroupsize: 's' behind the flag\n"
     "  ;limitgroupsizes\n"
     "                 ^\n"},
    {1015,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";ARG:k:out:pointer:1:0:96:g:0:4\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1015.amdil`",
     "AC1015.amdil:5:2: warning[AC1015]: ARG: is the specification's example only; arguments are pointer:, "
     "value: \xe2\x80\xa6\n"
     "  ;ARG:k:out:pointer:1:0:96:g:0:4\n"
     "   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {1016,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";function:2:1025\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     ";ARGSTART:f1025\n"
     ";uniqueid:1025\n"
     ";ARGEND:f1025\n", true,
     "`amdcompat check AC1016.amdil`",
     "AC1016.amdil:6:11: warning[AC1016]: 2 ids announced, 1 given\n"
     "  ;function:2:1025\n"
     "            ^\n"},
    {1017,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     ";ARGSTART:f1025\n"
     ";uniqueid:1025\n"
     ";printf_fmt:0:65537:4:1:x;\n"
     ";ARGEND:f1025\n", true,
     "`amdcompat check AC1017.amdil`",
     "AC1017.amdil:9:20: error[AC1017]: printf_fmt: expected no more printf arguments than the limit\n"
     "  ;printf_fmt:0:65537:4:1:x;\n"
     "                     ^\n"},
    {1020,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n", true,
     "`amdcompat check AC1020.amdil`",
     "AC1020.amdil:1:1: error[AC1020]: expected ARGEND:__OpenCL_k_kernel before the next block or the end o"
     "f the text\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {1021,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1021.amdil`",
     "AC1021.amdil:7:1: warning[AC1021]: ARGEND without its ARGSTART\n"
     "  ;ARGEND:__OpenCL_k_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {1022,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_j_kernel\n", true,
     "`amdcompat check AC1022.amdil`",
     "AC1022.amdil:5:9: warning[AC1022]: ARGEND of '__OpenCL_j_kernel', expected '__OpenCL_k_kernel'\n"
     "  ;ARGEND:__OpenCL_j_kernel\n"
     "          ^~~~~~~~~~~~~~~~~\n"},
    {1023,
     ";ARGSTART:helper\n"
     ";uniqueid:1025\n"
     ";ARGEND:helper\n"
     ";ARGSTART:helper\n"
     ";uniqueid:1026\n"
     ";ARGEND:helper\n"
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1023.amdil`",
     "AC1023.amdil:4:1: warning[AC1023]: a second block 'helper'\n"
     "  ;ARGSTART:helper\n"
     "  ^~~~~~~~~~~~~~~~\n"},
    {1024,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";uniqueid:1024\n"
     ";value:n:u32:1:1:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1024.amdil`",
     "AC1024.amdil:1:1: warning[AC1024]: a kernel without version: AMD's runtime reads no access and qualif"
     "ier fields\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {1025,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";version:3:1:111\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1025.amdil`",
     "AC1025.amdil:4:2: warning[AC1025]: version after 1 pointer(s): AMD's runtime read them as version 0.0"
     ".0\n"
     "  ;version:3:1:111\n"
     "   ^~~~~~~~~~~~~~~\n"},
    {1026,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:4:0:0\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";value:n:u32:1:1:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1026.amdil`",
     "AC1026.amdil:2:10: warning[AC1026]: version 4.0.0: compilers wrote majors 1 to 3\n"
     "  ;version:4:0:0\n"
     "           ^\n"},
    {1027,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";uavid:11\n"
     ";uavid:12\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1027.amdil`",
     "AC1027.amdil:7:2: warning[AC1027]: uavid stands twice; the last one counts\n"
     "  ;uavid:12\n"
     "   ^~~~~~~~\n"},
    {1028,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";memory:hwlocal:256\n"
     ";memory:hwlocal:128\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1028.amdil`",
     "AC1028.amdil:6:2: warning[AC1028]: memory:hwlocal stands twice; the last one counts\n"
     "  ;memory:hwlocal:128\n"
     "   ^~~~~~~~~~~~~~~~~~\n"},
    {1029,
     ";ARGSTART:helper\n"
     ";memory:hwlocal:64\n"
     ";ARGEND:helper\n"
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1029.amdil`",
     "AC1029.amdil:1:1: warning[AC1029]: a function without uniqueid\n"
     "  ;ARGSTART:helper\n"
     "  ^~~~~~~~~~~~~~~~\n"},
    {1030,
     ";DEBUGSTART\n"
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     ";DEBUGEND\n", true,
     "`amdcompat check AC1030.amdil`",
     "AC1030.amdil:2:1: warning[AC1030]: a metadata block inside DEBUGSTART \xe2\x80\xa6 DEBUGEND\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {1031,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`open` with a limit of lines 4",
     "AC1031.amdil:5:1: error[AC1031]: more than 4 lines\n"
     "  ;pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     "  ^\n"},
    {1032,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:flat:0:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1032.amdil`",
     "AC1032.amdil:5:26: warning[AC1032]: memory kind flat: AMD's runtime takes the pointer for one to glob"
     "al memory\n"
     "  ;pointer:out:float:1:1:0:flat:0:4:RW:0:0\n"
     "                           ^~~~\n"},
    {1033,
     ";ARGSTART:a\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";ARGEND:a\n", true,
     "`amdcompat check AC1033.amdil`",
     "AC1033.amdil:1:1: error[AC1033]: no metadata block is a kernel's: 'a' is not __OpenCL_NAME_kernel\n"
     "  ;ARGSTART:a\n"
     "  ^~~~~~~~~~~\n"},
    {1040,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";value:n:u32:1:1:0\n"
     ";value:n:i32:1:1:16\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1040.amdil`",
     "AC1040.amdil:6:8: warning[AC1040]: a second argument 'n'\n"
     "  ;value:n:i32:1:1:16\n"
     "         ^\n"},
    {1041,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";value:v:float:8:1:0\n"
     ";value:n:u32:1:1:16\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1041.amdil`",
     "AC1041.amdil:6:18: warning[AC1041]: 'n' at 16 overlaps 'v' at 0 to 32\n"
     "  ;value:n:u32:1:1:16\n"
     "                   ^~\n"},
    {1042,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";value:n:u32:1:1:8\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1042.amdil`",
     "AC1042.amdil:5:18: warning[AC1042]: offset 8 is no multiple of 16\n"
     "  ;value:n:u32:1:1:8\n"
     "                   ^\n"},
    {1043,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";value:n:u32:1:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1043.amdil`",
     "AC1043.amdil:5:16: warning[AC1043]: constant buffer 0; expected 1\n"
     "  ;value:n:u32:1:0:0\n"
     "                 ^\n"},
    {1044,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";reflection:1:uint\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1044.amdil`",
     "AC1044.amdil:6:13: warning[AC1044]: reflection 1: the block has 1 argument(s)\n"
     "  ;reflection:1:uint\n"
     "              ^\n"},
    {1045,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";reflection:0:float*\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1045.amdil`",
     "AC1045.amdil:5:13: warning[AC1045]: reflection 0 stands before argument 0\n"
     "  ;reflection:0:float*\n"
     "              ^\n"},
    {1046,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";constarg:0:in\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1046.amdil`",
     "AC1046.amdil:6:13: warning[AC1046]: constarg 0 names 'in', but argument 0 is 'out'\n"
     "  ;constarg:0:in\n"
     "              ^~\n"},
    {1047,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";value:v:float:5:1:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1047.amdil`",
     "AC1047.amdil:5:16: warning[AC1047]: 5 elements; vectors have 1, 2, 3, 4, 8 or 16\n"
     "  ;value:v:float:5:1:0\n"
     "                 ^\n"},
    {1048,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";value:b:i1:1:1:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1048.amdil`",
     "AC1048.amdil:5:10: warning[AC1048]: a value of type i1: AMD's runtime cannot pass it\n"
     "  ;value:b:i1:1:1:0\n"
     "           ^~\n"},
    {1049,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:1:4:53\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:1:4:RW\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1049.amdil`",
     "AC1049.amdil:5:34: warning[AC1049]: an access qualifier in version 1.4.53; it came with 2.0.88\n"
     "  ;pointer:out:float:1:1:0:uav:1:4:RW\n"
     "                                   ^~\n"},
    {1050,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1050.amdil`",
     "AC1050.amdil:5:2: warning[AC1050]: no volatile and restrict; version 3.1.111 has them\n"
     "  ;pointer:out:float:1:1:0:uav:12:4:RW\n"
     "   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {1051,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:struct:1:1:0:uav:12:52:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check -v AC1051.amdil`",
     "AC1051.amdil:5:34: note[AC1051]: an alignment of 52 bytes; 4 is used where a power of two is needed\n"
     "  ;pointer:out:struct:1:1:0:uav:12:52:RW:0:0\n"
     "                                   ^~\n"},
    {1052,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";sampler:smooth:0:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1052.amdil`",
     "AC1052.amdil:6:10: warning[AC1052]: no value argument 'smooth' before its sampler line\n"
     "  ;sampler:smooth:0:0:0\n"
     "           ^~~~~~\n"},
    {1053,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";sampler:smooth:16:1:20\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1053.amdil`",
     "AC1053.amdil:6:17: warning[AC1053]: sampler id 16; at most 15\n"
     "  ;sampler:smooth:16:1:20\n"
     "                  ^~\n"},
    {1054,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";value:a:u32:1:1:0\n"
     ";value:b:u32:1:1:16\n"
     ";value:c:u32:1:1:32\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`open` with a limit of arguments 2",
     "AC1054.amdil:7:2: error[AC1054]: more than 2 arguments\n"
     "  ;value:c:u32:1:1:32\n"
     "   ^~~~~~~~~~~~~~~~~~\n"},
    {1055,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";value:v:double:3:1:0\n"
     ";value:n:u32:1:1:16\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check -v AC1055.amdil`",
     "AC1055.amdil:6:18: note[AC1055]: 'n' shares bytes with the third lane of 'v'\n"
     "  ;value:n:u32:1:1:16\n"
     "                   ^~\n"},
    {1056,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";value:smooth:u32:1:1:0\n"
     ";sampler:smooth:0:0:20\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1056.amdil`",
     "AC1056.amdil:6:21: warning[AC1056]: an argument sampler with state 20; expected 0\n"
     "  ;sampler:smooth:0:0:20\n"
     "                      ^~\n"},
    {1057,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";value:n:u32:1:1:65536\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1057.amdil`",
     "AC1057.amdil:5:18: warning[AC1057]: the argument ends at byte 65552; a constant buffer has 65536\n"
     "  ;value:n:u32:1:1:65536\n"
     "                   ^~~~~\n"},
    {1058,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:g:1:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1058.amdil`",
     "AC1058.amdil:5:30: warning[AC1058]: a pointer of kind g: AMD's runtime reads only its buffer number\n"
     "  ;pointer:out:float:1:1:0:g:1:4:RW:0:0\n"
     "                               ^\n"},
    {1059,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";function:1:1024\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check -v AC1059.amdil`",
     "AC1059.amdil:6:2: note[AC1059]: function 1024 lists itself\n"
     "  ;function:1:1024\n"
     "   ^~~~~~~~~~~~~~~\n"},
    {1060,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";cws:64:0:1\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1060.amdil`",
     "AC1060.amdil:5:2: warning[AC1060]: cws 64x0x1\n"
     "  ;cws:64:0:1\n"
     "   ^~~~~~~~~~\n"},
    {1061,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";cws:16:16:1\n"
     ";limitgroupsize\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1061.amdil`",
     "AC1061.amdil:5:2: warning[AC1061]: cws of 256 work-items with limitgroupsize (one wavefront of 64)\n"
     "  ;cws:16:16:1\n"
     "   ^~~~~~~~~~~\n"},
    {1062,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";error:E013:recursive call\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1062.amdil`",
     "AC1062.amdil:5:2: error[AC1062]: the compiler recorded: E013:recursive call\n"
     "  ;error:E013:recursive call\n"
     "   ^~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {1063,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";warning:W007:slow division\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check -v AC1063.amdil`",
     "AC1063.amdil:5:2: note[AC1063]: the compiler recorded: W007:slow division\n"
     "  ;warning:W007:slow division\n"
     "   ^~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {1064,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";warning:W007:an integer division by a variable is slow\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check -v AC1064.amdil`",
     "AC1064.amdil:5:2: note[AC1064]: a message of 46 characters; the specification allows 32\n"
     "  ;warning:W007:an integer division by a variable is slow\n"
     "   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {1065,
     ";ARGSTART:__OpenCL_one_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_one_kernel\n"
     ";ARGSTART:__OpenCL_two_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_two_kernel\n", true,
     "`amdcompat check AC1065.amdil`",
     "AC1065.amdil:10:2: warning[AC1065]: uniqueid 1024 belongs to '__OpenCL_one_kernel' already\n"
     "  ;uniqueid:1024\n"
     "   ^~~~~~~~~~~~~\n"},
    {1066,
     "func 1024 ; __OpenCL_k_kernel\n"
     "call 1025\n"
     "endfunc ; __OpenCL_k_kernel\n"
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";function:1:1025\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1066.amdil`",
     "AC1066.amdil:9:2: warning[AC1066]: function 1025 has neither a block nor IL\n"
     "  ;function:1:1025\n"
     "   ^~~~~~~~~~~~~~~\n"},
    {1067,
     ";ARGSTART:f1025\n"
     ";uniqueid:1025\n"
     ";function:1:1026\n"
     ";ARGEND:f1025\n"
     ";ARGSTART:f1026\n"
     ";uniqueid:1026\n"
     ";function:1:1025\n"
     ";ARGEND:f1026\n"
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1067.amdil`",
     "AC1067.amdil:1:1: error[AC1067]: calls that lead back to themselves: no sum of memory exists\n"
     "  ;ARGSTART:f1025\n"
     "  ^~~~~~~~~~~~~~~\n"
     "AC1067.amdil:5:1: error[AC1067]: calls that lead back to themselves: no sum of memory exists\n"
     "  ;ARGSTART:f1026\n"
     "  ^~~~~~~~~~~~~~~\n"},
    {1068,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";queue:q:queue_t:1:1:16:uav\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1068.amdil`",
     "AC1068.amdil:6:2: warning[AC1068]: queue arguments belong to the HSAIL dialect\n"
     "  ;queue:q:queue_t:1:1:16:uav\n"
     "   ^~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {1069,
     ";ARGSTART:f1025\n"
     ";uniqueid:1025\n"
     ";memory:hwlocal:4294967295\n"
     ";ARGEND:f1025\n"
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";memory:hwlocal:64\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";function:1:1025\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1069.amdil`",
     "AC1069.amdil:5:1: error[AC1069]: memory over the call graph exceeds 32 bits\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {1070,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";function:1:1025\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     ";ARGSTART:f1025\n"
     ";uniqueid:1025\n"
     ";printf_fmt:0:1:4:5:n = %d\\n;\n"
     ";ARGEND:f1025\n", true,
     "`amdcompat check AC1070.amdil`",
     "AC1070.amdil:10:21: warning[AC1070]: printf_fmt: expected a format of the announced length and ';', f"
     "ound 'n = %d\\n;'\n"
     "  ;printf_fmt:0:1:4:5:n = %d\\n;\n"
     "                      ^~~~~~~~~\n"},
    {1071,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";function:1:1025\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     ";ARGSTART:f1025\n"
     ";uniqueid:1025\n"
     ";printf_fmt:0:1:4:7:n = %d\\n\n"
     ";ARGEND:f1025\n", true,
     "`amdcompat check AC1071.amdil`",
     "AC1071.amdil:10:21: warning[AC1071]: printf_fmt: expected a format of the announced length and ';', f"
     "ound 'n = %d\\n'\n"
     "  ;printf_fmt:0:1:4:7:n = %d\\n\n"
     "                      ^~~~~~~~\n"},
    {1072,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";function:1:1025\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     ";ARGSTART:f1025\n"
     ";uniqueid:1025\n"
     ";printf_fmt:0:0:3:one;\n"
     ";printf_fmt:0:0:3:two;\n"
     ";ARGEND:f1025\n", true,
     "`amdcompat check AC1072.amdil`",
     "AC1072.amdil:11:2: warning[AC1072]: printf id 0 stands for another format already\n"
     "  ;printf_fmt:0:0:3:two;\n"
     "   ^~~~~~~~~~~~~~~~~~~~~\n"},
    {1073,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";function:1:1025\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     ";ARGSTART:f1025\n"
     ";uniqueid:1025\n"
     ";printf_fmt:4000000000:0:3:one;\n"
     ";ARGEND:f1025\n", true,
     "`amdcompat check AC1073.amdil`",
     "AC1073.amdil:10:13: error[AC1073]: printf id 4000000000; at most 1048576\n"
     "  ;printf_fmt:4000000000:0:3:one;\n"
     "              ^~~~~~~~~~\n"},
    {1074,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";function:1:1025\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     ";ARGSTART:f1025\n"
     ";uniqueid:1025\n"
     ";printf_fmt:0:1:12:5:%v3hlf;\n"
     ";ARGEND:f1025\n", true,
     "`amdcompat check AC1074.amdil`",
     "AC1074.amdil:10:17: warning[AC1074]: a printf argument of 12 bytes; expected 0 or a power of two up t"
     "o 128\n"
     "  ;printf_fmt:0:1:12:5:%v3hlf;\n"
     "                  ^~\n"},
    {1080,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     ";#DATASTART:16\n"
     ";#i32:0:4:1:2:3:4\n", true,
     "`amdcompat check AC1080.amdil`",
     "AC1080.amdil:7:1: error[AC1080]: #DATASTART without its #DATAEND: the text is cut\n"
     "  ;#DATASTART:16\n"
     "  ^~~~~~~~~~~~~~\n"},
    {1081,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     ";#i32:0:4:1:2:3:4\n", true,
     "`amdcompat check AC1081.amdil`",
     "AC1081.amdil:7:1: warning[AC1081]: ';#i32:0:4:1:2:3:4' outside ;#DATASTART \xe2\x80\xa6 ;#DATAEND\n"
     "  ;#i32:0:4:1:2:3:4\n"
     "  ^~~~~~~~~~~~~~~~~\n"},
    {1082,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     ";#DATASTART:8\n"
     ";#i32:0:2:1:xyz\n"
     ";#DATAEND\n", true,
     "`amdcompat check AC1082.amdil`",
     "AC1082.amdil:8:13: warning[AC1082]: data: expected a hexadecimal data word, found 'xyz'\n"
     "  ;#i32:0:2:1:xyz\n"
     "              ^~~\n"},
    {1083,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     ";#DATASTART:4\n"
     ";#i8:0:4:1:2:3:100\n"
     ";#DATAEND\n", true,
     "`amdcompat check AC1083.amdil`",
     "AC1083.amdil:8:16: warning[AC1083]: data: expected a word as wide as its element type, found '100'\n"
     "  ;#i8:0:4:1:2:3:100\n"
     "                 ^~~\n"},
    {1084,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     ";#DATASTART:16\n"
     ";#i32:0:4:1:2:3\n"
     ";#DATAEND\n", true,
     "`amdcompat check AC1084.amdil`",
     "AC1084.amdil:8:3: warning[AC1084]: 4 words announced, 3 given; those given count\n"
     "  ;#i32:0:4:1:2:3\n"
     "    ^~~~~~~~~~~~~\n"},
    {1085,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     ";#DATASTART:64\n"
     ";#i32:0:4:1:2:3:4\n"
     ";#DATAEND\n", true,
     "`amdcompat check AC1085.amdil`",
     "AC1085.amdil:7:1: warning[AC1085]: 64 bytes declared, the lines hold 16\n"
     "  ;#DATASTART:64\n"
     "  ^~~~~~~~~~~~~~\n"},
    {1086,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     ";#DATASTART:24\n"
     ";#i32:0:4:1:2:3:4\n"
     ";#i32:8:4:5:6:7:8\n"
     ";#DATAEND\n", true,
     "`amdcompat check AC1086.amdil`",
     "AC1086.amdil:9:3: warning[AC1086]: bytes from 8 are given twice\n"
     "  ;#i32:8:4:5:6:7:8\n"
     "    ^~~~~~~~~~~~~~~\n"},
    {1087,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     ";#DATASTART:2:16\n"
     ";#i32:0:4:1:2:3:4\n"
     ";#DATAEND:3\n", true,
     "`amdcompat check AC1087.amdil`",
     "AC1087.amdil:9:2: warning[AC1087]: DATAEND of constant buffer 3, expected 2\n"
     "  ;#DATAEND:3\n"
     "   ^~~~~~~~~~\n"},
    {1088,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     ";#DATASTART:4\n"
     ";#i32:0:1:FF\n"
     ";#DATAEND\n", true,
     "`amdcompat check AC1088.amdil`",
     "AC1088.amdil:8:11: warning[AC1088]: an upper-case hex digit\n"
     "  ;#i32:0:1:FF\n"
     "            ^\n"},
    {1089,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     ";#DATASTART:4\n"
     ";#u8:0:4:1:2:3:4\n"
     ";#DATAEND\n", true,
     "`amdcompat check AC1089.amdil`",
     "AC1089.amdil:8:3: warning[AC1089]: data of type u8: AMD's runtime cannot read it\n"
     "  ;#u8:0:4:1:2:3:4\n"
     "    ^~~~~~~~~~~~~~\n"},
    {1090,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     ";#DATASTART:4294967295\n"
     ";#i32:0:1:1\n"
     ";#DATAEND\n", true,
     "`amdcompat check AC1090.amdil`",
     "AC1090.amdil:7:1: error[AC1090]: a data segment of 4294967295 bytes; at most 16777216\n"
     "  ;#DATASTART:4294967295\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~\n"},
    {1091,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     ";#DATASTART:1:16\n"
     ";#i32:0:4:1:2:3:4\n"
     ";#DATAEND:1\n", true,
     "`amdcompat check AC1091.amdil`",
     "AC1091.amdil:7:1: warning[AC1091]: constant buffer 1 is reserved; data goes to 2 and up\n"
     "  ;#DATASTART:1:16\n"
     "  ^~~~~~~~~~~~~~~~\n"},
    {1092,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     ";#DATASTART:8\n"
     ";#i8:0:1:1\n"
     ";#i32:2:1:2\n"
     ";#DATAEND\n", true,
     "`amdcompat check AC1092.amdil`",
     "AC1092.amdil:9:3: warning[AC1092]: offset 2 is no multiple of 4\n"
     "  ;#i32:2:1:2\n"
     "    ^~~~~~~~~\n"},
    {1093,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     ";#DATASTART:4\n"
     ";#i32:0:1:1\n"
     ";#DATAEND\n"
     ";#DATASTART:4\n"
     ";#i32:0:1:2\n"
     ";#DATAEND\n", true,
     "`amdcompat check AC1093.amdil`",
     "AC1093.amdil:10:1: warning[AC1093]: a second data segment for the same buffer\n"
     "  ;#DATASTART:4\n"
     "  ^~~~~~~~~~~~~\n"},
    {1094,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     ";#DATASTART:16\n"
     ";#float:0:4 <uninitalized constant>\n"
     ";#DATAEND\n", true,
     "`amdcompat check -v AC1094.amdil`",
     "AC1094.amdil:8:3: note[AC1094]: 4 words marked as not initialised: zeros\n"
     "  ;#float:0:4 <uninitalized constant>\n"
     "    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {1095,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     ";#DATASTART:0\n"
     ";#DATAEND\n", true,
     "`amdcompat check AC1095.amdil`",
     "AC1095.amdil:7:1: warning[AC1095]: a data segment of size 0\n"
     "  ;#DATASTART:0\n"
     "  ^~~~~~~~~~~~~\n"},
    {1096,
     ";DEBUGSTART\n"
     "; line table of main\n", true,
     "`amdcompat check AC1096.amdil`",
     "AC1096.amdil:1:1: warning[AC1096]: DEBUGSTART without its DEBUGEND\n"
     "  ;DEBUGSTART\n"
     "  ^~~~~~~~~~~\n"},
    {1097,
     "il_cs_2_0\n"
     ";$$$$$$$$$\n"
     "endmain\n"
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1097.amdil`",
     "AC1097.amdil:2:1: warning[AC1097]: a patch token of 9 '$': AMD's runtime looks for ';' and 10\n"
     "  ;$$$$$$$$$\n"
     "  ^~~~~~~~~~\n"},
    {1098,
     "func 1024 ; __OpenCL_k_kernel\n"
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC1098.amdil`",
     "AC1098.amdil:1:1: warning[AC1098]: func without its endfunc\n"
     "  func 1024 ; __OpenCL_k_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {1099,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";function:1:1025\n"
     ";intrinsic:2:100:77\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check -v AC1099.amdil`",
     "AC1099.amdil:7:2: note[AC1099]: 2 macros have their IL in the compiler's library, which is not here\n"
     "  ;intrinsic:2:100:77\n"
     "   ^~~~~~~~~~~~~~~~~~\n"},
    {2001,
     "a file of 0 bytes", false,
     "`amdcompat check AC2001.bin`",
     "AC2001.bin: error[AC2001]: the file is empty; nothing can be read from it\n"},
    {2002,
     "an OpenCL 1.x container", false,
     "`cl1::read` with a limit of 100 bytes a file",
     "<input>: error[AC2002]: the file has 6912 bytes, the limit is 100\n"},
    {2003,
     "bytes of no known format", false,
     "`amdcompat check AC2003.bin`",
     "AC2003.bin:+0x0: error[AC2003]: neither an AMD OpenCL container nor metadata text; nothing can be rea"
     "d from it; it is an archive, which only migrate looks into\n"
     "  00000000  50 4b 03 04 20 6e 6f 20  6b 65 72 6e 65 6c 73 20  |PK.. no kernels |\n"
     "            ^~~~~~~~~~~\n"},
    {2004,
     "the header of an x86-64 program", false,
     "`amdcompat check AC2004.bin`",
     "AC2004.bin:+0x12: error[AC2004]: an ELF file for machine 0x3e (x86-64), no AMD OpenCL program\n"
     "  0000000c  00 00 00 00 02 00 3e 00  00 00 00 00 00 00 00 00  |......>.........|\n"
     "                              ^~~~~\n"},
    {2005,
     "the header of a program for CPUs with SSE2 and AVX", false,
     "`amdcompat check AC2005.bin`",
     "AC2005.bin:+0x12: error[AC2005]: an AMD OpenCL 1.x binary for the CPU (e_machine 0x7d4: x86-64 with S"
     "SE2, AVX); it holds x86 code and no GPU kernel, so there is nothing to convert: compile the program f"
     "or a GPU device, or convert its GPU binary\n"
     "  0000000c  00 00 00 00 02 00 d4 07  00 00 00 00 00 00 00 00  |................|\n"
     "                              ^~~~~\n"},
    {2006,
     "4096 bytes without any structure", false,
     "`amdcompat check AC2006.bin`",
     "AC2006.bin:+0x0: error[AC2006]: bytes without any structure: an encrypted or compressed file; AMD's r"
     "untime enciphered whole programs with a key of its own, so only the unencrypted binary can be convert"
     "ed (decompress the file first if it is compressed)\n"
     "  00000000  96 4e 36 e8 b7 ea 8a a3  e7 4e 5d 99 e9 78 4a 3e  |.N6......N]..xJ>|\n"
     "            ^~~~~~~~~~~\n"},
    {2007,
     "a container that holds OpenCL C only", false,
     "`amdcompat check AC2007.bin`",
     "AC2007.bin:+0x10: error[AC2007]: a program stored without machine code with .source only: it holds no"
     " kernel and no metadata, so there is nothing to convert; build the program for its device first, or r"
     "ecompile the source with a current compiler\n"
     "  0000000c  00 00 00 00 02 00 fe 03  01 00 00 00 00 00 00 00  |................|\n"
     "                        ^~~~~\n"},
    {2008,
     "an OpenCL 2.0 container", false,
     "`cl1::read`",
     "<input>:+0x12: error[AC2008]: an AMD OpenCL 2.0 (HSAIL) container, e_machine 0xaf5b: cl2::read reads "
     "it, cl1::read does not\n"},
    {2009,
     "a code object", false,
     "`cl1::read`",
     "<input>:+0x12: error[AC2009]: an HSA code object V5, no legacy container; this reader takes OpenCL 1."
     "x containers\n"},
    {2010,
     "the first bytes of a Mesa clover binary", false,
     "`amdcompat check AC2010.bin`",
     "AC2010.bin:+0x0: error[AC2010]: a Gallium (Mesa clover) binary; its argument tables are Mesa's own, w"
     "ith none of AMD's metadata, so nothing can be converted\n"
     "  00000000  01 00 00 00 04 00 00 00  66 69 6c 6c 00 00 00 00  |........fill....|\n"
     "            ^~~~~~~~~~~\n"},
    {2011,
     "the first bytes of a BRIG module", false,
     "`amdcompat check AC2011.bin`",
     "AC2011.bin:+0x0: error[AC2011]: a BRIG module (HSAIL in binary form); it holds no machine code, and i"
     "ts pragmas are not read\n"
     "  00000000  48 53 41 20 42 52 49 47  01 00 00 00 00 00 00 00  |HSA BRIG........|\n"
     "            ^~~~~~~~~~~\n"},
    {2012,
     "the text `version 0:20140528:$full:$large;`", false,
     "`cl1::read`",
     "<input>:+0x0: error[AC2012]: HSAIL assembly text; its kernels can be read from the \"AMD RTI\" pragma"
     "s as metadata text, not as a container\n"
     "  00000000                                                    ||\n"
     "            ^~\n"},
    {2013,
     "the first bytes of an offload bundle", false,
     "`cl1::read`",
     "<input>:+0x0: error[AC2013]: a clang offload bundle; extract its code objects with clang-offload-bund"
     "ler and give those\n"
     "  00000000                                                    ||\n"
     "            ^~\n"},
    {2014,
     "the text `;ARGSTART:__OpenCL_k_kernel`", false,
     "`cl1::read`",
     "<input>:+0x0: error[AC2014]: AMDIL or metadata text; it can be read as text, it is no container\n"
     "  00000000                                                    ||\n"
     "            ^~\n"},
    {2020,
     "a container cut after 40 bytes", false,
     "`amdcompat check AC2020.bin`",
     "AC2020.bin:+0x0: error[AC2020]: the ELF header needs 52 bytes, the file has 40\n"
     "  00000000  7f 45 4c 46 01 01 01 00  00 00 00 00 00 00 00 00  |.ELF............|\n"
     "            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {2021,
     "e_shnum of 9999", false,
     "`amdcompat check AC2021.bin`",
     "AC2021.bin:+0x1ab0: error[AC2021]: 9999 section headers at 0x1ab0 do not fit into the file of 0x1bc8 "
     "bytes\n"
     "  00001aac  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|\n"
     "                        ^\n"},
    {2022,
     "three program headers far outside the file", false,
     "`amdcompat check AC2022.bin`",
     "AC2022.bin:+0x1bc8: error[AC2022]: 3 program headers at 0x7fffffff do not fit into the file of 0x1bc8"
     " bytes\n"
     "  00001bc4  00 00 00 00                                       |....|\n"
     "                        ^\n"},
    {2023,
     "a .comment of two gigabytes", false,
     "`amdcompat check AC2023.bin`",
     "AC2023.bin:+0x1b50: error[AC2023]: section 4 '.comment': 0x7fffffff bytes at 0x160 lie outside the fi"
     "le of 0x1bc8 bytes\n"},
    {2024,
     "symbol table entries of 17 bytes", false,
     "`amdcompat check AC2024.bin`",
     "AC2024.bin:+0xf0: error[AC2024]: symbols of 17 bytes, expected 16\n"
     "  000000ec  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|\n"
     "                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {2025,
     "a section name outside the string table", false,
     "`amdcompat check AC2025.bin`",
     "AC2025.bin:+0x1b50: warning[AC2025]: the name of section 4 (offset 99999) is not in the string table\n"
     "  00001b4c  10 00 00 00 9f 86 01 00  01 00 00 00 00 00 00 00  |................|\n"
     "                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {2026,
     "an OpenCL 1.x container", false,
     "`cl1::read` with a limit of 3 symbols",
     "<input>:+0xb0: error[AC2026]: 4 symbols, the limit is 3\n"},
    {2030,
     "a container without kernels", false,
     "`amdcompat check -v AC2030.bin`",
     "AC2030.bin: note[AC2030]: the container holds no kernels\n"},
    {2031,
     "an e_machine that no driver used", false,
     "`amdcompat check AC2031.bin`",
     "AC2031.bin:+0x12: warning[AC2031]: e_machine 0x4ff is no known device; the metadata may name it\n"
     "  0000000c  00 00 00 00 02 00 ff 04  01 00 00 00 00 00 00 00  |................|\n"
     "                              ^~~~~\n"},
    {2032,
     "the data segment's symbol renamed to that of the header", false,
     "`amdcompat check AC2032.bin`",
     "AC2032.bin:+0x150: warning[AC2032]: a second symbol '__OpenCL_fill_header'; the first one is used\n"},
    {2033,
     "a metadata symbol of 64 KiB in a smaller section", false,
     "`amdcompat check AC2033.bin`",
     "AC2033.bin:+0x130: error[AC2033]: symbol '__OpenCL_fill_metadata': 65536 bytes at 0x2b reach outside "
     "its section '.rodata' of 255 bytes\n"
     "  0000012c  01 00 05 00 44 00 00 00  2b 00 00 00 00 00 01 00  |....D...+.......|\n"
     "                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {2034,
     "a kernel with header and code only", false,
     "`amdcompat check AC2034.bin`",
     "AC2034.bin:+0x128: error[AC2034]: kernel 'fill' has no metadata symbol, so its arguments are not know"
     "n\n"
     "  00000124  02 00 06 00 59 00 00 00  2b 00 00 00 20 00 00 00  |....Y...+... ...|\n"
     "                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {2035,
     "a metadata symbol of 0 bytes", false,
     "`amdcompat check AC2035.bin`",
     "AC2035.bin:+0x130: error[AC2035]: the metadata of kernel 'fill' is empty\n"
     "  0000012c  01 00 05 00 44 00 00 00  2b 00 00 00 00 00 00 00  |....D...+.......|\n"
     "                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {2036,
     "a kernel without header", false,
     "`amdcompat check AC2036.bin`",
     "AC2036.bin:+0x118: warning[AC2036]: kernel 'fill' has no header symbol; AMD's runtime would recompile"
     " it from IL\n"
     "  00000114  01 00 05 00 44 00 00 00  2b 00 00 00 b4 00 00 00  |....D...+.......|\n"
     "                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {2037,
     "a header of 28 bytes", false,
     "`amdcompat check AC2037.bin`",
     "AC2037.bin:+0x150: warning[AC2037]: the header of kernel 'fill' has 28 bytes, expected 32\n"
     "  0000014c  02 00 06 00 70 00 00 00  df 00 00 00 1c 00 00 00  |....p...........|\n"
     "                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {2038,
     "a header of version 2", false,
     "`amdcompat check AC2038.bin`",
     "AC2038.bin:+0x299: warning[AC2038]: the header of kernel 'fill' has version 2; AMD's runtime rejects "
     "versions above 1\n"
     "  00000294  00 00 00 00 00 02 00 00  00 00 00 00 00 00 00 00  |................|\n"
     "                           ^~~~~~~~~~~~\n"},
    {2039,
     "a kernel with neither code nor IL", false,
     "`amdcompat check AC2039.bin`",
     "AC2039.bin:+0x110: warning[AC2039]: kernel 'fill' has neither machine code nor IL\n"
     "  0000010c  01 00 05 00 44 00 00 00  2b 00 00 00 b4 00 00 00  |....D...+.......|\n"
     "                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {2040,
     "a kernel with IL in place of code", false,
     "`amdcompat check -v AC2040.bin`",
     "AC2040.bin:+0x140: note[AC2040]: kernel 'fill' has IL text and no machine code; its registers are not"
     " known\n"
     "  0000013c  01 00 05 00 5b 00 00 00  00 00 00 00 0e 00 00 00  |....[...........|\n"
     "                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {2041,
     "a kernel name of 2000 letters", false,
     "`amdcompat check AC2041.bin`",
     "AC2041.bin:+0x1890: error[AC2041]: kernel name 'kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
     "kkkkkkkkkkkkkkkkkkkkkkkkkkk\xe2\x80\xa6' (2000 bytes) is longer than the limit of 1024 bytes\n"
     "  0000188c  01 00 05 00 44 00 00 00  2b 00 00 00 b4 00 00 00  |....D...+.......|\n"
     "                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "AC2041.bin:+0x18a0: error[AC2041]: kernel name 'kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
     "kkkkkkkkkkkkkkkkkkkkkkkkkkk\xe2\x80\xa6' (2000 bytes) is longer than the limit of 1024 bytes\n"
     "AC2041.bin:+0x18b0: error[AC2041]: kernel name 'kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
     "kkkkkkkkkkkkkkkkkkkkkkkkkkk\xe2\x80\xa6' (2000 bytes) is longer than the limit of 1024 bytes\n"},
    {2042,
     "the symbol __OpenCL_x_global", false,
     "`amdcompat check AC2042.bin`",
     "AC2042.bin:+0x120: warning[AC2042]: data segment symbol '__OpenCL_x_global' has no number between its"
     " prefix and suffix\n"
     "  0000011c  01 00 04 00 32 00 00 00  00 00 00 00 2b 00 00 00  |....2.......+...|\n"
     "                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {2043,
     "200 kernels that share one large metadata text", false,
     "`amdcompat check AC2043.bin`",
     "AC2043.bin:+0x1290: error[AC2043]: symbol '__OpenCL_k2_metadata' shares its bytes with too many other"
     "s and is left out\n"
     "  0000128c  01 00 05 00 6e 00 00 00  00 00 00 00 cb 8c 00 00  |....n...........|\n"
     "                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "AC2043.bin:+0x12a0: error[AC2043]: symbol '__OpenCL_k3_metadata' shares its bytes with too many other"
     "s and is left out\n"
     "AC2043.bin:+0x12b0: error[AC2043]: symbol '__OpenCL_k4_metadata' shares its bytes with too many other"
     "s and is left out\n"
     "AC2043.bin:+0x12c0: error[AC2043]: symbol '__OpenCL_k5_metadata' shares its bytes with too many other"
     "s and is left out\n"
     "AC2043.bin:+0x12d0: error[AC2043]: symbol '__OpenCL_k6_metadata' shares its bytes with too many other"
     "s and is left out\n"
     "AC2043.bin:+0x12e0: error[AC2043]: symbol '__OpenCL_k7_metadata' shares its bytes with too many other"
     "s and is left out\n"
     "AC2043.bin:+0x12f0: error[AC2043]: symbol '__OpenCL_k8_metadata' shares its bytes with too many other"
     "s and is left out\n"
     "AC2043.bin:+0x1300: error[AC2043]: symbol '__OpenCL_k9_metadata' shares its bytes with too many other"
     "s and is left out\n"
     "AC2043.bin:+0x1310: error[AC2043]: symbol '__OpenCL_k10_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x1320: error[AC2043]: symbol '__OpenCL_k11_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x1330: error[AC2043]: symbol '__OpenCL_k12_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x1340: error[AC2043]: symbol '__OpenCL_k13_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x1350: error[AC2043]: symbol '__OpenCL_k14_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x1360: error[AC2043]: symbol '__OpenCL_k15_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x1370: error[AC2043]: symbol '__OpenCL_k16_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x1380: error[AC2043]: symbol '__OpenCL_k17_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x1390: error[AC2043]: symbol '__OpenCL_k18_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x13a0: error[AC2043]: symbol '__OpenCL_k19_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x13b0: error[AC2043]: symbol '__OpenCL_k20_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x13c0: error[AC2043]: symbol '__OpenCL_k21_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x13d0: error[AC2043]: symbol '__OpenCL_k22_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x13e0: error[AC2043]: symbol '__OpenCL_k23_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x13f0: error[AC2043]: symbol '__OpenCL_k24_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x1400: error[AC2043]: symbol '__OpenCL_k25_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x1410: error[AC2043]: symbol '__OpenCL_k26_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x1420: error[AC2043]: symbol '__OpenCL_k27_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x1430: error[AC2043]: symbol '__OpenCL_k28_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x1440: error[AC2043]: symbol '__OpenCL_k29_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x1450: error[AC2043]: symbol '__OpenCL_k30_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x1460: error[AC2043]: symbol '__OpenCL_k31_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x1470: error[AC2043]: symbol '__OpenCL_k32_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x1480: error[AC2043]: symbol '__OpenCL_k33_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x1490: error[AC2043]: symbol '__OpenCL_k34_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x14a0: error[AC2043]: symbol '__OpenCL_k35_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x14b0: error[AC2043]: symbol '__OpenCL_k36_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x14c0: error[AC2043]: symbol '__OpenCL_k37_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x14d0: error[AC2043]: symbol '__OpenCL_k38_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x14e0: error[AC2043]: symbol '__OpenCL_k39_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x14f0: error[AC2043]: symbol '__OpenCL_k40_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x1500: error[AC2043]: symbol '__OpenCL_k41_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x1510: error[AC2043]: symbol '__OpenCL_k42_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x1520: error[AC2043]: symbol '__OpenCL_k43_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x1530: error[AC2043]: symbol '__OpenCL_k44_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x1540: error[AC2043]: symbol '__OpenCL_k45_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x1550: error[AC2043]: symbol '__OpenCL_k46_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x1560: error[AC2043]: symbol '__OpenCL_k47_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x1570: error[AC2043]: symbol '__OpenCL_k48_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x1580: error[AC2043]: symbol '__OpenCL_k49_metadata' shares its bytes with too many othe"
     "rs and is left out\n"
     "AC2043.bin:+0x1590: error[AC2043]: symbol '__OpenCL_k50_metadata' shares its bytes with too many othe"
     "rs and is left out\n"},
    {2050,
     "text where the machine code belongs", false,
     "`amdcompat check AC2050.bin`",
     "AC2050.bin:+0x2a5: warning[AC2050]: no CAL image: no ELF magic number where an ELF file was expected\n"
     "  000002a0  00 00 00 00 00 6e 6f 20  69 6d 61 67 65 20 61 74  |.....no image at|\n"
     "                           ^~~~~~~~~~~~\n"},
    {2051,
     "a program header of another type", false,
     "`amdcompat check AC2051.bin`",
     "AC2051.bin:+0x2a5: warning[AC2051]: no program header of type 0x70000002 (encoding dictionary)\n"
     "  000002a0  00 00 00 00 00 7f 45 4c  46 01 01 01 64 01 00 00  |......ELF...d...|\n"
     "                           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {2052,
     "an encoding of two gigabytes", false,
     "`amdcompat check AC2052.bin`",
     "AC2052.bin:+0x339: warning[AC2052]: encoding 0 (machine 0x1b): 2147483647 bytes at 0x1c0 lie outside "
     "the image of 6152 bytes, or in another encoding\n"},
    {2053,
     "machine code for Capeverde in a container for Pitcairn", false,
     "`amdcompat check AC2053.bin`",
     "AC2053.bin:+0x2a5: warning[AC2053]: no encoding for pitcairn (machine 0x1b); machine 0x1c is used\n"
     "  000002a0  00 00 00 00 00 7f 45 4c  46 01 01 01 64 01 00 00  |......ELF...d...|\n"
     "                           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {2054,
     "a device whose machine code number no one knows", false,
     "`amdcompat check -v AC2054.bin`",
     "AC2054.bin:+0x2a4: note[AC2054]: the machine code of redwood is not known; machine 0x1b is used\n"
     "  000002a0  00 00 00 00 7f 45 4c 46  01 01 01 64 01 00 00 00  |.....ELF...d....|\n"
     "                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {2055,
     "a note of two gigabytes", false,
     "`amdcompat check AC2055.bin`",
     "AC2055.bin:+0x465: warning[AC2055]: 884 bytes that are no complete note\n"
     "  00000460  00 00 00 00 00 08 00 00  00 ff ff ff 7f 02 00 00  |................|\n"
     "                           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {2056,
     "an image without program information", false,
     "`amdcompat check -v AC2056.bin`",
     "AC2056.bin:+0x465: note[AC2056]: the image does not say how many registers the kernel uses\n"
     "  00000460  00 00 00 00 00 08 00 00  00 00 00 00 00 02 00 00  |................|\n"
     "                           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {2057,
     "program information with another amount of local memory", false,
     "`amdcompat check AC2057.bin`",
     "AC2057.bin:+0x575: warning[AC2057]: 16384 bytes of local memory in the CAL image, 512 in the metadata"
     "\n"
     "  00000570  20 43 41 4c 00 08 00 00  00 90 01 00 00 01 00 00  | CAL............|\n"
     "                           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {2058,
     "a list of UAVs with one that the metadata does not have", false,
     "`amdcompat check AC2058.bin`",
     "AC2058.bin:+0x48d: warning[AC2058]: only the CAL image has UAV 40\n"
     "  00000488  20 43 41 4c 00 08 00 00  00 20 00 00 00 10 00 00  | CAL..... ......|\n"
     "                           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {2059,
     "a list of samplers with one that the metadata does not have", false,
     "`amdcompat check AC2059.bin`",
     "AC2059.bin:+0x535: warning[AC2059]: only the CAL image has sampler 3\n"
     "  00000530  20 43 41 4c 00 08 00 00  00 08 00 00 00 0b 00 00  | CAL............|\n"
     "                           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {2090,
     "a header with another amount of local memory", false,
     "`amdcompat check -v AC2090.bin`",
     "AC2090.bin:+0x285: note[AC2090]: hardware local memory is 64 in the header, 512 in the metadata\n"
     "  00000280  72 6e 65 6c 0a 00 00 00  00 00 00 00 00 00 00 00  |rnel............|\n"
     "                           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {2091,
     "the metadata of kernel 'fill' in the symbol of kernel 'scale'", false,
     "`amdcompat check AC2091.bin`",
     "AC2091.bin:+0x1d1(1:1): warning[AC2091]: the block of kernel 'fill' in __OpenCL_scale_metadata\n"
     "  ;ARGSTART:__OpenCL_fill_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {2092,
     "metadata without ;ARGSTART", false,
     "`amdcompat check AC2092.bin`",
     "AC2092.bin:+0x1d1(1:1): error[AC2092]: __OpenCL_fill_metadata holds no kernel block (;ARGSTART:__Open"
     "CL_\xe2\x80\xa6_kernel)\n"
     "  ;version:3:1:111\n"
     "  ^~~~~~~~~~~~~~~~\n"},
    {2093,
     "two kernels' metadata in one symbol", false,
     "`amdcompat check AC2093.bin`",
     "AC2093.bin:+0x285(9:1): warning[AC2093]: a second kernel block in __OpenCL_fill_metadata\n"
     "  ;ARGSTART:__OpenCL_scale_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {2100,
     "a container of OpenCL 2.0 without kernels", false,
     "`amdcompat check -v AC2100.bin`",
     "AC2100.bin: note[AC2100]: the container holds no kernels\n"},
    {2101,
     "a container of OpenCL 2.0 for chip 99 and ISA version 6:0:0", false,
     "`amdcompat check AC2101.bin`",
     "AC2101.bin:+0x30: warning[AC2101]: chip id 99 with ISA 6.0.0 is no known device\n"
     "  0000002c  00 00 00 00 63 00 00 00  40 00 00 00 00 00 40 00  |....c...@.....@.|\n"
     "                        ^~~~~~~~~~~\n"},
    {2102,
     "a container of OpenCL 2.0 whose ISA note is that of another device", false,
     "`amdcompat check AC2102.bin`",
     "AC2102.bin:+0x30: warning[AC2102]: chip id 6 is no device of ISA 8.0.1, which is carrizo or one like "
     "it\n"
     "  0000002c  00 00 00 00 06 00 00 00  40 00 00 00 00 00 40 00  |........@.....@.|\n"
     "                        ^~~~~~~~~~~\n"},
    {2103,
     "a container of OpenCL 2.0 for chip 18 and ISA version 8:0:4", false,
     "`amdcompat check -v AC2103.bin`",
     "AC2103.bin:+0x30: note[AC2103]: chip id 18 with ISA 8.0.4 means several devices, by driver; the newes"
     "t meaning, ellesmere, is taken\n"
     "  0000002c  00 00 00 00 12 00 00 00  40 00 00 00 00 00 40 00  |........@.....@.|\n"
     "                        ^~~~~~~~~~~\n"},
    {2104,
     "a container of OpenCL 2.0 with two metadata symbols of one name", false,
     "`amdcompat check AC2104.bin`",
     "AC2104.bin:+0x148: warning[AC2104]: a second symbol '__OpenCL_&__OpenCL_every_kernel_metadata'; the f"
     "irst one is used\n"
     "  00000144  00 00 00 00 1b 00 00 00  01 00 05 00 47 0a 00 00  |............G...|\n"
     "                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {2105,
     "a container of OpenCL 2.0 with a symbol behind the end of its section", false,
     "`amdcompat check AC2105.bin`",
     "AC2105.bin:+0x148: warning[AC2105]: symbol 3 ('__OpenCL_&__OpenCL_fill_kernel_metadata'): 1217 bytes "
     "at 0x40000000 reach outside its section '.rodata' of 3848 bytes\n"
     "  00000144  00 00 00 00 44 00 00 00  01 00 05 00 00 00 00 40  |....D..........@|\n"
     "                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {2106,
     "a container of OpenCL 2.0 with the code of `fill` and the metadata of `fell`", false,
     "`amdcompat check AC2106.bin`",
     "AC2106.bin:+0x2bdc: error[AC2106]: kernel 'fill' has no metadata symbol, so its arguments are not kno"
     "wn\n"},
    {2107,
     "a container of OpenCL 2.0 with the code of `fill` and the metadata of `fell`", false,
     "`amdcompat check AC2107.bin`",
     "AC2107.bin:+0x148: warning[AC2107]: kernel 'fell' has no machine code\n"
     "  00000144  00 00 00 00 44 00 00 00  01 00 05 00 47 0a 00 00  |....D.......G...|\n"
     "                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {2108,
     "an OpenCL 2.0 container", false,
     "`cl2::read` with a limit of 4 bytes a name",
     "<input>:+0x130: error[AC2108]: kernel name 'every' is longer than the limit of 4 bytes\n"
     "<input>:+0x2bc4: error[AC2108]: kernel name 'every' is longer than the limit of 4 bytes\n"},
    {2109,
     "a container of OpenCL 2.0 with 42 metadata symbols, each of the whole section", false,
     "`amdcompat check AC2109.bin`",
     "AC2109.bin:+0x788: error[AC2109]: symbol '__OpenCL_&__OpenCL_k01_kernel_metadata' shares its bytes wi"
     "th too many others and is left out (38 more like it)\n"
     "  00000784  00 00 00 00 93 00 00 00  01 00 05 00 00 00 00 00  |................|\n"
     "                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {2110,
     "a container of OpenCL 2.0 with a metadata symbol of 100 bytes", false,
     "`amdcompat check AC2110.bin`",
     "AC2110.bin:+0xc10: error[AC2110]: struct_size: a header of 272 bytes in metadata of 100; the least is"
     " 216\n"},
    {2111,
     "a container of OpenCL 2.0 whose metadata says that it has 5 bytes of data", false,
     "`amdcompat check AC2111.bin`",
     "AC2111.bin:+0xc18: warning[AC2111]: data_size: the metadata says it has 5 bytes, its symbol 1217\n"},
    {2112,
     "a container of OpenCL 2.0 with a metadata symbol that is 16 bytes too long", false,
     "`amdcompat check AC2112.bin`",
     "AC2112.bin:+0xc10: warning[AC2112]: 16 bytes after the last record\n"},
    {2113,
     "a container of OpenCL 2.0 with an argument record of 80 bytes", false,
     "`amdcompat check AC2113.bin`",
     "AC2113.bin:+0xf55: warning[AC2113]: args[6]: a record says it has 80 bytes, its place has 88\n"},
    {2114,
     "a container of OpenCL 2.0 with an argument of type 99", false,
     "`amdcompat check AC2114.bin`",
     "AC2114.bin:+0xf55: error[AC2114]: args[6]: 'out' has argument type 99, which is unknown\n"},
    {2115,
     "a container of OpenCL 2.0 that counts 7 hidden arguments", false,
     "`amdcompat check AC2115.bin`",
     "AC2115.bin:+0xf55: warning[AC2115]: args[6]: 'out' counts as hidden, but is no hidden argument known "
     "here\n"},
    {2120,
     "a container of OpenCL 2.0 whose inner ELF has section headers of one byte", false,
     "`amdcompat check AC2120.bin`",
     "AC2120.bin:+0x24a4: error[AC2120]: the inner ELF cannot be read: section headers of 1 bytes, expected"
     " 64\n"},
    {2121,
     "a container of OpenCL 2.0 with an ISA note of 8 bytes", false,
     "`amdcompat check AC2121.bin`",
     "AC2121.bin:+0x2708: warning[AC2121]: a note of type 3 with 8 bytes; it needs 16\n"
     "AC2121.bin:+0x272c: warning[AC2121]: 112 bytes of the notes are no whole note\n"},
    {2122,
     "a container of OpenCL 2.0 whose code begins 1 MiB behind its setup", false,
     "`amdcompat check AC2122.bin`",
     "AC2122.bin:+0x2bc4: warning[AC2122]: the code's entry at 1048576 from the setup lies outside its symb"
     "ol\n"},
    {2123,
     "a container of OpenCL 2.0 with a code setup of version 2.0", false,
     "`amdcompat check AC2123.bin`",
     "AC2123.bin:+0x28a4: warning[AC2123]: a code setup of version 2.0\n"},
    {2124,
     "a container of OpenCL 2.0 whose code setup counts no user registers", false,
     "`amdcompat check AC2124.bin`",
     "AC2124.bin:+0x28d8: warning[AC2124]: 0 user registers, but the enabled ones (0xb) take 8\n"},
    {2125,
     "a container of OpenCL 2.0 with a relocation behind its section", false,
     "`amdcompat check AC2125.bin`",
     "AC2125.bin:+0x2cac: warning[AC2125]: a relocation at 0x3e8 lies outside its section of 40 bytes\n"},
    {2130,
     "a container of OpenCL 2.0 with the first 50 bytes of its BRIG module", false,
     "`amdcompat check AC2130.bin`",
     "AC2130.bin:+0x10d4: warning[AC2130]: no BRIG module: its magic number or its header is missing\n"},
    {2131,
     "a container of OpenCL 2.0 with a kernel that its BRIG module does not have", false,
     "`amdcompat check -v AC2131.bin`",
     "AC2131.bin:+0x1119: note[AC2131]: the BRIG module does not describe kernel 'alone'\n"
     "  00001114  00 00 00 00 00 10 01 00  00 00 00 00 00 60 04 00  |.............`..|\n"
     "                           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {2132,
     "a container of OpenCL 2.0 whose BRIG text has `value:c:u8` instead of `value:c:i8`", false,
     "`amdcompat check AC2132.bin`",
     "AC2132.bin:+0x50e: warning[AC2132]: args[6]: binary metadata: 'c' (char): value i8 x1 at 1:96; BRIG t"
     "ext: 'c' (char): value u8 x1 at 1:96\n"
     "  00000508  00 00 00 00 00 00 58 00  00 00 00 00 00 00 01 00  |......X.........|\n"
     "                              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {2133,
     "a container of OpenCL 2.0 whose BRIG text has `enqueue_kernel:0` instead of `enqueue_kernel:1`", false,
     "`amdcompat check -v AC2133.bin`",
     "AC2133.bin:+0x1c9: note[AC2133]: device enqueue is true in the binary metadata, false in the BRIG tex"
     "t\n"
     "  000001c4  4d 42 45 52 29 10 01 00  00 00 00 00 00 47 0a 00  |MBER)........G..|\n"
     "                           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {2140,
     "a container of OpenCL 2.0 whose code setup has 8 bytes more for the arguments", false,
     "`amdcompat check AC2140.bin`",
     "AC2140.bin:+0x28ec: warning[AC2140]: the arguments take 176 bytes, the setup says 184\n"},
    {3001,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:tahiti\n"
     ";uniqueid:1024\n"
     ";value:a:u32:1:1:zero\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat layout AC3001.amdil >/dev/null`",
     "AC3001.amdil:1:1: error[AC3001]: the metadata of kernel 'k' could not be read completely\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {3002,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:tahiti\n"
     ";uniqueid:1024\n"
     ";value:a:event:1:1:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat layout AC3002.amdil >/dev/null`",
     "AC3002.amdil:5:2: error[AC3002]: arguments[0]: argument 'a' of kernel 'k' is of a kind that CL1 kerne"
     "ls cannot have\n"
     "  ;value:a:event:1:1:0\n"
     "   ^~~~~~~~~~~~~~~~~~~\n"},
    {3003,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:tahiti\n"
     ";uniqueid:1024\n"
     ";value:a:u32:1:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat layout AC3003.amdil >/dev/null`",
     "AC3003.amdil:5:2: error[AC3003]: arguments[0]: argument 'a' is in constant buffer 0; expected 1 to 15"
     "\n"
     "  ;value:a:u32:1:0:0\n"
     "   ^~~~~~~~~~~~~~~~~\n"},
    {3004,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:tahiti\n"
     ";uniqueid:1024\n"
     ";value:a:u32:1:1:1048576\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat layout AC3004.amdil >/dev/null`",
     "AC3004.amdil:5:2: error[AC3004]: arguments[0]: argument 'a' ends at byte 1048592 of constant buffer 1"
     "; the limit is 65536\n"
     "  ;value:a:u32:1:1:1048576\n"
     "   ^~~~~~~~~~~~~~~~~~~~~~~\n"},
    {3005,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:tahiti\n"
     ";uniqueid:1024\n"
     ";value:a:u32:8:1:0\n"
     ";value:b:u32:1:1:16\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat layout AC3005.amdil >/dev/null`",
     "AC3005.amdil:6:2: warning[AC3005]: arguments[1]: 'b' at 16 shares bytes with 'a'\n"
     "  ;value:b:u32:1:1:16\n"
     "   ^~~~~~~~~~~~~~~~~~\n"},
    {3006,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:tahiti\n"
     ";uniqueid:1024\n"
     ";value:a:double:3:1:0\n"
     ";value:b:u32:1:1:16\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat layout AC3006.amdil >/dev/null`",
     "AC3006.amdil:5:2: warning[AC3006]: arguments[0]: 'a' has three 64-bit elements but the next argument "
     "follows after 16 bytes: its end is overwritten by that argument, as with AMD's runtime\n"
     "  ;value:a:double:3:1:0\n"
     "   ^~~~~~~~~~~~~~~~~~~~\n"},
    {3007,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:tahiti\n"
     ";uniqueid:1024\n"
     ";value:a:u32:1:1:8\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat layout AC3007.amdil >/dev/null`",
     "AC3007.amdil:5:2: warning[AC3007]: arguments[0]: argument 'a' is at 8, which is no multiple of 16\n"
     "  ;value:a:u32:1:1:8\n"
     "   ^~~~~~~~~~~~~~~~~\n"},
    {3008,
     "a kernel of a code object", false,
     "`abi::LaunchImage::create`",
     "<input>: error[AC3008]: kernel 'k' reads a kernarg segment, not constant buffers\n"},
    {3009,
     "a kernel of a code object whose kernarg segment has 4 bytes", false,
     "`abi::KernargImage::create`",
     "<input>: error[AC3009]: arguments[0]: argument 'out' has 8 bytes from 0 on, of a kernarg segment of 4"
     " bytes\n"},
    {3020,
     "a kernel of a code object", false,
     "`abi::KernargImage::set_range` with 4 dimensions",
     "<input>: error[AC3020]: range: 4 dimensions; expected 1, 2 or 3\n"},
    {3021,
     "{\"global\": [0], \"local\": [64],\n"
     " \"arguments\": [\n"
     "   {\"buffer\": \"0x100000\"},\n"
     "   {\"bytes\": \"0a000000\"},\n"
     "   {\"local\": 256},\n"
     "   {\"image\": {\"width\": 64, \"height\": 64, \"order\": \"0x10b5\", \"type\": \"0x10d2\"}},\n"
     "   {\"sampler\": \"0x10\"}]}\n", true,
     "`amdcompat pack launch-kernel.amdil --launch AC3021.json -o $OUT`",
     "launch-kernel.amdil:1:1: error[AC3021]: range: the global size of dimension 0 is 0\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {3022,
     "{\"global\": [\"0x100000000\"], \"local\": [64],\n"
     " \"arguments\": [\n"
     "   {\"buffer\": \"0x100000\"},\n"
     "   {\"bytes\": \"0a000000\"},\n"
     "   {\"local\": 256},\n"
     "   {\"image\": {\"width\": 64, \"height\": 64, \"order\": \"0x10b5\", \"type\": \"0x10d2\"}},\n"
     "   {\"sampler\": \"0x10\"}]}\n", true,
     "`amdcompat pack launch-kernel.amdil --launch AC3022.json -o $OUT`",
     "launch-kernel.amdil:1:1: error[AC3022]: range: offset 0 and global size 4294967296 of dimension 0 do "
     "not fit 32-bit work-item ids\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {3023,
     "{\"global\": [512], \"local\": [512],\n"
     " \"arguments\": [\n"
     "   {\"buffer\": \"0x100000\"},\n"
     "   {\"bytes\": \"0a000000\"},\n"
     "   {\"local\": 256},\n"
     "   {\"image\": {\"width\": 64, \"height\": 64, \"order\": \"0x10b5\", \"type\": \"0x10d2\"}},\n"
     "   {\"sampler\": \"0x10\"}]}\n", true,
     "`amdcompat pack launch-kernel.amdil --launch AC3023.json -o $OUT`",
     "launch-kernel.amdil:1:1: error[AC3023]: range: a work-group of 512 x 1 x 1 work-items; the kernel all"
     "ows 256 in all\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {3024,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:tahiti\n"
     ";uniqueid:1024\n"
     ";cws:32:1:1\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat pack AC3024.amdil --launch launch-nothing.json -o $OUT`",
     "AC3024.amdil:1:1: warning[AC3024]: range: local size 64 x 1 x 1 contradicts the kernel's required wor"
     "k-group size 32 x 1 x 1; that one is used\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {3025,
     "{\"global\": [100], \"local\": [64],\n"
     " \"arguments\": [\n"
     "   {\"buffer\": \"0x100000\"},\n"
     "   {\"bytes\": \"0a000000\"},\n"
     "   {\"local\": 256},\n"
     "   {\"image\": {\"width\": 64, \"height\": 64, \"order\": \"0x10b5\", \"type\": \"0x10d2\"}},\n"
     "   {\"sampler\": \"0x10\"}]}\n", true,
     "`amdcompat pack -v launch-kernel.amdil --launch AC3025.json -o $OUT`",
     "launch-kernel.amdil:1:1: note[AC3025]: range: the local size 64 x 1 x 1 does not divide the global si"
     "ze\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {3026,
     "{\"global\": [128], \"local\": [64], \"split\": {\"global\": [64], \"offset\": [64], \"group_offset\""
     ": [2]},\n"
     " \"arguments\": [\n"
     "   {\"buffer\": \"0x100000\"},\n"
     "   {\"bytes\": \"0a000000\"},\n"
     "   {\"local\": 256},\n"
     "   {\"image\": {\"width\": 64, \"height\": 64, \"order\": \"0x10b5\", \"type\": \"0x10d2\"}},\n"
     "   {\"sampler\": \"0x10\"}]}\n", true,
     "`amdcompat pack launch-kernel.amdil --launch AC3026.json -o $OUT`",
     "launch-kernel.amdil:1:1: warning[AC3026]: range: dimension 0: a part of 64 work-items from 64 on, aft"
     "er 2 groups of 64, of a range of 128 from 0 on\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {3027,
     "a kernel of a code object", false,
     "`abi::KernargImage::build` before `set_range`",
     "<input>: error[AC3027]: range: no launch sizes were set for kernel 'k'\n"},
    {3028,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:tahiti\n"
     ";uniqueid:1024\n"
     ";printfid:9\n"
     ";uavid:11\n"
     ";printf_fmt:0:0:2:hi;\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat pack AC3028.amdil --launch launch-printf.json -o $OUT`",
     "AC3028.amdil:1:1: warning[AC3028]: kernel 'k' prints and is dispatched with more than one work-group,"
     " whose regions of the printf buffer are the same\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {3029,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:tahiti\n"
     ";uniqueid:1024\n"
     ";printfid:9\n"
     ";uavid:11\n"
     ";printf_fmt:0:0:2:hi;\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat pack AC3029.amdil --launch launch-nothing.json -o $OUT`",
     "AC3029.amdil:1:1: warning[AC3029]: kernel 'k' prints, but there is no printf buffer\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {3030,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:tahiti\n"
     ";uniqueid:1024\n"
     ";memory:datareqd\n"
     ";cbid:10\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     ";#DATASTART:4\n"
     ";#i32:0:1:1\n"
     ";#DATAEND\n", true,
     "`amdcompat pack AC3030.amdil --launch launch-nothing.json -o $OUT`",
     "AC3030.amdil:1:1: warning[AC3030]: kernel 'k' needs its data segment, but no address was given\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {3031,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:tahiti\n"
     ";uniqueid:1024\n"
     ";memory:compilerwrite\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat pack -v AC3031.amdil --launch launch-nothing.json -o $OUT`",
     "AC3031.amdil:1:1: note[AC3031]: kernel 'k' writes to a dummy page, but no private ring was given\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {3032,
     "{\"global\": [128], \"local\": [64],\n"
     " \"arguments\": [\n"
     "   {\"buffer\": \"0x100000\"},\n"
     "   {\"bytes\": \"0a000000\"},\n"
     "   {\"local\": 65536},\n"
     "   {\"image\": {\"width\": 64, \"height\": 64, \"order\": \"0x10b5\", \"type\": \"0x10d2\"}},\n"
     "   {\"sampler\": \"0x10\"}]}\n", true,
     "`amdcompat pack launch-kernel.amdil --launch AC3032.json -o $OUT`",
     "launch-kernel.amdil:1:1: error[AC3032]: arguments: static local memory and the arguments take more th"
     "an the 32768 bytes a work-group may have\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {3033,
     "amdcompat pack --template --kernel parent cl2-hawaii-enqueue.clo | sed 's/\"default_queue\": \"[^\"]*"
     "\"/\"default_queue\": 0/' > launch.json\n", true,
     "`amdcompat pack --kernel parent --launch launch.json --explain cl2-hawaii-enqueue.clo`",
     "cl2-hawaii-enqueue.clo:+0x1f9: warning[AC3033]: environment: kernel 'parent' enqueues kernels, but th"
     "ere is no default queue\n"
     "  000001f4  4d 42 45 52 29 e0 00 00  00 00 00 00 00 ed 04 00  |MBER)...........|\n"
     "                           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {3034,
     "a kernel of a code object", false,
     "`abi::KernargImage::set_range` with a split",
     "<input>: error[AC3034]: range: a part of a range for kernel 'k', whose AQL packet always starts with "
     "group 0\n"},
    {3040,
     "{\"global\": [128], \"local\": [64],\n"
     " \"arguments\": [\n"
     "   {\"buffer\": \"0x100000\"},\n"
     "   {\"bytes\": \"0a000000\"},\n"
     "   {\"local\": 256},\n"
     "   {\"image\": {\"width\": 64, \"height\": 64, \"order\": \"0x10b5\", \"type\": \"0x10d2\"}},\n"
     "   {\"sampler\": \"0x10\"},\n"
     "   {\"null\": true}]}\n", true,
     "`amdcompat pack launch-kernel.amdil --launch AC3040.json -o $OUT`",
     "launch-kernel.amdil:1:1: error[AC3040]: arguments[5]: kernel 'k' has 5 arguments; there is none with "
     "index 5\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {3041,
     "{\"global\": [128], \"local\": [64],\n"
     " \"arguments\": [\n"
     "   {\"buffer\": \"0x100000\"},\n"
     "   {\"bytes\": \"0a000000\"},\n"
     "   {\"local\": 256},\n"
     "   {\"image\": {\"width\": 64, \"height\": 64, \"order\": \"0x10b5\", \"type\": \"0x10d2\"}}]}\n", true,
     "`amdcompat pack launch-kernel.amdil --launch AC3041.json -o $OUT`",
     "launch-kernel.amdil:11:2: error[AC3041]: arguments[4]: argument 'mode' has no value\n"
     "  ;value:mode:u32:1:1:80\n"
     "   ^~~~~~~~~~~~~~~~~~~~~\n"},
    {3042,
     "{\"global\": [128], \"local\": [64],\n"
     " \"arguments\": [\n"
     "   {\"buffer\": \"0x100000\"},\n"
     "   {\"buffer\": \"0x100000\"},\n"
     "   {\"local\": 256},\n"
     "   {\"image\": {\"width\": 64, \"height\": 64, \"order\": \"0x10b5\", \"type\": \"0x10d2\"}},\n"
     "   {\"sampler\": \"0x10\"}]}\n", true,
     "`amdcompat pack launch-kernel.amdil --launch AC3042.json -o $OUT`",
     "launch-kernel.amdil:8:2: error[AC3042]: arguments[1]: 'n' is a scalar, not a buffer\n"
     "  ;value:n:u32:1:1:16\n"
     "   ^~~~~~~~~~~~~~~~~~\n"},
    {3043,
     "{\"global\": [128], \"local\": [64],\n"
     " \"arguments\": [\n"
     "   {\"buffer\": \"0x100000\"},\n"
     "   {\"bytes\": \"0a00\"},\n"
     "   {\"local\": 256},\n"
     "   {\"image\": {\"width\": 64, \"height\": 64, \"order\": \"0x10b5\", \"type\": \"0x10d2\"}},\n"
     "   {\"sampler\": \"0x10\"}]}\n", true,
     "`amdcompat pack launch-kernel.amdil --launch AC3043.json -o $OUT`",
     "launch-kernel.amdil:8:2: error[AC3043]: arguments[1]: 'n' has 2 bytes; expected 4\n"
     "  ;value:n:u32:1:1:16\n"
     "   ^~~~~~~~~~~~~~~~~~\n"},
    {3044,
     "{\"global\": [128], \"local\": [64],\n"
     " \"arguments\": [\n"
     "   {\"buffer\": \"0x100008\"},\n"
     "   {\"bytes\": \"0a000000\"},\n"
     "   {\"local\": 256},\n"
     "   {\"image\": {\"width\": 64, \"height\": 64, \"order\": \"0x10b5\", \"type\": \"0x10d2\"}},\n"
     "   {\"sampler\": \"0x10\"}]}\n", true,
     "`amdcompat pack launch-kernel.amdil --launch AC3044.json -o $OUT`",
     "launch-kernel.amdil:7:2: error[AC3044]: arguments[0]: the address 0x100008 of 'out' is no multiple of"
     " 16\n"
     "  ;pointer:out:float:1:1:0:uav:12:16:RW:0:0\n"
     "   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {3045,
     "{\"global\": [128], \"local\": [64],\n"
     " \"arguments\": [\n"
     "   {\"buffer\": \"0x100000000\"},\n"
     "   {\"bytes\": \"0a000000\"},\n"
     "   {\"local\": 256},\n"
     "   {\"image\": {\"width\": 64, \"height\": 64, \"order\": \"0x10b5\", \"type\": \"0x10d2\"}},\n"
     "   {\"sampler\": \"0x10\"}]}\n", true,
     "`amdcompat pack launch-kernel.amdil --launch AC3045.json -o $OUT`",
     "launch-kernel.amdil:7:2: error[AC3045]: arguments[0]: 'out' is 0x100000000 bytes from its descriptor'"
     "s base; this kernel's pointers have 32 bits\n"
     "  ;pointer:out:float:1:1:0:uav:12:16:RW:0:0\n"
     "   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {3046,
     "{\"global\": [128], \"local\": [64],\n"
     " \"arguments\": [\n"
     "   {\"buffer\": \"0x100000\", \"base\": \"0x200000\"},\n"
     "   {\"bytes\": \"0a000000\"},\n"
     "   {\"local\": 256},\n"
     "   {\"image\": {\"width\": 64, \"height\": 64, \"order\": \"0x10b5\", \"type\": \"0x10d2\"}},\n"
     "   {\"sampler\": \"0x10\"}]}\n", true,
     "`amdcompat pack launch-kernel.amdil --launch AC3046.json -o $OUT`",
     "launch-kernel.amdil:7:2: error[AC3046]: arguments[0]: the address 0x100000 of 'out' is below its desc"
     "riptor's base 0x200000\n"
     "  ;pointer:out:float:1:1:0:uav:12:16:RW:0:0\n"
     "   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {3047,
     "{\"global\": [128], \"local\": [64],\n"
     " \"arguments\": [\n"
     "   {\"buffer\": \"0x100000\"},\n"
     "   {\"bytes\": \"0a000000\"},\n"
     "   {\"local\": 0},\n"
     "   {\"image\": {\"width\": 64, \"height\": 64, \"order\": \"0x10b5\", \"type\": \"0x10d2\"}},\n"
     "   {\"sampler\": \"0x10\"}]}\n", true,
     "`amdcompat pack launch-kernel.amdil --launch AC3047.json -o $OUT`",
     "launch-kernel.amdil:9:2: error[AC3047]: arguments[2]: 'tile' is local memory of no bytes\n"
     "  ;pointer:tile:float:1:1:32:hl:1:4:RW:0:0\n"
     "   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {3048,
     "{\"global\": [128], \"local\": [64],\n"
     " \"arguments\": [\n"
     "   {\"buffer\": \"0x100000\"},\n"
     "   {\"bytes\": \"0a000000\"},\n"
     "   {\"local\": 256},\n"
     "   {\"image\": {\"width\": 0, \"height\": 64, \"order\": \"0x10b5\", \"type\": \"0x10d2\"}},\n"
     "   {\"sampler\": \"0x10\"}]}\n", true,
     "`amdcompat pack launch-kernel.amdil --launch AC3048.json -o $OUT`",
     "launch-kernel.amdil:10:2: error[AC3048]: arguments[3]: image 'in' is 0 x 64 x 1; every size is at lea"
     "st 1\n"
     "  ;image:in:2D:RO:0:1:48\n"
     "   ^~~~~~~~~~~~~~~~~~~~~\n"},
    {3049,
     "{\"global\": [128], \"local\": [64],\n"
     " \"arguments\": [\n"
     "   {\"buffer\": \"0x100000\"},\n"
     "   {\"bytes\": \"0a000000\"},\n"
     "   {\"local\": 256},\n"
     "   {\"image\": {\"width\": 64, \"height\": 64, \"order\": 6, \"type\": \"0x10d2\"}},\n"
     "   {\"sampler\": \"0x10\"}]}\n", true,
     "`amdcompat pack launch-kernel.amdil --launch AC3049.json -o $OUT`",
     "launch-kernel.amdil:10:2: error[AC3049]: arguments[3]: image 'in' has channel order 0x6 and type 0x10"
     "d2, which OpenCL does not have\n"
     "  ;image:in:2D:RO:0:1:48\n"
     "   ^~~~~~~~~~~~~~~~~~~~~\n"},
    {3050,
     "{\"global\": [128], \"local\": [64],\n"
     " \"arguments\": [\n"
     "   {\"buffer\": \"0x100000\"},\n"
     "   {\"bytes\": \"0a000000\"},\n"
     "   {\"local\": 256},\n"
     "   {\"image\": {\"width\": 64, \"height\": 64, \"order\": \"0x10b5\", \"type\": \"0x10d2\"}},\n"
     "   {\"sampler\": \"0x1a\"}]}\n", true,
     "`amdcompat pack launch-kernel.amdil --launch AC3050.json -o $OUT`",
     "launch-kernel.amdil:11:2: warning[AC3050]: arguments[4]: the sampler word 0x1a of 'mode' has undefine"
     "d bits\n"
     "  ;value:mode:u32:1:1:80\n"
     "   ^~~~~~~~~~~~~~~~~~~~~\n"},
    {3051,
     "", true,
     "",
     "<input>: error[AC3051]: arguments[0].image: no descriptor can be made for 'depth' (those of its devic"
     "e are not known here); give its object's bytes or address\n"},
    {3052,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:tahiti\n"
     ";uniqueid:1024\n"
     ";pointer:a:float:1:1:0:uav:11:4:RW:0:0\n"
     ";pointer:b:float:1:1:16:uav:11:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat pack AC3052.amdil --launch launch-bases.json -o $OUT`",
     "AC3052.amdil:6:2: error[AC3052]: arguments[1]: 'b' is relative to 0x200000 and 'a' to 0x100000, but t"
     "he kernel reaches both through the descriptor in slot 11\n"
     "  ;pointer:b:float:1:1:16:uav:11:4:RW:0:0\n"
     "   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {3060,
     "{\"global\": [128], \"local\": [64]\n", true,
     "`amdcompat pack launch-kernel.amdil --launch AC3060.json -o $OUT`",
     "AC3060.json:2:1: error[AC3060]: not JSON: syntax error while parsing object - unexpected end of input"
     "; expected '}'\n"
     "  \n"
     "  ^\n"},
    {3061,
     "// A misspelt field, and a value of a wrong kind.\n"
     "{\n"
     "  \"global\": [128],\n"
     "  \"locl\": [64],\n"
     "  \"arguments\": [{\"buffer\": \"0x100000\", \"size\": \"many\"}]\n"
     "}\n", true,
     "`amdcompat pack launch-kernel.amdil --launch AC3061.json -o $OUT`",
     "AC3061.json:4:11: error[AC3061]: locl: a launch file has no field \"locl\" here\n"
     "    \"locl\": [64],\n"
     "            ^\n"
     "AC3061.json:5:48: error[AC3061]: arguments[0].size: expected an integer from 0 to 2^64 - 1, as a numb"
     "er or as a string such as \"0x1000\", found \"many\"\n"
     "    \"arguments\": [{\"buffer\": \"0x100000\", \"size\": \"many\"}]\n"
     "                                                 ^\n"},
    {3062,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:tahiti\n"
     ";uniqueid:1024\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     ";ARGSTART:__OpenCL_m_kernel\n"
     ";version:3:1:111\n"
     ";device:tahiti\n"
     ";uniqueid:1025\n"
     ";ARGEND:__OpenCL_m_kernel\n", true,
     "`amdcompat pack AC3062.amdil --template`",
     "AC3062.amdil:1:1: error[AC3062]: choose one with --kernel: k, m\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^\n"},
    {3070,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:tahiti\n"
     ";uniqueid:1024\n"
     ";printfid:9\n"
     ";printf_fmt:0:1:4:3:%d\\n;\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat printf AC3070.amdil --buffer AC3070.dump --dwords-per-item 1`",
     "AC3070.amdil:1:1: error[AC3070]: regions of 1 dwords; the smallest has 2\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^\n"},
    {3071,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:tahiti\n"
     ";uniqueid:1024\n"
     ";printfid:9\n"
     ";printf_fmt:0:1:4:3:%d\\n;\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat printf AC3071.amdil --buffer AC3071.dump --dwords-per-item 4`",
     "AC3071.amdil:1:1: warning[AC3071]: items: 1 of 1 work-items have the write index 0; the host sets it "
     "to 1\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^\n"},
    {3072,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:tahiti\n"
     ";uniqueid:1024\n"
     ";printfid:9\n"
     ";printf_fmt:0:1:4:3:%d\\n;\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat printf AC3072.amdil --buffer AC3072.dump --dwords-per-item 4`",
     "AC3072.amdil:1:1: warning[AC3072]: items[0]: 9 dwords were written or tried, the region has 4\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^\n"},
    {3073,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:tahiti\n"
     ";uniqueid:1024\n"
     ";printfid:9\n"
     ";printf_fmt:0:1:4:3:%d\\n;\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat printf AC3073.amdil --buffer AC3073.dump --dwords-per-item 4`",
     "AC3073.amdil:1:1: error[AC3073]: items[0].dwords[1]: no printf format has the number 5\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^\n"},
    {3074,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:tahiti\n"
     ";uniqueid:1024\n"
     ";printfid:9\n"
     ";printf_fmt:0:1:4:3:%d\\n;\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat printf AC3074.amdil --buffer AC3074.dump --dwords-per-item 4`",
     "AC3074.amdil:6:2: error[AC3074]: items[0].dwords[1]: printf 0: the record ends past the work-item's d"
     "ata\n"
     "  ;printf_fmt:0:1:4:3:%d\\n;\n"
     "   ^~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {3075,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:tahiti\n"
     ";uniqueid:1024\n"
     ";printfid:9\n"
     ";printf_fmt:0:1:4:3:%s\\n;\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat printf AC3075.amdil --buffer AC3075.dump --dwords-per-item 4`",
     "AC3075.amdil:6:2: warning[AC3075]: items[0].dwords[1]: printf 0: a string without an end; it is cut w"
     "here the work-item's data ends\n"
     "  ;printf_fmt:0:1:4:3:%s\\n;\n"
     "   ^~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {3076,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:tahiti\n"
     ";uniqueid:1024\n"
     ";printfid:9\n"
     ";printf_fmt:0:1:6:3:%d\\n;\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat printf AC3076.amdil --buffer AC3076.dump --dwords-per-item 4`",
     "AC3076.amdil:6:2: warning[AC3076]: items[0].dwords[1]: printf 0: an argument of 6 bytes for '%d'\n"
     "  ;printf_fmt:0:1:6:3:%d\\n;\n"
     "   ^~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {3077,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:tahiti\n"
     ";uniqueid:1024\n"
     ";printfid:9\n"
     ";printf_fmt:0:1:4:5:%5$d\\n;\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat printf AC3077.amdil --buffer AC3077.dump --dwords-per-item 4`",
     "AC3077.amdil:6:2: warning[AC3077]: items[0].dwords[1]: printf 0: '%5$d' is no conversion for its argu"
     "ment\n"
     "  ;printf_fmt:0:1:4:5:%5$d\\n;\n"
     "   ^~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {3078,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:tahiti\n"
     ";uniqueid:1024\n"
     ";printfid:9\n"
     ";printf_fmt:0:2:4:4:3:%d\\n;\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat printf AC3078.amdil --buffer AC3078.dump --dwords-per-item 4`",
     "AC3078.amdil:6:2: warning[AC3078]: items[0].dwords[1]: printf 0: 2 arguments, but the format has fewe"
     "r conversions\n"
     "  ;printf_fmt:0:2:4:4:3:%d\\n;\n"
     "   ^~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {3079,
     "a printf record whose format asks for 9,999 digits", false,
     "`abi::decode_legacy_printf` with limits of 100 bytes",
     "<input>: error[AC3079]: items[0].dwords[1]: printf 7: a width or precision over 100\n"
     "<input>: error[AC3079]: more than 100 bytes of text and records; decoding stops\n"},
    {3080,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:tahiti\n"
     ";uniqueid:1024\n"
     ";printfid:9\n"
     ";printf_fmt:0:1:2:4:%hd\\n;\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat printf AC3080.amdil --buffer AC3080.dump --abi hsa`",
     "AC3080.amdil:6:2: warning[AC3080]: records+0x0: printf 0: an argument size is no multiple of 4\n"
     "  ;printf_fmt:0:1:2:4:%hd\\n;\n"
     "   ^~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {3081,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:tahiti\n"
     ";uniqueid:1024\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat printf AC3081.amdil --buffer AC3082.dump --dwords-per-item 4`",
     "AC3081.amdil:1:1: warning[AC3081]: the program has no printf formats\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^\n"},
    {3082,
     "il_cs_2_0\n"
     "func 1024 ; __OpenCL_k_kernel\n"
     "endfunc ; __OpenCL_k_kernel\n"
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:tahiti\n"
     ";uniqueid:1024\n"
     ";printf_fmt:0:0:2:hi;\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     "end\n"
     "\n"
     "il_cs_2_0\n"
     "func 1024 ; __OpenCL_m_kernel\n"
     "endfunc ; __OpenCL_m_kernel\n"
     ";ARGSTART:__OpenCL_m_kernel\n"
     ";version:3:1:111\n"
     ";device:tahiti\n"
     ";uniqueid:1024\n"
     ";printf_fmt:0:0:2:ho;\n"
     ";ARGEND:__OpenCL_m_kernel\n"
     "end\n", true,
     "`amdcompat printf AC3082.amdil --buffer AC3082.dump --dwords-per-item 4`",
     "AC3082.amdil:19:2: warning[AC3082]: printf 0 of unit 1 has another format than that of unit 0\n"
     "  ;printf_fmt:0:0:2:ho;\n"
     "   ^~~~~~~~~~~~~~~~~~~~\n"},
    {4001,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check -v AC4001.amdil`",
     "AC4001.amdil:1:1: note[AC4001]: amdhsa.kernels[0]: the input holds no register counts: .vgpr_count an"
     "d .sgpr_count are 0\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4002,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";counter:next:32:0:1:16\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC4002.amdil`",
     "AC4002.amdil:6:2: warning[AC4002]: amdhsa.kernels[0].args[1]: HSA has no counters: 'next' becomes an "
     "8-byte global buffer\n"
     "  ;counter:next:32:0:1:16\n"
     "   ^~~~~~~~~~~~~~~~~~~~~~\n"},
    {4003,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";sema:gate:1:1:16\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC4003.amdil`",
     "AC4003.amdil:6:2: warning[AC4003]: amdhsa.kernels[0].args[1]: HSA has no semaphores: 'gate' becomes a"
     "n 8-byte global buffer\n"
     "  ;sema:gate:1:1:16\n"
     "   ^~~~~~~~~~~~~~~~\n"},
    {4004,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";value:s:struct:24:1:16\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check -v AC4004.amdil`",
     "AC4004.amdil:6:2: note[AC4004]: amdhsa.kernels[0].args[1]: 's' is a struct of 24 bytes; its alignment"
     " is not in the metadata, 8 is assumed\n"
     "  ;value:s:struct:24:1:16\n"
     "   ^~~~~~~~~~~~~~~~~~~~~~\n"},
    {4005,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";value:n:u32:1:1:zero\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC4005.amdil`",
     "AC4005.amdil:1:1: error[AC4005]: kernel 'k' cannot be converted: its metadata, or that of a function "
     "it calls, is damaged or records a failed build (see the other findings)\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4006,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:tmp:float:1:1:0:hp:1:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat check AC4006.amdil`",
     "AC4006.amdil:5:2: error[AC4006]: kernel 'k' cannot be converted: no HSA argument is like 'tmp'\n"
     "  ;pointer:tmp:float:1:1:0:hp:1:4:RW:0:0\n"
     "   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4007,
     "il_cs_2_0\n"
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     "end\n"
     "il_cs_2_0\n"
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     "end\n", true,
     "`amdcompat check AC4007.amdil`",
     "AC4007.amdil:10:1: warning[AC4007]: amdhsa.kernels[1]: kernel 'k' of unit 1 stands in unit 0 too; one"
     " loader can take only one of them\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4008,
     ";ARGSTART:helper\n"
     ";uniqueid:1025\n"
     ";ARGEND:helper\n", true,
     "`amdcompat check -v AC4008.amdil`",
     "AC4008.amdil:1:1: note[AC4008]: no kernels\n"
     "  ;ARGSTART:helper\n"
     "  ^\n"},
    {4009,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";function:1:1025\n"
     ";ARGEND:__OpenCL_k_kernel\n"
     ";ARGSTART:f1025\n"
     ";uniqueid:1025\n"
     ";printf_fmt:0:0:4:a\\72;\n"
     ";ARGEND:f1025\n", true,
     "`amdcompat check AC4009.amdil`",
     "AC4009.amdil:10:2: warning[AC4009]: printf 0: a backslash in the format reads as an escape in V3\n"
     "  ;printf_fmt:0:0:4:a\\72;\n"
     "   ^~~~~~~~~~~~~~~~~~~~~~\n"},
    {4010,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:cypress\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat convert --layout natural --to elf AC4010.amdil`",
     "AC4010.amdil:1:1: error[AC4010]: kernel 'k' is for cypress, a VLIW device: it converts to metadata, n"
     "ot to an ELF\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^\n"},
    {4011,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:banana\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat convert --layout natural --to elf AC4011.amdil`",
     "AC4011.amdil:1:1: error[AC4011]: kernel 'k' is for device 'banana', which has no known target; name o"
     "ne with --target\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^\n"},
    {4012,
     ";ARGSTART:__OpenCL_one_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_one_kernel\n"
     ";ARGSTART:__OpenCL_two_kernel\n"
     ";version:3:1:111\n"
     ";device:bonaire\n"
     ";uniqueid:1025\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_two_kernel\n", true,
     "`amdcompat convert --layout natural --to elf AC4012.amdil`",
     "AC4012.amdil:1:1: error[AC4012]: kernels for pitcairn and for bonaire do not fit into one ELF; choose"
     " with --kernel or --target\n"
     "  ;ARGSTART:__OpenCL_one_kernel\n"
     "  ^\n"},
    {4013,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat convert --layout natural --to elf --target gfx900 AC4013.amdil`",
     "AC4013.amdil:1:1: error[AC4013]: the kernels are for pitcairn (gfx601), not for gfx900\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^\n"},
    {4014,
     ";ARGSTART:__OpenCL_k_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";ARGEND:__OpenCL_k_kernel\n", true,
     "`amdcompat convert --kernel other AC4014.amdil`",
     "AC4014.amdil:1:1: error[AC4014]: no kernel 'other' in this file\n"
     "  ;ARGSTART:__OpenCL_k_kernel\n"
     "  ^\n"},
    {4015,
     "il_cs_2_0\n"
     ";ARGSTART:__OpenCL_one_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";function:1:1025\n"
     ";ARGEND:__OpenCL_one_kernel\n"
     ";ARGSTART:f1025\n"
     ";uniqueid:1025\n"
     ";printf_fmt:0:0:3:one;\n"
     ";ARGEND:f1025\n"
     "end\n"
     "il_cs_2_0\n"
     ";ARGSTART:__OpenCL_two_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
     ";function:1:1025\n"
     ";ARGEND:__OpenCL_two_kernel\n"
     ";ARGSTART:f1025\n"
     ";uniqueid:1025\n"
     ";printf_fmt:0:0:3:two;\n"
     ";ARGEND:f1025\n"
     "end\n", true,
     "`amdcompat check AC4015.amdil`",
     "AC4015.amdil:24:2: warning[AC4015]: printf 0 of unit 1 stands for another format in an earlier unit: "
     "it becomes 1\n"
     "  ;printf_fmt:0:0:3:two;\n"
     "   ^~~~~~~~~~~~~~~~~~~~~\n"},
    {4016,
     "a CL2 container without a BRIG module", false,
     "`amdcompat convert --to text AC4016.bin`",
     "AC4016.bin:+0x161: error[AC4016]: the file has no metadata text of kernel 'move'\n"
     "  0000015c  4d 42 45 52 29 10 01 00  00 00 00 00 00 86 05 00  |MBER)...........|\n"
     "                           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4100,
     "# a map of one entry; 0xc1 is no MessagePack value\n"
     "81 a1 61 c1\n", true,
     "`hsa::read_msgpack`, then `hsa::verify`",
     "AC4100.msgpack.hex:+0x3: error[AC4100]: a: the byte 0xC1 begins no value\n"
     "  00000000  81 a1 61 c1                                       |..a.|\n"
     "                     ^~\n"},
    {4101,
     "# a string of 4 GiB in an input of 8 bytes\n"
     "81 a1 61 db ff ff ff ff\n", true,
     "`hsa::read_msgpack`, then `hsa::verify`",
     "AC4101.msgpack.hex:+0x3: error[AC4101]: a: the document ends inside a value\n"
     "  00000000  81 a1 61 db ff ff ff ff                           |..a.....|\n"
     "                     ^~~~~~~~~~~~~~\n"},
    {4102,
     "# a map of two entries in an input that can hold one\n"
     "82 a1 61 01\n", true,
     "`hsa::read_msgpack`, then `hsa::verify`",
     "AC4102.msgpack.hex:+0x0: error[AC4102]: 2 elements announced, 3 bytes left\n"
     "  00000000  82 a1 61 01                                       |..a.|\n"
     "            ^~\n"},
    {4103,
     "# an empty map and one byte more\n"
     "80 00\n", true,
     "`hsa::read_msgpack`, then `hsa::verify`",
     "AC4103.msgpack.hex:+0x1: warning[AC4103]: 1 bytes after the document\n"
     "  00000000  80 00                                             |..|\n"
     "               ^~\n"},
    {4104,
     "---\n"
     "a: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
     "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4104.yaml:2:67: error[AC4104]: a[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]["
     "0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]"
     "[0][0][0][0][0][0][0]: nested over 64 levels\n"
     "  \xe2\x80\xa6[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
     "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\xe2\x80\xa6\n"
     "                                                   ^\n"},
    {4105,
     "the YAML of a small kernel", false,
     "`hsa::read_yaml` with a limit of 100 bytes",
     "<input>: error[AC4105]: 836 bytes, the limit is 100\n"},
    {4106,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "    .name: k\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4106.yaml:16:12: error[AC4106]: amdhsa.kernels[0].name: its map has the key already\n"
     "      .name: k\n"
     "             ^\n"},
    {4107,
     "# a map whose key is a number\n"
     "81 01 02\n", true,
     "`hsa::read_msgpack`, then `hsa::verify`",
     "AC4107.msgpack.hex:+0x1: error[AC4107]: expected a key, found an unsigned integer\n"
     "  00000000  81 01 02                                          |...|\n"
     "               ^~\n"},
    {4108,
     "# { \"a\": two bytes of binary data }\n"
     "81 a1 61 c4 02 00 00\n", true,
     "`hsa::read_msgpack`, then `hsa::verify`",
     "AC4108.msgpack.hex:+0x3: error[AC4108]: a: a binary value has no meaning here\n"
     "  00000000  81 a1 61 c4 02 00 00                              |..a....|\n"
     "                     ^~~~~~~~~~~\n"},
    {4109,
     "---\n"
     "- amdhsa.version\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4109.yaml:2:1: error[AC4109]: expected a map, found a list\n"
     "  - amdhsa.version\n"
     "  ^~~~~~~~~~~~~~~~\n"},
    {4110,
     "---\n"
     "amdhsa.version: [ 1, 0\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4110.yaml:3:1: error[AC4110]: amdhsa.version[2]: did not find expected ',' or ']'\n"
     "  ...\n"
     "  ^\n"},
    {4111,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.extra: &a 1\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4111.yaml:3:15: error[AC4111]: amdhsa.extra: anchors are not read\n"
     "  amdhsa.extra: &a 1\n"
     "                ^~~~\n"},
    {4112,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.extra: !colour blue\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4112.yaml:3:15: error[AC4112]: amdhsa.extra: the tag '!colour' is not known\n"
     "  amdhsa.extra: !colour blue\n"
     "                ^~~~~~~~~~~~\n"},
    {4113,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.extra: !int blue\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4113.yaml:3:15: error[AC4113]: amdhsa.extra: 'blue' is not what its tag !int says\n"
     "  amdhsa.extra: !int blue\n"
     "                ^~~~~~~~~\n"},
    {4114,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n"
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4114.yaml:17:1: warning[AC4114]: only the first document is used\n"
     "  ---\n"
     "  ^~~\n"},
    {4115,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: n\n"
     "    .symbol: n.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4115.yaml:4:12: warning[AC4115]: amdhsa.kernels[0].name: LLVM reads a boolean here; write !str n fo"
     "r the text\n"
     "    - .name: n\n"
     "             ^\n"},
    {4120,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: wide\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4120.yaml:15:22: error[AC4120]: amdhsa.kernels[0].wavefront_size: expected an unsigned integer, fou"
     "nd text\n"
     "      .wavefront_size: wide\n"
     "                       ^~~~\n"},
    {4121,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4121.yaml:2:1: error[AC4121]: amdhsa.kernels: the document lists no kernels\n"
     "  amdhsa.version: [ 1, 0 ]\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4122,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "    .colour: blue\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4122.yaml:16:14: note[AC4122]: amdhsa.kernels[0].colour: kept as it is\n"
     "      .colour: blue\n"
     "               ^~~~\n"},
    {4123,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: texture }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4123.yaml:7:46: error[AC4123]: amdhsa.kernels[0].args[0].value_kind: 'texture' is not a known spell"
     "ing\n"
     "        - { .offset: 0, .size: 8, .value_kind: texture }\n"
     "                                               ^~~~~~~\n"},
    {4124,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: orbit }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4124.yaml:7:77: error[AC4124]: amdhsa.kernels[0].args[0].address_space: 'orbit' is not a known spel"
     "ling\n"
     "        - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: orbit }\n"
     "                                                                              ^~~~~\n"},
    {4125,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: image, .access: execute }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4125.yaml:7:62: error[AC4125]: amdhsa.kernels[0].args[0].access: 'execute' is not a known spelling\n"
     "        - { .offset: 0, .size: 8, .value_kind: image, .access: execute }\n"
     "                                                               ^~~~~~~\n"},
    {4126,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "    .language: Fortran\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4126.yaml:4:5: warning[AC4126]: amdhsa.kernels[0].language: 'Fortran' is not a known language\n"
     "    - .name: k\n"
     "      ^~~~~~~~\n"},
    {4127,
     "# { \"amdhsa.target\": a byte that is no UTF-8 }\n"
     "81 ad 61 6d 64 68 73 61 2e 74 61 72 67 65 74 a1 ff\n", true,
     "`hsa::read_msgpack`, then `hsa::verify`",
     "AC4127.msgpack.hex:+0x0: warning[AC4127]: amdhsa.target: the text is not UTF-8\n"
     "  00000000  81 ad 61 6d 64 68 73 61  2e 74 61 72 67 65 74 a1  |..amdhsa.target.|\n"
     "            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4128,
     "---\n"
     "amdhsa.version: [ 9, 9 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4128.yaml:2:1: error[AC4128]: amdhsa.version: [9, 9] is of no known version\n"
     "  amdhsa.version: [ 9, 9 ]\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4129,
     "metadata of V3", false,
     "`hsa::to_note_elf` of V4",
     "<input>: error[AC4129]: amdhsa.version: V4 has [1, 1]\n"},
    {4130,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "    .uses_dynamic_stack: false\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4130.yaml:4:5: warning[AC4130]: amdhsa.kernels[0].uses_dynamic_stack: .uses_dynamic_stack came with"
     " V5\n"
     "    - .name: k\n"
     "      ^~~~~~~~\n"},
    {4131,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 4, .value_kind: hidden_block_count_x }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4131.yaml:7:9: error[AC4131]: amdhsa.kernels[0].args[0].value_kind: hidden_block_count_x came with "
     "V5\n"
     "        - { .offset: 0, .size: 4, .value_kind: hidden_block_count_x }\n"
     "          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4132,
     "---\n"
     "amdhsa.version: [ 1, 1 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4132.yaml:2:1: warning[AC4132]: amdhsa.target: V4 and later name the target here\n"
     "  amdhsa.version: [ 1, 1 ]\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4133,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "    .workgorup_size_hint: [ 8, 8, 1 ]\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4133.yaml:16:27: warning[AC4133]: amdhsa.kernels[0].workgorup_size_hint: is '.workgroup_size_hint' "
     "meant? runtimes skip or reject what they do not know\n"
     "      .workgorup_size_hint: [ 8, 8, 1 ]\n"
     "                            ^~~~~~~~~~~\n"},
    {4135,
     "# a note record that announces 256 bytes and has 4\n"
     "07 00 00 00 00 01 00 00 20 00 00 00 41 4d 44 47 50 55 00 00 80 00 00 00\n", true,
     "`hsa::read_note`, then `hsa::verify`",
     "AC4135.note.hex:+0x0: error[AC4135]: a record with a name of 7 and a payload of 256 bytes, 12 bytes l"
     "eft\n"
     "  00000000  07 00 00 00 00 01 00 00  20 00 00 00 41 4d 44 47  |........ ...AMDG|\n"
     "            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4136,
     "# a note of another owner: \"GNU\", type 1\n"
     "04 00 00 00 04 00 00 00 01 00 00 00 47 4e 55 00 00 00 00 00\n", true,
     "`hsa::read_note`, then `hsa::verify`",
     "AC4136.note.hex:+0x0: error[AC4136]: no metadata note\n"
     "  00000000  04 00 00 00 04 00 00 00  01 00 00 00 47 4e 55 00  |............GNU.|\n"
     "            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4137,
     "# the first half of an ELF header\n"
     "7f 45 4c 46 02 01 01 40 01 00 00 00 00 00 00 00\n"
     "03 00 e0 00 01 00 00 00 00 00 00 00 00 00 00 00\n", true,
     "`hsa::read_note_elf`, then `hsa::verify`",
     "AC4137.elf.hex:+0x0: error[AC4137]: expected a little-endian ELF64 header\n"
     "  00000000  7f 45 4c 46 02 01 01 40  01 00 00 00 00 00 00 00  |.ELF...@........|\n"
     "            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4138,
     "# an ELF64 file with a metadata note, but for machine 62 (x86-64)\n"
     "7f 45 4c 46 02 01 01 40 01 00 00 00 00 00 00 00\n"
     "03 00 3e 00 01 00 00 00 00 00 00 00 00 00 00 00\n"
     "40 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
     "2c 00 00 00 40 00 38 00 01 00 40 00 00 00 00 00\n"
     "04 00 00 00 04 00 00 00 78 00 00 00 00 00 00 00\n"
     "78 00 00 00 00 00 00 00 78 00 00 00 00 00 00 00\n"
     "28 00 00 00 00 00 00 00 28 00 00 00 00 00 00 00\n"
     "04 00 00 00 00 00 00 00 07 00 00 00 13 00 00 00\n"
     "20 00 00 00 41 4d 44 47 50 55 00 00 81 ae 61 6d\n"
     "64 68 73 61 2e 76 65 72 73 69 6f 6e 92 01 00 00\n", true,
     "`hsa::read_note_elf`, then `hsa::verify`",
     "AC4138.elf.hex:+0x0: warning[AC4138]: machine 62, OS ABI 64, ABI version 1\n"
     "  00000000  7f 45 4c 46 02 01 01 40  01 00 00 00 00 00 00 00  |.ELF...@........|\n"
     "            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4139,
     "metadata of V3", false,
     "`hsa::to_note_elf` of V2",
     "<input>: error[AC4139]: V2 metadata is YAML in a note of another name; V3 to V6 are written\n"},
    {4140,
     "metadata of V3", false,
     "`hsa::to_note_elf` for gfx600 with XNACK off",
     "<input>: error[AC4140]: gfx600 has no XNACK\n"},
    {4141,
     "metadata with unknown keys `b` and `a`, in that order", false,
     "`hsa::to_note_elf`",
     "<input>: error[AC4141]: it reads back as another document\n"},
    {4145,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: ''\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4145.yaml:4:5: error[AC4145]: amdhsa.kernels[0].name: the name is empty\n"
     "    - .name: ''\n"
     "      ^~~~~~~~~\n"},
    {4146,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "  - .name: k\n"
     "    .symbol: k2.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4146.yaml:16:5: error[AC4146]: amdhsa.kernels[1].name: 'k' is also that of kernel 0\n"
     "    - .name: k\n"
     "      ^~~~~~~~\n"},
    {4147,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "  - .name: k2\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4147.yaml:16:5: error[AC4147]: amdhsa.kernels[1].symbol: 'k.kd' is also that of kernel 0\n"
     "    - .name: k2\n"
     "      ^~~~~~~~~\n"},
    {4148,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4148.yaml:4:5: warning[AC4148]: amdhsa.kernels[0].symbol: 'k' does not end in .kd\n"
     "    - .name: k\n"
     "      ^~~~~~~~\n"},
    {4149,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "    .kernarg_segment_align: 12\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4149.yaml:4:5: error[AC4149]: amdhsa.kernels[0].kernarg_segment_align: expected a power of two of a"
     "t least 4, found 12\n"
     "    - .name: k\n"
     "      ^~~~~~~~\n"},
    {4150,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "    .kernarg_segment_align: 4\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4150.yaml:4:5: error[AC4150]: amdhsa.kernels[0].kernarg_segment_align: 4 is under the 8 that an arg"
     "ument needs\n"
     "    - .name: k\n"
     "      ^~~~~~~~\n"},
    {4151,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 16\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4151.yaml:4:5: error[AC4151]: amdhsa.kernels[0].wavefront_size: expected 32 or 64, found 16\n"
     "    - .name: k\n"
     "      ^~~~~~~~\n"},
    {4152,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "    .max_flat_workgroup_size: 2048\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4152.yaml:4:5: warning[AC4152]: amdhsa.kernels[0].max_flat_workgroup_size: expected 1 to 1024 work-"
     "items, found 2048\n"
     "    - .name: k\n"
     "      ^~~~~~~~\n"},
    {4153,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "    .reqd_workgroup_size: [ 64, 8, 1 ]\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4153.yaml:4:5: error[AC4153]: amdhsa.kernels[0].reqd_workgroup_size: [64, 8, 1] is more than the 25"
     "6 work-items of .max_flat_workgroup_size\n"
     "    - .name: k\n"
     "      ^~~~~~~~\n"},
    {4160,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 0, .value_kind: by_value }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4160.yaml:7:9: warning[AC4160]: amdhsa.kernels[0].args[0].size: the argument has no bytes\n"
     "        - { .offset: 0, .size: 0, .value_kind: by_value }\n"
     "          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4161,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 4, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4161.yaml:7:9: error[AC4161]: amdhsa.kernels[0].args[0].size: global_buffer has 8 bytes, found 4\n"
     "        - { .offset: 0, .size: 4, .value_kind: global_buffer, .address_space: global }\n"
     "          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4162,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 4, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 16\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4162.yaml:7:9: error[AC4162]: amdhsa.kernels[0].args[0].offset: global_buffer at 4 is not aligned t"
     "o 8\n"
     "        - { .offset: 4, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4163,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 2, .size: 4, .value_kind: by_value }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4163.yaml:7:9: note[AC4163]: amdhsa.kernels[0].args[0].offset: a value of 4 bytes at 2\n"
     "        - { .offset: 2, .size: 4, .value_kind: by_value }\n"
     "          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4164,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4164.yaml:7:9: error[AC4164]: amdhsa.kernels[0].args[0].offset: 8 bytes at 8 in a segment of 8\n"
     "        - { .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4165,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4165.yaml:8:9: error[AC4165]: amdhsa.kernels[0].args[1].offset: 8 bytes at 0 share bytes with argum"
     "ent 0\n"
     "        - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4166,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .name: x, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "      - { .name: x, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 16\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4166.yaml:8:9: warning[AC4166]: amdhsa.kernels[0].args[1].name: 'x' is also that of argument 0\n"
     "        - { .name: x, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4167,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 4, .value_kind: dynamic_shared_pointer, .address_space: local }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4167.yaml:7:9: warning[AC4167]: amdhsa.kernels[0].args[0].pointee_align: the runtime cannot place t"
     "he memory without it\n"
     "        - { .offset: 0, .size: 4, .value_kind: dynamic_shared_pointer, .address_space: local }\n"
     "          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4168,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 4, .value_kind: dynamic_shared_pointer, .address_space: local, .pointee_"
     "align: 12 }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4168.yaml:7:9: error[AC4168]: amdhsa.kernels[0].args[0].pointee_align: 12 is no power of two\n"
     "        - { .offset: 0, .size: 4, .value_kind: dynamic_shared_pointer, .address_space: local, .pointe"
     "e_align: 12 }\n"
     "          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~"
     "~~~~~~~~~~~~~\n"},
    {4169,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4169.yaml:7:9: warning[AC4169]: amdhsa.kernels[0].args[0].address_space: expected for global_buffer"
     "\n"
     "        - { .offset: 0, .size: 8, .value_kind: global_buffer }\n"
     "          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4170,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: local }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4170.yaml:7:9: warning[AC4170]: amdhsa.kernels[0].args[0].address_space: local memory does not go w"
     "ith global_buffer\n"
     "        - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: local }\n"
     "          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4171,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global, .access: read_onl"
     "y }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4171.yaml:7:9: note[AC4171]: amdhsa.kernels[0].args[0].access: it means nothing for global_buffer\n"
     "        - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global, .access: read_o"
     "nly }\n"
     "          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~"
     "~~~~~\n"},
    {4172,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: hidden_global_offset_y }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4172.yaml:7:9: warning[AC4172]: amdhsa.kernels[0].args[0].offset: hidden_global_offset_y at 0 leave"
     "s no room for the 8 bytes before it\n"
     "        - { .offset: 0, .size: 8, .value_kind: hidden_global_offset_y }\n"
     "          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4173,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "      - { .offset: 8, .size: 8, .value_kind: hidden_global_offset_x }\n"
     "      - { .offset: 16, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 24\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4173.yaml:8:9: warning[AC4173]: amdhsa.kernels[0].args[1].value_kind: an explicit argument stands b"
     "ehind it\n"
     "        - { .offset: 8, .size: 8, .value_kind: hidden_global_offset_x }\n"
     "          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4174,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: hidden_global_offset_x }\n"
     "      - { .offset: 8, .size: 8, .value_kind: hidden_global_offset_x }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 16\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4174.yaml:8:9: error[AC4174]: amdhsa.kernels[0].args[1].value_kind: hidden_global_offset_x is also "
     "argument 0\n"
     "        - { .offset: 8, .size: 8, .value_kind: hidden_global_offset_x }\n"
     "          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4175,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: hidden_global_offset_x }\n"
     "      - { .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 16\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4175.yaml:7:9: note[AC4175]: amdhsa.kernels[0].args[0].offset: the hidden arguments stand in front "
     "of the others, as in argument blocks of OpenCL 2.0\n"
     "        - { .offset: 0, .size: 8, .value_kind: hidden_global_offset_x }\n"
     "          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4180,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.printf: [ 'no id' ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4180.yaml:2:1: error[AC4180]: amdhsa.printf[0]: expected ID:N:..., with decimal numbers, found 'no "
     "id'\n"
     "  amdhsa.version: [ 1, 0 ]\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4181,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.printf: [ '1:0:one', '1:0:two' ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4181.yaml:2:1: error[AC4181]: amdhsa.printf[1]: ID 1 is also that of string 0\n"
     "  amdhsa.version: [ 1, 0 ]\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4182,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.printf: [ '1:2:4:%d' ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4182.yaml:2:1: warning[AC4182]: amdhsa.printf[0]: 2 arguments announced, 1 sizes listed\n"
     "  amdhsa.version: [ 1, 0 ]\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4183,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.printf: [ '1:1:2:%d' ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4183.yaml:2:1: warning[AC4183]: amdhsa.printf[0]: 2 is no multiple of 4\n"
     "  amdhsa.version: [ 1, 0 ]\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4184,
     "---\n"
     "amdhsa.version: [ 1, 0 ]\n"
     "amdhsa.printf: [ '1:1:4:n: %d' ]\n"
     "amdhsa.kernels:\n"
     "  - .name: k\n"
     "    .symbol: k.kd\n"
     "    .args:\n"
     "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
     "    .group_segment_fixed_size: 0\n"
     "    .kernarg_segment_align: 8\n"
     "    .kernarg_segment_size: 8\n"
     "    .max_flat_workgroup_size: 256\n"
     "    .private_segment_fixed_size: 0\n"
     "    .sgpr_count: 8\n"
     "    .vgpr_count: 4\n"
     "    .wavefront_size: 64\n"
     "...\n", true,
     "`hsa::read_yaml`, then `hsa::verify`",
     "AC4184.yaml:2:1: warning[AC4184]: amdhsa.printf[0]: write \\72 for a colon in the format\n"
     "  amdhsa.version: [ 1, 0 ]\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4200,
     "a CL2 kernel whose setup gives it no alignment of its arguments", false,
     "`amdcompat convert -v --to elf --summary AC4200.bin`",
     "AC4200.bin: warning[AC4200]: kernels[0]: kernarg_segment_alignment 2^0: no alignment a runtime gives;"
     " 16 is used\n"},
    {4201,
     "a CL2 kernel whose setup asks for a priority", false,
     "`amdcompat convert -v -v --to elf --summary AC4201.bin`",
     "AC4201.bin: note[AC4201]: kernels[0].compute_pgm_rsrc1: PRIORITY = 1 is for the runtime to set: dropp"
     "ed\n"},
    {4202,
     "a CL2 kernel that wants ordered GDS appends", false,
     "`amdcompat convert --to elf --summary AC4202.bin`",
     "AC4202.bin: error[AC4202]: kernels[0].code_properties: ENABLE_ORDERED_APPEND_GDS needs what no hardwa"
     "re does\n"},
    {4203,
     "a descriptor that enables no user register", false,
     "`amdcompat check AC4203.bin`",
     "AC4203.bin: warning[AC4203]: kernels[0].descriptor.compute_pgm_rsrc2: 6 user registers enabled, 0 cou"
     "nted\n"},
    {4204,
     "a V2 object with local memory and registers that its kernel code does not give", false,
     "`amdcompat check AC4204.bin`",
     "AC4204.bin:+0xbf: warning[AC4204]: amdhsa.kernels[0]: kernel 'k' has metadata and kernel code as no c"
     "ompiler leaves them: KernargSegmentSize 12 (kernel code: 8) leaves out argument 'n' (4 bytes at 8); 1"
     "2 are used; GroupSegmentFixedSize 64, 0 in the kernel code\n"
     "  000000b8  73 3a 0a 20 20 2d 20 4e  61 6d 65 3a 20 20 20 20  |s:.  - Name:    |\n"
     "                                 ^~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4205,
     "a V2 object with a damaged key", false,
     "`amdcompat check AC4205.bin`",
     "AC4205.bin:+0x23b: warning[AC4205]: amdhsa.kernels[0].CodeProps.NumSGPRz: 'CodeProps.NumSGPRz' is no "
     "key of V2: runtimes skip it, and it is left out\n"
     "  00000234  53 47 50 52 7a 3a 20 38  2c 20 4e 75 6d 56 47 50  |SGPRz: 8, NumVGP|\n"
     "                                 ^~\n"},
    {4220,
     "code for a device without XNACK", false,
     "`amdcompat convert --to yaml --target gfx906:xnack+ AC4220.bin`",
     "AC4220.bin: error[AC4220]: target: the code was made for xnack-, not for xnack+\n"},
    {4221,
     "a V2 object without a list of arguments", false,
     "`amdcompat check AC4221.bin`",
     "AC4221.bin:+0xbf: warning[AC4221]: amdhsa.kernels[0]: kernel 'k' has a kernarg segment of 12 bytes an"
     "d no arguments in the file: who launches it fills the segment\n"
     "  000000b8  73 3a 0a 20 20 2d 20 4e  61 6d 65 3a 20 20 20 20  |s:.  - Name:    |\n"
     "                                 ^~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4222,
     "a kernel with a key that came with V5", false,
     "`amdcompat convert -v -v --summary --to yaml --code-object 4 AC4222.bin`",
     "AC4222.bin:+0x25d: note[AC4222]: amdhsa.kernels[0].uniform_work_group_size: .uniform_work_group_size "
     "came with V5 and is left out\n"
     "  00000258  6e 65 6c 73 91 8c a5 2e  61 72 67 73 93 86 ae 2e  |nels....args....|\n"
     "                           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4223,
     "a CL2 container of 32 bits", false,
     "`amdcompat convert --summary --layout in-place --to elf AC4223.bin`",
     "AC4223.bin:+0x16c: error[AC4223]: kernel 'scale' has addresses of 32 bits, and runtimes of today give"
     " out 64: its machine code cannot be carried over. Metadata in the natural layout describes its argume"
     "nts for the same kernel compiled anew; lifting the code to OpenCL C is another way; --layout natural "
     "--to yaml describes them\n"
     "  00000168  42 45 52 29 a4 00 00 00  64 04 00 00 03 00 00 00  |BER)....d.......|\n"
     "                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "AC4223.bin:+0x5d0: error[AC4223]: kernel 'volume' has addresses of 32 bits, and runtimes of today giv"
     "e out 64: its machine code cannot be carried over. Metadata in the natural layout describes its argum"
     "ents for the same kernel compiled anew; lifting the code to OpenCL C is another way; --layout natural"
     " --to yaml describes them\n"},
    {4224,
     ";ARGSTART:__OpenCL_fill_kernel\n"
     ";version:3:1:111\n"
     ";device:tahiti\n"
     ";uniqueid:1024\n"
     ";memory:uavprivate:0\n"
     ";value:n:int:1:1:0\n"
     ";ARGEND:__OpenCL_fill_kernel\n", true,
     "`amdcompat convert --to asm AC4224.amdil`",
     "AC4224.amdil:1:1: error[AC4224]: metadata text has no machine code to carry over; --layout natural wr"
     "ites the metadata alone\n"
     "  ;ARGSTART:__OpenCL_fill_kernel\n"
     "  ^\n"},
    {4225,
     "a CL2 kernel with a struct argument", false,
     "`amdcompat convert -v -v --summary --to elf AC4225.bin`",
     "AC4225.bin:+0x1006: note[AC4225]: amdhsa.kernels[2].args[10]: the code reads 's' through an address: "
     "give it a buffer that holds the struct particle\n"
     "  00001000  00 00 00 00 00 00 58 00  00 00 00 00 00 00 01 00  |......X.........|\n"
     "                              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4226,
     "", true,
     "",
     "smooth.bin: note[AC4226]: sampler 'nearest' of the source becomes constant data, as gfx7 wants it\n"},
    {4227,
     "code beside data that can be written", false,
     "`amdcompat convert --summary --to asm AC4227.bin`",
     "AC4227.bin: error[AC4227]: sections[2]: section '.data' is written to, and its distance from the code"
     " cannot be kept by a linker\n"},
    {4228,
     "code of V5 for any setting of SRAM-ECC", false,
     "`amdcompat convert -v -v --summary --to yaml --code-object 3 AC4228.bin`",
     "AC4228.bin: note[AC4228]: target: the code runs with sramecc on and off; V3 cannot say both, and it b"
     "ecomes on\n"},
    {4230,
     "a code object with ABI version 9 in its ELF header", false,
     "`hsa::read_code_object`",
     "<input>:+0x8: error[AC4230]: ABI version 9; 0 to 4 are known\n"},
    {4231,
     "an ELF header of version 2 with a note of version 3 or later", false,
     "`amdcompat check AC4231.bin`",
     "AC4231.bin:+0x7: warning[AC4231]: OS ABI 64 and ABI version 0 do not go with the notes: V3 is taken\n"
     "  00000000  7f 45 4c 46 02 01 01 40  00 00 00 00 00 00 00 00  |.ELF...@........|\n"
     "                                 ^~~~~~\n"},
    {4232,
     "machine number 255 in the flags", false,
     "`amdcompat check AC4232.bin`",
     "AC4232.bin: warning[AC4232]: target: the object names no known target\n"
     "AC4232.bin:+0x30: warning[AC4232]: machine 0xff of the flags is no target known here\n"
     "  0000002c  00 00 00 00 ff 06 00 00  40 00 38 00 09 00 40 00  |........@.8...@.|\n"
     "                        ^~~~~~~~~~~\n"},
    {4233,
     "the note under another type", false,
     "`amdcompat check -v AC4233.bin`",
     "AC4233.bin: note[AC4233]: no metadata: nothing says what arguments the kernels take\n"},
    {4234,
     "", true,
     "",
     "old.hsaco: note[AC4234]: kernel 'k' does not say how large its work-groups may be: 256 as runtimes as"
     "sume\n"},
    {4235,
     "a code object with two loaded sections at one address", false,
     "`amdcompat check AC4235.bin`",
     "AC4235.bin:+0x2000: error[AC4235]: section '.text' at 0x1000 overlaps the one before it or is not ali"
     "gned to 256\n"
     "  00001ffc  00 00 00 00 00 00 81 bf  00 00 81 bf 00 00 00 00  |................|\n"
     "                        ^~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4236,
     "a code object with a symbol that is longer than its section", false,
     "`amdcompat check AC4236.bin`",
     "AC4236.bin:+0x488: warning[AC4236]: symbol 'k': 8323080 bytes at 0x2000 lie outside section '.text'\n"
     "  00000484  00 00 00 00 01 00 00 00  12 03 08 00 00 20 00 00  |............. ..|\n"
     "                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4237,
     "a relocation of type 99", false,
     "`amdcompat check AC4237.bin`",
     "AC4237.bin:+0x538: error[AC4237]: a relocation of type 99 without a symbol that is loaded\n"
     "  00000534  00 00 00 00 08 30 00 00  00 00 00 00 63 00 00 00  |.....0......c...|\n"
     "                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4238,
     "a descriptor that leads to an entry two gigabytes on", false,
     "`amdcompat check AC4238.bin`",
     "AC4238.bin:+0x4a0: error[AC4238]: kernel 'k' has its entry, 2147483392 bytes on, in no code\n"
     "  0000049c  00 00 00 00 03 00 00 00  11 03 07 00 00 10 00 00  |................|\n"
     "                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4239,
     "a code object of version 2", false,
     "`hsa::write_code_object`",
     "<input>: error[AC4239]: V1 and V2 are read, not written: convert to V3 or later\n"},
    {4240,
     "metadata that names another descriptor", false,
     "`amdcompat check AC4240.bin`",
     "AC4240.bin: error[AC4240]: kernels[0].name: no metadata for kernel 'k'\n"
     "AC4240.bin: error[AC4240]: amdhsa.kernels[0].symbol: no descriptor 'j.kd'\n"},
    {4241,
     "metadata for another device than the flags", false,
     "`amdcompat check AC4241.bin`",
     "AC4241.bin:+0x24c: error[AC4241]: amdhsa.target: 'amdgcn-amd-amdhsa--gfx908' in the metadata, 'amdgcn"
     "-amd-amdhsa--gfx906:xnack-' in the flags\n"
     "  00000248  50 55 00 00 84 ae 61 6d  64 68 73 61 2e 6b 65 72  |PU....amdhsa.ker|\n"
     "                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4242,
     "an entry four bytes behind the start of the code", false,
     "`amdcompat check AC4242.bin`",
     "AC4242.bin: error[AC4242]: kernels[0].code: the entry is not on 256 bytes, from which the hardware st"
     "arts\n"},
    {4243,
     "a descriptor with a reserved byte that is not 0", false,
     "`amdcompat check -v AC4243.bin`",
     "AC4243.bin: note[AC4243]: kernels[0].descriptor: reserved bytes are not 0\n"},
    {4244,
     "metadata with more vector registers than the descriptor allots", false,
     "`amdcompat check AC4244.bin`",
     "AC4244.bin: error[AC4244]: kernels[0].descriptor.compute_pgm_rsrc1: room for 8 registers, .vgpr_count"
     " says 200\n"},
    {4245,
     "metadata with more local memory than the descriptor", false,
     "`amdcompat check AC4245.bin`",
     "AC4245.bin: error[AC4245]: kernels[0].descriptor.group_segment_fixed_size: 128 bytes, 256 in the meta"
     "data\n"},
    {4246,
     "a kernel with arguments and a descriptor that asks for no pointer to them", false,
     "`amdcompat check -v AC4246.bin`",
     "AC4246.bin: note[AC4246]: kernels[0].descriptor.kernel_code_properties: the metadata lists arguments,"
     " the code gets no pointer to them\n"},
    {4247,
     "v_pk_fmac_f16, which gfx908 has, in code for gfx906", false,
     "`amdcompat check AC4247.bin`",
     "AC4247.bin: error[AC4247]: kernels[0].code: kernel k: 'v_pk_fmac_f16_e32 v0, v1, v2' of gfx908 at +0x"
     "0 is nothing on gfx906\n"},
    {4248,
     "code for gfx906 that begins with no instruction", false,
     "`amdcompat check AC4248.bin`",
     "AC4248.bin: warning[AC4248]: kernels[0].code: kernel k: 0x7e01fe00 at +0x0 is no instruction of gfx90"
     "6 that is known here\n"},
    {4249,
     "code for gfx90a", false,
     "`amdcompat check -v AC4249.bin`",
     "AC4249.bin: note[AC4249]: the instructions of gfx90a are not known here: its code was not checked\n"},
    {4250,
     "a bundle whose entry is longer than the file", false,
     "`amdcompat check AC4250.bin`",
     "AC4250.bin:+0x20: error[AC4250]: entry 'hipv4-amdgcn-amd-amdhsa--gfx906': 1073741824 bytes at 4096 li"
     "e outside the file\n"
     "  0000001c  00 00 00 00 00 10 00 00  00 00 00 00 00 00 00 40  |...............@|\n"
     "                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4251,
     "a bundle of two code objects", false,
     "`amdcompat inspect AC4251.bin`",
     "AC4251.bin: error[AC4251]: the bundle holds 2 code objects: gfx906, gfx90a\n"},
    {4252,
     "a bundle without entries", false,
     "`amdcompat check AC4252.bin`",
     "AC4252.bin: error[AC4252]: the bundle holds no code object for a GPU\n"},
    {4260,
     "a code object with another float mode", false,
     "`amdcompat verify AC4220.bin AC4260.bin`",
     "AC4260.bin: error[AC4260]: kernels[0].compute_pgm_rsrc1: 0x00ac0041 before, 0x00ac1041 now\n"},
    {4261,
     "amdcompat convert -q --to elf -o new.hsaco cl2-tonga-code.clo\n", true,
     "`amdcompat verify -v cl2-tonga-code.clo new.hsaco`",
     "new.hsaco: note[AC4261]: kernels[0].args[3].value_kind: hidden_printf_buffer, which the kernel has no"
     " use for, is none now\n"
     "new.hsaco: note[AC4261]: kernels[0].args[4].value_kind: hidden_default_queue, which the kernel has no"
     " use for, is none now\n"
     "new.hsaco: note[AC4261]: kernels[0].args[5].value_kind: hidden_completion_action, which the kernel ha"
     "s no use for, is none now\n"
     "new.hsaco: note[AC4261]: kernels[1].args[3].value_kind: hidden_printf_buffer, which the kernel has no"
     " use for, is none now\n"
     "new.hsaco: note[AC4261]: kernels[1].args[4].value_kind: hidden_default_queue, which the kernel has no"
     " use for, is none now\n"
     "new.hsaco: note[AC4261]: kernels[1].args[5].value_kind: hidden_completion_action, which the kernel ha"
     "s no use for, is none now\n"
     "new.hsaco: note[AC4261]: kernels[1].args[8].size: 8 bytes before, 4 now\n"},
    {4300,
     "", true,
     "`amdcompat convert --layout in-place --to elf -o out.hsaco il-only.clo`",
     "il-only.clo:+0x151(1:1): error[AC4300]: kernel 'late' cannot be converted in place: no machine code f"
     "or the device\n"
     "  ;ARGSTART:__OpenCL_late_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4301,
     "", true,
     "`amdcompat convert --to elf --target gfx803 -o out.hsaco pitcairn-scale.clo`",
     "pitcairn-scale.clo: error[AC4301]: gfx803 does not run code of OpenCL 1.x kernels: only GFX6 and GFX7"
     " have the scalar loads by which it reads its arguments\n"},
    {4302,
     "", true,
     "`amdcompat convert --to elf -o out.hsaco pitcairn-1702.clo`",
     "pitcairn-1702.clo:+0x4da(1:1): error[AC4302]: kernel 'reduce' cannot be converted in place: 128 bytes"
     " of scratch memory for a work-item\n"
     "  ;ARGSTART:__OpenCL_reduce_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4303,
     "", true,
     "`amdcompat convert --to elf -o out.hsaco pitcairn-1702.clo`",
     "pitcairn-1702.clo:+0x6ec(1:1): error[AC4303]: kernel 'uses_table' cannot be converted in place: it ta"
     "kes the address of its global data segment out of constant buffer 0, which is part of the kernarg seg"
     "ment: no prologue can put the address of the object's data there\n"
     "  ;ARGSTART:__OpenCL_uses_table_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4304,
     "", true,
     "`amdcompat convert --to elf -o out.hsaco bonaire-1912-64.clo`",
     "bonaire-1912-64.clo:+0x1c5(1:1): error[AC4304]: kernel 'blur' cannot be converted in place: argument "
     "in is an image, a sampler or a counter, which runtimes of today pass in another form\n"
     "  ;ARGSTART:__OpenCL_blur_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4305,
     "", true,
     "",
     "<input>: error[AC4305]: argument data: two buffers of one UAV are in different ranges of 4 GiB\n"},
    {4306,
     "an OpenCL 1.x container of Pitcairn with `buffer_wbinvl1_sc`, which GFX7 does not have", false,
     "`amdcompat convert --layout in-place --to elf --target gfx704 -o /dev/null AC4306.bin`",
     "AC4306.bin:+0x12e(1:1): error[AC4306]: kernel 'scale' cannot be converted in place: 'buffer_wbinvl1_s"
     "c' at +0x0 is 'buffer_wbinvl1_vol' on gfx704\n"
     "  ;ARGSTART:__OpenCL_scale_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4307,
     "", true,
     "",
     "old.clo: error[AC4307]: kernel 'k' cannot be converted in place: a vector instruction writes a scalar"
     " register that a scalar load reads: 'v_readlane_b32 s4, v0, 0' at +0x0 needs 4 wait states before 's_"
     "load_dword s5, s[4:5], 0x0' at +0x8 on gfx600, and has 0\n"},
    {4308,
     "an OpenCL 1.x container with loads that have offsets of 32 bits in the 64-bit ABI", false,
     "`amdcompat convert --layout in-place --to elf -o /dev/null AC4308.bin`",
     "AC4308.bin:+0x156(1:1): warning[AC4308]: kernel 'scale' addresses a buffer with an offset of 32 bits,"
     " buffer_load_dword at +0x3c: buffers must lie below 4 GiB\n"
     "  ;ARGSTART:__OpenCL_scale_kernel\n"
     "  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {4310,
     "", true,
     "`amdcompat convert -v --to elf --prove -o out.hsaco pitcairn-scale-64.clo`",
     "pitcairn-scale-64.clo: note[AC4310]: kernel scale: proved; launches compared: 3, instructions reached"
     ": 19 of 19\n"},
    {4311,
     "", true,
     "`amdcompat convert --to elf --prove --proof-instructions 10 -o out.hsaco pitcairn-scale-64.clo`",
     "pitcairn-scale-64.clo: warning[AC4311]: kernel scale: unproved; launches compared: 0, instructions re"
     "ached: 0 of 0: the budget of 10 instructions for the proofs of a file was spent\n"},
    {4312,
     "an OpenCL 1.x container whose code computes with its own address", false,
     "`amdcompat convert --layout in-place --prove --to elf -o /dev/null AC4312.bin`",
     "AC4312.bin: error[AC4312]: kernel scale: differs; launches compared: 0, instructions reached: 0 of 0:"
     " buffer data differs from byte 0 on\n"},
    {4314,
     "", true,
     "`amdcompat convert --to elf --prove --proof-instructions 10 -o out.hsaco pitcairn-scale-64.clo`",
     "pitcairn-scale-64.clo: error[AC4314]: 1 of 1 converted kernels is not proved: scale: the budget of 10"
     " instructions for the proofs of a file was spent\n"},
    {4400,
     ";ARGSTART:__OpenCL_scale_kernel\n"
     ";version:3:1:111\n"
     ";device:pitcairn\n"
     ";uniqueid:1024\n"
     ";pointer:data:u32:1:1:0:uav:12:4:RW:0:0\n"
     ";uavid:11\n"
     ";ARGEND:__OpenCL_scale_kernel\n", true,
     "`amdcompat lift AC4400.amdil`",
     "AC4400.amdil:1:1: error[AC4400]: code offset 0x0: kernel 'scale' has no machine code\n"
     "  ;ARGSTART:__OpenCL_scale_kernel\n"
     "  ^\n"},
    {4401,
     "code for gfx1010", false,
     "`amdcompat lift AC4401.bin`",
     "AC4401.bin:+0x25d: error[AC4401]: code offset 0x0: kernel 'k' has machine code of a device that is no"
     "t lifted: only GFX6 to GFX9 are\n"
     "  00000258  6e 65 6c 73 91 8b a5 2e  61 72 67 73 93 86 ae 2e  |nels....args....|\n"
     "                           ^\n"},
    {4402,
     "a kernel with 32,768 dwords of scratch memory", false,
     "`amdcompat lift AC4402.bin`",
     "AC4402.bin:+0x12e(__OpenCL_scale_kernel:1:1): error[AC4402]: code offset 0x0: kernel 'scale' uses 131"
     "072 bytes of scratch memory\n"
     "  ;ARGSTART:__OpenCL_scale_kernel\n"
     "  ^\n"},
    {4403,
     "a kernel that starts with a table of vertex buffers", false,
     "`amdcompat lift AC4403.bin`",
     "AC4403.bin:+0x12e(__OpenCL_scale_kernel:1:1): error[AC4403]: code offset 0x0: kernel 'scale' starts w"
     "ith user data of class 0x15 (PTR_VERTEX_BUFFER_TABLE)\n"
     "  ;ARGSTART:__OpenCL_scale_kernel\n"
     "  ^\n"},
    {4404,
     "a kernel with a semaphore", false,
     "`amdcompat lift AC4404.bin`",
     "AC4404.bin:+0x12e(__OpenCL_scale_kernel:1:1): error[AC4404]: code offset 0x0: kernel 'scale' has the "
     "argument 'turn', which is not lifted: a semaphore or the like\n"
     "  ;ARGSTART:__OpenCL_scale_kernel\n"
     "  ^\n"},
    {4405,
     "s_getreg_b32 among the instructions", false,
     "`amdcompat lift AC4405.bin`",
     "AC4405.bin:+0x12e(__OpenCL_scale_kernel:1:1): error[AC4405]: code offset 0x34: kernel 'scale' has 's_"
     "getreg_b32 s0, 0x801', which is not lifted\n"
     "  ;ARGSTART:__OpenCL_scale_kernel\n"
     "  ^\n"},
    {4406,
     "a buffer's descriptor loaded from the arguments", false,
     "`amdcompat lift AC4406.bin`",
     "AC4406.bin:+0x12e(__OpenCL_scale_kernel:1:1): error[AC4406]: code offset 0x2c: kernel 'scale' accesse"
     "s memory through a descriptor of which it is not certain which one it is\n"
     "  ;ARGSTART:__OpenCL_scale_kernel\n"
     "  ^\n"},
    {4407,
     "half of EXEC as a factor", false,
     "`amdcompat lift --form work-item AC4407.bin`",
     "AC4407.bin:+0x12e(__OpenCL_scale_kernel:1:1): error[AC4407]: code offset 0x0: kernel 'scale' uses a l"
     "ane mask as a number\n"
     "  ;ARGSTART:__OpenCL_scale_kernel\n"
     "  ^\n"},
    {4408,
     "s_nop in place of the s_endpgm", false,
     "`amdcompat lift AC4408.bin`",
     "AC4408.bin:+0x12e(__OpenCL_scale_kernel:1:1): error[AC4408]: code offset 0x48: kernel 'scale' runs ou"
     "t of its machine code\n"
     "  ;ARGSTART:__OpenCL_scale_kernel\n"
     "  ^\n"},
    {4420,
     "a kernel with 2,048 dwords of scratch memory for each lane", false,
     "`amdcompat lift --form wave AC4420.bin`",
     "AC4420.bin:+0x12e(__OpenCL_scale_kernel:1:1): error[AC4420]: code offset 0x0: kernel 'scale' needs 52"
     "4544 bytes for what its lanes keep\n"
     "  ;ARGSTART:__OpenCL_scale_kernel\n"
     "  ^\n"},
    {4421,
     "", true,
     "",
     "pitcairn-scale.clo: note[AC4421]: kernel scale: proved; 3 random launches compared, 16 of 16 instruct"
     "ions reached\n"},
    {4422,
     "", true,
     "",
     "pitcairn-scale.clo: warning[AC4422]: kernel scale: not executable here: no OpenCL device 'nowhere'\n"},
    {4423,
     "", true,
     "",
     "wrong.clo: error[AC4423]: kernel scale: differs; 1 random launches compared, 16 of 16 instructions re"
     "ached: buffer data differs from byte 4 on\n"},
    {4500,
     "", true,
     "`amdcompat convert --layout natural --to elf --target gfx1030 --compiler no-such-clang -o out.hsaco p"
     "itcairn-scale.clo`",
     "pitcairn-scale.clo: error[AC4500]: 'no-such-clang' is no compiler that can be run; --compiler names a"
     "nother one\n"},
    {4501,
     "", true,
     "",
     "pitcairn-scale.clo: error[AC4501]: comgr 2.4 does not know gfx1201; the last that it knows is gfx1036"
     "\n"},
    {4502,
     "", true,
     "",
     "pitcairn-scale.clo: error[AC4502]: kernel 'scale' is not compiled: comgr 2.4: it took more than 120 s"
     "\n"},
    {4503,
     "", true,
     "",
     "pitcairn-scale.clo: error[AC4503]: kernel 'scale' is compiled, and not as the natural layout says: ar"
     "gument factor has offset 16 instead of 8\n"},
    {4504,
     "", true,
     "",
     "pitcairn-scale.clo: note[AC4504]: kernel scale: proved; launches compared: 3, instructions reached: 1"
     "6 of 16\n"},
    {4505,
     "", true,
     "",
     "pitcairn-scale.clo: warning[AC4505]: kernel scale: unproved; launches compared: 3, instructions reach"
     "ed: 16 of 16: code of gfx1030 is not executed here; the same source compiled for gfx803 is proved\n"},
    {4506,
     "", true,
     "",
     "pitcairn-scale.clo: error[AC4506]: kernel scale: differs; launches compared: 1, instructions reached:"
     " 16 of 16: buffer data differs from byte 4 on\n"},
    {5001,
     "an OpenCL 1.x container whose code begins with a word that is no instruction", false,
     "`amdcompat run --launch launch.json AC5001.bin`",
     "AC5001.bin: error[AC5001]: no gfx6 instruction has the encoding 0xffffffff at +0x0\n"},
    {5002,
     "an OpenCL 1.x container whose code begins with an export", false,
     "`amdcompat run --launch launch.json AC5002.bin`",
     "AC5002.bin: error[AC5002]: exp (0xf8000800) at +0x0 is not executed here\n"},
    {5003,
     "an OpenCL 1.x container whose code begins with a jump 256 bytes back", false,
     "`amdcompat run --launch launch.json AC5003.bin`",
     "AC5003.bin: error[AC5003]: the program counter leaves the code, at +0x0: s_branch -65\n"},
    {5004,
     "amdcompat pack --template -o launch.json pitcairn-scale.clo\n", true,
     "`amdcompat run --launch launch.json --instructions 10 pitcairn-scale.clo`",
     "pitcairn-scale.clo: error[AC5004]: the budget of 10 lane instructions was spent at +0xc\n"},
    {5005,
     "amdcompat pack --template -o launch.json pitcairn-scale.clo\n", true,
     "`amdcompat run --launch launch.json --dump 0xdead0000:4:out pitcairn-scale.clo`",
     "pitcairn-scale.clo: error[AC5005]: no 4 bytes of memory at 0xdead0000 to dump\n"},
    {5006,
     "an instruction without a row", false,
     "`gcn::encode`",
     "<input>: error[AC5006]: no instruction: no row\n"},
    {6001,
     "echo \"colour = 1\" > policy.toml\n", true,
     "`amdcompat migrate --policy policy.toml --out new tahiti-923.clo`",
     "policy.toml:1:10: error[AC6001]: 'colour' is no key of a policy\n"
     "  colour = 1\n"
     "           ^\n"},
    {6010,
     "", true,
     "",
     "{\"code\":\"AC6010\",\"severity\":\"note\",\"offset\":0,\"size\":0,\"message\":\"a symbolic link to a"
     " directory is not followed\"}\n"},
    {6011,
     "", true,
     "",
     "{\"code\":\"AC6011\",\"severity\":\"note\",\"offset\":0,\"size\":0,\"message\":\"a device, pipe or so"
     "cket is not read\"}\n"},
    {6012,
     "", true,
     "",
     "log.txt: failed: error[AC6012]: the file changed while it was read\n"},
    {6013,
     "mkdir old\n", true,
     "`amdcompat migrate --out old old`",
     "<input>: error[AC6013]: old is an input and the output directory\n"},
    {6020,
     "tar czf old.tgz tahiti-923.clo && head -c 300 old.tgz > cut.tgz\n", true,
     "`amdcompat migrate --out new cut.tgz`",
     "cut.tgz: failed: error[AC6020]: cannot be opened: truncated gzip input\n"},
    {6021,
     "printf \"\\037\\213\\010\\000\\000\\000\\000\\000\" > endless.gz\n", true,
     "`amdcompat migrate --out new endless.gz`",
     "endless.gz!/data!/data!/data!/data: failed: error[AC6021]: archives are nested deeper than 4\n"},
    {6022,
     "", true,
     "",
     "old.zip!/a.bin: failed: error[AC6022]: the member cannot be read: Encrypted file is unsupported\n"},
    {6030,
     "amdcompat migrate -q --shard 1/2 --out one tahiti-923.clo; amdcompat migrate -q --shard 2/3 --out two"
     " tahiti-923.clo\n", true,
     "`amdcompat migrate --merge --out all one two`",
     "<input>: error[AC6030]: two/manifest.jsonl: tool, policy, share of proofs or number of shards differ "
     "from one/manifest.jsonl\n"},
    {6031,
     "amdcompat migrate -q --shard 1/1 --out one tahiti-923.clo; echo \"{\" >> one/manifest.jsonl\n", true,
     "`amdcompat migrate --merge --out all one`",
     "<input>: error[AC6031]: one/manifest.jsonl:5: the line is no JSON\n"},
    {6032,
     "amdcompat migrate -q --shard 1/2 --out one tahiti-923.clo\n", true,
     "`amdcompat migrate --merge --out all one`",
     "<input>: error[AC6032]: shard 2/2 is missing\n"},
    {6040,
     "", true,
     "`amdcompat check -v cypress-1800.clo`",
     "cypress-1800.clo:+0x12e(1:1): note[AC6040]: kernel 'sweep' is described only: its machine code is not"
     " carried over\n"
     "  ;ARGSTART:__OpenCL_sweep_kernel\n"
     "  ^\n"},
    {6050,
     "", true,
     "",
     "<input>: error[AC6050]: another migration is writing to new\n"},
    {6051,
     "amdcompat migrate -q --out new tahiti-923.clo; echo garbage > new/.amdcompat/state.sqlite\n", true,
     "`amdcompat migrate --out new tahiti-923.clo`",
     "<input>: error[AC6051]: new/.amdcompat/state.sqlite: file is not a database; without that directory, "
     "everything is converted anew\n"},
    {6060,
     "echo hello > hello.txt\n", true,
     "`amdcompat migrate --out new hello.txt`",
     "hello.txt: refused: error[AC6060]: no kernel was found in it\n"},
    {6061,
     "", true,
     "",
     "<input>: warning[AC6061]: 24000 programs share 1000000000000 instructions for proofs (limits.all-proo"
     "f-instructions): 41666666 for each\n"},
    {6070,
     "", true,
     "",
     "<input>: warning[AC6070]: interrupted; the same command does the rest\n"},
    {9001,
     "", true,
     "",
     "old.bin: error[AC9001]: kernel 'k' cannot be converted in place: the prologue cannot be encoded\n"},
});
// clang-format on

}  // namespace

std::span<const PrintedExample> printed_examples() { return kExamples; }

}  // namespace amdcompat::cli
