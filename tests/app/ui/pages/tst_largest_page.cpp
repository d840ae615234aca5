// SPDX-License-Identifier: GPL-3.0-or-later
// The largest model or batch that fits, in the real window: asked for, cancelled, checked against planners asked anew,
// its plan taken into the comparison as one step of undo.
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>

#include "app/session/project/transformer_files.hpp"
#include "app/ui/layout/picture.hpp"
#include "app/ui/pages/what_if_page.hpp"
#include "app/views/whatif/largest_pane.hpp"
#include "app/views/widgets/bar_table.hpp"
#include "core/io/documents/transformer.hpp"
#include "core/io/importers.hpp"
#include "core/plan/validate.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/study/capacity/sweep.hpp"
#include "tests/app/ui/pages/what_if_fixture.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_largest_page {

constexpr int layers = 0, hidden = 1, sequence = 2, micro_batch = 3, global_batch = 4;  // of the pane's list

struct Opened : test::WhatIfFixture {
  [[nodiscard]] bool show() {
    open_page();
    child<QTabWidget>("what_if_tabs")->setCurrentWidget(&page->largest());
    return settle() && page->largest().isVisible();
  }
  void ask(int size, int step, int most) const {
    child<QComboBox>("largest_size")->setCurrentIndex(size);
    child<QSpinBox>("largest_step")->setValue(step);
    child<QSpinBox>("largest_most")->setValue(most);
    click("largest_find");
  }
  QString words() const { return page->largest().words(); }
  const session::whatif::LargestFound& found() const { return *page->largest_study().found(); }
  /// Planners asked anew, without the search.
  bool fits(study::capacity::SizeKind kind, std::int64_t size) const {
    const Problem problem = *fixture.session().problem();
    CapacityPoint point;
    point.nodes = static_cast<int>(problem.cluster->nodes.size());
    point.global_batch = problem.workload.global_batch;
    const auto ladder =
        study::capacity::size_candidates({problem, {}, {}}, point, kind, {}, presets::device_catalogue());
    const Problem at = ladder->make_problem(size).value();
    point.global_batch = at.workload.global_batch;
    point.micro_batch = at.workload.micro_batch.value_or(0);
    return study::capacity::find_capacity(at, point, study::capacity::capacity_planners())->fits();
  }

  static ParsedTransformer gpt2() {
    return std::get<ParsedTransformer>(io::read_document(PIPEDECK_FIXTURES "/hugging_face/gpt2.config.json").value());
  }
  void open_gpt2() {
    const auto preview =
        session::project::transformer_in(QStringLiteral(PIPEDECK_FIXTURES "/hugging_face/gpt2.config.json")).value();
    AnalyticOptions options;
    options.precision = "fp16";
    fixture.session().change("gpt2", session::project::with_imported_profile(
                                         fixture.state(), preview.make("V100-16GB", options, {}).value().profile));
  }
  /// Planners asked anew, with a profile that the window never saw.
  bool gpt2_fits(TransformerConfig config, int tokens) const {
    Problem problem = *fixture.session().problem();
    AnalyticOptions options;
    options.precision = "fp16", options.sequence = tokens;
    const DeviceModel device = *presets::catalogue_device("V100-16GB");
    Profile profile = analytic::analytic_profile({config, {}}, device, options).value().profile;
    problem.profile = std::make_shared<const Profile>(
        io::documents::with_origin(std::move(profile), {std::move(config), device.type.name, options}));
    CapacityPoint point;
    point.nodes = static_cast<int>(problem.cluster->nodes.size());
    point.global_batch = problem.workload.global_batch;
    return study::capacity::find_capacity(problem, point, study::capacity::capacity_planners(true))->fits();
  }
};

class TestLargestPage : public QObject {
  Q_OBJECT

 private slots:
  void the_largest_model_and_the_next();
  void its_plan_is_taken_in_one_step();
  void the_largest_micro_batch();
  void nothing_larger_was_looked_at();
  void cancelled();
  void another_question_forgets();
  void models_that_cannot_grow();
  void the_largest_hidden_size();
  void the_longest_sequence();
  void profiles_without_a_transformer();
  void profiles_changed_by_hand();
  void pictures();
};

void TestLargestPage::the_largest_model_and_the_next() {
  Opened opened;
  QVERIFY(opened.show());
  QVERIFY(!opened.child<QPushButton>("largest_keep")->isEnabled());
  opened.ask(layers, 48, 1536);
  QVERIFY(opened.settle());
  const study::capacity::LargestAnswer& answer = opened.found().answer;
  QVERIFY(answer.size && answer.next);
  QCOMPARE(*answer.next, *answer.size + 48);
  QVERIFY(opened.fits(study::capacity::SizeKind::layers, *answer.size));
  QVERIFY(!opened.fits(study::capacity::SizeKind::layers, *answer.next));
  QVERIFY2(opened.words().startsWith(QString("The largest number of layers that fits: %1").arg(*answer.size)),
           qPrintable(opened.words()));
  QVERIFY2(opened.words().remove(',').contains(QString("The next %1 does not fit").arg(*answer.next)),
           qPrintable(opened.words()));
  const std::vector<models::whatif::BarRow>& rows = opened.page->largest().table().rows();
  QCOMPARE(rows.size(), answer.tried.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    QCOMPARE(rows[i].to, static_cast<double>(answer.tried[i].size));
    QCOMPARE(rows[i].meaning == models::whatif::BarMeaning::better, answer.tried[i].size <= *answer.size);
  }
}

void TestLargestPage::its_plan_is_taken_in_one_step() {
  Opened opened;
  QVERIFY(opened.show());
  opened.ask(layers, 32, 96);
  QVERIFY(opened.settle());
  const auto before = opened.fixture.state();
  const std::size_t steps = opened.fixture.session().undo_steps();
  opened.click("largest_keep");
  const session::project::State& after = opened.fixture.state();
  QCOMPARE(opened.fixture.session().undo_steps(), steps + 1);
  QVERIFY(opened.fixture.session().undo_name().startsWith("Keep plan "));
  QCOMPARE(after.plans.size(), before.plans.size() + 1);
  QCOMPARE(after.profiles.size(), before.profiles.size() + 1);
  QCOMPARE(after.clusters.size(), before.clusters.size());
  const session::project::PlanEntry& entry = after.plans.back();
  const Profile& profile = *session::project::find_profile(after, entry.profile)->profile;
  QCOMPARE(profile.name, std::string("BERT-48, ") + std::to_string(profile.layers.size()) + " layers");
  QCOMPARE(entry.plan->profile, profile.name);
  QVERIFY(plan::validate(*entry.plan, profile, *session::project::find_cluster(after, entry.cluster)->cluster));
  // It is judged like any other plan, and does fit.
  opened.fixture.session().select_plan(entry.id);
  QVERIFY(opened.settle());
  QVERIFY(opened.fixture.errors.isEmpty());
  const auto plan_result =
      opened.fixture.session().plan_result(*session::project::find_plan(opened.fixture.state(), entry.id));
  QVERIFY(plan_result && plan_result->simulation->fits);
  for (int undone = 0; undone < 2 && opened.fixture.state().plans.size() > before.plans.size(); ++undone)
    opened.fixture.session().undo();  // the question that selecting the plan brought, and the plan
  QCOMPARE(opened.fixture.state().plans.size(), before.plans.size());
  QCOMPARE(opened.fixture.state().profiles.size(), before.profiles.size());
}

void TestLargestPage::the_largest_micro_batch() {
  Opened opened;
  QVERIFY(opened.show());
  opened.ask(micro_batch, 0, 0);
  QVERIFY(opened.settle());
  const study::capacity::LargestAnswer& answer = opened.found().answer;
  QVERIFY(answer.size && 64 % *answer.size == 0);
  QVERIFY(opened.fits(study::capacity::SizeKind::micro_batch, *answer.size));
  if (answer.next) QVERIFY(!opened.fits(study::capacity::SizeKind::micro_batch, *answer.next));
  const auto profiles = opened.fixture.state().profiles.size();
  opened.click("largest_keep");
  QCOMPARE(opened.fixture.state().profiles.size(), profiles);  // the model is the same
  QCOMPARE(opened.fixture.state().plans.back().plan->global_batch, 64);
}

void TestLargestPage::nothing_larger_was_looked_at() {
  Opened opened;
  QVERIFY(opened.show());
  opened.ask(global_batch, 0, 32);
  QVERIFY(opened.settle());
  QCOMPARE(opened.found().answer.size, std::optional<std::int64_t>(32));
  QVERIFY2(opened.words().contains("Larger sizes were not tried"), qPrintable(opened.words()));
}

void TestLargestPage::cancelled() {
  Opened opened;
  QVERIFY(opened.show());
  opened.ask(layers, 1, 4096);
  QCOMPARE(opened.child<QPushButton>("largest_find")->text(), QStringLiteral("Cancel"));
  QVERIFY(QTest::qWaitFor([&] { return opened.words().startsWith("Planning: size "); }, 30000));
  opened.click("largest_find");
  QVERIFY(opened.settle());
  QVERIFY(opened.words().startsWith("Cancelled."));
  QVERIFY(!opened.page->largest_study().found() && !opened.child<QPushButton>("largest_keep")->isEnabled());
  opened.ask(global_batch, 0, 8);  // and asked again
  QVERIFY(opened.settle());
  QVERIFY(opened.page->largest_study().found());
}

void TestLargestPage::another_question_forgets() {
  Opened opened;
  QVERIFY(opened.show());
  opened.ask(global_batch, 0, 8);
  QVERIFY(opened.settle());
  opened.fixture.session().set_global_batch(32);
  QVERIFY(opened.settle());
  QVERIFY(!opened.page->largest_study().found());
  QVERIFY(opened.words().startsWith("Choose the size to grow"));
}

void TestLargestPage::models_that_cannot_grow() {
  Opened opened;
  Profile odd = *opened.fixture.session().problem()->profile;
  odd.name = "odd";
  for (std::size_t i = 0; i < odd.layers.size(); ++i) odd.layers[i].kind = "kind " + std::to_string(i);
  opened.fixture.session().change("odd", session::project::with_imported_profile(opened.fixture.state(), odd));
  QVERIFY(opened.show());
  opened.ask(layers, 0, 0);
  QVERIFY(opened.settle());
  QVERIFY2(opened.words().contains("of a different kind in every layer"), qPrintable(opened.words()));
  QVERIFY(!opened.child<QPushButton>("largest_keep")->isEnabled());
}

/// The answer for sizes of the transformer, against the same planners asked with profiles computed anew.
void TestLargestPage::the_largest_hidden_size() {
  Opened opened;
  opened.open_gpt2();
  QVERIFY(opened.show());
  opened.ask(hidden, 64 * 24, 64 * 24 * 12);
  QVERIFY(opened.settle());
  QVERIFY2(opened.page->largest_study().found().has_value(), qPrintable(opened.words()));
  const study::capacity::LargestAnswer& answer = opened.found().answer;
  QVERIFY(answer.size && answer.next);
  QVERIFY(opened.gpt2_fits(study::capacity::with_hidden(opened.gpt2().config, static_cast<int>(*answer.size)), 1024));
  QVERIFY(!opened.gpt2_fits(study::capacity::with_hidden(opened.gpt2().config, static_cast<int>(*answer.next)), 1024));
  QVERIFY2(opened.words().startsWith(QString("The largest hidden size that fits: ")), qPrintable(opened.words()));
  opened.click("largest_keep");
  const session::project::State& after = opened.fixture.state();
  const session::project::PlanEntry& entry = after.plans.back();
  const Profile& profile = *session::project::find_profile(after, entry.profile)->profile;
  QCOMPARE(profile.name, "gpt2, hidden size " + std::to_string(*answer.size));
  QVERIFY(plan::validate(*entry.plan, profile, *session::project::find_cluster(after, entry.cluster)->cluster));
  // It can be asked about again: its origin is in it.
  const auto origin = io::documents::origin_of(profile);
  QVERIFY(origin && *origin);
  QCOMPARE(std::int64_t{(*origin)->config.hidden}, *answer.size);
  QVERIFY(study::capacity::capacity_model(**origin, profile, presets::device_catalogue()));
}

void TestLargestPage::the_longest_sequence() {
  Opened opened;
  opened.open_gpt2();
  QVERIFY(opened.show());
  opened.ask(sequence, 8192, 8192 * 128);
  QVERIFY(opened.settle());
  QVERIFY2(opened.page->largest_study().found().has_value(), qPrintable(opened.words()));
  const study::capacity::LargestAnswer& answer = opened.found().answer;
  QVERIFY(answer.size && answer.next);
  for (const bool fits : {true, false}) {
    const int tokens = static_cast<int>(fits ? *answer.size : *answer.next);
    QCOMPARE(opened.gpt2_fits(study::capacity::with_sequence(opened.gpt2().config, tokens), tokens), fits);
  }
  opened.click("largest_keep");
  const session::project::PlanEntry& entry = opened.fixture.state().plans.back();
  const Profile& profile = *session::project::find_profile(opened.fixture.state(), entry.profile)->profile;
  QCOMPARE(profile.name, "gpt2, " + std::to_string(*answer.size) + " tokens");
  const auto origin = io::documents::origin_of(profile);
  QVERIFY(origin && *origin && study::capacity::capacity_model(**origin, profile, presets::device_catalogue()));
}

void TestLargestPage::profiles_without_a_transformer() {
  Opened opened;
  QVERIFY(opened.show());
  for (const int size : {hidden, sequence}) {
    opened.child<QComboBox>("largest_size")->setCurrentIndex(size);
    QVERIFY2(opened.words().contains("BERT-48 has no transformer configuration"), qPrintable(opened.words()));
    QVERIFY(opened.words().contains("config.json"));
    QVERIFY(!opened.child<QPushButton>("largest_find")->isEnabled());
  }
  opened.child<QComboBox>("largest_size")->setCurrentIndex(layers);
  QVERIFY(opened.words().startsWith("Choose the size to grow"));
  QVERIFY(opened.child<QPushButton>("largest_find")->isEnabled());
}

void TestLargestPage::profiles_changed_by_hand() {
  Opened opened;
  opened.open_gpt2();
  Profile changed = *opened.fixture.session().problem()->profile;
  changed.name = "changed";
  changed.layers[1].forward.count *= 2;
  opened.fixture.session().change("changed", session::project::with_imported_profile(opened.fixture.state(), changed));
  QVERIFY(opened.show());
  opened.ask(hidden, 0, 0);
  QVERIFY(opened.settle());
  QVERIFY2(opened.words().contains("were changed since they were computed"), qPrintable(opened.words()));
  QVERIFY(!opened.child<QPushButton>("largest_keep")->isEnabled());
}

void TestLargestPage::pictures() {
  Opened opened;
  opened.fixture.window->resize(1500, 1240);  // all of the page
  QVERIFY(opened.show());
  opened.ask(layers, 24, 1536);
  QVERIFY(opened.settle());
  for (const char* appearance : {"dark", "light"}) {
    opened.fixture.trigger((QByteArray("action_appearance_") + appearance).constData());
    QVERIFY(opened.settle());
    QCOMPARE(ui::layout::write_picture(*opened.page, test::pictures_folder() + "largest-" + appearance + ".png"),
             QString());
  }
  opened.fixture.window->resize(1100, 700);
  QVERIFY(opened.settle());
  QCOMPARE(ui::layout::write_picture(*opened.page, test::pictures_folder() + "largest-small.png"), QString());
}

PIPEDECK_WINDOW_TEST(TestLargestPage)

}  // namespace pipedeck::tst_largest_page

#include "tst_largest_page.moc"
