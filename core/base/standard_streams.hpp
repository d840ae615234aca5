// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

namespace pipedeck {

/// Makes faults of the standard streams and of files errors of their calls. Called first in each program.
/// - A pipe without a reader and a file above the size limit are write errors; their signals would end the program.
/// - A standard stream that the caller closed stays unusable: no file that is opened later gets its number.
inline void harden_streams() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0) ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace pipedeck
