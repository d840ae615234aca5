// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/report_translation.hpp"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>

#include "app/language/core_text.hpp"

namespace pipedeck::app {

namespace {

class WindowsLanguage : public reports::Translation {
 public:
  std::string language() const override { return locale_.bcp47Name().toStdString(); }
  std::string decimal_sign() const override { return locale_.decimalPoint().toStdString(); }

  std::string pattern(const std::string& english) const override {
    return QCoreApplication::translate("report", english.c_str()).toStdString();
  }

  std::string sentence(const std::string& english) const override {
    return with_decimal_sign(core_text(english)).toStdString();
  }
  std::string error(const Error& error) const override { return with_decimal_sign(core_text(error)).toStdString(); }

 private:
  /// Every figure in a sentence of a report is one of ours; names stand in quotation marks.
  QString with_decimal_sign(QString text) const {
    static const QRegularExpression figure(QStringLiteral("(?<![\\w./\"\u201e])(\\d+)\\.(\\d+)(?![\\w./\"\u201c])"));
    return text.replace(figure, QStringLiteral("\\1") + locale_.decimalPoint() + QStringLiteral("\\2"));
  }

  const QLocale locale_;
};

}  // namespace

std::shared_ptr<const reports::Translation> report_translation() {
  const QLocale::Language language = QLocale().language();
  if (language == QLocale::English || language == QLocale::C) return nullptr;
  return std::make_shared<const WindowsLanguage>();
}

}  // namespace pipedeck::app
