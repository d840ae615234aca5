// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/widgets/key_help.hpp"

#include <QVariant>
#include <QWidget>

namespace pipedeck::views::widgets {

namespace {
const char* const property = "pipedeck_keys";
}

void describe_keys(QWidget& view, const QString& title, const std::vector<KeyHelp>& keys) {
  QVariantList groups = view.property(property).toList();
  QVariantList group{title};
  for (const KeyHelp& key : keys) group << key.keys << key.what;
  groups.append(QVariant(group));
  view.setProperty(property, groups);
}

std::vector<KeyGroup> described_keys(const QWidget& view) {
  std::vector<KeyGroup> groups;
  for (const QVariant& stored : view.property(property).toList()) {
    const QVariantList values = stored.toList();
    KeyGroup group{values.value(0).toString(), {}};
    for (qsizetype i = 1; i + 1 < values.size(); i += 2)
      group.keys.push_back({values[i].toString(), values[i + 1].toString()});
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace pipedeck::views::widgets
