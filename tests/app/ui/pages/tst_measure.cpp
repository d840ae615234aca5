// SPDX-License-Identifier: GPL-3.0-or-later
// A model measured on this machine from the Profile page: one press, one step of undo, a job that can be cancelled.
#include <QTableView>
#include <QToolButton>

#include "app/models/profile/profile_table_model.hpp"
#include "app/session/measurement.hpp"
#include "app/views/profile/view.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_measure {

using namespace pipedeck::test;

class MeasureFixture : public WindowFixture {
 public:
  explicit MeasureFixture(const QString& program = command_line_program()) : WindowFixture(program) {
    session().choose_profile_preset(QStringLiteral("mlp-small"));
    session().set_global_batch(8);
    window->show_page(ui::window::Page::profile);
    QCoreApplication::processEvents();
  }
};

class TestMeasure : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (!QFile::exists(command_line_program())) QSKIP("pipedeck-cli is not built");
  }

  void one_press_measures_model_and_machine() {
    MeasureFixture fixture;
    const std::size_t steps = fixture.session().undo_steps(), profiles = fixture.state().profiles.size();
    auto* button = fixture.child<QToolButton>("action_profile_measure_button");
    QVERIFY(button && button->isEnabled() && !button->toolTip().isEmpty());
    button->click();
    QVERIFY(!fixture.action("action_profile_measure")->isEnabled());  // one at a time
    QVERIFY(fixture.settle(120000));
    QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
    QCOMPARE(fixture.session().undo_steps(), steps + 1);
    QCOMPARE(fixture.session().undo_name(), QStringLiteral("Measure mlp-small"));
    QCOMPARE(fixture.state().profiles.size(), profiles + 1);
    const session::project::PlanningSetup& question = fixture.state().question;
    const session::project::ProfileEntry* profile = session::project::find_profile(fixture.state(), question.profile);
    QCOMPARE(profile->profile->name, std::string("mlp-small (measured here)"));
    QVERIFY(profile->model);
    std::vector<int> sizes;
    for (const LayerPoint& point : profile->profile->layers[0].at) sizes.push_back(point.micro_batch);
    QCOMPARE(sizes, (std::vector<int>{1, 2, 4, 8}));
    QCOMPARE(session::project::find_cluster(fixture.state(), question.cluster)->cluster->device_types[0].name,
             std::string("CPU-core"));
    QVERIFY(fixture.action("action_profile_measure")->isEnabled());

    // The table shows the error of a time.
    QCoreApplication::processEvents();
    const auto* table = fixture.child<QTableView>("profile_table");
    const QString tip = table->model()->index(0, models::profile::TableModel::forward).data(Qt::ToolTipRole).toString();
    QVERIFY2(tip.startsWith(QStringLiteral("Median of ")), qPrintable(tip));

    // Measured again it takes the place of the first one.
    fixture.trigger("action_profile_measure");
    QVERIFY(fixture.settle(120000));
    QCOMPARE(fixture.state().profiles.size(), profiles + 1);
    fixture.session().undo();
    fixture.session().undo();
    QCOMPARE(fixture.state().profiles.size(), profiles);
  }

  void a_measurement_is_cancelled_in_the_list_of_jobs() {
    MeasureFixture fixture;
    const session::project::State before = fixture.state();
    fixture.trigger("action_profile_measure");
    fixture.session().jobs().cancel_all();
    QVERIFY(fixture.settle());
    QVERIFY(QTest::qWaitFor([&] { return fixture.action("action_profile_measure")->isEnabled(); }, 30000));
    QCOMPARE(fixture.state(), before);
    QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
  }

  /// Links between devices are measured last: the layers stay if that fails.
  void layers_are_kept_without_links() {
    const QTemporaryDir folder;
    const QString program = folder.filePath("pipedeck-cli");
    QFile script(program);
    QVERIFY(script.open(QFile::WriteOnly));
    script.write(
        QStringLiteral("#!/bin/sh\n\"%1\" \"$@\" || exit\n"
                       "while [ $# -gt 1 ]; do case $1 in\n"
                       "  -o) profile=$2 ;;\n"
                       "  --cluster-out) rm \"$2\" ;;\n"
                       "esac; shift; done\n"
                       "echo \"pipedeck-cli: --cluster-out: no answer; the profile was written: $profile\" >&2\n"
                       "exit 5\n")
            .arg(command_line_program())
            .toUtf8());
    script.close();
    QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    MeasureFixture fixture(program);
    const int cluster = fixture.state().question.cluster;
    const std::size_t steps = fixture.session().undo_steps();
    fixture.trigger("action_profile_measure");
    QVERIFY(fixture.settle(120000));
    QCOMPARE(fixture.errors.size(), 1);
    QVERIFY2(fixture.errors.first().endsWith("--cluster-out: no answer. The measured layers are saved."),
             qPrintable(fixture.errors.first()));
    QCOMPARE(fixture.session().undo_steps(), steps + 1);
    const session::project::PlanningSetup& question = fixture.state().question;
    QCOMPARE(session::project::find_profile(fixture.state(), question.profile)->profile->name,
             std::string("mlp-small (measured here)"));
    QCOMPARE(question.cluster, cluster);
  }

  void what_can_not_be_measured_says_why() {
    WindowFixture fixture;
    fixture.session().open_sample();
    QCoreApplication::processEvents();
    QVERIFY(!fixture.action("action_profile_measure")->isEnabled());
    QVERIFY(!fixture.action("action_profile_measure")->toolTip().isEmpty());
    QVERIFY(!session::not_measurable_reason(fixture.state(), 0).isEmpty());
  }

  void sizes_reach_the_micro_batch() {
    session::project::PlanningSetup question;
    question.workload.global_batch = 64;
    QCOMPARE(session::sizes_to_measure(question), (std::vector<int>{1, 2, 4, 8, 16}));
    question.workload.micro_batch = 6;
    QCOMPARE(session::sizes_to_measure(question), (std::vector<int>{1, 2, 4, 6}));
    question.workload.micro_batch = 1;
    QCOMPARE(session::sizes_to_measure(question), (std::vector<int>{1}));
  }
};

PIPEDECK_WINDOW_TEST(TestMeasure)

}  // namespace pipedeck::tst_measure

#include "tst_measure.moc"
