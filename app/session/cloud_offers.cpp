// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/cloud_offers.hpp"

#include <algorithm>

#include <QCoreApplication>

#include "app/text/in_qt.hpp"
#include "core/presets/cloud_shapes.hpp"
#include "core/presets/device_catalogue.hpp"

namespace pipedeck::app {

namespace {

struct Text {
  Q_DECLARE_TR_FUNCTIONS(pipedeck::app::CloudOffers)
};

CloudOffer offer_of(const CloudShape& shape) {
  CloudOffer offer;
  offer.name = in_qt(shape.name);
  offer.provider = in_qt(shape.provider);
  offer.device = in_qt(shape.device);
  offer.devices = shape.count;
  offer.network = shape.network;
  offer.date = in_qt(shape.date);
  const auto model = catalogue_device(shape.device);
  ensure(model.has_value(), "the devices of clouds are in the catalogue");
  offer.memory = model->type.memory * shape.count;
  if (const auto& price = model->type.price_per_hour) offer.price_per_hour = *price * shape.count;
  offer.currency = in_qt(model->price.currency);
  offer.price_date = in_qt(model->price.date);
  if (shape.count > 1)
    offer.joined = shape.lanes.empty() ? Text::tr("PCI Express")
                   : model->link       ? in_qt(model->link->kind)
                                       : Text::tr("NVLink");
  return offer;
}

}  // namespace

std::vector<CloudOffer> cloud_offers() {
  std::vector<CloudOffer> offers;
  std::ranges::transform(cloud_shapes(), std::back_inserter(offers), offer_of);
  return offers;
}

Result<MachinePreview> preview_of_cloud(const QString& name) {
  auto found = cloud_machine(name.toStdString());
  if (!found) return tl::unexpected(std::move(found.error()));
  MachinePreview preview = preview_of(*std::move(found));
  preview.title = Text::tr("Machines of a cloud");
  preview.types = false;
  return preview;
}

}  // namespace pipedeck::app
