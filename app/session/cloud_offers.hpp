// SPDX-License-Identifier: GPL-3.0-or-later
// Machines that clouds rent out, to choose one from: in figures, and as a cluster about to be added.
#pragma once

#include <optional>
#include <vector>

#include <QString>

#include "app/session/machine_files.hpp"

namespace pipedeck::app {

struct CloudOffer {
  QString name;      ///< "p4d.24xlarge"
  QString provider;  ///< "AWS"
  QString device;    ///< of the catalogue
  int devices = 1;
  Bytes memory;    ///< of all its devices
  QString joined;  ///< "NVLink 3", "PCI Express"; empty: there is nothing to join
  BytesPerSecond network;
  std::optional<double> price_per_hour;  ///< of its devices, by the catalogue
  QString currency, price_date;
  QString date;  ///< of the other figures
};

/// In their fixed order.
std::vector<CloudOffer> cloud_offers();

/// By the name of an offer. Unknown names are bad_usage.
Result<MachinePreview> preview_of_cloud(const QString& name);

}  // namespace pipedeck::app
