// SPDX-License-Identifier: Apache-2.0
// One plan as format versions 1 and 2: the times of layers are the same, and so is the iteration but for what version 1
// counts otherwise (parallelism.md, "Times").
#include <QList>
#include <QTest>

#include <cmath>
#include <memory>
#include <string>

#include "core/analytic/times/roofline.hpp"
#include "core/analytic/transformer/shards/work_times.hpp"
#include "core/mesh/plan_question.hpp"
#include "core/mesh/stages.hpp"
#include "core/presets/computed_profile.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/presets.hpp"
#include "core/sim/simulate.hpp"
#include "core/sim/step/predict_step.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_plan_versions_agree {

namespace shards = analytic::transformer::shards;

struct Case {
  std::string model, device, cluster;
  int tensor = 1, pipeline = 1, data = 1, samples = 1;
};

/// A model on a cluster of one device type, and a plan of even stages.
class Both {
 public:
  explicit Both(const Case& of)
      : device_(presets::catalogue_device(of.device).value()),
        cluster_(std::make_shared<const Cluster>(presets::cluster_preset(of.cluster).value())) {
    AnalyticOptions options;
    options.precision = analytic::times::usual_precision(device_);
    const ParsedTransformer model = presets::transformer_preset(of.model).value();
    profile_ = std::make_shared<const Profile>(presets::computed_profile(model, device_, options).value().profile);
    plan_.micro_batch = of.data * of.samples, plan_.micro_batches = 16, plan_.global_batch = 16 * plan_.micro_batch;
    plan_.schedule = ScheduleKind::one_f_one_b;
    plan_.precision = Precision::mixed_16;
    const int blocks = model.config.layers, layers = static_cast<int>(profile_->layers.size());
    for (int p = 0; p < of.pipeline; ++p) {
      Stage& stage = plan_.stages.emplace_back();
      stage.first = p == 0 ? 0 : 1 + blocks * p / of.pipeline;
      stage.last = p + 1 == of.pipeline ? layers : 1 + blocks * (p + 1) / of.pipeline;
      stage.tensor_parallel = of.tensor;
      for (int d = 0; d < of.tensor * of.data; ++d) stage.devices.emplace_back(p * of.tensor * of.data + d);
    }
  }

  const Profile& profile() const { return *profile_; }
  mesh::Rates rates() const { return {device_.type, *device_.efficiency}; }

  mesh::Question question() const {
    Plan plan = plan_;
    for (Stage& stage : plan.stages) stage.degrees.sequence = stage.tensor_parallel > 1;
    const auto asked = mesh::question_of(plan, *profile_, cluster_);
    if (!asked) qFatal("%s", asked.error().text().c_str());
    return *asked;
  }

  double first_version() const {
    SimulationOptions conventions;
    conventions.efficiency[device_.type.name] = hardware_efficiency(*device_.efficiency);
    return sim::Simulator::of(profile_, cluster_, conventions).value().iteration_time(plan_).value().count;
  }
  double second_version() const { return sim::step::predict_step(question(), rates()).value().iteration.count; }

 private:
  DeviceModel device_;
  std::shared_ptr<const Cluster> cluster_;
  std::shared_ptr<const Profile> profile_;
  Plan plan_;
};

class TestPlanVersionsAgree : public QObject {
  Q_OBJECT

 private slots:
  void times_of_layers_are_the_same_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("device");
    QTest::addColumn<QString>("cluster");
    QTest::addColumn<int>("tensor");
    for (const int tensor : {1, 2, 8}) {
      QTest::addRow("70B, T %d", tensor) << "llama-3-70b"
                                         << "H100-SXM"
                                         << "8x8-h100-sxm" << tensor;
      QTest::addRow("8B, T %d", tensor) << "llama-3-8b"
                                        << "B200"
                                        << "8x8-b200" << tensor;
      if (tensor < 8)  // 30522 words
        QTest::addRow("odd vocabulary, T %d", tensor) << "bert-base"
                                                      << "H100-SXM"
                                                      << "8x8-h100-sxm" << tensor;
      QTest::addRow("experts, T %d", tensor) << "mixtral-8x7b"
                                             << "A100-80GB"
                                             << "8x8-a100-80gb" << tensor;
    }
  }
  void times_of_layers_are_the_same() {
    QFETCH(QString, model);
    QFETCH(QString, device);
    QFETCH(QString, cluster);
    QFETCH(int, tensor);
    const Both both({model.toStdString(), device.toStdString(), cluster.toStdString(), tensor, 1, 8 / tensor});
    const mesh::Question question = both.question();
    const auto stages = mesh::stage_layers(question);
    QVERIFY(stages.has_value());
    const mesh::StageLayers& layers = stages->front();
    QCOMPARE(layers.size(), both.profile().layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const auto work = shards::layer_work(layers[i], both.rates(), question.training);
      QVERIFY(work.has_value());
      const Layer& layer = both.profile().layers[i];
      QCOMPARE(layer.name, layers[i].name);
      Seconds forward = layer.forward, backward = layer.backward, weights = layer.backward_weight;
      for (const TensorParallelPoint& point : layer.tensor_parallel)
        if (point.degree == tensor)
          forward = point.forward, backward = point.backward, weights = point.details.backward_weight.value();
      QCOMPARE(forward, work->forward.total);
      QCOMPARE(backward, work->input_gradient.total + work->weight_gradient.total);
      QCOMPARE(weights, work->weight_gradient.total);
    }
  }

  /// Version 1 counts 28 bytes per parameter of the optimizer's step, version 2 reads narrow gradients twice and counts
  /// 30; all else is the same.
  void data_parallel_iterations_differ_by_the_optimizer_alone_data() {
    QTest::addColumn<QString>("device");
    QTest::addColumn<QString>("cluster");
    QTest::addColumn<int>("ranks");
    QTest::newRow("a node of H100") << "H100-SXM"
                                    << "8-h100-sxm" << 8;
    QTest::newRow("8 nodes of H100") << "H100-SXM"
                                     << "8x8-h100-sxm" << 64;
    QTest::newRow("a node of A100") << "A100-80GB"
                                    << "8-a100-80gb" << 8;
    QTest::newRow("8 nodes of B200") << "B200"
                                     << "8x8-b200" << 64;
  }
  void data_parallel_iterations_differ_by_the_optimizer_alone() {
    QFETCH(QString, device);
    QFETCH(QString, cluster);
    QFETCH(int, ranks);
    const Both both({"llama-3-8b", device.toStdString(), cluster.toStdString(), 1, 1, ranks, 1});
    double parameters = 0;
    for (const Layer& layer : both.profile().layers) parameters += static_cast<double>(layer.parameters.count) / 2;
    const mesh::Rates rates = both.rates();
    const double step = 2 * parameters / (rates.type.memory_bandwidth->count * rates.reached.memory);
    const double first = both.first_version(), second = both.second_version();
    QVERIFY2(std::abs(second - first - step) < 1e-6 * second,
             qPrintable(QString("%1 and %2 s, %3 s of the optimizer").arg(first).arg(second).arg(step)));
  }

  /// Version 1 has all tensor-parallel sums exposed. Without tensor ranks, the bytes of the optimizer's step alone
  /// differ. With two samples, times are on a line through one and two.
  void iterations_are_alike_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("device");
    QTest::addColumn<QString>("cluster");
    QTest::addColumn<QList<int>>("degrees");
    QTest::addColumn<double>("tolerance");
    const auto row = [](const char* name, const char* model, const char* device, const char* cluster,
                        const QList<int>& degrees, double tolerance) {
      QTest::newRow(name) << model << device << cluster << degrees << tolerance;
    };
    row("8B, P 4, D 2", "llama-3-8b", "H100-SXM", "8-h100-sxm", {1, 4, 2, 1}, 0.001);
    row("8B, P 4, D 2, two samples", "llama-3-8b", "H100-SXM", "8-h100-sxm", {1, 4, 2, 2}, 0.001);
    row("70B, P 8, D 8", "llama-3-70b", "H100-SXM", "8x8-h100-sxm", {1, 8, 8, 1}, 0.001);
    row("8B, P 8, B200", "llama-3-8b", "B200", "8-b200", {1, 8, 1, 1}, 0.001);
    row("8B, P 8, two samples, A100", "llama-3-8b", "A100-80GB", "8-a100-80gb", {1, 8, 1, 2}, 0.001);
    row("8B, T 2", "llama-3-8b", "H100-SXM", "8-h100-sxm", {2, 2, 2, 1}, 0.006);
    row("70B, T 4, A100", "llama-3-70b", "A100-80GB", "8x8-a100-80gb", {4, 4, 4, 1}, 0.02);
    row("70B, T 8", "llama-3-70b", "H100-SXM", "8x8-h100-sxm", {8, 4, 2, 1}, 0.01);
  }
  void iterations_are_alike() {
    QFETCH(QString, model);
    QFETCH(QString, device);
    QFETCH(QString, cluster);
    QFETCH(QList<int>, degrees);
    QFETCH(double, tolerance);
    const Both both({model.toStdString(), device.toStdString(), cluster.toStdString(), degrees[0], degrees[1],
                     degrees[2], degrees[3]});
    const double first = both.first_version(), second = both.second_version();
    QVERIFY2(std::abs(first / second - 1) < tolerance, qPrintable(QString("%1 and %2 s").arg(first).arg(second)));
  }
};

PIPEDECK_TEST(TestPlanVersionsAgree)

}  // namespace pipedeck::tst_plan_versions_agree

#include "tst_plan_versions_agree.moc"
