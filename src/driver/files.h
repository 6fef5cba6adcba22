// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads inputs and writes outputs.  Writing is atomic: no reader ever sees half a file.
#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "support/source.h"

namespace ptxopt::driver {

// The path that means standard input or output.
inline constexpr std::string_view kStandardStream = "-";

// An error of the operating system, worded for a user, without the name of the file.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Reads a regular file, a pipe, a device, or standard input for "-".  Throws FileError if reading
// fails, for folders and files of 4 GiB and more, and for object files, cubins, fat binaries and
// sources in CUDA C++.
std::shared_ptr<const SourceText> readSource(const std::string& path);

// The names of inputs and outputs in messages: the path, or "<stdin>", "<stdout>".
std::string inputName(const std::string& path);
std::string outputName(const std::string& path);

// The file name for an input's result in a folder: its last component, "stdin.ptx" for "-".
std::string outputBaseName(const std::string& path);

// True for a path that is a folder, or ends in a slash and so means one.
bool isFolder(const std::string& path);

// Writes the pieces one after the other.
//
// A regular file, or one that does not exist yet, is written under another name beside it and then
// renamed: readers see either the old or the new file.  It keeps its mode bits.  If the path is a
// symbolic link, its target is replaced.  Pipes, devices, and "-" for standard output are written
// directly.  Throws FileError; then an existing file is unchanged.
void writeFile(const std::string& path, std::span<const std::string_view> pieces);
void writeFile(const std::string& path, std::string_view text);

// Call it once, before the first writeFile: removes half-written files when a signal ends the
// process.  After a signal that indicates an error of the program itself, writes `faultMessage` to
// standard error and exits with `faultStatus`.
void cleanUpOnSignals(std::string_view faultMessage, int faultStatus);

// Call it before a file is opened: gives descriptors to the standard streams that the caller has
// closed, which fail when they are used.  Otherwise an output file would get their numbers, and
// what is printed would go into it.
void fillStandardStreams();

}  // namespace ptxopt::driver
