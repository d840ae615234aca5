// SPDX-License-Identifier: Apache-2.0
// A computed profile records its origin: it survives its file without loss, gives an equal profile again, and a model
// that is no transformer is refused with its place.
#include <QtTest>

#include <filesystem>

#include "core/analytic/analytic_profile.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/documents/transformer.hpp"
#include "core/io/files.hpp"
#include "core/io/importers.hpp"
#include "core/presets/device_catalogue.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_transformer_origin {

std::vector<std::string> configurations() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(PIPEDECK_FIXTURES "/hugging_face"))
    files.push_back(entry.path().string());
  return files;
}

TransformerOrigin origin_in(const std::string& file) {
  TransformerOrigin origin;
  origin.config = std::get<ParsedTransformer>(io::read_document(file).value()).config;
  origin.device = "A100-40GB";
  origin.options.sequence = 384;
  origin.options.micro_batch = 3;
  origin.options.attention = AttentionMemory::selective;
  origin.options.degrees = {2, 4};
  origin.options.dropout = false;
  origin.options.reached.emplace().gemms = 0.5;
  return origin;
}

Profile profile_of(const TransformerOrigin& origin) {
  DeviceModel device = *presets::catalogue_device(origin.device);
  device.efficiency = origin.efficiency;
  return analytic::analytic_profile({origin.config, {}}, device, origin.options).value().profile;
}

/// The text of the profile's file with `from` in place of `to`.
Profile replaced(const TransformerOrigin& origin, const std::string& from, const std::string& to) {
  Profile profile = io::documents::with_origin(profile_of(origin), origin);
  const std::size_t at = profile.extra.find(from);
  if (at == std::string::npos) throw std::runtime_error("not found: " + from);
  profile.extra.replace(at, from.size(), to);
  return profile;
}

class TestTransformerOrigin : public QObject {
  Q_OBJECT

 private slots:
  void through_a_file_and_back() {
    const auto files = configurations();
    QVERIFY(files.size() >= 13);
    for (const std::string& file : files) {
      const TransformerOrigin origin = origin_in(file);
      const Profile written = io::documents::with_origin(profile_of(origin), origin);
      const auto read = io::documents::profile_from_json(io::documents::profile_to_json(written));
      QVERIFY2(read.has_value(), file.c_str());
      QCOMPARE(read->layers, written.layers);
      const auto found = io::documents::origin_of(*read);
      QVERIFY2(found.has_value() && found->has_value(), file.c_str());
      QCOMPARE(**found, origin);
      QCOMPARE(profile_of(**found).layers, read->layers);
    }
  }

  /// Times by shape are computed again from the file alone: with the values that were known then.
  void efficiencies_are_in_the_file() {
    TransformerOrigin origin = origin_in(PIPEDECK_FIXTURES "/hugging_face/llama-3-8b.config.json");
    origin.options.reached.reset();
    const auto made =
        analytic::analytic_profile({origin.config, {}}, *presets::catalogue_device(origin.device), origin.options);
    QVERIFY(made.has_value() && made->efficiency.has_value());
    QCOMPARE(made->efficiency->device, origin.device);
    for (const double slower : {1.0, 2.0}) {  // as a program knows the type that is twice as slow there
      origin.efficiency = made->efficiency;
      origin.efficiency->products.at("bf16").plain.share /= slower;
      const Profile written = io::documents::with_origin(profile_of(origin), origin);
      const auto read = io::documents::profile_from_json(io::documents::profile_to_json(written));
      QVERIFY(read.has_value());
      const auto found = io::documents::origin_of(*read);
      QVERIFY(found.has_value() && found->has_value());
      QCOMPARE(**found, origin);
      QCOMPARE(profile_of(**found).layers, read->layers);
      QCOMPARE(read->layers == made->profile.layers, slower == 1);
    }
  }

  /// A file that an earlier program wrote: its shares of the peak hold, though more is known of the type now.
  void files_without_efficiencies_keep_their_times() {
    const auto text = io::read_file(PIPEDECK_FIXTURES "/gpt2-h100-by-shares.profile.json");
    const auto read = io::documents::profile_from_json(text.value());
    QVERIFY(read.has_value());
    const auto origin = io::documents::origin_of(*read);
    QVERIFY(origin.has_value() && origin->has_value());
    QCOMPARE((*origin)->options.reached, EfficiencyFactors{});
    QVERIFY(!(*origin)->efficiency);
    QCOMPARE(profile_of(**origin).layers, read->layers);
    const auto now =
        analytic::analytic_profile({(*origin)->config, {}}, *presets::catalogue_device("H100-SXM"), (*origin)->options);
    QCOMPARE(now->profile.layers, read->layers);
    QVERIFY(!now->efficiency);
  }

  void other_members_stay() {
    TransformerOrigin origin = origin_in(PIPEDECK_FIXTURES "/hugging_face/gpt2.config.json");
    Profile profile = profile_of(origin);
    QVERIFY(io::documents::origin_of(profile).has_value() && !io::documents::origin_of(profile)->has_value());
    profile.extra = R"({"note":"mine","transformer":{"device":"old"}})";
    profile = io::documents::with_origin(std::move(profile), origin);
    QVERIFY(profile.extra.find(R"("note":"mine")") != std::string::npos);
    QVERIFY(profile.extra.find("old") == std::string::npos);
    QCOMPARE(**io::documents::origin_of(profile), origin);
  }

  void what_is_no_transformer_is_refused() {
    const TransformerOrigin origin = origin_in(PIPEDECK_FIXTURES "/hugging_face/gpt2.config.json");
    const auto refused = [&](const char* from, const char* to, const char* place) {
      const auto found = io::documents::origin_of(replaced(origin, from, to));
      return !found && found.error().place == place && !found.error().message.empty();
    };
    QVERIFY(refused(R"("hidden":768)", R"("hidden":0)", "/transformer/config/hidden"));
    QVERIFY(refused(R"("hidden":768)", R"("hidden":"many")", "/transformer/config/hidden"));
    QVERIFY(refused(R"("key_value_heads":12)", R"("key_value_heads":5)", "/transformer/config/key_value_heads"));
    QVERIFY(refused(R"("norm":"layer")", R"("norm":"batch")", "/transformer/config/norm"));
    QVERIFY(refused(R"("attention":"selective")", R"("attention":"none")", "/transformer/options/attention"));
    QVERIFY(refused(R"("device":"A100-40GB")", R"("device":5)", "/transformer/device"));
    const auto with_extra = [&](const std::string& options) {
      const auto found = io::documents::origin_of(replaced(origin, R"("reached_products":0.5,)", options));
      return found ? std::string() : found.error().place;
    };
    QCOMPARE(with_extra(""), std::string("/transformer/options/reached_products"));
    Profile profile = profile_of(origin);
    for (const char* extra : {R"({"transformer":5})", R"({"transformer":[]})", R"({"transformer":{}})",
                              R"({"transformer":{"device":"T4","config":[],"options":{}}})"}) {
      profile.extra = extra;
      QVERIFY2(!io::documents::origin_of(profile).has_value(), extra);
    }
  }
};

PIPEDECK_TEST(TestTransformerOrigin)

}  // namespace pipedeck::tst_transformer_origin

#include "tst_transformer_origin.moc"
