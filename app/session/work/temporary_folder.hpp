// SPDX-License-Identifier: GPL-3.0-or-later
// Temporary folders that a signal does not leave behind.
#pragma once

#include <QTemporaryDir>

namespace pipedeck::session::work {

/// A QTemporaryDir that remove_temporary_folders() removes, too. Created and destroyed on the window's thread.
class TemporaryFolder : public QTemporaryDir {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
};

/// Removes every folder that is in use, right before the program ends without destructors.
void remove_temporary_folders();

}  // namespace pipedeck::session::work
