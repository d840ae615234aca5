// SPDX-License-Identifier: Apache-2.0
// A report of a crash, for a person to read and to send or not. Nothing is sent.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pipedeck {

/// Returns the folder for what a program keeps between its runs: pipedeck below $XDG_STATE_HOME or ~/.local/state.
std::string state_folder();

/// Returns the folder of crash reports below a state folder.
std::string crash_folder(const std::string& state);

/// At most this many reports are kept. The oldest one goes first.
inline constexpr int most_crash_reports = 10;

/// Makes SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT and std::terminate write a report before they end the program.
/// - A report has program, version, build ID, signal, exception type and backtrace. It has no arguments and no data.
/// - Frames are offsets into files without their folders: no report names a person.
/// - The file is <UTC time>-<program>-<process>.txt, made with its folder when it is needed. Its path goes to standard
///   error. The program still ends by the signal. A report that takes longer than 10 s is given up.
/// - The handler uses async-signal-safe functions, and backtrace and dladdr, which are loaded here.
/// Called once, first in main. A stack that overflows in a thread other than the calling one leaves no report.
void report_crashes(std::string_view program, std::string_view version, const std::string& folder);

/// Returns the paths of the reports in a folder, the oldest first.
std::vector<std::string> crash_reports(const std::string& folder);

}  // namespace pipedeck
