// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/transformer_files.hpp"

#include <algorithm>

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>

#include "core/io/files.hpp"
#include "core/io/hugging_face.hpp"
#include "core/presets/device_catalogue.hpp"

namespace pipedeck::app {

namespace {

struct Text {
  Q_DECLARE_TR_FUNCTIONS(pipedeck::app::TransformerFiles)
};

/// Configurations are a few kilobytes, in which every key is looked at.
constexpr qint64 largest = 1 << 20;

}  // namespace

bool is_transformer_file(const QString& path) {
  QFile file(path);
  if (!QFileInfo(path).isFile() || file.size() > largest || !file.open(QIODevice::ReadOnly)) return false;
  const auto document = json::parse(file.readAll().toStdString());
  return document && looks_like_hugging_face(*document);
}

Result<TransformerPreview> transformer_in(const QString& file) {
  auto document = read_document(file.toStdString());
  if (!document) return tl::unexpected(std::move(document.error()));
  auto* read = std::get_if<ReadTransformer>(&*document);
  if (!read)
    return fail(ErrorCode::bad_input,
                Text::tr("The file is no transformer's configuration: choose a model's config.json.").toStdString(), {},
                file.toStdString());
  TransformerPreview preview;
  preview.name = QString::fromStdString(read->config.name);
  preview.family = QString::fromStdString(read->config.family);
  preview.device = QString::fromStdString(std::string(assumed_device_type));
  preview.sequence = std::clamp(read->config.longest, 1, longest_assumed);
  preview.make = [model = std::move(*read)](const QString& device, const AnalyticOptions& options) {
    return catalogue_device(device.toStdString()).and_then([&](const DeviceModel& found) {
      return analytic_profile(model, found, options);
    });
  };
  return preview;
}

QStringList precisions_of(const QString& device) {
  QStringList names;
  const auto found = catalogue_device(device.toStdString());
  if (!found) return names;
  for (const auto& [name, tflops] : found->type.peak_tflops)
    if (name != "fp8") names << QString::fromStdString(name);
  return names;
}

QString usual_precision_of(const QString& device) {
  const auto found = catalogue_device(device.toStdString());
  return found ? QString::fromStdString(usual_precision(*found)) : QString();
}

ProjectState with_imported_profile(ProjectState state, Profile profile) {
  Added added = with_profile(std::move(state), std::move(profile));
  added.state.question.profile = added.id;
  return std::move(added.state);
}

}  // namespace pipedeck::app
