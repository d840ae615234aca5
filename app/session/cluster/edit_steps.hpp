// SPDX-License-Identifier: GPL-3.0-or-later
// Common steps of cluster edits.
#pragma once

#include <string>

#include <QCoreApplication>

#include "app/session/cluster/edits.hpp"

namespace pipedeck::session::cluster {

struct ClusterText {
  Q_DECLARE_TR_FUNCTIONS(ClusterEdits)
};

tl::unexpected<Error> refused(const QString& why);
/// Returns the cluster if it is valid for the file formats.
Result<DrawnCluster> checked(DrawnCluster drawn);
/// Returns an error if the cluster has a bandwidth matrix, whose rows would not match changed devices.
Result<void> check_no_matrix(const Cluster& cluster);
std::string unused_rack_name(const ClusterLayout& layout);
/// Also removes the collapsed state of racks without members.
void forget_empty_racks(ClusterLayout& layout);

}  // namespace pipedeck::session::cluster
