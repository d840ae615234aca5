// SPDX-License-Identifier: GPL-3.0-or-later
// The language of the window: English, or one that there is a translation of.
#pragma once

#include <QString>
#include <QStringList>

class QCoreApplication;

namespace pipedeck::app {

/// Codes of what there is, English first: "en", "de".
QStringList languages();
/// In itself: "English", "Deutsch".
QString language_name(const QString& code);
/// `chosen`, or where it is empty or unknown the first of the system's languages that there is.
QString language_for(const QString& chosen);

/// The name of the setting that holds the chosen one; empty: the system's.
inline const QString language_setting = QStringLiteral("window/language");

/// From now on texts are made in it and figures written its way. Before any window is made.
void install_language(QCoreApplication& application, const QString& code);

}  // namespace pipedeck::app
