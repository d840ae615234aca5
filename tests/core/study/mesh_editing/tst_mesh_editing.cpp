// SPDX-License-Identifier: Apache-2.0
// A plan edited in its dimensions: every candidate against the simulator and the rules, locks, and ways back.
#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "core/analytic/analytic_profile.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/documents/transformer.hpp"
#include "core/mesh/memory.hpp"
#include "core/mesh/plan_question.hpp"
#include "core/plan/mesh_rules.hpp"
#include "core/plan/validate.hpp"
#include "core/planner/planner.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/presets.hpp"
#include "core/study/mesh_editing/rows.hpp"
#include "tests/core/analytic/transformer/shards/shard_shapes.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_mesh_editing {

using namespace study::mesh_editing;
using study::mesh_editing::Dimension;  // not an operator's

/// A model on 64 H100 with a plan of T 4, P 4, D 4, two stages per rank.
struct Edited {
  Profile profile;
  std::shared_ptr<const Cluster> cluster;
  Plan plan;
  std::shared_ptr<const sim::Simulator> simulator;
  Mesh mesh;
};

Profile profile_of(const TransformerConfig& config, int sequence) {
  const AnalyticOptions options{.sequence = sequence};
  const DeviceModel device = *presets::catalogue_device("H100-SXM");
  auto computed = analytic::analytic_profile({config, {}}, device, options);
  if (!computed) qFatal("%s", computed.error().text().c_str());
  return io::documents::with_origin(std::move(computed->profile), {config, device.type.name, options});
}

Edited edited(const TransformerConfig& config) {
  Edited made;
  made.profile = profile_of(config, 2048);
  made.cluster = std::make_shared<const Cluster>(presets::open_cluster("preset:8x8-h100-sxm").value());
  mesh::Question question;
  question.config = config;
  question.cluster = made.cluster;
  question.layer.shard = {.tensor = 4, .sequence = true};
  question.layer.count.sequence = 2048;
  question.layer.vocabulary_multiple = 128;
  question.data = 4, question.pipeline = 4, question.virtual_stages = 2, question.micro_batches = 16;
  question.sharding.level = 1;
  made.plan = mesh::plan_of(question, made.profile);
  made.plan.name = "four by four";
  const auto simulator = sim::Simulator::of(std::make_shared<const Profile>(made.profile), made.cluster, {});
  made.simulator = std::make_shared<const sim::Simulator>(*simulator);
  auto mesh = mesh_of(*made.simulator, made.plan);
  if (!mesh) qFatal("%s", mesh.error().text().c_str());
  made.mesh = *std::move(mesh);
  return made;
}

TransformerConfig dense() { return test::llama(4096, 32, 32, 8, 14336, 32000); }

TransformerConfig with_experts() {
  TransformerConfig config = test::llama(2048, 32, 32, 8, 8192, 32000);
  config.experts.emplace();
  config.experts->count = 8, config.experts->per_token = 2, config.experts->feed_forward = 4096;
  return config;
}

/// A step that a planner's sentence names.
struct NamedStep {
  Dimension dimension;
  int value;
  std::string with;  ///< what else it changes
  double change = 0;
  bool has_change = false, lacks = false;
};

/// Returns the steps of a sentence: "PP 2 with ZeRO-1 costs 7.6 %; PP 8 lacks 3.1 GiB."
std::vector<NamedStep> steps_of(const QString& sentence, int recomputed) {
  static const QRegularExpression form(QStringLiteral(
      "^(TP|CP|EP|ETP|PP|VP|a micro-batch of|sharding level|no recomputation|recomputing)\\b ?(.*?)(?: with (.*?))? "
      "(?:(saves|costs) ([0-9.]+) %|(takes the same time)|(?:would save ([0-9.]+) %, but )?(lacks) [0-9.]+ GiB)$"));
  const std::map<QString, Dimension> names{{"TP", Dimension::tensor},
                                           {"CP", Dimension::context},
                                           {"EP", Dimension::expert},
                                           {"ETP", Dimension::expert_tensor},
                                           {"PP", Dimension::pipeline},
                                           {"VP", Dimension::virtual_stages},
                                           {"a micro-batch of", Dimension::micro_batch},
                                           {"sharding level", Dimension::sharding}};
  std::vector<NamedStep> steps;
  QString text = sentence.chopped(1);
  for (const char* first : {"A micro", "Sharding", "No ", "Recomputing"})
    if (text.startsWith(QLatin1String(first))) text[0] = text[0].toLower();
  for (const QString& part : text.split(QStringLiteral("; "))) {
    const auto match = form.match(part);
    if (!match.hasMatch()) continue;
    const auto name = names.find(match.captured(1));
    NamedStep step{name == names.end() ? Dimension::recompute : name->second,
                   name == names.end() ? recomputed - 1 : match.captured(2).split(' ').front().toInt(),
                   match.captured(3).toStdString()};
    step.lacks = !match.captured(8).isEmpty();
    step.has_change = !step.lacks || !match.captured(7).isEmpty();
    step.change = (match.captured(4) == QStringLiteral("costs") ? 1 : -1) *
                  (match.captured(5) + match.captured(7)).toDouble() / 100;
    steps.push_back(step);
  }
  return steps;
}

int devices_of(const mesh::Question& q) { return q.shard().tensor * q.shard().context * q.data * q.pipeline; }

class TestMeshEditing : public QObject {
  Q_OBJECT

  const Edited dense_ = edited(dense()), experts_ = edited(with_experts());

 private slots:
  /// Time, change and memory of each candidate are those of its plan; whatever is not admissible breaks its rule.
  void every_candidate_is_as_its_plan_simulated() {
    for (const Edited* edited : {&dense_, &experts_}) {
      const auto sheet = sheet_of(edited->mesh, 2);
      QVERIFY2(sheet, sheet ? "" : sheet.error().text().c_str());
      const Seconds now = edited->simulator->iteration_time(edited->plan).value();
      QCOMPARE(to_seconds(round_to_nanoseconds(sheet->now.iteration)), now);
      int admissible = 0, broken = 0;
      for (const Row& row : sheet->rows)
        for (const Candidate& one : row.candidates) {
          const auto made = changed(edited->mesh, row.dimension, one.value);
          QCOMPARE(made.has_value(), !one.broken.has_value());
          if (one.broken) {
            QCOMPARE(made.error(), *one.broken);
            ++broken;
            continue;
          }
          const bool is_step = row.dimension == Dimension::overlap || !one.is_now;
          const Plan plan = is_step ? edited_plan(edited->plan, *made, edited->profile) : edited->plan;
          QVERIFY(plan::validate(plan, edited->profile, *edited->cluster));
          const auto time = edited->simulator->iteration_time(plan);
          QVERIFY2(time, time ? "" : time.error().text().c_str());
          const std::string which = std::string(name_of(row.dimension)) + " " + one.text;
          QVERIFY2(to_seconds(round_to_nanoseconds(one.iteration)) == *time, which.c_str());
          QVERIFY2(qFuzzyCompare(1 + one.change, 1 + (time->count / now.count - 1)), which.c_str());
          const auto memory = edited->simulator->prediction(plan);
          QVERIFY2(memory->fits == one.fits && memory->needed < one.memory, which.c_str());
          ++admissible;
        }
      QVERIFY(admissible >= 30 && broken >= 3);
    }
  }

  /// A fits exactly where memory is within the whole device.
  void memory_is_compared_with_the_whole_device() {
    const auto sheet = sheet_of(dense_.mesh);
    for (const Row& row : sheet->rows)
      for (const Candidate& one : row.candidates)
        if (!one.broken) QCOMPARE(one.fits, one.memory <= sheet->now.capacity);
  }

  void the_product_stays() {
    for (const Edited* edited : {&dense_, &experts_})
      for (int d = 0; d < dimension_count; ++d) {
        const auto dimension = static_cast<Dimension>(d);
        for (const int value : offered_values(edited->mesh, dimension))
          if (const auto made = changed(edited->mesh, dimension, value)) {
            QCOMPARE(devices_of(*made), 64);
            QCOMPARE(made->global_batch(), edited->mesh.question.global_batch());
          }
      }
    const auto wider = changed(dense_.mesh, Dimension::tensor, 8);
    QCOMPARE(wider->data, 2);  // D follows
    QCOMPARE(wider->micro_batches, 32);
    QCOMPARE(changed(dense_.mesh, Dimension::pipeline, 2)->data, 8);
    QCOMPARE(changed(dense_.mesh, Dimension::context, 2)->data, 2);
  }

  void locked_dimensions_do_not_move() {
    Mesh mesh = dense_.mesh;
    mesh.locked = {Dimension::data};
    QCOMPARE(changed(mesh, Dimension::tensor, 8)->pipeline, 2);  // another one follows
    mesh.locked = {Dimension::data, Dimension::pipeline};
    QCOMPARE(changed(mesh, Dimension::context, 2)->shard().tensor, 2);
    mesh.locked = {Dimension::data, Dimension::pipeline, Dimension::context};
    const auto none = changed(mesh, Dimension::tensor, 8);
    QVERIFY(!none);
    QCOMPARE(none.error().name, std::string("locks"));
    QVERIFY2(none.error().text.find("128 devices") != std::string::npos, none.error().text.c_str());
    mesh.locked = {Dimension::tensor};
    QCOMPARE(changed(mesh, Dimension::tensor, 8).error().text, std::string("found TP locked at 4"));
    QVERIFY(changed(mesh, Dimension::tensor, 4));
    QVERIFY(unlocked_change(mesh, Dimension::tensor, 8));  // what it would be worth is still shown
    for (int d = 0; d < dimension_count; ++d) {
      mesh.locked = {static_cast<Dimension>(d)};
      for (int o = 0; o < dimension_count; ++o) {
        if (o == d || d == static_cast<int>(Dimension::overlap)) continue;
        for (const int value : offered_values(mesh, static_cast<Dimension>(o)))
          if (const auto made = changed(mesh, static_cast<Dimension>(o), value)) {
            Mesh after = mesh;
            after.question = *made;
            if (static_cast<Dimension>(d) == Dimension::sharding_group && made->sharding.group == 0) continue;  // all
            QCOMPARE(value_of(after, static_cast<Dimension>(d)), value_of(mesh, static_cast<Dimension>(d)));
          }
      }
    }
  }

  void broken_rules_are_named() {
    const auto devices = changed(dense_.mesh, Dimension::tensor, 32);
    QVERIFY(!devices);
    QCOMPARE(devices.error().name, std::string("devices"));
    const Edited twenty = edited(test::llama(2560, 32, 20, 20, 8192, 32000));
    const auto heads = changed(twenty.mesh, Dimension::tensor, 8);
    QVERIFY(!heads);
    QCOMPARE(heads.error().name, std::string("heads"));
    QVERIFY(heads.error().engine.empty());
    QVERIFY2(heads.error().text.find("20 heads") != std::string::npos, heads.error().text.c_str());
    const auto stages = changed(dense_.mesh, Dimension::virtual_stages, 3);  // 12 stages of 32 blocks, 4 missing
    QVERIFY(!stages);
    QCOMPARE(stages.error().engine, std::string("Megatron-LM"));
    QCOMPARE(stages.error().name, std::string("blocks"));
    const auto batch = changed(dense_.mesh, Dimension::micro_batch, 3);
    QCOMPARE(batch.error().name, std::string("global batch"));
    const auto precision = changed(dense_.mesh, Dimension::products, 3);
    QCOMPARE(precision.error().text, std::string("found mxfp8, expected a precision of the H100-SXM"));
    const auto sequence = changed(experts_.mesh, Dimension::sequence, 0);
    QCOMPARE(sequence.error().name, std::string("experts need sequence parallelism"));
  }

  /// One rank less leaves both ends shorter: 30 blocks in 4 x 8 stages of one would be empty, in 2 x 4 they are not.
  void short_ends_are_laid_out() {
    const Edited thirty = edited(test::llama(4096, 30, 32, 8, 14336, 32000));
    const auto made = changed(thirty.mesh, Dimension::virtual_stages, 1);
    QVERIFY2(made, made ? "" : made.error().text.c_str());
    QCOMPARE(made->blocks, (std::vector<int>{7, 8, 8, 7}));
  }

  void a_way_there_and_back_returns_the_plan() {
    const std::string before =
        io::documents::plan_to_json(edited_plan(dense_.plan, dense_.mesh.question, dense_.profile));
    for (const auto& [dimension, there] : {std::pair{Dimension::tensor, 8},
                                           {Dimension::tensor, 1},
                                           {Dimension::sequence, 0},
                                           {Dimension::context, 4},
                                           {Dimension::pipeline, 8},
                                           {Dimension::virtual_stages, 4},
                                           {Dimension::sharding, 0},
                                           {Dimension::sharding_group, 2},
                                           {Dimension::micro_batch, 2},
                                           {Dimension::products, 2},
                                           {Dimension::recompute, static_cast<int>(dense_.mesh.recomputed.size()) - 1},
                                           {Dimension::overlap, 2}}) {
      Mesh mesh = dense_.mesh;
      const int back = dimension == Dimension::overlap ? there : value_of(mesh, dimension);
      for (const bool returns : {false, true}) {
        const auto made = changed(mesh, dimension, returns ? back : there);
        QVERIFY2(made, made ? "" : made.error().text.c_str());
        const Plan plan = edited_plan(dense_.plan, *made, dense_.profile);
        mesh.question = mesh_of(*dense_.simulator, plan)->question;
        QVERIFY2((io::documents::plan_to_json(plan) == before) == returns, std::string(name_of(dimension)).c_str());
      }
    }
  }

  void costs_are_those_of_the_dimension() {
    const auto sheet = sheet_of(dense_.mesh);
    // A block gathers and scatters w n h over T ranks 4 times forward and 6 backward, and P ranks share the blocks.
    const double n = 2048, h = 4096, own = 2 * n * h * 3 / 4;
    const double blocks = 32.0 / 4 * 16 * 10 * own;
    const Row& tensor = *sheet->row(Dimension::tensor);
    QVERIFY2(tensor.bytes > blocks && tensor.bytes < 1.1 * blocks, std::to_string(tensor.bytes / blocks).c_str());
    // Seven boundaries of eight stages, there and back, a fourth of w n h.
    QCOMPARE(sheet->row(Dimension::pipeline)->bytes, 7 * 2 * 16 * (2 * n * h / 4) / 4);
    QCOMPARE(sheet->row(Dimension::context)->bytes, 0.0);
    QVERIFY(sheet->row(Dimension::data)->bytes > 0 && !sheet->row(Dimension::expert));
    QVERIFY(sheet_of(experts_.mesh)->row(Dimension::expert));
    const Candidate& whole = tensor.candidates.front();
    QCOMPARE(whole.value, 1);
    QCOMPARE(tensor.memory->count, (sheet->memory - whole.memory).count);
    QVERIFY(tensor.memory->count < 0);
  }

  /// Ranks of an expert gather and scatter k r h w each way, (x - 1) times; what they wait for is theirs alone.
  void ranks_of_an_expert_have_a_row() {
    QVERIFY(!sheet_of(dense_.mesh)->row(Dimension::expert_tensor));
    Mesh mesh = experts_.mesh;
    mesh.question.layer.shard.expert = 4, mesh.question.layer.shard.expert_tensor = 2;
    const auto both = sheet_of(mesh);
    QVERIFY2(both, both ? "" : both.error().text().c_str());
    const Row &cut = *both->row(Dimension::expert_tensor), &spread = *both->row(Dimension::expert);
    QCOMPARE(cut.now()->value, 2);
    const double rows = 2 * (2048.0 / 4) * 2048 * 2;  // k r h w: 2 of 8 experts, a fourth of 2,048 tokens
    QCOMPARE(cut.bytes, 32.0 / 4 * 16 * 4 * rows);
    QVERIFY(cut.exposed.count > 0 && spread.exposed.count > 0);
    QVERIFY(qFuzzyCompare((cut.exposed + spread.exposed).count, both->now[mesh::StepPart::expert].count));
    QVERIFY(cut.memory.has_value());

    mesh.question.layer.shard.expert = 1;
    const auto alone = sheet_of(mesh);
    QCOMPARE(alone->row(Dimension::expert)->bytes, 0.0);
    QVERIFY(std::abs(alone->row(Dimension::expert)->exposed.count) < 1e-12);
    QVERIFY(qFuzzyCompare(alone->row(Dimension::expert_tensor)->exposed.count, cut.exposed.count));

    mesh.question.training.hidden.expert = true;  // behind another micro-batch: less of both
    const auto hidden = sheet_of(mesh);
    QVERIFY(hidden->row(Dimension::expert_tensor)->exposed < cut.exposed);
    QVERIFY(qFuzzyCompare(1 + hidden->row(Dimension::expert_tensor)->exposed.count,
                          1 + hidden->now[mesh::StepPart::expert].count));
  }

  /// A stage has 16 ranks: with 8 expert ranks, each expert is on 2 at most.
  void expert_degrees_follow_each_other() {
    Mesh mesh = experts_.mesh;
    mesh.question.layer.shard.expert = 8;
    QCOMPARE(changed(mesh, Dimension::expert_tensor, 2)->shard().expert, 8);
    const auto wider = changed(mesh, Dimension::expert_tensor, 4);
    QVERIFY2(wider, wider ? "" : wider.error().text.c_str());
    QCOMPARE(wider->shard().expert, 4);
    Mesh cut = mesh;
    cut.question = *wider;
    QCOMPARE(changed(cut, Dimension::expert, 8)->shard().expert_tensor, 2);
    mesh.locked = {Dimension::expert};
    const auto locked = changed(mesh, Dimension::expert_tensor, 4);
    QVERIFY(!locked && locked.error().name == "devices");
    QVERIFY(!changed(experts_.mesh, Dimension::expert_tensor, 3));
    mesh.locked = {Dimension::expert_tensor};
    QCOMPARE(planner_options(mesh).at("etp"), std::string("1"));
  }

  void sentences_agree_with_the_sheet_data() {
    QTest::addColumn<int>("layers");
    QTest::addColumn<bool>("experts");
    QTest::addColumn<QString>("options");
    QTest::addColumn<bool>("names_another");  // a step that the engines have with another change alone
    QTest::newRow("free") << 32 << false << "" << false;
    QTest::newRow("ring") << 32 << false << "cp=2 cp-kind=ring sharding=3" << false;
    QTest::newRow("heads") << 32 << false << "cp=2 cp-kind=heads sharding=3" << true;
    QTest::newRow("level 2") << 32 << false << "sharding=2" << true;
    QTest::newRow("interleaved") << 32 << false << "pp-ranks=4 vp=2 samples=1" << false;
    QTest::newRow("uneven") << 30 << false << "pp-ranks=4 samples=1" << false;
    QTest::newRow("one short") << 31 << false << "pp-ranks=2 samples=1" << false;
    QTest::newRow("zb-v") << 32 << false << "pp-ranks=2 schedule=zb-v" << false;
    QTest::newRow("group") << 32 << false << "sharding=1 sharding-group=4 tp=2" << false;
    QTest::newRow("experts") << 16 << true << "ep=4" << false;
    QTest::newRow("recomputed") << 32 << false << "recompute=full pp-ranks=2" << false;
  }
  /// The planner's sentences on one step along a dimension are the sheet's figures: the same degrees are admissible,
  /// with the same gain. Where a step needs another change, the sentence and the sheet both name one.
  void sentences_agree_with_the_sheet() {
    QFETCH(int, layers);
    QFETCH(bool, experts);
    QFETCH(QString, options);
    QFETCH(bool, names_another);
    Problem problem;
    TransformerConfig config = experts ? with_experts() : dense();
    config.layers = layers;
    problem.profile = std::make_shared<const Profile>(profile_of(config, 4096));
    problem.cluster = std::make_shared<const Cluster>(presets::open_cluster("preset:2x8-h100-sxm").value());
    problem.workload.global_batch = 64, problem.workload.precision = Precision::mixed_18;
    const auto simulator = sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
    planner::PlannerContext context;
    context.score = sim::score_of(*simulator), context.fits = sim::fits_of(*simulator), context.explain = true;
    planner::PlannerOptions asked;
    for (const QString& one : options.split(' ', Qt::SkipEmptyParts))
      asked[one.section('=', 0, 0).toStdString()] = one.section('=', 1).toStdString();
    const auto ranking = planner::run_planner(**planner::find_planner("mesh"), problem, asked, context);
    QVERIFY2(ranking && !ranking->plans.empty(), qPrintable(options));
    const Plan& plan = ranking->plans.front();
    const Mesh mesh = mesh_of(*simulator, plan).value();
    const auto sheet = sheet_of(mesh, 2).value();
    int found = 0, others = 0;
    for (const std::string& sentence : plan.rationale)
      for (const NamedStep& step : steps_of(QString::fromStdString(sentence), value_of(mesh, Dimension::recompute))) {
        const Row* row = sheet.row(step.dimension);
        QVERIFY2(row, sentence.c_str());
        const auto one = std::ranges::find(row->candidates, step.value, &Candidate::value);
        if (one == row->candidates.end()) continue;  // rows have the values next to the plan's own
        ++found;
        if (one->broken) {
          QVERIFY2(!step.with.empty() && one->with, (sentence + "\n" + one->broken->text).c_str());
          ++others;
          continue;
        }
        const std::string both = sentence + "\n" + std::to_string(one->change);
        if (step.has_change) QVERIFY2(std::abs(one->change - step.change) < 0.00051, both.c_str());
        QVERIFY2(one->fits != step.lacks, both.c_str());
      }
    std::string all = plan.name;
    for (const std::string& sentence : plan.rationale) all += "\n" + sentence;
    QVERIFY2(found >= 5, all.c_str());
    QVERIFY2(others > 0 || !names_another, all.c_str());
  }

  /// A value that breaks a rule names one more change with which it does not, and the nearest value that breaks none.
  void a_refused_value_names_the_nearest_choice() {
    Mesh mesh = dense_.mesh;
    mesh.question.sharding.level = 3, mesh.question.pipeline = mesh.question.virtual_stages = 1;
    mesh.question.data = 8, mesh.question.layer.shard.context = 2, mesh.question.blocks.clear();
    mesh.question.layer.shard.context_kind = ContextKind::heads;
    int refused = 0;
    for (const ContextKind kind : {ContextKind::heads, ContextKind::ring}) {
      mesh.question.layer.shard.context_kind = kind;
      const auto sheet = sheet_of(mesh, 2).value();
      for (const Row& row : sheet.rows)
        for (const Candidate& one : row.candidates) {
          if (!one.broken) {
            QVERIFY(!one.with && !one.nearest);
            continue;
          }
          ++refused;
          if (one.nearest) QVERIFY(changed(mesh, row.dimension, *one.nearest));
          if (!one.with) continue;
          Mesh after = mesh;
          const auto first = changed(mesh, one.with->dimension, one.with->value);
          if (!first) continue;  // the other change alone is not admissible
          after.question = *first;
          const auto made = changed(after, row.dimension, one.value);
          QVERIFY2(made, (std::string(name_of(row.dimension)) + " " + one.text).c_str());
        }
      const Row& pipeline = *sheet.row(Dimension::pipeline);
      const auto two = std::ranges::find(pipeline.candidates, 2, &Candidate::value);
      QCOMPARE(two->broken.has_value(), kind == ContextKind::heads);  // torchtitan's pipelines shard weights
      if (!two->broken) continue;
      QCOMPARE(two->broken->engine, std::string("torchtitan"));
      QVERIFY(two->with && two->with->dimension == Dimension::sharding && two->with->value < 2);
      QCOMPARE(*two->nearest, 1);
    }
    QVERIFY(refused >= 6);
  }

  void the_best_step_is_no_slower_than_any() {
    Mesh mesh = dense_.mesh;
    const auto sheet = sheet_of(mesh);
    const auto step = best_step(*sheet);
    QVERIFY(step);
    const auto time = [&](const Step& one) {
      return dense_.simulator
          ->prediction(edited_plan(dense_.plan, *changed(mesh, one.dimension, one.value), dense_.profile))
          ->iteration;
    };
    const Seconds best = time(*step);
    QVERIFY(best < sheet->now.iteration);
    for (const Row& row : sheet->rows)
      for (const Candidate& one : row.candidates) QVERIFY(one.broken || !one.fits || one.iteration >= best);
    mesh.locked.insert(step->dimension);
    const auto other = best_step(*sheet_of(mesh));
    QVERIFY(!other || other->dimension != step->dimension);
  }

  void locks_are_the_planners_pins() {
    Mesh mesh = dense_.mesh;
    mesh.locked = {Dimension::tensor, Dimension::sharding, Dimension::recompute, Dimension::data};
    const std::map<std::string, std::string> expected{
        {"tp", "4"}, {"sharding", "1"}, {"recompute", "none"}, {"dp-ranks", "4"}};
    QCOMPARE(planner_options(mesh), expected);
  }
};

PIPEDECK_TEST(TestMeshEditing)

}  // namespace pipedeck::tst_mesh_editing

#include "tst_mesh_editing.moc"
