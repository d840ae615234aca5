// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/project/transformer_files.hpp"

#include <algorithm>

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>

#include "app/session/project/training_state.hpp"
#include "core/io/importers.hpp"
#include "core/io/onnx/model.hpp"
#include "core/presets/computed_profile.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/presets.hpp"

namespace pipedeck::session::project {

namespace {

struct TransformerText {
  Q_DECLARE_TR_FUNCTIONS(TransformerFiles)
};

/// Configurations have a few kilobytes, and every key is inspected.
constexpr qint64 largest = 1 << 20;
/// Tokens per sample that are offered at most: models accept more than they are trained with.
constexpr int longest_offered = 8192;

TransformerPreview preview_of(ParsedTransformer model) {
  TransformerPreview preview;
  preview.name = QString::fromStdString(model.config.name);
  preview.family = QString::fromStdString(model.config.family);
  preview.sequence = std::clamp(model.config.longest, 1, longest_offered);
  preview.make = [model = std::move(model)](const QString& device, const AnalyticOptions& options,
                                            const analytic::graph::DimensionSizes&) {
    return presets::catalogue_device(device.toStdString()).and_then([&](const DeviceModel& found) {
      return presets::computed_profile(model, found, options);
    });
  };
  return preview;
}

TransformerPreview preview_of(OperatorGraph graph) {
  TransformerPreview preview;
  preview.name = QString::fromStdString(graph.name);
  preview.family = QString::fromStdString(graph.source);
  preview.graph = true;
  preview.samples = static_cast<int>(analytic::graph::fixed_batch(graph).value_or(1));
  for (const analytic::graph::DynamicDimension& open : analytic::graph::open_dimensions(graph))
    if (open.meaning != analytic::graph::DynamicDimension::DimensionRole::batch)
      preview.sizes.push_back(QString::fromStdString(open.name));
  preview.make = [graph = std::move(graph)](const QString& device, const AnalyticOptions& options,
                                            const analytic::graph::DimensionSizes& sizes) {
    analytic::graph::Options answers;
    answers.precision = options.precision;
    answers.dropout = options.dropout;
    answers.sizes.samples = options.micro_batch;
    answers.sizes.named = sizes;
    return presets::catalogue_device(device.toStdString()).and_then([&](const DeviceModel& found) {
      return presets::computed_profile(graph, found, answers);
    });
  };
  return preview;
}

/// Adds the file's name to errors, which only have a place in it.
void name_file(TransformerPreview& preview, const std::string& file) {
  preview.make = [make = std::move(preview.make), file](const QString& device, const AnalyticOptions& options,
                                                        const analytic::graph::DimensionSizes& sizes) {
    auto made = make(device, options, sizes);
    if (!made && made.error().code == ErrorCode::bad_input) made.error().file = file;
    return made;
  };
}

}  // namespace

bool is_transformer_file(const QString& path) {
  QFile file(path);
  if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly)) return false;
  if (io::onnx::looks_like_onnx(file.peek(256).toStdString())) return true;
  if (file.size() > largest) return false;
  const auto importer = io::importer_of(file.readAll().toStdString());
  return importer && (*importer)->kind == io::FileKind::transformer;
}

Result<TransformerPreview> transformer_in(const QString& file) {
  auto document = io::read_document(file.toStdString());
  if (!document) return tl::unexpected(std::move(document.error()));
  TransformerPreview preview;
  if (auto* read = std::get_if<ParsedTransformer>(&*document)) {
    preview = preview_of(std::move(*read));
  } else if (auto* graph = std::get_if<OperatorGraph>(&*document)) {
    preview = preview_of(std::move(*graph));
  } else {
    return fail(ErrorCode::bad_input,
                TransformerText::tr("The file is neither a transformer's configuration nor an ONNX model. Choose a "
                                    "model's config.json or an .onnx file.")
                    .toStdString(),
                {}, file.toStdString());
  }
  preview.device = QString::fromStdString(std::string(presets::assumed_device_type));
  name_file(preview, QFileInfo(file).fileName().toStdString());
  return preview;
}

std::string known_device_type(const State& state) {
  const ClusterEntry* entry = find_cluster(state, state.question.cluster);
  return entry ? presets::known_device_type(*entry->cluster) : std::string();
}

bool is_transformer_preset(const QString& name) { return presets::is_transformer_preset(name.toStdString()); }

TransformerPreview preset_transformer(const QString& name, const State& state) {
  auto read = presets::transformer_preset(name.toStdString());
  ensure(read.has_value(), "asked for presets that there are");
  TransformerPreview preview = preview_of(*std::move(read));
  const std::string known = known_device_type(state);
  preview.device = QString::fromStdString(known.empty() ? std::string(presets::assumed_device_type) : known);
  return preview;
}

QStringList precisions_of(const QString& device) {
  QStringList names;
  const auto found = presets::catalogue_device(device.toStdString());
  if (!found) return names;
  for (const auto& [name, tflops] : found->type.peak_tflops)
    if (name != "fp8" && name != "fp4") names << QString::fromStdString(name);
  return names;
}

QString usual_precision_of(const QString& device) {
  const auto found = presets::catalogue_device(device.toStdString());
  return found ? QString::fromStdString(analytic::times::usual_precision(*found)) : QString();
}

State with_imported_profile(State state, Profile profile) {
  Added added = with_profile(std::move(state), std::move(profile));
  return with_selected_profile(std::move(added.state), added.id);
}

}  // namespace pipedeck::session::project
