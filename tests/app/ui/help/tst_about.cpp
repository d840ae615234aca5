// SPDX-License-Identifier: GPL-3.0-or-later
// Help > About: versions, licences and the text for a report.
#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTreeWidget>

#include "app/ui/help/about_dialog.hpp"
#include "app/ui/help/libraries.hpp"
#include "app/ui/layout/zoom.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_about {

using namespace pipedeck::test;

class TestAbout : public QObject {
  Q_OBJECT

 private slots:
  void parts_have_versions_and_licences();
  void an_archive_shows_its_bill_of_materials();
  void the_report_is_copied();
  void a_failure_is_shown();
  void it_is_whole_in_a_small_window();
};

void TestAbout::parts_have_versions_and_licences() {
  WindowFixture fixture;
  fixture.trigger("action_about");
  auto* dialog = fixture.child<QDialog>("about");
  QVERIFY(dialog && dialog->isVisible());
  auto* list = dialog->findChild<QTreeWidget*>("about_libraries");
  auto* text = dialog->findChild<QPlainTextEdit*>("about_licence");
  QVERIFY(list->topLevelItemCount() > 10);
  QVERIFY(text->toPlainText().contains("Apache License"));
  QStringList licences, names;
  for (int row = 0; row < list->topLevelItemCount(); ++row) {
    const QTreeWidgetItem* item = list->topLevelItem(row);
    names << item->text(0);
    licences << item->text(2);
    if (row > 1) QVERIFY2(!item->text(1).isEmpty() && item->text(1)[0].isDigit(), qPrintable(item->text(0)));
    QVERIFY(!item->text(2).isEmpty());
  }
  QCOMPARE(licences.mid(0, 2), (QStringList{"Apache-2.0", "GPL-3.0-or-later"}));
  const qsizetype qt = names.indexOf("qt6-base");
  QVERIFY(qt > 0 && names.contains("nlohmann-json3") && names.contains("sqlite3"));
  QCOMPARE(list->topLevelItem(static_cast<int>(qt))->text(1), QString(QT_VERSION_STR));
  list->setCurrentItem(list->topLevelItem(1));
  QVERIFY(text->toPlainText().contains("GNU GENERAL PUBLIC LICENSE") &&
          text->toPlainText().contains("END OF TERMS AND CONDITIONS"));
  list->setCurrentItem(list->topLevelItem(static_cast<int>(qt)));
  QVERIFY(text->toPlainText().contains("qt6-base is under LGPL-3.0-only"));
}

void TestAbout::an_archive_shows_its_bill_of_materials() {
  QTemporaryDir folder;
  QVERIFY(QDir(folder.path()).mkpath("LICENSES/debian"));
  const auto write = [&](const char* name, const QByteArray& text) {
    QFile file(folder.filePath(name));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
  };
  write("LICENSES/debian/libx", "Do as you like.");
  write("pipedeck.spdx.json", R"({"packages": [
    {"SPDXID": "SPDXRef-Pipedeck", "name": "pipedeck", "versionInfo": "9"},
    {"SPDXID": "SPDXRef-libx", "name": "libx", "versionInfo": "1.2-3", "licenseDeclared": "MIT",
     "licenseComments": "LICENSES/debian/libx"},
    {"SPDXID": "SPDXRef-liby", "name": "liby", "versionInfo": "2", "licenseDeclared": "Zlib",
     "licenseComments": "LICENSES/debian/liby"}]})");
  const std::vector<ui::help::Library> libraries = ui::help::libraries_in(folder.path());
  QCOMPARE(libraries.size(), std::size_t{2});
  QCOMPARE(libraries[0].name + libraries[0].version + libraries[0].licence, QString("libx1.2-3MIT"));
  QCOMPARE(libraries[1].file, QString());
  ui::help::AboutDialog dialog("abc", command_line_program(), folder.path());
  dialog.show();
  QVERIFY(dialog.findChild<QLabel*>("about_version")->text().endsWith(", commit abc"));
  auto* list = dialog.findChild<QTreeWidget*>("about_libraries");
  QCOMPARE(list->topLevelItemCount(), 4);
  list->setCurrentItem(list->topLevelItem(2));
  QCOMPARE(dialog.findChild<QPlainTextEdit*>("about_licence")->toPlainText(), QString("Do as you like."));
}

void TestAbout::the_report_is_copied() {
  ui::help::AboutDialog dialog("abc", command_line_program(), "/nowhere");
  dialog.show();
  QApplication::clipboard()->setText("before");
  auto* copy = dialog.findChild<QPushButton*>("about_copy");
  copy->click();
  QVERIFY(!copy->isEnabled());
  QTRY_VERIFY_WITH_TIMEOUT(copy->isEnabled(), 60000);
  const QString report = QApplication::clipboard()->text();
  QVERIFY2(report.startsWith("Pipedeck ") && report.contains(", commit abc\n\n"), qPrintable(report));
  QVERIFY2(report.contains("pipedeck-cli") && report.contains("kernel") && report.contains("SQLite") &&
               report.contains("crash reports"),
           qPrintable(report));
  QVERIFY(dialog.findChild<QLabel*>("about_note")->text().startsWith("Copied."));
}

void TestAbout::a_failure_is_shown() {
  ui::help::AboutDialog dialog("", "/nowhere/pipedeck-cli", "/nowhere");
  dialog.show();
  QVERIFY(!dialog.findChild<QLabel*>("about_version")->text().contains("commit"));
  QApplication::clipboard()->setText("before");
  auto* copy = dialog.findChild<QPushButton*>("about_copy");
  copy->click();
  QTRY_VERIFY_WITH_TIMEOUT(copy->isEnabled(), 60000);
  QVERIFY(dialog.findChild<QLabel*>("about_note")->text().startsWith("pipedeck-cli doctor failed: "));
  QCOMPARE(QApplication::clipboard()->text(), QString("before"));
}

void TestAbout::it_is_whole_in_a_small_window() {
  WindowFixture fixture;
  fixture.window->resize(1280, 720);
  for (const char* appearance : {"light", "dark"}) {
    fixture.trigger((QByteArray("action_appearance_") + appearance).constData());
    for (const int zoom : {100, 150}) {
      ui::layout::set_zoom(zoom);
      fixture.trigger("action_about");
      QDialog* dialog = fixture.child<QDialog>("about");
      QVERIFY(QTest::qWaitForWindowExposed(dialog));
      QVERIFY2(dialog->width() <= 1280 && dialog->height() <= 720, qPrintable(QString::number(dialog->height())));
      for (const char* name : {"about_libraries", "about_licence", "about_copy"}) {
        const QWidget* part = dialog->findChild<QWidget*>(QLatin1String(name));
        QVERIFY(part->width() > 100 && part->height() > 15 &&
                dialog->rect().contains(QRect(part->mapTo(dialog, QPoint()), part->size())));
      }
      dialog->grab().save(pictures_folder() + QString("about-%1-%2.png").arg(appearance).arg(zoom));
      delete dialog;
    }
  }
  ui::layout::set_zoom(100);
}

PIPEDECK_WINDOW_TEST(TestAbout)

}  // namespace pipedeck::tst_about

#include "tst_about.moc"
