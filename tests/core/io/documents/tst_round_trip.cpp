// SPDX-License-Identifier: Apache-2.0
// A written document reads back equal, in every format; texts are unchanged, unknown keys included; numbers are the
// shortest that read back the same.
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include <QTest>

#include "core/io/checksum.hpp"
#include "core/io/documents/calibration.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/json/value.hpp"
#include "core/io/profiles/graph_text.hpp"
#include "core/io/text/decimal.hpp"
#include "core/io/traces/trace.hpp"
#include "core/plan/validate.hpp"
#include "tests/core/io/documents/sample_documents.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_round_trip {

using namespace pipedeck::test;

template <class T, class Write, class Read>
void expect_equal_after(const T& value, Write write, Read read) {
  const std::string text = write(value);
  const auto again = read(text);
  QVERIFY2(again, (again ? std::string() : again.error().text() + "\n" + text).c_str());
  QVERIFY2(*again == value, text.c_str());
  QCOMPARE(write(*again), text);
}

std::string simulation_text(const Simulation& simulation) {
  return io::documents::simulation_to_json(simulation, {true, true});
}

class TestRoundTrip : public QObject {
  Q_OBJECT

 private slots:
  // The conversion from milliseconds must lose nothing: 10 000 doubles of every magnitude, in every unit.
  void every_double_survives_every_unit() {
    Random random(1);
    for (int i = 0; i < 10'000; ++i) {
      const double value = random_double(random, 1e17);
      for (const int shift : {-9, 0, 3, 6}) {
        const std::string text = io::text::double_to_decimal(value, shift);
        QCOMPARE(io::text::decimal_to_double(text, -shift), std::optional(value));
      }
    }
  }

  void numbers_are_short() {
    QCOMPARE(io::text::double_to_decimal(0.00807, 3), std::string("8.07"));
    QCOMPARE(io::text::double_to_decimal(3.125e9, -9), std::string("3.125"));
    QCOMPARE(io::text::double_to_decimal(5e-6, 6), std::string("5.0"));
    QCOMPARE(io::text::double_to_decimal(0.1), std::string("0.1"));
    QCOMPARE(io::text::double_to_decimal(1e300), std::string("1e300"));
    QCOMPARE(io::text::integer_to_decimal(8'070'123, 6), std::string("8.070123"));
    QCOMPARE(io::text::integer_to_decimal(5, 6), std::string("0.000005"));
    QCOMPARE(io::text::integer_to_decimal(0, 6), std::string("0.0"));
    QCOMPARE(io::text::decimal_to_double("8.07", -3), std::optional(0.00807));
    QCOMPARE(io::text::decimal_to_double("1e-400"), std::optional(0.0));
    QVERIFY(!io::text::decimal_to_double("1e400"));
    QVERIFY(!io::text::decimal_to_double("1e999999999999999999999"));
    QVERIFY(!io::text::decimal_to_double("nan") && !io::text::decimal_to_double("inf") &&
            !io::text::decimal_to_double("") && !io::text::decimal_to_double("1x"));
  }

  void random_profiles() {
    Random random(2);
    for (int i = 0; i < 300; ++i) {
      const Profile profile = random_profile(random);
      QVERIFY2(plan::validate(profile), plan::validate(profile) ? "" : plan::validate(profile).error().text().c_str());
      expect_equal_after(profile, io::documents::profile_to_json, io::documents::profile_from_json);
    }
  }
  void random_clusters() {
    Random random(3);
    for (int i = 0; i < 300; ++i)
      expect_equal_after(random_cluster(random), io::documents::cluster_to_json, io::documents::cluster_from_json);
  }
  void random_plans() {
    Random random(4);
    for (int i = 0; i < 300; ++i)
      expect_equal_after(random_plan(random), io::documents::plan_to_json, io::documents::plan_from_json);
  }
  void random_simulations() {
    Random random(5);
    for (int i = 0; i < 300; ++i)
      expect_equal_after(random_simulation(random), simulation_text, io::documents::simulation_from_json);
  }
  void random_events() {
    Random random(6);
    for (int i = 0; i < 300; ++i) {
      const RunEvent event = random_event(random);
      QVERIFY(io::documents::event_to_json(event).find('\n') == std::string::npos);
      expect_equal_after(event, io::documents::event_to_json, io::documents::event_from_json);
    }
  }
  void random_calibrations() {
    Random random(7);
    for (int i = 0; i < 300; ++i)
      expect_equal_after(random_calibration(random), io::documents::calibration_to_json,
                         io::documents::calibration_from_json);
  }
  void a_loss_that_is_no_number_is_null() {
    StepDone step;
    step.step = 1;
    step.loss = std::nan("");
    const auto again = io::documents::event_from_json(io::documents::event_to_json(step));
    QVERIFY(again && std::isnan(std::get<StepDone>(*again).loss));
  }

  void samples() {
    expect_equal_after(*io::documents::profile_from_json(sample_profile()), io::documents::profile_to_json,
                       io::documents::profile_from_json);
    expect_equal_after(*io::documents::cluster_from_json(sample_cluster()), io::documents::cluster_to_json,
                       io::documents::cluster_from_json);
    expect_equal_after(*io::documents::plan_from_json(sample_plan()), io::documents::plan_to_json,
                       io::documents::plan_from_json);
    expect_equal_after(*io::documents::model_from_json(sample_model()), io::documents::model_to_json,
                       io::documents::model_from_json);
    expect_equal_after(*io::documents::simulation_from_json(sample_simulation()), simulation_text,
                       io::documents::simulation_from_json);
    expect_equal_after(*io::documents::event_from_json(sample_event()), io::documents::event_to_json,
                       io::documents::event_from_json);
    expect_equal_after(*io::documents::calibration_from_json(sample_calibration()), io::documents::calibration_to_json,
                       io::documents::calibration_from_json);
  }

  void profile_keeps_its_meaning() {
    const Profile profile = *io::documents::profile_from_json(sample_profile());
    const Layer &a = profile.layers[0], &b = profile.layers[1], &c = profile.layers[2];
    QCOMPARE(a.forward.count, 0.0015);
    QCOMPARE(a.backward_weight.count, 0.00125);
    QCOMPARE(a.at.size(), 2u);  // the base point among them
    QCOMPARE(a.at[0].micro_batch, 2);
    QCOMPARE(a.at[0].backward.count, a.backward.count);
    QCOMPARE(b.backward_weight.count, 0.0005);  // half of backward where there are parameters
    QCOMPARE(c.backward_weight.count, 0.0);
    QCOMPARE(b.saved.count, b.output.count);
    QCOMPARE(profile.edges[1].output, std::optional(1));
    QVERIFY(profile.edges[2].output == std::nullopt);
  }

  // Unknown keys come back, at the top, in items of lists and in objects that have no place of their own for them.
  void unknown_keys_are_kept() {
    const auto has = [](const std::string& text, const std::string& part) {
      return text.find(part) != std::string::npos;
    };
    const std::string profile = io::documents::profile_to_json(*io::documents::profile_from_json(sample_profile()));
    QVERIFY2(has(profile, R"("colour": "blue")") && has(profile, "1e3"), profile.c_str());
    const std::string cluster = io::documents::cluster_to_json(*io::documents::cluster_from_json(sample_cluster()));
    QVERIFY2(has(cluster, R"("cable": "red")") && has(cluster, R"("rack": 3)") && has(cluster, R"("vendor": "N")"),
             cluster.c_str());
    const std::string calibration =
        io::documents::calibration_to_json(*io::documents::calibration_from_json(sample_calibration()));
    QVERIFY2(has(calibration, R"("weather": "cold")") && has(calibration, R"("author": "me")"), calibration.c_str());
    const std::string plan = io::documents::plan_to_json(*io::documents::plan_from_json(sample_plan()));
    QVERIFY2(has(plan, R"("author": "me")") && has(plan, R"("more": 1)") && has(plan, R"("note": "x")"), plan.c_str());
  }

  // The order of unknown keys' neighbours and white space do not matter to the digest; a figure does.
  // Operations come back sorted by lane and start: rows stay with their neighbours.
  void unknown_keys_of_a_simulation_are_kept() {
    std::string text = sample_simulation();
    const auto put = [&](const std::string& before, const std::string& unknown) {
      const std::size_t at = text.find(before);
      QVERIFY(at != text.npos);
      text.insert(at, unknown);
    };
    put("\"network\"", R"("author": "me", )");
    put("\"busy_ms\": 8.5", R"("rack": 7, )");
    put("\"weights\"", R"("cache": 5, )");
    put("{\"device\": 0, \"kind\": \"forward\"",
        R"({"device": 0, "kind": "backward", "stage": 0, "start_ms": 8.07, "end_ms": 9.0, "colour": "blue"}, )");
    put("\"kind\": \"forward\"", R"("colour": "green", )");
    const auto simulation = io::documents::simulation_from_json(text);
    QVERIFY2(simulation, simulation ? "" : simulation.error().text().c_str());
    expect_equal_after(*simulation, simulation_text, io::documents::simulation_from_json);

    const auto value = io::json::parse(simulation_text(*simulation));
    QVERIFY(value && value->find("author"));
    const io::json::List& devices = *value->find("devices")->as<io::json::List>();
    QVERIFY(devices[1].find("rack") && !devices[0].find("rack"));
    QVERIFY(devices[0].find("memory_parts")->find("cache"));
    const io::json::List& intervals = *value->find("intervals")->as<io::json::List>();
    QCOMPARE(*intervals[0].find("kind")->as<std::string>(), std::string("forward"));
    QCOMPARE(*intervals[0].find("colour")->as<std::string>(), std::string("green"));
    QCOMPARE(*intervals[1].find("colour")->as<std::string>(), std::string("blue"));
    QVERIFY(!intervals[2].find("colour"));
    // Without operations there is nothing that their unknown keys belong to.
    QVERIFY(io::documents::simulation_from_json(io::documents::simulation_to_json(*simulation, {.intervals = false})));
    QVERIFY(io::documents::simulation_to_json(*simulation, {.intervals = false}).find("colour") == std::string::npos);
  }

  void a_plan_without_its_prediction_reads_back() {
    Plan plan = *io::documents::plan_from_json(sample_plan());
    plan.extra = R"({"objective":{"more":1},"predicted":{"more":1},"author":"me"})";
    plan.objective.reset();
    plan.predicted.reset();
    const auto again = io::documents::plan_from_json(io::documents::plan_to_json(plan));
    QVERIFY2(again, again ? "" : again.error().text().c_str());
    QCOMPARE(again->extra, std::string(R"({"author":"me"})"));
  }

  void a_lower_bound_that_is_not_there_is_not_written() {
    Plan plan = *io::documents::plan_from_json(sample_plan());
    QVERIFY(plan.predicted);
    plan.predicted->lower_bound = Seconds();
    QVERIFY(io::documents::plan_to_json(plan).find("lower_bound_ms") == std::string::npos);
    expect_equal_after(plan, io::documents::plan_to_json, io::documents::plan_from_json);
  }

  void digest_is_of_what_it_means() {
    const Profile profile = *io::documents::profile_from_json(sample_profile());
    const auto parsed = io::json::parse(sample_profile());
    QCOMPARE(io::sha256_of(*io::documents::profile_from_json(io::json::compact(*parsed))), io::sha256_of(profile));
    Profile other = profile;
    other.layers[0].forward = Seconds(std::nextafter(other.layers[0].forward.count, 1));
    QVERIFY(io::sha256_of(other) != io::sha256_of(profile));
    // FIPS 180-4, the example of one block.
    QCOMPARE(io::sha256("abc"), std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
  }

  void keys_are_in_the_order_of_the_contract() {
    const std::string text = io::documents::plan_to_json(*io::documents::plan_from_json(sample_plan()));
    std::size_t at = 0;
    for (const char* key :
         {"format", "version", "name", "planner", "profile", "cluster", "global_batch", "micro_batch", "micro_batches",
          "schedule", "warmup", "optimizer", "precision", "zero", "order", "stages", "objective", "predicted"}) {
      const std::size_t found = text.find(std::string("\n  \"") + key + '"');
      QVERIFY2(found != text.npos && found >= at, key);
      at = found;
    }
  }

  void trace_is_json_without_overlaps() {
    Random random(7);
    const Timeline timeline = random_simulation(random).timeline;
    const std::string text = io::traces::chrome_trace(timeline, "a \"title\"");
    const auto trace = io::json::parse(text);
    QVERIFY(trace);
    const io::json::List& events = *trace->find("traceEvents")->as<io::json::List>();
    std::map<std::pair<std::string, std::string>, double> end;
    for (const io::json::Value& event : events) {
      if (*event.find("ph") != io::json::Value("X")) continue;
      const auto number = [&](const char* key) {
        return *io::text::decimal_to_double(event.find(key)->as<io::json::Number>()->token);
      };
      double& last =
          end[{event.find("pid")->as<io::json::Number>()->token, event.find("tid")->as<io::json::Number>()->token}];
      QVERIFY(number("ts") >= last - 1e-6);
      last = number("ts") + number("dur");
    }
    // A track for each lane, but for each stage of a lane of collectives.
    std::set<std::pair<std::size_t, int>> tracks;
    for (std::size_t lane = 0; lane < timeline.lanes.size(); ++lane)
      for (std::size_t i = timeline.lanes[lane].begin; i < timeline.lanes[lane].end; ++i)
        tracks.insert({lane, timeline.lanes[lane].role == LaneRole::collective ? int{timeline.stage[i]} : 0});
    QCOMPARE(end.size(), tracks.size());
  }
};

PIPEDECK_TEST(TestRoundTrip)

}  // namespace pipedeck::tst_round_trip

#include "tst_round_trip.moc"
