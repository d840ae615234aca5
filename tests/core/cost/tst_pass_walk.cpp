// SPDX-License-Identifier: Apache-2.0
// The walk over a stage's layers: closed forms, and random passes against a simulation of every task on its lane.
#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/base/checks.hpp"
#include "core/cost/pass_walk.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_pass_walk {

using cost::PassLayer;
using cost::PassPart;
using cost::PassTime;
using cost::walk_pass;
using plan::GroupFamily;

constexpr std::array every_kind{OpKind::forward, OpKind::backward, OpKind::backward_input, OpKind::backward_weight};

bool is_near(double actual, double expected) {
  return std::abs(actual - expected) <= 1e-12 * std::max(1.0, std::abs(expected));
}

/// Tasks on lanes. A lane runs its tasks in the order in which they were added.
class LaneSimulation {
 public:
  struct Task {
    int lane = 0;
    double seconds = 0;
    std::vector<int> after_ends, after_starts;
    double start = -1, end = -1;
  };

  int add(int lane, double seconds, std::vector<int> after_ends, std::vector<int> after_starts = {}) {
    tasks_.push_back({lane, seconds, std::move(after_ends), std::move(after_starts)});
    return static_cast<int>(tasks_.size()) - 1;
  }

  /// Moves the clock from event to event. At each, starts all tasks that can, until none can.
  double end_of(int last) {
    double now = 0;
    while (true) {
      while (start_one(now)) {
      }
      if (task(last).end >= 0 && task(last).end <= now) return task(last).end;
      double next = 1e300;
      for (const Task& one : tasks_)
        if (one.end > now) next = std::min(next, one.end);
      if (next == 1e300) return -1;  // no task can start
      now = next;
    }
  }

 private:
  Task& task(int position) { return tasks_[static_cast<std::size_t>(position)]; }
  bool start_one(double now) {
    std::vector<bool> taken(6);
    for (Task& one : tasks_) {
      if (one.end >= 0 && one.end <= now) continue;
      const auto lane = static_cast<std::size_t>(one.lane);
      if (taken[lane]) continue;
      taken[lane] = true;
      if (one.start >= 0) continue;
      bool ready = true;
      for (const int other : one.after_ends) ready = ready && task(other).start >= 0 && task(other).end <= now;
      for (const int other : one.after_starts) ready = ready && task(other).start >= 0;
      if (!ready) continue;
      one.start = now;
      one.end = now + one.seconds;
      return true;
    }
    return false;
  }

  std::vector<Task> tasks_;
};

/// A compute with the collectives behind it, as a test makes them: of a pass and a layer.
struct Hidden {
  Pass pass = Pass::forward;
  Behind behind = Behind::nothing;
  double time = 0, weight_gradient = 0;
  std::vector<std::pair<GroupFamily, double>> collectives;
  int ranks = 2;
};

struct RandomLayer {
  std::array<double, 4> rest{};  ///< compute that hides nothing: forward, recompute, input, weight gradient
  std::vector<Hidden> hidden;
  std::vector<Hidden> exposed;
  double gather_forward = 0, gather_backward = 0, scatter = 0;
  bool in_unit_of_previous = false;
};

RandomLayer random_layer(test::Random& random, bool gathers) {
  RandomLayer layer;
  const auto some = [&] { return random.integer(0, 3) == 0 ? 0.0 : random.uniform(0, 4); };
  for (double& rest : layer.rest) rest = some();
  const std::array families{GroupFamily::tensor, GroupFamily::context, GroupFamily::expert, GroupFamily::expert_all};
  const auto collectives = [&] {
    std::vector<std::pair<GroupFamily, double>> all;
    for (int count = random.integer(1, 3); count > 0; --count)
      all.emplace_back(families[static_cast<std::size_t>(random.integer(0, 3))], some());
    return all;
  };
  for (int count = random.integer(0, 3); count > 0; --count)
    layer.exposed.push_back({static_cast<Pass>(random.integer(0, 2)), Behind::nothing, 0, 0, collectives()});
  for (int count = random.integer(0, 3); count > 0; --count)
    layer.hidden.push_back({Pass::backward, Behind::input_gradient, some(), 0, collectives()});
  for (int count = random.integer(0, 3); count > 0; --count)
    layer.hidden.push_back({Pass::backward, Behind::weight_gradient, 0, some(), collectives()});
  for (const Pass pass : {Pass::forward, Pass::recompute, Pass::backward}) {
    const bool backward = pass == Pass::backward;
    if (random.integer(0, 1) == 0)
      layer.hidden.push_back({pass, Behind::shared_experts, some(), backward ? some() : 0, collectives()});
    if (random.integer(0, 1) == 0) {
      Hidden ring{pass, Behind::attention_pieces, some(), 0, {{GroupFamily::context_sequence, some()}}};
      if (backward) ring.collectives.emplace_back(GroupFamily::context_sequence, some());
      ring.ranks = random.integer(2, 5);
      layer.hidden.push_back(ring);
    }
  }
  if (!gathers) return layer;
  layer.gather_forward = some(), layer.gather_backward = some(), layer.scatter = some();
  layer.in_unit_of_previous = random.integer(0, 3) == 0;
  return layer;
}

PassLayer pass_layer(const RandomLayer& layer) {
  PassLayer made{Seconds(layer.rest[0]), Seconds(layer.rest[1]), Seconds(layer.rest[2]), Seconds(layer.rest[3])};
  int products = 0;
  for (const Hidden& one : layer.hidden) {
    const std::string product = "product " + std::to_string(products++);
    made.hiding.push_back({one.pass, one.behind, product, Seconds(one.time), Seconds(one.weight_gradient)});
    (one.pass == Pass::forward     ? made.forward
     : one.pass == Pass::recompute ? made.recompute
                                   : made.input_gradient) += Seconds(one.time);
    made.weight_gradient += Seconds(one.weight_gradient);
    for (const auto& [group, time] : one.collectives)
      made.collectives.push_back({group, one.pass, Seconds(time), one.behind, product, one.ranks});
  }
  for (const Hidden& one : layer.exposed)
    for (const auto& [group, time] : one.collectives) made.collectives.push_back({group, one.pass, Seconds(time)});
  made.gather_forward = Seconds(layer.gather_forward), made.gather_backward = Seconds(layer.gather_backward);
  made.scatter = Seconds(layer.scatter);
  made.in_unit_of_previous = layer.in_unit_of_previous;
  return made;
}

/// Puts the tasks of a pass on lanes: compute 0, tensor 1, context 2, expert 3, gather 4, scatter 5.
class PassTasks {
 public:
  PassTasks(const std::vector<RandomLayer>& layers, OpKind kind, int ahead)
      : layers_(layers), kind_(kind), ahead_(ahead) {}

  double seconds() {
    std::vector<std::vector<const RandomLayer*>> units;
    for (const RandomLayer& layer : layers_) {
      if (units.empty() || !layer.in_unit_of_previous) units.emplace_back();
      units.back().push_back(&layer);
    }
    if (kind_ != OpKind::forward) std::reverse(units.begin(), units.end());
    std::vector<int> starts, scatters;
    for (const auto& unit : units) {
      double gather = 0, scatter = 0;
      for (const RandomLayer* layer : unit) {
        if (kind_ == OpKind::forward) gather += layer->gather_forward;
        if (kind_ == OpKind::backward || kind_ == OpKind::backward_input) gather += layer->gather_backward;
        if (kind_ == OpKind::backward || kind_ == OpKind::backward_weight) scatter += layer->scatter;
      }
      const int before = static_cast<int>(starts.size()) - ahead_;
      std::vector<int> after;
      if (before >= 0) after.push_back(starts[static_cast<std::size_t>(before)]);
      const int gathered = simulation_.add(4, gather, {}, after);
      sync_ = {simulation_.add(0, 0, with(sync_, gathered))};
      starts.push_back(sync_.front());
      for (const RandomLayer* layer : unit) add(*layer);
      if (!scatters.empty()) sync_.push_back(scatters.back());
      sync_ = {simulation_.add(0, 0, sync_)};
      scatters.push_back(simulation_.add(5, scatter, sync_));
    }
    return simulation_.end_of(sync_.front());
  }

 private:
  static std::vector<int> with(std::vector<int> tasks, int one) {
    tasks.push_back(one);
    return tasks;
  }
  static int lane_of(GroupFamily group) {
    if (group == GroupFamily::tensor) return 1;
    return group == GroupFamily::context || group == GroupFamily::context_sequence ? 2 : 3;
  }
  bool has(Pass pass) const {
    if (kind_ == OpKind::forward) return pass == Pass::forward;
    return kind_ != OpKind::backward_weight && pass != Pass::forward;
  }

  void compute(double seconds) { sync_ = {simulation_.add(0, seconds, sync_)}; }

  void add(const RandomLayer& layer) {
    if (kind_ == OpKind::forward) compute(layer.rest[0]);
    if (has(Pass::recompute)) compute(layer.rest[1] + layer.rest[2]);
    if (kind_ == OpKind::backward || kind_ == OpKind::backward_weight) compute(layer.rest[3]);
    for (const Hidden& one : layer.exposed)
      if (has(one.pass))
        for (const auto& [group, time] : one.collectives) sync_ = {simulation_.add(lane_of(group), time, sync_)};
    for (const Hidden& one : layer.hidden) {
      if (kind_ == OpKind::backward_weight) compute(one.weight_gradient);
      if (!has(one.pass)) continue;
      const double time = one.time + (kind_ == OpKind::backward ? one.weight_gradient : 0);
      if (one.behind == Behind::attention_pieces)
        pieces(one, time);
      else
        together(one, time);
    }
  }

  void together(const Hidden& one, double time) {
    std::vector<int> all{simulation_.add(0, time, sync_)};
    for (const auto& [group, seconds] : one.collectives) all.push_back(simulation_.add(lane_of(group), seconds, sync_));
    sync_ = all;
  }

  void pieces(const Hidden& one, double time) {
    const int steps = one.ranks - 1;
    for (int piece = 0; piece < one.ranks; ++piece) {
      std::vector<int> all{simulation_.add(0, time / one.ranks, sync_)};
      if (piece < steps) all.push_back(simulation_.add(2, one.collectives[0].second / steps, sync_));
      if (piece > 0 && one.collectives.size() > 1)
        all.push_back(simulation_.add(2, one.collectives[1].second / steps, sync_));
      sync_ = all;
    }
  }

  const std::vector<RandomLayer>& layers_;
  OpKind kind_;
  int ahead_;
  LaneSimulation simulation_;
  std::vector<int> sync_;  ///< what the next task waits for
};

std::vector<RandomLayer> random_layers(test::Random& random) {
  const bool gathers = random.integer(0, 2) > 0;
  std::vector<RandomLayer> layers;
  for (int count = random.integer(1, 6); count > 0; --count) layers.push_back(random_layer(random, gathers));
  return layers;
}

std::vector<PassLayer> pass_layers(const std::vector<RandomLayer>& layers) {
  std::vector<PassLayer> made;
  for (const RandomLayer& layer : layers) made.push_back(pass_layer(layer));
  return made;
}

PassLayer gathered(double compute, double gather) {
  PassLayer layer{Seconds(compute), {}, Seconds(compute), {}};
  layer.gather_forward = layer.gather_backward = Seconds(gather);
  return layer;
}

class TestPassWalk : public QObject {
  Q_OBJECT
 private slots:
  void passesAreTheirTasksOnLanes() {
    test::Random random(1);
    for (int trial = 0; trial < 400; ++trial) {
      const std::vector<RandomLayer> layers = random_layers(random);
      for (const OpKind kind : every_kind)
        for (const GatherAhead ahead : {GatherAhead::one, GatherAhead::two}) {
          const PassTime time = walk_pass(pass_layers(layers), kind, ahead);
          QVERIFY(is_near(time.duration().count, PassTasks(layers, kind, static_cast<int>(ahead)).seconds()));
        }
    }
  }

  /// Compute is whole, no part is negative, and all parts together are at most everything one after the other.
  void partsAreWithinTheirBounds() {
    test::Random random(2);
    for (int trial = 0; trial < 400; ++trial) {
      const std::vector<PassLayer> layers = pass_layers(random_layers(random));
      for (const OpKind kind : every_kind) {
        const PassTime one = walk_pass(layers, kind), two = walk_pass(layers, kind, GatherAhead::two);
        double compute = 0, sum = 0, exposed = 0;
        std::array<double, cost::pass_part_count> most{};
        for (const PassLayer& layer : layers) {
          if (kind == OpKind::forward) compute += layer.forward.count;
          if (kind == OpKind::backward || kind == OpKind::backward_input)
            compute += layer.recompute.count + layer.input_gradient.count;
          if (kind == OpKind::backward || kind == OpKind::backward_weight) compute += layer.weight_gradient.count;
          for (const cost::TimedCollective& collective : layer.collectives)
            if (kind != OpKind::backward_weight && (collective.pass == Pass::forward) == (kind == OpKind::forward))
              most[static_cast<std::size_t>(cost::part_of(collective.group))] += collective.time.count;
          most[4] += kind == OpKind::forward ? layer.gather_forward.count : layer.gather_backward.count;
          most[5] += layer.scatter.count;
        }
        most[0] = compute;
        for (std::size_t part = 0; part < most.size(); ++part) {
          QVERIFY(one.parts[part].count >= 0 && one.parts[part].count <= most[part] + 1e-12);
          sum += one.parts[part].count;
          if (part > 0) exposed += one.parts[part].count;
        }
        QVERIFY(is_near(one[PassPart::compute].count, compute));
        QVERIFY(is_near(one.duration().count, sum));
        QVERIFY(is_near(one.exposed().count, exposed));
        QVERIFY(two.duration() <= one.duration() + Seconds(1e-12));
      }
    }
  }

  /// Hidden collectives add nothing, however many there are; a longer collective makes no pass shorter.
  void hiddenCommunicationNeverAdds() {
    test::Random random(3);
    for (int trial = 0; trial < 300; ++trial) {
      std::vector<RandomLayer> layers = random_layers(random);
      const OpKind kind = every_kind[static_cast<std::size_t>(random.integer(0, 2))];
      for (RandomLayer& layer : layers)
        for (Hidden& one : layer.hidden)
          for (auto& [group, time] : one.collectives) time = 0;
      const PassTime none = walk_pass(pass_layers(layers), kind);
      for (RandomLayer& layer : layers)
        for (Hidden& one : layer.hidden) {
          const bool covered = kind == OpKind::backward_input && one.behind == Behind::weight_gradient;
          const double cover = covered ? 0 : one.time + (kind == OpKind::backward ? one.weight_gradient : 0);
          const auto count = static_cast<double>(one.collectives.size());
          const double steps = one.behind == Behind::attention_pieces ? (one.ranks - 1.0) / one.ranks : 1;
          for (auto& [group, time] : one.collectives) time = 0.999 * cover * steps / count;
        }
      const PassTime hidden = walk_pass(pass_layers(layers), kind);
      QCOMPARE(hidden.parts, none.parts);
      RandomLayer& any = layers[static_cast<std::size_t>(random.integer(0, static_cast<int>(layers.size()) - 1))];
      if (any.hidden.empty()) continue;
      any.hidden.front().collectives.front().second += 3;
      QVERIFY(walk_pass(pass_layers(layers), kind).duration() >= hidden.duration() - Seconds(1e-12));
    }
  }

  /// A block with sequence parallelism, its products of 3 s and their collectives of 2 s (parallelism.md, section 2).
  void tensorParallelBlock() {
    PassLayer block{Seconds(12), Seconds(0), Seconds(12), Seconds(12)};
    const auto add = [&](Pass pass, Behind behind, const std::string& product, double seconds) {
      block.collectives.push_back({GroupFamily::tensor, pass, Seconds(seconds), behind, product, 8});
    };
    for (const std::string product : {"queries", "feed-forward in"}) {
      add(Pass::forward, Behind::nothing, "", 2);
      add(Pass::forward, Behind::nothing, "", 2);
      add(Pass::backward, Behind::nothing, "", 2);
      add(Pass::backward, Behind::input_gradient, product, 2);
      add(Pass::backward, Behind::weight_gradient, product, 4);
      block.hiding.push_back({Pass::backward, Behind::input_gradient, product, Seconds(3)});
      block.hiding.push_back({Pass::backward, Behind::weight_gradient, product, {}, Seconds(3)});
    }
    const std::array layers{block};
    QCOMPARE(walk_pass(layers, OpKind::forward)[PassPart::tensor], Seconds(8));
    QCOMPARE(walk_pass(layers, OpKind::backward)[PassPart::tensor], Seconds(2 * 2 + 2 * 1));
    QCOMPARE(walk_pass(layers, OpKind::backward).duration(), Seconds(30));
    // Without the weight gradient, nothing hides the scatters.
    QCOMPARE(walk_pass(layers, OpKind::backward_input)[PassPart::tensor], Seconds(2 * 2 + 2 * 4));
    QCOMPARE(walk_pass(layers, OpKind::backward_weight).duration(), Seconds(12));
  }

  /// C ranks, C pieces of attention of a second each: forward C - 1 steps; backward keys with the first pieces, their
  /// gradients with the last (parallelism.md, section 3).
  void ringAttention() {
    constexpr int ranks = 4;
    for (const double step : {0.5, 0.75, 1.0, 1.5, 3.0}) {
      const double backward = std::max(step - 1, 0.0) * 2 + 2 * std::max(2 * step - 1, 0.0);
      PassLayer layer{Seconds(9), {}, Seconds(9), {}};
      for (const Pass pass : {Pass::forward, Pass::backward, Pass::backward})
        layer.collectives.push_back(
            {GroupFamily::context_sequence, pass, Seconds(step * (ranks - 1)), Behind::attention_pieces, "", ranks});
      layer.hiding = {{Pass::forward, Behind::attention_pieces, "", Seconds(4)},
                      {Pass::backward, Behind::attention_pieces, "", Seconds(4)}};
      const std::array layers{layer};
      QVERIFY(is_near(walk_pass(layers, OpKind::forward)[PassPart::context].count, 3 * std::max(step - 1, 0.0)));
      QVERIFY(is_near(walk_pass(layers, OpKind::backward)[PassPart::context].count, backward));
    }
  }

  /// Dispatch and combine behind shared experts are hidden together, or not at all.
  void expertsBehindSharedExperts() {
    PassLayer layer{Seconds(10), {}, {}, {}};
    for (int twice = 0; twice < 2; ++twice)
      layer.collectives.push_back({GroupFamily::expert, Pass::forward, Seconds(3), Behind::shared_experts});
    QCOMPARE(walk_pass(std::array{layer}, OpKind::forward)[PassPart::expert], Seconds(6));
    layer.hiding = {{Pass::forward, Behind::shared_experts, "", Seconds(4)}};
    QCOMPARE(walk_pass(std::array{layer}, OpKind::forward)[PassPart::expert], Seconds(2));
    QCOMPARE(walk_pass(std::array{layer}, OpKind::forward).duration(), Seconds(12));
  }

  /// Compute of 10 and 20 s hides exchanges of 6 and 8 s of another micro-batch, and all but 3 s of 33.
  void joinedPassesHideExperts() {
    PassLayer layer{Seconds(10), {}, Seconds(12), Seconds(8)};
    const auto exchange = [&](double forward, double backward) {
      layer.collectives = {{GroupFamily::expert, Pass::forward, Seconds(forward), Behind::nothing},
                           {GroupFamily::expert, Pass::backward, Seconds(backward), Behind::shared_experts},
                           {GroupFamily::tensor, Pass::backward, Seconds(1), Behind::nothing}};
      return cost::walk_joined(std::array{layer}, std::array{layer});
    };
    QCOMPARE(exchange(6, 8).duration(), Seconds(31));
    QCOMPARE(exchange(6, 8)[PassPart::expert], Seconds(0));
    QCOMPARE(exchange(16, 18).duration(), Seconds(34));
    QCOMPARE(exchange(16, 18)[PassPart::expert], Seconds(3));
    QCOMPARE(exchange(16, 18)[PassPart::tensor], Seconds(1));
  }

  /// Joining is never slower than one pass after the other, nor quicker than all exchanges of experts.
  void joinedPassesAreWithinTheirBounds() {
    test::Random random(4);
    for (int trial = 0; trial < 300; ++trial) {
      const std::vector<PassLayer> forward = pass_layers(random_layers(random));
      const std::vector<PassLayer> backward = pass_layers(random_layers(random));
      const PassTime joined = cost::walk_joined(forward, backward);
      PassTime apart = walk_pass(forward, OpKind::forward);
      apart += walk_pass(backward, OpKind::backward);
      double exchanges = 0;
      for (const auto* layers : {&forward, &backward})
        for (const PassLayer& layer : *layers)
          for (const cost::TimedCollective& one : layer.collectives)
            if (cost::part_of(one.group) == PassPart::expert && (one.pass == Pass::forward) == (layers == &forward))
              exchanges += one.time.count;
      QVERIFY(is_near(joined[PassPart::compute].count, apart[PassPart::compute].count));
      QVERIFY(joined.duration() <= apart.duration() + Seconds(1e-12));
      QVERIFY(joined.duration().count >= exchanges - 1e-12);
      QVERIFY(joined.duration() >= joined[PassPart::compute]);
      QVERIFY(joined[PassPart::expert].count == 0 || is_near(joined.duration().count, exchanges));
    }
  }

  /// L equal units of compute c and gather g take g + (L - 1) max(c, g) + c; scattered ones c + (L - 1) max(c, s).
  void equalUnits() {
    for (const double gather : {0.0, 1.0, 2.0, 5.0})
      for (const int count : {1, 2, 7}) {
        std::vector<PassLayer> layers(static_cast<std::size_t>(count), gathered(2, gather));
        const double others = (count - 1) * std::max(2.0, gather);
        for (const GatherAhead ahead : {GatherAhead::one, GatherAhead::two})
          for (const OpKind kind : {OpKind::forward, OpKind::backward, OpKind::backward_input}) {
            const PassTime time = walk_pass(layers, kind, ahead);
            QCOMPARE(time.duration(), Seconds(gather + others + 2));
            QCOMPARE(time[PassPart::gather], Seconds(gather + others - 2 * (count - 1)));
          }
        for (PassLayer& layer : layers) std::swap(layer.scatter, layer.gather_backward);
        QCOMPARE(walk_pass(layers, OpKind::backward).duration(), Seconds(2 + others));
        QCOMPARE(walk_pass(layers, OpKind::backward)[PassPart::scatter], Seconds(others - 2 * (count - 1)));
        QCOMPARE(walk_pass(layers, OpKind::backward_input).duration(), Seconds(2 * count));
      }
  }

  /// A long first unit hides the third's gather only if gathers are two units ahead. The backward has the reverse
  /// order.
  void unequalUnits() {
    std::vector<PassLayer> layers{gathered(4, 1), gathered(1, 1), gathered(1, 3)};
    QCOMPARE(walk_pass(layers, OpKind::forward, GatherAhead::one).duration(), Seconds(9));
    QCOMPARE(walk_pass(layers, OpKind::forward, GatherAhead::two).duration(), Seconds(7));
    QCOMPARE(walk_pass(layers, OpKind::backward, GatherAhead::one).duration(), Seconds(3 + 1 + 1 + 4));
    layers[1].in_unit_of_previous = true;  // units of 5 and 1 s, gathers of 2 and 3 s
    QCOMPARE(walk_pass(layers, OpKind::forward).duration(), Seconds(2 + 5 + 1));
    QCOMPARE(walk_pass(layers, OpKind::backward).duration(), Seconds(3 + 2 + 5));
  }

  void whatIsNoPassIsRefused() {
    PassLayer layer;
    QCOMPARE(walk_pass({}, OpKind::forward).duration().count, 0.0);
    QVERIFY_THROWS_EXCEPTION(InvariantViolation, (void)walk_pass(std::array{layer}, OpKind::send));
    layer.collectives = {{GroupFamily::data, Pass::forward, Seconds(1)}};
    QVERIFY_THROWS_EXCEPTION(InvariantViolation, (void)walk_pass(std::array{layer}, OpKind::forward));
    layer.collectives = {{GroupFamily::context, Pass::forward, Seconds(1), Behind::attention_pieces, "", 1}};
    QVERIFY_THROWS_EXCEPTION(InvariantViolation, (void)walk_pass(std::array{layer}, OpKind::forward));
  }
};

PIPEDECK_TEST(TestPassWalk)

}  // namespace pipedeck::tst_pass_walk

#include "tst_pass_walk.moc"
