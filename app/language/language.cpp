// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/language/language.hpp"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

/// Nothing else would bring the translations of a static library into the program.
static void init_resources() { Q_INIT_RESOURCE(languages); }

namespace pipedeck::app {

QStringList languages() { return {QStringLiteral("en"), QStringLiteral("de")}; }

QString language_name(const QString& code) {
  return code == QLatin1String("de") ? QStringLiteral("Deutsch") : QStringLiteral("English");
}

QString language_for(const QString& chosen) {
  if (languages().contains(chosen)) return chosen;
  for (const QString& wanted : QLocale::system().uiLanguages()) {
    const QString code = wanted.left(2);
    if (languages().contains(code)) return code;
  }
  return languages().front();
}

void install_language(QCoreApplication& application, const QString& code) {
  init_resources();
  QLocale locale(code);
  locale.setNumberOptions(QLocale::OmitGroupSeparator);
  QLocale::setDefault(locale);
  const auto install = [&](const QString& name, const QString& folder) {
    auto* translator = new QTranslator(&application);
    if (translator->load(name, folder)) QCoreApplication::installTranslator(translator);
  };
  install(QStringLiteral("qtbase_") + code, QLibraryInfo::path(QLibraryInfo::TranslationsPath));  // OK, Cancel
  if (code == QLatin1String("de")) install(QStringLiteral("german"), QStringLiteral(":/i18n"));
}

}  // namespace pipedeck::app
