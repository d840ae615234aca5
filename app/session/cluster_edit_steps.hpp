// SPDX-License-Identifier: GPL-3.0-or-later
// Steps that edits of clusters are made of.
#pragma once

#include <string>

#include <QCoreApplication>

#include "app/session/cluster_edits.hpp"

namespace pipedeck::app {

struct ClusterText {
  Q_DECLARE_TR_FUNCTIONS(pipedeck::app::ClusterEdits)
};

tl::unexpected<Error> refused(const QString& why);
/// What the formats demand stands above all of it.
Result<DrawnCluster> checked(DrawnCluster drawn);
/// A matrix has a row for each device: where devices come or go it can't stay.
Result<void> check_no_matrix(const Cluster& cluster);
std::string unused_rack_name(const ClusterLayout& layout);
/// Racks without members are not collapsed either.
void forget_empty_racks(ClusterLayout& layout);

}  // namespace pipedeck::app
