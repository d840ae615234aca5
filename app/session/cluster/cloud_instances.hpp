// SPDX-License-Identifier: GPL-3.0-or-later
// Machines for rent in clouds: a list of figures, and a cluster to add to the project.
#pragma once

#include <optional>
#include <vector>

#include <QString>

#include "app/session/cluster/machine_files.hpp"

namespace pipedeck::session::cluster {

struct CloudInstance {
  QString name;      ///< "p4d.24xlarge"
  QString provider;  ///< "AWS"
  QString device;    ///< name in the catalogue
  int devices = 1;
  Bytes memory;    ///< sum over its devices
  QString joined;  ///< "NVLink 3", "PCI Express"; empty for one device
  BytesPerSecond network;
  std::optional<double> price_per_hour;  ///< of its devices, from the catalogue
  QString currency, price_date;
  QString date;  ///< of the other figures
};

/// Returns the offers in their fixed order.
std::vector<CloudInstance> cloud_offers();

/// Returns the preview of an offer by name. Unknown names are bad_usage.
Result<MachinePreview> preview_of_cloud(const QString& name);

}  // namespace pipedeck::session::cluster
