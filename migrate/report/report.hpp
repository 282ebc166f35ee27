// The report of a migration: one XHTML file out of a manifest, for people.
//
// It needs nothing else: style, script and pictures are in it, and it is read from disk. Totals come first, by driver,
// device and reason of refusal; then a table of all kernels with their signature, where each argument was and is,
// what was found, and links to the outputs. Without JavaScript everything is there; with it the table sorts and
// filters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <amdcompat/diagnostic.hpp>

namespace amdcompat::migrate {

inline constexpr std::string_view kReportName = "report.xhtml";

// Pictures are part of the page up to `kMostPictures` kernels. Up to `kMostStored` they are there as data that is drawn
// when a kernel is opened, with the same places as text for who runs no scripts; a browser would take too long to load
// them all. Beyond there is the text; `amdcompat layout` draws kernels one by one.
inline constexpr std::uint64_t kMostPictures = 1'000;
inline constexpr std::uint64_t kMostStored = 20'000;

// Lifted source is part of the page while all of it is not more than so many bytes, of one kernel so many; what is left
// out is linked to.
inline constexpr std::uint64_t kMostSource = 2'000'000;
inline constexpr std::size_t kMostKernelSource = 30'000;

// Reads DIR/manifest.jsonl and writes DIR/report.xhtml, whole or not at all. The same manifest and outputs
// give the same bytes.
// Memory holds what is counted, some hundred bytes and the outputs' names a program, and a few records of each of the
// `jobs` threads at a time. Links lead to outputs below DIR only, whatever the manifest says.
// False, with a finding: the manifest cannot be read (AC0001, AC6031) or the report not be written (AC0002).
bool write_report(const std::string& directory, Diagnostics& diagnostics, unsigned jobs = 1);

}  // namespace amdcompat::migrate
