// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/work/temporary_folder.hpp"

#include <set>

namespace pipedeck::session::work {
namespace {

std::set<QTemporaryDir*>& folders_in_use() {
  static std::set<QTemporaryDir*> folders;
  return folders;
}

}  // namespace

TemporaryFolder::TemporaryFolder() { folders_in_use().insert(this); }

TemporaryFolder::~TemporaryFolder() { folders_in_use().erase(this); }

void remove_temporary_folders() {
  for (QTemporaryDir* folder : folders_in_use()) folder->remove();
}

}  // namespace pipedeck::session::work
