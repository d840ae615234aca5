// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/help/help_pages.hpp"

#include <QCoreApplication>
#include <QFile>
#include <QTextBlock>
#include <QTextDocument>

// Outside any namespace: the macro declares a function in the global namespace.
static void load_help() { Q_INIT_RESOURCE(pipedeck_help); }

namespace pipedeck::ui::help {

namespace {
struct HelpPages {
  Q_DECLARE_TR_FUNCTIONS(HelpPages)
};
}  // namespace

std::vector<HelpPage> help_pages() {
  return {{QStringLiteral("user-guide.md"), HelpPages::tr("User guide")},
          {QStringLiteral("guide-config-json.md"), HelpPages::tr("I have a config.json and 64 H100")},
          {QStringLiteral("guide-pytorch-trace.md"), HelpPages::tr("I have a PyTorch trace")},
          {QStringLiteral("guide-two-gpus.md"), HelpPages::tr("I have two RTX 4090")},
          {QStringLiteral("guide-which-machines.md"), HelpPages::tr("Which machines should we buy?")},
          {QStringLiteral("guide-run-here.md"), HelpPages::tr("Run it on this box")},
          {QStringLiteral("guide-own-planner.md"), HelpPages::tr("Put my planner next to the others")},
          {QStringLiteral("planners.md"), HelpPages::tr("Planners")},
          {QStringLiteral("simulator.md"), HelpPages::tr("The simulator")},
          {QStringLiteral("formats.md"), HelpPages::tr("Files and command line")},
          {QStringLiteral("engines.md"), HelpPages::tr("Plans for other engines")},
          {QStringLiteral("accuracy.md"), HelpPages::tr("Accuracy of computed profiles")},
          {QStringLiteral("reproduction.md"), HelpPages::tr("The papers' tables")},
          {QStringLiteral("README.md"), HelpPages::tr("About the project")}};
}

QString help_text(const QString& file) {
  load_help();
  QFile page(QStringLiteral(":/help/") + file);
  return page.open(QIODevice::ReadOnly) ? QString::fromUtf8(page.readAll()) : QString();
}

QString slug_of(const QString& heading) {
  QString slug;
  for (const QChar sign : heading.toLower()) {
    if (sign.isLetterOrNumber() || sign == QLatin1Char('-') || sign == QLatin1Char('_')) slug += sign;
    if (sign.isSpace()) slug += QLatin1Char('-');
  }
  return slug;
}

std::vector<HelpHeading> headings_of(const QTextDocument& document) {
  std::vector<HelpHeading> headings;
  for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
    const int level = block.blockFormat().headingLevel();
    if (level > 0) headings.push_back({block.text(), slug_of(block.text()), level, block.position()});
  }
  return headings;
}

}  // namespace pipedeck::ui::help
