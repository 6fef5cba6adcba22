// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compilers on this machine run as ptxas: a part of --doctor.
//
// It asks programs rather than reading files: nvcc says what it would run (--dryrun), and each
// program that a variable names is run with --version.  If the answer has the line that
// ptxopt-ptxas adds, the program leads here, also through scripts and links.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/ptxas_drop_in.h"

namespace ptxopt::ptxas {

// Lines of the diagnosis; a complaint makes its status 1.
struct DoctorLines {
  std::function<void(std::string_view what, std::string_view text)> say;
  std::function<void(std::string_view what, std::string_view text)> complain;
};

struct CompilerSurvey {
  const DropIn& dropIn;
  const DoctorLines& lines;
  std::string self;                   // the path of this program
  std::vector<std::string> packages;  // folders of Python packages
  std::string fault;                  // why there is no ptxas; empty: there is one
};

// nvcc, ccache, clang, Triton, JAX.
void surveyCompilers(const CompilerSurvey& survey);

// The program answers --version as this one does: a link to it, or a script that calls it.
bool leadsHere(const std::string& program);

}  // namespace ptxopt::ptxas
