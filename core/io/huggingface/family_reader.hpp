// SPDX-License-Identifier: Apache-2.0
// A configuration by its family's definitions.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/huggingface/config.hpp"
#include "core/io/huggingface/families.hpp"
#include "core/io/json/reader.hpp"

namespace pipedeck::io::huggingface {

class FamilyReader : public Scope {
 public:
  /// `outer`: the document around the file, if the file is a member of it. All outlive this.
  FamilyReader(const Family& family, const json::Value& file, const json::Value* outer, std::string place,
               json::ErrorCollector& problems)
      : family_(family), file_(file), outer_(outer), place_(std::move(place)), problems_(problems) {}

  /// `ending`: of the architecture that the file names, which chooses the output layer; null: the family's own.
  void read(ParsedTransformer& out, const ReadAs& as, const Ending* ending);
  /// Returns the last note: the keys that were assumed, and those that were left out.
  std::string summary() const;
  /// Returns the share of keys in use. Keys without an influence on sizes have no effect.
  ImportShare share() const;

  const json::Value* find(std::string_view key) override;
  Datum definition(const std::string& name) override;
  void used_default(const std::string& key) override;
  void mistake(const Datum& found, std::string_view expected) override;

 private:
  static constexpr std::int64_t max_width = 1 << 24, max_blocks = 100'000, most_words = std::int64_t{1} << 31;

  bool ok() const { return !problems_.first; }
  std::string place_of(const std::string& key) const { return key.empty() ? place_ : place_ + json::step(key); }
  void fail(const std::string& definition, std::string message);
  std::int64_t whole(const std::string& name, std::int64_t least, std::int64_t most);
  int count(const std::string& name, std::int64_t least = 0, std::int64_t most = max_width) {
    return static_cast<int>(whole(name, least, most));
  }
  bool flag(const std::string& name);
  double probability(const std::string& name);
  std::string word(const std::string& name);

  void sizes(TransformerConfig& c);
  void norms_and_biases(TransformerConfig& c);
  void output(TransformerConfig& c, const Ending* ending);
  void further_tokens(ParsedTransformer& out, const ReadAs& as);
  void latent(TransformerConfig& c);
  void experts(TransformerConfig& c);
  void mixers(TransformerConfig& c);
  void blocks(TransformerConfig& c);
  void check(const TransformerConfig& c);
  void refuse(const Family& family);
  void note(const Family& family, std::vector<std::string>& notes);
  std::string text_of(const Remark& remark);

  const Family& family_;
  const json::Value& file_;
  const json::Value* outer_;
  std::string place_;
  json::ErrorCollector& problems_;
  std::map<std::string, Datum> known_;  ///< of the current block
  int depth_ = 0;
  std::set<std::string, std::less<>> used_;
  std::vector<std::string> assumed_;
  bool own_head_ = true;
};

}  // namespace pipedeck::io::huggingface
