// SPDX-License-Identifier: GPL-3.0-or-later
// Settings as a file, imported, exported and reset, in the window and on its command line.
#include <QComboBox>
#include <QDialog>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QPushButton>
#include <QSpinBox>

#include "app/ui/layout/settings_file.hpp"
#include "app/ui/layout/zoom.hpp"
#include "app/views/widgets/theme.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_settings {

using namespace pipedeck::test;

namespace {

QByteArray file_of(const QByteArray& settings) {
  return R"({"format": "pipedeck-settings", "version": 1, "settings": )" + settings + "}";
}

QString written(const QTemporaryDir& folder, const QByteArray& text) {
  QFile file(folder.filePath("given.json"));
  if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) qFatal("cannot write");
  return file.fileName();
}

QVariantMap all_of(const QSettings& settings) {
  QVariantMap all;
  for (const QString& key : settings.allKeys()) all[key] = settings.value(key);
  return all;
}

}  // namespace

class TestSettings : public QObject {
  Q_OBJECT

 private slots:
  void every_choice_survives_a_file();
  void nothing_private_is_in_the_file();
  void a_bad_file_changes_nothing_data();
  void a_bad_file_changes_nothing();
  void the_window_exports_imports_and_resets();
  void the_command_line_does_so_too();
};

/// The table's defaults of actions are those of the window.
void TestSettings::every_choice_survives_a_file() {
  QTemporaryDir folder;
  QSettings first(folder.filePath("first.ini"), QSettings::IniFormat);
  for (const ui::layout::Setting& setting : ui::layout::portable_settings()) {
    const QString key = QLatin1String(setting.key);
    using Kind = ui::layout::Setting::Kind;
    if (setting.kind == Kind::on_off) first.setValue(key, !setting.first);
    if (setting.kind == Kind::whole || setting.kind == Kind::number) first.setValue(key, setting.least + 2);
    if (setting.kind == Kind::appearance) first.setValue(key, "dark");
  }
  first.sync();  // read again as texts, as a window at the next start
  QSettings again(folder.filePath("first.ini"), QSettings::IniFormat);
  QVERIFY(ui::layout::write_settings_file(again, folder.filePath("out.json")));
  QSettings second(folder.filePath("second.ini"), QSettings::IniFormat);
  second.setValue("files/recent", QStringList{"/home/me/mine.pipedeck"});
  QVERIFY(ui::layout::read_settings_file(second, folder.filePath("out.json")));
  QCOMPARE(ui::layout::settings_text(second), ui::layout::settings_text(again));
  QCOMPARE(second.value("files/recent").toStringList(), QStringList{"/home/me/mine.pipedeck"});
  const QJsonObject choices =
      QJsonDocument::fromJson(ui::layout::settings_text(second)).object()["settings"].toObject();
  QCOMPARE(choices.size(), static_cast<qsizetype>(ui::layout::portable_settings().size()));
  QVERIFY(choices["window/zoom"].isDouble() && choices["window/links"].toBool() &&
          !choices["window/overview"].toBool());

  WindowFixture fixture;
  for (const ui::layout::Setting& setting : ui::layout::portable_settings())
    if (setting.action) QCOMPARE(fixture.action(setting.action)->isChecked(), setting.first);
}

void TestSettings::nothing_private_is_in_the_file() {
  WindowFixture fixture;
  fixture.settings.setValue("files/recent", QStringList{"/home/me/mine.pipedeck"});
  fixture.settings.setValue("dialogs/opened_in", "/home/me");
  fixture.window->close();  // stores the layout
  QVERIFY(fixture.settings.contains("window/geometry"));
  const QByteArray text = ui::layout::settings_text(fixture.settings);
  QVERIFY2(!text.contains("/home") && !text.contains("geometry"), text);
}

void TestSettings::a_bad_file_changes_nothing_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QString>("words");
  const auto row = [](const char* name, const QByteArray& text, const char* words) {
    QTest::newRow(name) << text << QString(words);
  };
  row("no JSON", "{\n\"format\": \"pipedeck-settings\",\n oops}", "line 3: found no JSON");
  row("empty", "", "line 1: found no JSON");
  row("another format", R"({"format": "pipedeck-plan"})",
      "/format: found \"pipedeck-plan\", expected \"pipedeck-settings\"");
  row("another version", R"({"format": "pipedeck-settings", "version": 2})", "/version: found 2, expected 1");
  row("no settings", R"({"format": "pipedeck-settings", "version": 1, "settings": []})",
      "/settings: found [], expected an object");
  row("unknown", file_of(R"({"window/zoom": 120, "window/zoon": 1})"),
      "/settings/window~1zoon: found an unknown setting, expected one of window/appearance");
  row("too large", file_of(R"({"window/appearance": "dark", "window/zoom": 900})"),
      "/settings/window~1zoom: found 900, expected a whole number from 60 to 250");
  row("broken", file_of(R"({"window/zoom": 90.5})"), "found 90.5, expected a whole number");
  row("a text", file_of(R"({"window/links": "yes"})"), "found \"yes\", expected true or false");
  row("a colour", file_of(R"({"window/appearance": "pink"})"),
      "found \"pink\", expected \"system\", \"light\" or \"dark\"");
  row("negative", file_of(R"({"planning/budget_s": -1})"), "/settings/planning~1budget_s: found -1, expected a number");
  row("huge", QByteArray(2 << 20, ' '), "found 2097152 bytes, expected at most 1048576");
}

void TestSettings::a_bad_file_changes_nothing() {
  QFETCH(QByteArray, text);
  QFETCH(QString, words);
  WindowFixture fixture;
  fixture.settings.setValue("window/zoom", 100);
  const QVariantMap before = all_of(fixture.settings);
  fixture.answers.files_to_open = {written(fixture.directory, text)};
  fixture.trigger("action_preferences");
  fixture.child<QPushButton>("preferences_import")->click();
  QCOMPARE(fixture.errors.size(), 1);
  QVERIFY2(fixture.errors[0].contains(words) && fixture.errors[0].contains("given.json"),
           qPrintable(fixture.errors[0]));
  QCOMPARE(all_of(fixture.settings), before);
}

void TestSettings::the_window_exports_imports_and_resets() {
  WindowFixture fixture;
  const auto dialog = [&]() -> QDialog* {  // the one that is shown now
    for (QDialog* open : fixture.window->findChildren<QDialog*>(QStringLiteral("preferences")))
      if (open->isVisible()) return open;
    return nullptr;
  };
  fixture.answers.files_to_open = {
      written(fixture.directory, file_of(R"({"window/appearance": "dark", "window/zoom": 120, "planning/budget_s": 60,
                                     "window/start_page": false, "window/links": true, "run/steps": 7})"))};
  fixture.trigger("action_preferences");
  dialog()->findChild<QPushButton*>("preferences_import")->click();
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join(' ')));
  QVERIFY(views::widgets::Theme::of(fixture.window->palette()).dark);
  QVERIFY(fixture.action("action_appearance_dark")->isChecked());
  QCOMPARE(ui::layout::zoom(), 120);
  QVERIFY(fixture.action("action_links")->isChecked());
  QCOMPARE(fixture.state().question.planning.budget, Seconds{60});
  QCOMPARE(fixture.child<QSpinBox>("run_steps")->value(), 7);
  QCOMPARE(dialog()->findChild<QSpinBox*>("preferences_zoom")->value(), 120);
  dialog()->grab().save(pictures_folder() + "preferences-dark-120.png");

  fixture.answers.file_to_save = fixture.path("mine");
  dialog()->findChild<QPushButton*>("preferences_export")->click();
  QFile exported(fixture.path("mine.json"));
  QVERIFY(exported.open(QIODevice::ReadOnly));
  const QByteArray text = exported.readAll();
  QVERIFY2(text.contains("\"window/zoom\": 120") && text.contains("\"run/steps\": 7"), text);

  fixture.settings.setValue("files/recent", QStringList{"/x.pipedeck"});
  fixture.settings.setValue("crashes/announced", "20261129-113209-pipedeck-4711.txt");
  const QVariantMap before = all_of(fixture.settings);
  fixture.answers.confirm = false;
  dialog()->findChild<QPushButton*>("preferences_reset")->click();
  QVERIFY2(
      fixture.questions.last().contains("recent projects") && fixture.questions.last().contains("unsaved work stay"),
      qPrintable(fixture.questions.last()));
  QCOMPARE(all_of(fixture.settings), before);
  fixture.answers.confirm = true;
  dialog()->findChild<QPushButton*>("preferences_reset")->click();
  QVERIFY(fixture.settings.value("files/recent").toStringList().isEmpty());
  QCOMPARE(fixture.settings.value("crashes/announced").toString(), QString("20261129-113209-pipedeck-4711.txt"));
  QCOMPARE(ui::layout::zoom(), 100);
  QVERIFY(!fixture.action("action_links")->isChecked());
  QVERIFY(fixture.action("action_overview")->isChecked());
  QCOMPARE(fixture.child<QSpinBox>("run_steps")->value(), 200);
  dialog()->grab().save(pictures_folder() + "preferences.png");
}

void TestSettings::the_command_line_does_so_too() {
  QTemporaryDir folder;
  const auto run = [&](const QStringList& arguments) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("XDG_CONFIG_HOME", folder.filePath("config"));
    environment.insert("QT_QPA_PLATFORM", "no-display");  // it needs none
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(PIPEDECK_BUILD_DIR "/pipedeck"), arguments);
    return process.waitForFinished(60000) ? std::pair(process.exitCode(), process.readAllStandardError())
                                          : std::pair(-1, QByteArray());
  };
  const QString given = written(folder, file_of(R"({"window/zoom": 130})"));
  const QString out = folder.filePath("out.json");
  QCOMPARE(run({"--import-settings", given, "--export-settings", out}), std::pair(0, QByteArray()));
  QFile exported(out);
  QVERIFY(exported.open(QIODevice::ReadOnly));
  QVERIFY(exported.readAll().contains("\"window/zoom\": 130"));
  const auto [status, said] = run({"--import-settings", written(folder, file_of(R"({"window/zoom": "wide"})"))});
  QCOMPARE(status, 2);
  QVERIFY2(said.contains("given.json: /settings/window~1zoom: found \"wide\""), said);
  QCOMPARE(run({"--import-settings", folder.filePath("none.json")}).first, 1);
  QCOMPARE(run({"--import-settings"}).first, 2);
  QCOMPARE(run({"--reset-settings", "--export-settings", folder.filePath("reset.json")}).first, 0);
  QFile reset(folder.filePath("reset.json"));
  QVERIFY(reset.open(QIODevice::ReadOnly));
  QVERIFY(!reset.readAll().contains("zoom"));
}

PIPEDECK_WINDOW_TEST(TestSettings)

}  // namespace pipedeck::tst_settings

#include "tst_settings.moc"
