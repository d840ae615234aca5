// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/split_draft.hpp"

#include "app/text/in_qt.hpp"

namespace pipedeck::app {

bool SplitDraft::propose(const PlanEdit& edit) {
  if (edit_ == edit) return false;
  edit_ = edit;
  auto edited = with_edit(original_, *profile_, *cluster_, edit);
  refusal_ = edited ? QString() : in_qt(edited.error());
  shown_ = edited ? *std::move(edited) : original_;
  return true;
}

void SplitDraft::restore() {
  edit_.reset();
  refusal_.clear();
  shown_ = original_;
}

void SplitDraft::accept() {
  original_ = shown_;
  restore();
}

}  // namespace pipedeck::app
