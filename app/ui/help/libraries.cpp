// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/help/libraries.hpp"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "app/ui/help/help_pages.hpp"

namespace pipedeck::ui::help {

std::vector<Library> libraries_in(const QString& folder) {
  std::vector<Library> libraries;
  QFile bill(folder + QStringLiteral("/pipedeck.spdx.json"));
  if (bill.open(QIODevice::ReadOnly)) {
    for (const QJsonValue package : QJsonDocument::fromJson(bill.readAll())["packages"].toArray()) {
      if (package["SPDXID"].toString() == QLatin1String("SPDXRef-Pipedeck")) continue;
      const QString text = QDir(folder).filePath(package["licenseComments"].toString());
      libraries.push_back({package["name"].toString(), package["versionInfo"].toString(),
                           package["licenseDeclared"].toString(), QFile::exists(text) ? text : QString()});
    }
    return libraries;
  }
  for (const QString& line : help_text(QStringLiteral("libraries.csv")).split(QLatin1Char('\n'), Qt::SkipEmptyParts)) {
    const QStringList fields = line.split(QLatin1Char(','));
    libraries.push_back({fields.value(0), fields.value(1), fields.value(2), {}});
  }
  return libraries;
}

}  // namespace pipedeck::ui::help
