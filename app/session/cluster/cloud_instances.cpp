// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/cluster/cloud_instances.hpp"

#include <algorithm>

#include <QCoreApplication>

#include "app/text/in_qt.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/instance_types.hpp"

namespace pipedeck::session::cluster {

namespace {

struct CloudOffersText {
  Q_DECLARE_TR_FUNCTIONS(CloudOffers)
};

CloudInstance offer_of(const presets::InstanceType& shape) {
  CloudInstance offer;
  offer.name = text::to_qstring(shape.name);
  offer.provider = text::to_qstring(shape.provider);
  offer.device = text::to_qstring(shape.device);
  offer.devices = shape.count;
  offer.network = shape.network;
  offer.date = text::to_qstring(shape.date);
  const auto model = presets::catalogue_device(shape.device);
  ensure(model.has_value(), "the devices of clouds are in the catalogue");
  offer.memory = model->type.memory * shape.count;
  if (const auto& price = model->price) {
    offer.price_per_hour = price->per_hour * shape.count;
    offer.currency = text::to_qstring(price->currency);
    offer.price_date = text::to_qstring(price->date);
  }
  if (shape.count > 1)
    offer.joined = shape.lanes.empty() ? CloudOffersText::tr("PCI Express")
                   : model->link       ? text::to_qstring(model->link->kind)
                                       : CloudOffersText::tr("NVLink");
  return offer;
}

}  // namespace

std::vector<CloudInstance> cloud_offers() {
  std::vector<CloudInstance> offers;
  std::ranges::transform(presets::instance_types(), std::back_inserter(offers), offer_of);
  return offers;
}

Result<MachinePreview> preview_of_cloud(const QString& name) {
  auto found = presets::cloud_machine(name.toStdString());
  if (!found) return tl::unexpected(std::move(found.error()));
  MachinePreview preview = preview_of(*std::move(found));
  preview.title = CloudOffersText::tr("Machines of a cloud");
  preview.types = false;
  return preview;
}

}  // namespace pipedeck::session::cluster
