// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/layout/settings_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <QSettings>

#include <fmt/format.h>

#include "app/ui/layout/appearance.hpp"
#include "app/ui/layout/zoom.hpp"

namespace pipedeck::ui::layout {

namespace {

using Kind = Setting::Kind;

constexpr qint64 most_bytes = 1 << 20;
constexpr int file_version = 1;
const QString format_name = QStringLiteral("pipedeck-settings");

constexpr std::array settings_of_file{Setting{"window/appearance", Kind::appearance},
                                      Setting{"window/zoom", Kind::whole, least_zoom, most_zoom},
                                      Setting{"window/start_page", Kind::on_off},
                                      Setting{"planning/budget_s", Kind::number, 0, 1e9},
                                      Setting{"run/steps", Kind::whole, 1, 1e9},
                                      Setting{"window/memory_by_item", Kind::on_off, 0, 0, "action_memory_by_item"},
                                      Setting{"window/side_by_side", Kind::on_off, 0, 0, "action_side_by_side"},
                                      Setting{"window/links", Kind::on_off, 0, 0, "action_links"},
                                      Setting{"window/overview", Kind::on_off, 0, 0, "action_overview", true},
                                      Setting{"window/split_folded", Kind::on_off},
                                      Setting{"window/project_shown", Kind::on_off},
                                      Setting{"window/inspector_shown", Kind::on_off}};

QJsonValue json_of(const Setting& setting, const QVariant& value) {
  switch (setting.kind) {
    case Kind::on_off:
      return value.toBool();
    case Kind::whole:
      return value.toInt();
    case Kind::number:
      return value.toDouble();
    case Kind::appearance:
      break;
  }
  return appearance_name(parse_appearance(value.toString()));
}

std::string found_text(const QJsonValue& value) {
  const QByteArray text = QJsonDocument(QJsonObject{{"v", value}}).toJson(QJsonDocument::Compact);  // {"v":900}
  constexpr qsizetype before = 5, most = 60;
  return text.mid(before, std::min(text.size() - before - 1, most)).toStdString();
}

std::string expected_text(const Setting& setting) {
  switch (setting.kind) {
    case Kind::on_off:
      return "true or false";
    case Kind::whole:
      return fmt::format("a whole number from {} to {}", setting.least, setting.most);
    case Kind::number:
      return fmt::format("a number from {} to {}", setting.least, setting.most);
    case Kind::appearance:
      break;
  }
  return "\"system\", \"light\" or \"dark\"";
}

bool is_valid(const Setting& setting, const QJsonValue& value) {
  const double number = value.toDouble(-1);
  switch (setting.kind) {
    case Kind::on_off:
      return value.isBool();
    case Kind::whole:
      return value.isDouble() && number >= setting.least && number <= setting.most && number == std::floor(number);
    case Kind::number:
      return value.isDouble() && number >= setting.least && number <= setting.most;
    case Kind::appearance:
      break;
  }
  return value.isString() && appearance_name(parse_appearance(value.toString())) == value.toString();
}

/// Returns "/settings/window~1zoom".
std::string place_of(const QString& key) {
  return "/settings/" + QString(key)
                            .replace(QLatin1Char('~'), QLatin1String("~0"))
                            .replace(QLatin1Char('/'), QLatin1String("~1"))
                            .toStdString();
}

Result<void> check(const QJsonObject& choices) {
  for (auto choice = choices.begin(); choice != choices.end(); ++choice) {
    const auto setting = std::ranges::find_if(
        settings_of_file, [&](const Setting& known) { return choice.key() == QLatin1String(known.key); });
    if (setting == settings_of_file.end()) {
      std::string names;
      for (const Setting& known : settings_of_file) names += (names.empty() ? "" : ", ") + std::string(known.key);
      return fail(ErrorCode::bad_input, "found an unknown setting, expected one of " + names, place_of(choice.key()));
    }
    if (!is_valid(*setting, choice.value()))
      return fail(ErrorCode::bad_input,
                  fmt::format("found {}, expected {}", found_text(choice.value()), expected_text(*setting)),
                  place_of(choice.key()));
  }
  return {};
}

Result<QJsonObject> choices_of(const QByteArray& text) {
  QJsonParseError error;
  const QJsonDocument document = QJsonDocument::fromJson(text, &error);
  if (error.error != QJsonParseError::NoError)
    return fail(ErrorCode::bad_input,
                fmt::format("found no JSON ({}), expected a file of settings", error.errorString().toStdString()),
                fmt::format("line {}", text.left(error.offset).count('\n') + 1));
  const QJsonObject whole = document.object();
  if (whole["format"].toString() != format_name)
    return fail(ErrorCode::bad_input,
                fmt::format("found {}, expected \"{}\"", found_text(whole["format"]), format_name.toStdString()),
                "/format");
  if (whole["version"].toInt() != file_version)
    return fail(ErrorCode::bad_input, fmt::format("found {}, expected {}", found_text(whole["version"]), file_version),
                "/version");
  if (!whole["settings"].isObject())
    return fail(ErrorCode::bad_input, fmt::format("found {}, expected an object", found_text(whole["settings"])),
                "/settings");
  const QJsonObject choices = whole["settings"].toObject();
  TRY_VOID(check(choices));
  return choices;
}

Result<QByteArray> text_of(const QString& name) {
  const QFileInfo info(name);
  if (info.exists() && !info.isFile())
    return fail(ErrorCode::bad_input, "found no plain file, expected a file of settings");
  QFile file(name);
  if (!file.open(QIODevice::ReadOnly)) return fail(ErrorCode::io, file.errorString().toStdString());
  if (file.size() > most_bytes)
    return fail(ErrorCode::bad_input, fmt::format("found {} bytes, expected at most {}", file.size(), most_bytes));
  return file.readAll();
}

}  // namespace

std::span<const Setting> portable_settings() { return settings_of_file; }

QByteArray settings_text(const QSettings& settings) {
  QJsonObject choices;
  for (const Setting& setting : settings_of_file) {
    const QString key = QLatin1String(setting.key);
    if (settings.contains(key)) choices[key] = json_of(setting, settings.value(key));
  }
  return QJsonDocument({{"format", format_name}, {"version", file_version}, {"settings", choices}}).toJson();
}

Result<void> write_settings_file(const QSettings& settings, const QString& file) {
  QSaveFile out(file);
  const QByteArray text = settings_text(settings);
  if (out.open(QIODevice::WriteOnly) && out.write(text) == text.size() && out.commit()) return {};
  return fail(ErrorCode::io, out.errorString().toStdString(), {}, file.toStdString());
}

Result<void> read_settings_file(QSettings& settings, const QString& file) {
  auto choices = text_of(file).and_then(choices_of);
  if (!choices) {
    choices.error().file = file.toStdString();
    return tl::unexpected(choices.error());
  }
  for (const Setting& setting : settings_of_file) {
    const QString key = QLatin1String(setting.key);
    choices->contains(key) ? settings.setValue(key, (*choices)[key].toVariant()) : settings.remove(key);
  }
  return {};
}

void reset_settings(QSettings& settings) {
  const QVariant kept = settings.value(announced_crash_key);
  settings.clear();
  if (kept.isValid()) settings.setValue(announced_crash_key, kept);
}

}  // namespace pipedeck::ui::layout
