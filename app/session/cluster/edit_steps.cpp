// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/cluster/edit_steps.hpp"

#include <algorithm>

#include "core/plan/validate.hpp"

namespace pipedeck::session::cluster {

namespace {

// lupdate loses the context of texts in functions whose result is a std:: type.
QString rack_name(int number) { return ClusterText::tr("rack %1").arg(number); }

}  // namespace

tl::unexpected<Error> refused(const QString& why) { return fail(ErrorCode::bad_input, why.toStdString()); }

Result<DrawnCluster> checked(DrawnCluster drawn) {
  TRY_VOID(plan::validate(drawn.cluster));
  return drawn;
}

Result<void> check_no_matrix(const Cluster& cluster) {
  if (!cluster.bandwidth_matrix) return {};
  return refused(ClusterText::tr(
      "This cluster has a bandwidth matrix. Convert it into links first (Cluster > Convert matrix into links)."));
}

void forget_empty_racks(ClusterLayout& layout) {
  std::erase_if(layout.collapsed, [&](const std::string& rack) {
    return std::ranges::none_of(layout.racks, [&](const auto& member) { return member.second == rack; });
  });
}

std::string unused_rack_name(const ClusterLayout& layout) {
  for (int n = 1;; ++n) {
    const std::string name = rack_name(n).toStdString();
    if (std::ranges::none_of(layout.racks, [&](const auto& member) { return member.second == name; })) return name;
  }
}

}  // namespace pipedeck::session::cluster
