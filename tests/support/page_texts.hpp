// SPDX-License-Identifier: Apache-2.0
// The visible texts of a report's page.
#pragma once

#include <string>

#include <QStringList>
#include <QXmlStreamReader>

namespace pipedeck::test {

/// Each text of the page, its pictures' included; what is to be typed left out. Empty where the page is no XML.
inline QStringList texts_of(const std::string& html) {
  QXmlStreamReader xml(QByteArray::fromStdString(html));
  QStringList texts;
  while (!xml.atEnd()) {
    xml.readNext();
    if (xml.isStartElement() && (xml.name() == u"pre" || xml.name() == u"style")) xml.skipCurrentElement();
    if (const QString text = xml.text().toString().trimmed(); xml.isCharacters() && !text.isEmpty()) texts << text;
  }
  return xml.hasError() ? QStringList() : texts;
}

}  // namespace pipedeck::test
