// The whole library. Smaller programs include the header they need.
#pragma once

#include <amdcompat/cl1.hpp>
#include <amdcompat/cl2.hpp>
#include <amdcompat/cl2_launch.hpp>
#include <amdcompat/convert.hpp>
#include <amdcompat/device.hpp>
#include <amdcompat/diagnostic.hpp>
#include <amdcompat/elf.hpp>
#include <amdcompat/evidence.hpp>
#include <amdcompat/file_bytes.hpp>
#include <amdcompat/hsa.hpp>
#include <amdcompat/identify.hpp>
#include <amdcompat/kernarg_launch.hpp>
#include <amdcompat/launch_image.hpp>
#include <amdcompat/open.hpp>
#include <amdcompat/printf.hpp>
#include <amdcompat/program.hpp>
#include <amdcompat/text.hpp>
#include <amdcompat/version.hpp>
#include <amdcompat/xml.hpp>
