// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/split/draft.hpp"

#include "app/text/in_qt.hpp"

namespace pipedeck::models::split {

bool Draft::propose(const plan::PlanEdit& edit) {
  if (edit_ == edit) return false;
  edit_ = edit;
  auto edited = plan::with_edit(original_, *profile_, *cluster_, edit);
  refusal_ = edited ? QString() : text::to_qstring(edited.error());
  shown_ = edited ? *std::move(edited) : original_;
  return true;
}

void Draft::restore() {
  edit_.reset();
  refusal_.clear();
  shown_ = original_;
}

void Draft::accept() {
  original_ = shown_;
  restore();
}

}  // namespace pipedeck::models::split
