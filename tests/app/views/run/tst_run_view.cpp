// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/run/view.hpp"

#include <QComboBox>
#include <QElapsedTimer>
#include <QGraphicsTextItem>
#include <QGraphicsView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <tuple>

#include <QTest>
#include <QTreeWidget>

#include "app/views/run/live_chart.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_run_view {

StepDone step(int number) {
  return {number, 4.0 / number, milliseconds(100), 160.0 + number % 7, {0.9, 0.8}, {Bytes(1 << 26), Bytes(1 << 25)}};
}

class TestRunView : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<views::run::View> view_;

  template <class T>
  T* child(const char* name) {
    return view_->findChild<T*>(QString::fromLatin1(name));
  }

  /// Returns the labels of a drawn axis: below and at the sides of the plot, from left to right and from top to bottom.
  QStringList axis_labels(const char* chart) {
    auto* view = qobject_cast<QGraphicsView*>(child<views::run::LiveChart>(chart)->view());
    QStringList labels;
    for (const QGraphicsItem* item : view->scene()->items())
      if (const auto* text = qgraphicsitem_cast<const QGraphicsTextItem*>(item); text && text->isVisible())
        labels << text->toPlainText();
    return labels;
  }

 private slots:
  void init() {
    view_ = std::make_unique<views::run::View>();
    view_->set_plans({{7, "DAPPLE 1:1", {}}, {9, "PipeDream 1-1", "Asynchronous plans are not trained here."}});
    view_->set_models({{0, "gpt-tiny", {}}});
    view_->resize(1280, 800);
    view_->show();
  }

  void launch_asks_with_what_is_chosen() {
    QSignalSpy launched(view_.get(), &views::run::View::launch_requested);
    view_->select_plan(7);
    view_->set_steps(123);
    QTest::mouseClick(child<QPushButton>("run_launch"), Qt::LeftButton);
    QCOMPARE(launched.count(), 1);
    QCOMPARE(launched.front().front().value<views::run::LaunchRequest>(),
             (views::run::LaunchRequest{7, "gpt-tiny", 123}));
  }

  void what_cannot_be_launched_says_why() {
    view_->select_plan(9);
    QVERIFY(!child<QPushButton>("run_launch")->isEnabled());
    QVERIFY(child<QLabel>("run_why_not")->text().contains("Asynchronous"));
    view_->select_plan(7);
    QVERIFY(child<QPushButton>("run_launch")->isEnabled());
    QVERIFY(!child<QLabel>("run_why_not")->isVisible());
    view_->set_plans({});
    QVERIFY(!child<QPushButton>("run_launch")->isEnabled());
  }

  void stop_asks_once() {
    QSignalSpy stopped(view_.get(), &views::run::View::stop_requested);
    auto* stop = child<QPushButton>("run_stop");
    QVERIFY(!stop->isEnabled());
    view_->start_run("run");
    QVERIFY(!child<QPushButton>("run_launch")->isEnabled());
    QTest::mouseClick(stop, Qt::LeftButton);
    QTest::mouseClick(stop, Qt::LeftButton);
    QCOMPARE(stopped.count(), 1);
    view_->end_run();
    QVERIFY(child<QPushButton>("run_launch")->isEnabled());
    QVERIFY(!stop->isEnabled());
  }

  void progress_and_time_left() {
    view_->start_run("run");
    view_->append(RunStarted{"p", "m", "cpu", 40, 2});
    for (int i = 1; i <= 10; ++i) view_->append(step(i));
    view_->refresh_now();
    QCOMPARE(child<QProgressBar>("run_progress")->value(), 10);
    QCOMPARE(child<QProgressBar>("run_progress")->maximum(), 40);
    QVERIFY(child<QLabel>("run_progress_text")->text().contains("3 s left"));
  }

  void a_failed_run_says_why_in_the_log() {
    view_->start_run("run");
    view_->append(RunStarted{"p", "m", "cpu", 40, 2});
    view_->append(RunFailed{"device 1 sent nothing for 30 s"});
    view_->end_run();
    QVERIFY(child<QPlainTextEdit>("run_log")->toPlainText().contains("device 1 sent nothing"));
    QVERIFY(child<QLabel>("run_progress_text")->text().contains("device 1 sent nothing"));
  }

  RunStarted on_two_gpus() {
    RunStarted started{"p", "m", "cuda, NCCL 2.28.9", 40, 2};
    started.gpus = {{{0}, "H200", "", "", {}, 700.0, 1980.0}, {{1}, "H200", "", "", {}, 700.0, 1980.0}};
    return started;
  }
  RunSample drawing(double time, double watts) {
    RunSample sample{Seconds(time), {0.9, 0.8}, {Bytes(1 << 26), Bytes(1 << 25)}};
    sample.gpus = {{watts, Bytes(1 << 27), 1980.0, 0.97, 54.0, 0},
                   {watts + 10, Bytes(1 << 28), 1755.0, 0.9, 61.0, 0x4}};
    return sample;
  }

  void gpus_have_charts_that_the_processor_has_not() {
    view_->start_run("run");
    view_->append(RunStarted{"p", "m", "cpu", 40, 2});
    view_->refresh_now();
    QVERIFY(!child<views::run::LiveChart>("chart_power")->isVisible());
    QVERIFY(!child<QLabel>("run_gpus")->isVisible());
    const int wide = child<views::run::LiveChart>("chart_loss")->width();
    view_->append(on_two_gpus());
    view_->append(drawing(0.2, 350));
    view_->append(drawing(0.4, 400));
    view_->refresh_now();
    QTRY_VERIFY(child<views::run::LiveChart>("chart_power")->isVisible() &&
                child<views::run::LiveChart>("chart_clock")->isVisible());
    QTRY_VERIFY(child<views::run::LiveChart>("chart_loss")->width() < wide);
    QCOMPARE(child<views::run::LiveChart>("chart_power")->shown_points(1), 2);
    QCOMPARE(child<views::run::LiveChart>("chart_memory")->shown_points(3),
             2);  // of the second GPU, with two devices
    const QString now = child<QLabel>("run_gpus")->text();
    QVERIFY2(now.startsWith("2 GPUs · 810 W · 1755–1980 MHz · 54–61 °C · 90–97 % used"), qPrintable(now));
    QVERIFY2(now.contains("G1 held back: power limit"), qPrintable(now));
    view_->append(RunStarted{"p", "m", "cpu", 40, 2});
    view_->refresh_now();
    QTRY_VERIFY(!child<views::run::LiveChart>("chart_power")->isVisible());
    QTRY_COMPARE(child<views::run::LiveChart>("chart_loss")->width(), wide);
  }

  void a_driver_that_tells_nothing_leaves_words() {
    view_->start_run("run");
    view_->append(RunStarted{"p", "m", "cuda", 40, 2});
    view_->append(RunSample{Seconds(0.1), {0.5, 0.5}, {Bytes(1 << 20), Bytes(1 << 20)}});
    view_->refresh_now();
    bool said = false;
    for (const QLabel* label : child<views::run::LiveChart>("chart_power")->findChildren<QLabel*>())
      said = said || (label->isVisible() && label->text().contains("not report the GPUs' power"));
    QVERIFY(said);
    QVERIFY(!child<QLabel>("run_gpus")->isVisible());
  }

  void the_mouse_over_a_chart_tells_its_values() {
    view_->start_run("run");
    view_->append(on_two_gpus());
    for (int i = 1; i <= 10; ++i) view_->append(drawing(0.1 * i, 300 + 10 * i));
    view_->refresh_now();
    auto* chart = child<views::run::LiveChart>("chart_power");
    QCOMPARE(chart->hover_lines(0.42), (QStringList{"0.4 s", "G0: 340.0 W", "G1: 350.0 W"}));
    QCOMPARE(chart->hover_lines(99), (QStringList{"1.0 s", "G0: 400.0 W", "G1: 410.0 W"}));
    QTest::qWait(20);
    auto* viewport = qobject_cast<QGraphicsView*>(chart->view())->viewport();
    QTest::mouseMove(viewport, viewport->rect().center());
    QTest::mouseMove(viewport, viewport->rect().center() + QPoint(2, 0));
    auto* card = view_->findChild<QWidget*>("hover_card");
    QVERIFY(card && card->isVisible());
    QEvent leaves(QEvent::Leave);
    QCoreApplication::sendEvent(viewport, &leaves);
    QVERIFY(!card->isVisible());
    QCOMPARE(child<views::run::LiveChart>("chart_loss")->hover_lines(1), QStringList());  // nothing drawn yet
  }

  void runs_tell_their_energy() {
    views::run::ListEntry cpu{1, "on cores", 20, {}, milliseconds(90), {}, {}, false};
    view_->set_runs({cpu});
    auto* list = child<QTreeWidget>("run_list");
    QVERIFY(list->isColumnHidden(5));
    views::run::ListEntry gpu{2, "on GPUs", 20, {}, milliseconds(9), {}, {}, false, 12'500.0, 0.78};
    view_->set_runs({cpu, gpu});
    QVERIFY(!list->isColumnHidden(5));
    QCOMPARE(list->topLevelItem(0)->text(5), QStringLiteral("–"));
    QCOMPARE(list->topLevelItem(1)->text(5), QStringLiteral("12.5 kJ"));
    QCOMPARE(list->topLevelItem(1)->toolTip(5), QStringLiteral("3.47 Wh; 0.780 J per sample, all GPUs together"));
  }

  /// Measured minus predicted, of the predicted time; a stopped run counts the steps that it made.
  void differences_have_one_sign() {
    views::run::ListEntry slow{1, "slow", 200, {}, milliseconds(255), milliseconds(100), {}, false};
    slow.steps_done = 51;
    view_->set_runs({slow});
    auto* list = child<QTreeWidget>("run_list");
    QCOMPARE(list->topLevelItem(0)->text(1), QStringLiteral("51 of 200"));
    QCOMPARE(list->topLevelItem(0)->text(4).remove(QChar(0xa0)), QStringLiteral("+155%"));
    view_->set_differences({{QStringLiteral("iteration"), milliseconds(100), milliseconds(255), true}});
    QVERIFY(child<QLabel>("run_difference_summary")->text().remove(QChar(0xa0)).contains("+155%"));
  }

  void ten_thousand_events_stay_cheap() {
    view_->start_run("run");
    view_->append(RunStarted{"p", "m", "cpu", 10000, 2});
    QElapsedTimer clock;
    clock.start();
    for (int i = 1; i <= 10000; ++i) view_->append(step(i));
    const qint64 appending = clock.restart();
    view_->refresh_now();
    view_->grab();
    const qint64 drawing = clock.elapsed();
    qInfo("appending 10,000 events %lld ms, one refresh and picture %lld ms", appending, drawing);
    QVERIFY2(drawing < 3000, qPrintable(QString::number(drawing)));
    QVERIFY2(appending < 500, qPrintable(QString::number(appending)));
    for (const char* name : {"chart_throughput", "chart_loss", "chart_busy", "chart_memory"})
      QVERIFY(child<views::run::LiveChart>(name)->shown_points(0) <= 300);
    QCOMPARE(view_->model().loss().size(), std::size_t{10000});
  }

  void a_refresh_with_eight_devices_is_cheap() {
    view_->start_run("run");
    view_->append(RunStarted{"p", "m", "cpu", 2000, 8});
    StepDone wide = step(1);
    wide.busy_fraction.assign(8, 0.9);
    wide.memory.assign(8, Bytes(1 << 26));
    for (wide.step = 1; wide.step <= 1000; ++wide.step) view_->append(wide);
    view_->refresh_now();
    view_->grab();
    QElapsedTimer clock;
    clock.start();
    constexpr int times = 20;
    for (int i = 0; i < times; ++i) {
      wide.loss = 4.0 / ++wide.step;
      view_->append(wide);
      view_->refresh_now();
      QCoreApplication::processEvents();
    }
    qInfo("a refresh of 18 lines takes %.1f ms", static_cast<double>(clock.elapsed()) / times);
    QVERIFY(clock.elapsed() < times * 200);
  }

  void charts_follow_by_themselves() {
    view_->start_run("run");
    view_->append(RunStarted{"p", "m", "cpu", 40, 2});
    view_->append(step(1));
    view_->append(step(2));
    QTRY_COMPARE_WITH_TIMEOUT(child<views::run::LiveChart>("chart_loss")->shown_points(0), 2, 2000);
  }

  void axes_by_step_are_labelled() {
    view_->start_run("run");
    view_->append(RunStarted{"p", "m", "cpu", 40, 2});
    for (int i = 1; i <= 10; ++i) view_->append(step(i));
    view_->refresh_now();
    view_->grab();
    const QStringList labels = axis_labels("chart_loss");
    for (const char* number : {"0", "10", "20", "40"})
      QVERIFY2(labels.contains(QLatin1String(number)), qPrintable(labels.join('|')));
  }

  void large_numbers_are_written_out() {
    view_->start_run("run");
    view_->append(RunStarted{"p", "m", "cpu", 40, 2});
    for (int i = 1; i <= 3; ++i) {
      StepDone done = step(i);
      done.samples_per_second = 40000;
      view_->append(done);
    }
    view_->refresh_now();
    view_->grab();
    QTRY_VERIFY2(axis_labels("chart_throughput").contains("40,000"),
                 qPrintable(axis_labels("chart_throughput").join('|')));
  }

  void predictions_are_named_beside_the_title() {
    view_->set_prediction({177, {0.9, 0.8}, {Bytes(1 << 26), Bytes(1 << 25)}});
    QStringList names;
    for (const QLabel* label : child<views::run::LiveChart>("chart_busy")->findChildren<QLabel*>())
      names << label->text();
    QVERIFY2(names.join('|').contains("dashed: predicted"), qPrintable(names.join('|')));
    for (const QString& text : axis_labels("chart_busy")) QVERIFY(!text.contains("predicted"));
  }

  void differences_and_runs_are_listed() {
    view_->set_differences({{"forward", milliseconds(41.2), milliseconds(41.9)},
                            {"iteration", milliseconds(88.4), milliseconds(90.1), true}});
    QCOMPARE(child<QTreeWidget>("run_differences")->topLevelItemCount(), 2);
    QVERIFY(child<QLabel>("run_difference_summary")->text().contains("+1.9"));
    QSignalSpy selected(view_.get(), &views::run::View::run_selected);
    view_->set_runs({{3, "14:02", 200, {}, milliseconds(6), milliseconds(5), {}, false},
                     {4, "12:15", 20, "failed", {}, {}, {}, true}});
    view_->select_run(4);
    QCOMPARE(selected.count(), 0);
    auto* list = child<QTreeWidget>("run_list");
    list->setCurrentItem(list->topLevelItem(0));
    QCOMPARE(selected.count(), 1);
    QCOMPARE(selected.front().front().toInt(), 3);
  }

  void runs_have_figures_that_sort_as_numbers() {
    view_->set_runs({{1, "c", 1000, {}, milliseconds(6), milliseconds(9), {}, false},
                     {2, "a", 20, "failed", {}, milliseconds(10), {}, true},
                     {3, "b", 200, {}, milliseconds(100), milliseconds(90), {}, false}});
    auto* list = child<QTreeWidget>("run_list");
    const auto names = [&] {
      QString all;
      for (int i = 0; i < list->topLevelItemCount(); ++i) all += list->topLevelItem(i)->text(0);
      return all;
    };
    QCOMPARE(names(), QString("cab"));  // as they come, the newest first
    QCOMPARE(list->topLevelItem(0)->text(4), QString("\u221233\u00a0%"));
    QCOMPARE(list->topLevelItem(1)->text(2), QString("failed"));
    for (const auto& [column, ascending, descending] :
         {std::tuple(1, "abc", "cba"), {2, "cba", "bca"}, {3, "cab", "bac"}, {4, "cba", "bca"}}) {
      list->sortByColumn(column, Qt::AscendingOrder);
      QCOMPARE(names(), QString(ascending));
      list->sortByColumn(column, Qt::DescendingOrder);
      QCOMPARE(names(), QString(descending));
    }
    list->sortByColumn(-1, Qt::AscendingOrder);
  }

  void two_runs_are_drawn_over_each_other() {
    std::vector<RunEvent> first{RunStarted{"p", "m", "cpu", 4, 2}}, second{RunStarted{"q", "m", "cpu", 8, 2}};
    for (int i = 1; i <= 4; ++i) first.push_back(step(i));
    for (int i = 1; i <= 8; ++i) second.push_back(step(i));
    view_->set_runs({{3, "14:02", 200, {}, milliseconds(6), milliseconds(5), {}, false},
                     {4, "12:15", 20, "failed", {}, {}, {}, true}});
    view_->show_run("first", first);
    view_->set_other("second", second, {{"iteration", milliseconds(80), milliseconds(100), true}});
    QVERIFY(view_->comparing());
    for (const char* name : {"chart_throughput", "chart_loss"}) {
      QCOMPARE(child<views::run::LiveChart>(name)->shown_points(0), 4);
      QCOMPARE(child<views::run::LiveChart>(name)->shown_points(1), 8);
    }
    QVERIFY(child<QLabel>("run_difference_summary")->text().contains("+25"));
    child<QComboBox>("run_axis")->setCurrentIndex(1);
    QCOMPARE(child<views::run::LiveChart>("chart_loss")->shown_points(1), 8);
    QSignalSpy compared(view_.get(), &views::run::View::runs_compared);
    auto* list = child<QTreeWidget>("run_list");
    list->topLevelItem(0)->setSelected(true);
    list->topLevelItem(1)->setSelected(true);
    QCOMPARE(compared.count(), 1);
    view_->set_other({}, {}, {});
    QVERIFY(!view_->comparing());
    view_->refresh_now();
    QCOMPARE(child<views::run::LiveChart>("chart_loss")->shown_points(0), 4);
  }

  void pause_is_offered_while_steps_run() {
    QSignalSpy paused(view_.get(), &views::run::View::pause_requested);
    auto* pause = child<QPushButton>("run_pause");
    view_->start_run("run");
    QVERIFY(!pause->isEnabled());
    view_->append(RunStarted{"p", "m", "cpu", 40, 2});
    QVERIFY(pause->isEnabled());
    pause->click();
    view_->append(RunPaused{3});
    QCOMPARE(pause->text(), "Resume");
    pause->click();
    QCOMPARE(paused.count(), 2);
    QCOMPARE(paused[0][0].toBool(), true);
    QCOMPARE(paused[1][0].toBool(), false);
    view_->set_pausable(false);
    QVERIFY(!pause->isEnabled());
  }

  void the_timeline_slot_owns_its_widget() {
    QPointer<QLabel> first = new QLabel("gantt");
    view_->set_timeline_widget(first, "STEP 8");
    view_->set_timeline_widget(new QLabel("other"));
    QVERIFY(first.isNull());
    view_->set_timeline_widget(nullptr);
  }

  void axes_are_cut_by_one_two_five() {
    const views::run::NiceRange range = views::run::nice_range(141, 189);  // about four parts
    QCOMPARE(range.step, 10.0);
    QCOMPARE(range.low, 140.0);
    QCOMPARE(range.high, 190.0);
    const views::run::NiceRange flat = views::run::nice_range(5, 5);
    QVERIFY(flat.low < 5 && flat.high > 5);
  }
};

PIPEDECK_WINDOW_TEST(TestRunView)

}  // namespace pipedeck::tst_run_view

#include "tst_run_view.moc"
