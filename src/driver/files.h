// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading inputs and writing outputs so that nobody ever meets half a file.
#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "support/source.h"

namespace ptxopt::driver {

// The name that stands for standard input or output.
inline constexpr std::string_view kStandardStream = "-";

// What the operating system had to say, worded for a user, without the name of the file.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Reads a regular file, a pipe, a device, or standard input for "-".  Throws FileError for what
// cannot be read, directories and files of 4 GiB and more.
std::shared_ptr<const SourceText> readSource(const std::string& path);

// How inputs and outputs are called in messages: the path, or "<stdin>", "<stdout>".
std::string inputName(const std::string& path);
std::string outputName(const std::string& path);

// The name of an input's result in a folder: its last component, "stdin.ptx" for "-".
std::string outputBaseName(const std::string& path);

// True for a path that is a folder, or ends in a slash and so is meant as one.
bool isFolder(const std::string& path);

// Writes the pieces one after the other.
//
// A regular file, or one that does not exist yet, is written beside itself and then renamed:
// whoever looks sees the old file or the new one.  It keeps its mode bits; of a symbolic link, the
// file that it points to is replaced.  Pipes, devices, and "-" for standard output are written
// directly. Throws FileError; then a file that was there is as it was.
void writeFile(const std::string& path, std::span<const std::string_view> pieces);
void writeFile(const std::string& path, std::string_view text);

// To be called once, before the first writeFile: removes files that are half written when a signal
// ends the process.  After a signal that means a fault of the program itself, `faultMessage` goes
// to standard error and the process exits with `faultStatus`.
void cleanUpOnSignals(std::string_view faultMessage, int faultStatus);

}  // namespace ptxopt::driver
