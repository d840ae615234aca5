// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/topology/overlay.hpp"

#include <algorithm>

#include <QCoreApplication>

#include "app/models/format.hpp"
#include "core/base/ids.hpp"

namespace pipedeck::models::topology {

namespace {

struct OverlayText {
  Q_DECLARE_TR_FUNCTIONS(TopologyOverlay)
};

}  // namespace

int Overlay::group(int device) const {
  return device >= 0 && device < static_cast<int>(group_of.size()) ? group_of[static_cast<std::size_t>(device)] : -1;
}

bool Overlay::leaves_domain(int device) const {
  const int own = group(device);
  return own >= 0 && own < static_cast<int>(leaves.size()) && leaves[static_cast<std::size_t>(own)];
}

QString Overlay::load_text(const std::vector<int>& links) const {
  Bytes least, most;
  std::size_t loaded = 0;
  for (const int link : links) {
    const auto found = loads.find(link);
    if (found == loads.end()) continue;
    least = loaded == 0 ? found->second : std::min(least, found->second);
    most = std::max(most, found->second);
    ++loaded;
  }
  if (loaded == 0) return {};
  const QString text = format_bytes(most);
  if (links.size() == 1) return text;
  const bool equal = loaded == links.size() && format_bytes(least) == text;
  return equal ? OverlayText::tr("%1 each").arg(text) : OverlayText::tr("up to %1 each").arg(text);
}

QString Overlay::device_text(int device) const {
  const int own = group(device);
  if (own < 0) return {};
  std::vector<DeviceId> members;
  for (std::size_t d = 0; d < group_of.size(); ++d)
    if (group_of[d] == own) members.emplace_back(static_cast<std::int32_t>(d));
  QString text = OverlayText::tr("%1 group %2 of %3: %4")
                     .arg(name)
                     .arg(own + 1)
                     .arg(leaves.size())
                     .arg(models::devices_text(members));
  if (leaves_domain(device)) text += OverlayText::tr(", on several nodes");
  return text;
}

}  // namespace pipedeck::models::topology
