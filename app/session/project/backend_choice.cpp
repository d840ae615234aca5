// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/project/backend_choice.hpp"

#include <algorithm>
#include <array>

#include <QCoreApplication>

#include "app/text/in_qt.hpp"

namespace pipedeck::session::project {

namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(BackendChoice)
};

/// As reported by core/runtime/cuda/library.cpp and the runtime's memory.
constexpr std::array no_memory{"out of memory", "memory allocation"};                      // not shown
constexpr std::array lost{"ECC", "fell off the bus", "NVLink", "Xid", "a peer was lost"};  // not shown

template <class Signs>
bool contains_any(const std::string& text, const Signs& signs) {
  return std::ranges::any_of(signs, [&](const char* sign) { return text.find(sign) != std::string::npos; });
}

}  // namespace

QString name_of_change(const RunBackend& from, const RunBackend& to) {
  if (from.gpus != to.gpus) return to.gpus ? Words::tr("Train on GPUs") : Words::tr("Train on the processor");
  if (from.share_gpus != to.share_gpus)
    return to.share_gpus ? Words::tr("Share GPUs") : Words::tr("One GPU per device");
  return Words::tr("Precision %1").arg(text::to_qstring(std::string(name_of(to.precision))));
}

QJsonObject backend_to_json(const RunBackend& backend) {
  return {{"gpus", backend.gpus},
          {"precision", text::to_qstring(std::string(name_of(backend.precision)))},
          {"share_gpus", backend.share_gpus}};
}

RunBackend backend_from_json(const QJsonObject& json) {
  RunBackend backend;
  backend.gpus = json["gpus"].toBool();
  backend.precision = parse_product_precision(json["precision"].toString().toStdString()).value_or(backend.precision);
  backend.share_gpus = json["share_gpus"].toBool();
  return backend;
}

QString gpu_error_hint(const std::string& failure) {
  if (contains_any(failure, no_memory))
    return Words::tr(
        "Compare again with a smaller micro-batch or with planners that recompute, end other programs on the GPU, or "
        "train on the processor.");
  if (contains_any(failure, lost))
    return Words::tr(
        "The measurements so far are saved. Train on the processor, or resume from the last checkpoint once the GPU "
        "works again (More > Resume from).");
  return {};
}

}  // namespace pipedeck::session::project
