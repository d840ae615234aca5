// SPDX-License-Identifier: GPL-3.0-or-later
// Dumps dropped on the window: the report names the missing rank, and measured memory stands next to the prediction of
// the selected plan's rank.
#include <fstream>

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QPushButton>
#include <QTextBrowser>

#include "app/ui/dialogs/autopsy_dialog.hpp"
#include "app/views/memory/pile_chart.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/made_dumps.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_autopsies {

using models::memory::PileClass;
using ui::dialogs::AutopsyDialog;
using views::memory::PileChart;

AutopsyDialog* shown(const test::WindowFixture& app) {
  if (!app.settle()) return nullptr;
  const auto is_there = [&] { return app.window->findChild<AutopsyDialog*>() != nullptr; };
  if (!QTest::qWaitFor(is_there, 10000)) return nullptr;
  return app.window->findChild<AutopsyDialog*>();
}

class TestAutopsies : public QObject {
  Q_OBJECT

 private:
  static bool is_predicted(const PileChart& chart, PileClass part, Bytes bytes) {
    return chart.pile().predicted && (*chart.pile().predicted)[static_cast<std::size_t>(part)] == bytes;
  }

 private slots:
  void initTestCase() {
    if (!test::has_python()) QSKIP("no python3 here");
  }

  void the_missing_rank_is_in_the_report() {
    const test::MadeDumps made(QStringLiteral("flight"), 3);
    test::WindowFixture app;
    QStringList files;
    for (const char* const name :
         {"nccl_trace_rank_0", "nccl_trace_rank_1", "nccl_trace_rank_2", "nccl_trace_rank_3.json"})
      files << QString::fromStdString(made.file(QLatin1String(name)));
    app.window->open_files(files);
    AutopsyDialog* dialog = shown(app);
    QVERIFY(dialog);
    const QString text = dialog->findChild<QTextBrowser*>()->toPlainText();
    const int missing = made.truth()[QStringLiteral("missing")].toInt();
    QVERIFY2(text.contains(QStringLiteral("Rank %1 holds up the job").arg(missing)), qPrintable(text));
    QVERIFY(text.contains(QStringLiteral("the flight recorder's dump of rank 3")));
    QVERIFY(!dialog->findChild<PileChart*>()->isVisible());
    for (QPushButton* button : dialog->findChildren<QPushButton*>())
      if (button->text().contains(QStringLiteral("report"))) button->click();
    QCOMPARE(QApplication::clipboard()->text(), text);
  }

  void memory_next_to_its_prediction() {
    const test::MadeDumps made(QStringLiteral("snapshot"), 5, 130);
    test::WindowFixture app;
    QVERIFY(app.open_sample());
    const QString file = app.path("memory_rank_0.pickle");
    QVERIFY(QFile::copy(QString::fromStdString(made.file(QStringLiteral("snapshot.pickle"))), file));
    app.window->open_files({file});
    AutopsyDialog* dialog = shown(app);
    QVERIFY(dialog);
    auto* chart = dialog->findChild<PileChart*>();
    QVERIFY(chart->isVisible() && !dialog->findChild<QComboBox*>()->isVisible());
    const auto known = session::autopsy::selected_plan(app.session());
    QVERIFY(known.plan && known.simulation);
    const MemoryBreakdown& items = known.simulation->devices.front().peak_breakdown;
    QVERIFY(is_predicted(*chart, PileClass::weights, items[MemoryItem::weights] + items[MemoryItem::stashed_weights]));
    QVERIFY(is_predicted(*chart, PileClass::optimizer, items[MemoryItem::optimizer]));
    QCOMPARE(models::memory::total(chart->pile().peak.parts).count, made.truth()[QStringLiteral("peak")].toInteger());
    QVERIFY(dialog->findChild<QTextBrowser*>()->toPlainText().contains(QStringLiteral("The measured peak is")));
    for (const PileClass part : {PileClass::weights, PileClass::activations}) {
      // The middle of a class in the bar has its colour.
      Bytes below;
      for (int i = 0; i < static_cast<int>(part); ++i) below += chart->pile().peak.parts[static_cast<std::size_t>(i)];
      const Bytes own = chart->pile().peak.parts[static_cast<std::size_t>(part)];
      const double y = chart->y_of(below + own / 2);
      const QImage image = chart->grab().toImage();
      const QPointF at(chart->measured_bar().center().x(), y);
      QCOMPARE(image.pixelColor((at * image.devicePixelRatio()).toPoint()),
               views::widgets::Theme::of(chart->palette()).of(models::memory::item_of(part)));
    }
    QVERIFY(chart->describe(chart->pile().end()).first().contains(QStringLiteral(" live at ")));
    dialog->grab().save(test::pictures_folder() + QStringLiteral("autopsy.png"));
    dialog->resize(700, 560);
    dialog->grab().save(test::pictures_folder() + QStringLiteral("autopsy-small.png"));
  }

  void a_broken_dump_is_reported() {
    test::WindowFixture app;
    const QString file = app.path("memory_rank_0.pickle");
    std::ofstream(file.toStdString(), std::ios::binary) << "\x80\x02"
                                                           "cposix\nsystem\n.";
    app.window->open_files({file});
    QVERIFY(app.settle());
    QCOMPARE(app.errors.size(), 1);
    QVERIFY2(app.errors.front().contains(QStringLiteral("GLOBAL of posix.system")), qPrintable(app.errors.front()));
    QVERIFY(!app.window->findChild<AutopsyDialog*>());
  }
};

PIPEDECK_WINDOW_TEST(TestAutopsies)

}  // namespace pipedeck::tst_autopsies

#include "tst_autopsies.moc"
