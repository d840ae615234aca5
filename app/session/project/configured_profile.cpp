// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/project/configured_profile.hpp"

#include <utility>

#include "app/session/project/training_state.hpp"
#include "core/io/documents/transformer.hpp"
#include "core/presets/presets.hpp"

namespace pipedeck::session::project {

std::shared_ptr<const ModelSpec> configured_model(const QString& source, const Profile& profile) {
  const auto origin = io::documents::origin_of(profile);
  if (!origin || !*origin) return nullptr;
  auto model = presets::open_model(source.toStdString(), sequence_of((*origin)->config, (*origin)->options));
  return model ? std::make_shared<const ModelSpec>(*std::move(model)) : nullptr;
}

State with_configured_profile(State state, Profile profile, const QString& source) {
  std::shared_ptr<const ModelSpec> model = configured_model(source, profile);
  Added added = with_profile(std::move(state), std::move(profile), std::move(model));
  return with_selected_profile(std::move(added.state), added.id);
}

}  // namespace pipedeck::session::project
