// SPDX-License-Identifier: GPL-3.0-or-later
// Every item model of the window under QAbstractItemModelTester while the window is worked with: found in the views,
// not listed. And every model class of the sources is among them, or has a test with a tester of its own.
#include <QAbstractItemModelTester>
#include <QAbstractItemView>
#include <QDirIterator>
#include <QRegularExpression>
#include <QSortFilterProxyModel>

#include "tests/app/ui/edits.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_models {

using namespace pipedeck::test;

QString text_of(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QStringList files_in(const QString& folder, const QStringList& endings) {
  QStringList files;
  QDirIterator it(QStringLiteral(PIPEDECK_SOURCES "/") + folder, endings, QDir::Files, QDirIterator::Subdirectories);
  while (it.hasNext()) files << it.next();
  return files;
}

/// Names of the classes in app/ that are item models.
QStringList model_classes() {
  static const QRegularExpression form(QStringLiteral(
      "class (\\w+)[^{;]*public (?:QAbstract(?:Item|Table|List|Proxy)Model|QSortFilterProxyModel|QStandardItemModel|"
      "QIdentityProxyModel|QConcatenateTablesProxyModel)\\b"));
  QStringList classes;
  for (const QString& path : files_in("app", {"*.hpp", "*.cpp"}))
    for (auto it = form.globalMatch(text_of(path)); it.hasNext();) classes << it.next().captured(1);
  return classes;
}

class TestModels : public QObject {
  Q_OBJECT

 private slots:
  void all_models_keep_the_rules_while_the_window_is_worked_with() {
    WindowFixture fixture;
    QObject testers;  // gone before the window, whose models are emptied while they go
    QSet<const QAbstractItemModel*> tested;
    QStringList names;
    const auto put_under_test = [&] {
      for (const QAbstractItemView* view : fixture.window->findChildren<QAbstractItemView*>()) {
        for (QAbstractItemModel* model = view->model(); model && !tested.contains(model);) {
          tested << model;
          names << QString::fromLatin1(typeid(*model).name());
          new QAbstractItemModelTester(model, QAbstractItemModelTester::FailureReportingMode::QtTest, &testers);
          auto* proxy = qobject_cast<QAbstractProxyModel*>(model);
          model = proxy ? proxy->sourceModel() : nullptr;
        }
      }
    };
    put_under_test();
    QVERIFY(fixture.open_sample());
    for (int page = 0; fixture.window->page_widget(static_cast<ui::window::Page>(page)); ++page) {
      fixture.window->show_page(static_cast<ui::window::Page>(page));
      QVERIFY(fixture.settle());
      put_under_test();
    }
    Hand hand(fixture.session());
    for (int i = 0; i < 2 * edit_kinds; ++i) hand.edit(i);
    for (int i = 0; i < 12; ++i) fixture.session().undo();
    for (int i = 0; i < 6; ++i) fixture.session().redo();
    QVERIFY(fixture.settle());
    fixture.trigger("action_new");
    QVERIFY(fixture.open_sample());
    QVERIFY(tested.size() >= 6);

    QString tests;
    for (const QString& path : files_in("tests", {"tst_*.cpp"}))
      if (const QString text = text_of(path); text.contains("QAbstractItemModelTester")) tests += text;
    const QStringList classes = model_classes();
    QVERIFY(classes.size() >= 4);
    for (const QString& name : classes) {
      const bool seen = names.filter(name).size() > 0 || tests.contains(name + " model");
      QVERIFY2(seen, qPrintable(name + " has no QAbstractItemModelTester"));
    }
  }
};

PIPEDECK_WINDOW_TEST(TestModels)

}  // namespace pipedeck::tst_models

#include "tst_models.moc"
