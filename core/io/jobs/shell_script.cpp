// SPDX-License-Identifier: Apache-2.0
#include "core/io/jobs/shell_script.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/io/text/lines.hpp"

namespace pipedeck::io::jobs {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t most_characters = std::size_t{4} << 20;
constexpr int deepest = 40;
constexpr std::string_view blanks = " \t\r\n";

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool continues_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::size_t name_length(std::string_view text) {
  if (text.empty() || !begins_name(text.front())) return 0;
  return static_cast<std::size_t>(std::ranges::find_if_not(text, continues_name) - text.begin());
}

std::string joined(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

/// The variables of a script, with the names that had none.
class Variables {
 public:
  const Words* find(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : &found->second;
  }
  void set(std::string_view name, Words value) {
    if (values_.insert_or_assign(std::string(name), std::move(value)).second) order_.emplace_back(name);
  }
  void miss(std::string name) {
    if (std::ranges::find(unknown_, name) == unknown_.end() && unknown_.size() < 100)
      unknown_.push_back(std::move(name));
  }
  /// Returns the values that are options, by the order of their first assignment.
  std::vector<ShellCommand> lists() const {
    std::vector<ShellCommand> lists;
    for (const std::string& name : order_) {
      Words words;
      for (const std::string& value : *find(name))
        for (const std::string_view word : text::words_between(value, blanks)) words.emplace_back(word);
      if (!words.empty() && words.front().starts_with("--")) lists.push_back({std::move(words), 1});
    }
    return lists;
  }
  Words take_unknown() { return std::move(unknown_); }

 private:
  std::map<std::string, Words, std::less<>> values_;
  Words order_, unknown_;
};

/// Whole numbers with + - * / %, brackets and variables. Nothing for anything else.
class Arithmetic {
 public:
  Arithmetic(std::string_view text, const Variables& variables) : text_(text), variables_(variables) {}
  std::optional<std::int64_t> value() {
    const auto sum = add(0);
    skip();
    return text_.empty() ? sum : std::nullopt;
  }

 private:
  using Number = std::optional<std::int64_t>;
  void skip() { text_.remove_prefix(std::min(text_.find_first_not_of(blanks), text_.size())); }
  bool take(char c) {
    skip();
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  static Number bounded(std::int64_t value) {
    constexpr std::int64_t most = std::int64_t{1} << 31;
    return value > -most && value < most ? Number(value) : std::nullopt;
  }
  Number add(int depth) {
    Number sum = multiply(depth);
    while (sum) {
      const bool plus = take('+');
      if (!plus && !take('-')) return sum;
      const Number other = multiply(depth);
      if (!other) return {};
      sum = bounded(plus ? *sum + *other : *sum - *other);
    }
    return sum;
  }
  Number multiply(int depth) {
    Number product = atom(depth);
    while (product) {
      const char sign = take('*') ? '*' : take('/') ? '/' : take('%') ? '%' : '\0';
      if (sign == '\0') return product;
      const Number other = atom(depth);
      if (!other || (sign != '*' && *other == 0)) return {};
      product = bounded(sign == '*' ? *product * *other : sign == '/' ? *product / *other : *product % *other);
    }
    return product;
  }
  Number atom(int depth) {
    if (depth > deepest) return {};
    if (take('(')) {
      const Number inner = add(depth + 1);
      return take(')') ? inner : std::nullopt;
    }
    take('$');
    if (take('{')) {
      const Number inner = atom(depth + 1);
      return take('}') ? inner : std::nullopt;
    }
    skip();
    if (const std::size_t length = name_length(text_); length > 0) {
      const Words* value = variables_.find(text_.substr(0, length));
      text_.remove_prefix(length);
      const Number number = value && !value->empty() ? number_of(value->front()) : std::nullopt;
      return number ? bounded(*number) : std::nullopt;
    }
    const auto end = std::min(text_.find_first_not_of("0123456789"), text_.size());
    const Number number = number_of(text_.substr(0, end));
    text_.remove_prefix(end);
    return number ? bounded(*number) : std::nullopt;
  }

  std::string_view text_;
  const Variables& variables_;
};

/// Words under construction: quoted text is part of a word, unquoted values are split at blanks.
class WordBuilder {
 public:
  void add(char c) { current_ += c, open_ = true; }
  void add(std::string_view text) { current_ += text, open_ = true; }
  void open() { open_ = true; }  ///< quotes around nothing are a word, too
  void split(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at)
      if (blanks.find(text[at]) != blanks.npos)
        end();
      else
        add(text[at]);
  }
  void end() {
    if (open_) words_.push_back(std::move(current_));
    current_.clear(), open_ = false;
  }
  Words take() {
    end();
    return std::exchange(words_, {});
  }

 private:
  Words words_;
  std::string current_;
  bool open_ = false;
};

class ShellReader {
 public:
  explicit ShellReader(std::string_view text) : text_(text) {}

  Result<ShellScript> run(std::span<const Variable> given) {
    for (const auto& [name, value] : given) variables_.set(name, {value});
    while (at_ < text_.size()) TRY_VOID(step());
    end_command();
    script_.lists = variables_.lists();
    script_.unknown = variables_.take_unknown();
    return std::move(script_);
  }

 private:
  struct Branch {
    bool outer = true;      ///< the code around it runs
    bool active = false;    ///< its code runs
    bool taken = false;     ///< it, or one before it, did
    bool condition = true;  ///< what is read now is one
  };

  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  char take() {
    if (text_[at_] == '\n') ++line_;
    return text_[at_++];
  }
  void take(std::size_t count) {
    for (; count > 0 && at_ < text_.size(); --count) take();
  }
  tl::unexpected<Error> broken(std::string message, int line) const {
    return fail(ErrorCode::bad_input, std::move(message), fmt::format("line {}", line));
  }
  bool runs() const {
    return chain_ && case_depth_ == 0 &&
           (branches_.empty() || (branches_.back().outer && (branches_.back().active || branches_.back().condition)));
  }

  Result<void> step() {
    const char c = peek();
    if (c == '\\' && peek(1) == '\n') return take(2), Result<void>();
    if (c == ' ' || c == '\t' || c == '\r') return take(), Result<void>();
    if (c == '#') return skip_comment(), Result<void>();
    if (c == '\n') return end_line();
    if (c == ';' || c == '(' || c == ')') return take(), end_command(), Result<void>();
    if (c == '&' || c == '|') return chain(), Result<void>();
    if (c == '<' || c == '>') return redirect();
    if (command_.words.empty() && begins_name(c)) {
      TRY(const bool assigned, assignment());
      if (assigned) return {};
    }
    const int line = line_;
    TRY(const auto words, word(false));
    if (command_.words.empty()) command_.line = line;
    for (const std::string& one : words) {
      command_.words.push_back(one);
      if (command_.words.size() == 1 && keyword()) command_.words.clear();
    }
    return {};
  }

  void skip_comment() {
    while (at_ < text_.size() && peek() != '\n') take();
  }

  /// Ends a command, and skips the texts of its here-documents.
  Result<void> end_line() {
    take();
    end_command();
    for (const std::string& end : std::exchange(here_, {})) {
      while (at_ < text_.size()) {
        const std::size_t next = std::min(text_.find('\n', at_), text_.size());
        std::string_view line = text_.substr(at_, next - at_);
        take(next - at_ + 1);
        line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
        if (line == end) break;
      }
    }
    return {};
  }

  /// Reads "&&" and "||": the command behind runs if the one before succeeds, or fails. "|" and "&" end a command.
  void chain() {
    const char c = take();
    const bool both = peek() == c;
    if (both) take();
    end_command();
    if (both) chain_ = c == '&' ? status_ : !status_;
  }

  Result<void> redirect() {
    const char c = take();
    const bool here = c == '<' && peek() == '<' && peek(1) != '<';
    while (peek() == c || peek() == '&' || peek() == '-') take();
    while (peek() == ' ' || peek() == '\t') take();
    if (!command_.words.empty() && (command_.words.back() == "1" || command_.words.back() == "2"))
      command_.words.pop_back();
    if (at_ >= text_.size() || peek() == '\n') return {};
    TRY(auto words, word(false));
    if (here && !words.empty()) here_.push_back(std::move(words.front()));
    return {};
  }

  /// Takes NAME=VALUE, NAME+=VALUE, NAME=( ... ). Returns false if that is not next.
  Result<bool> assignment() {
    const std::size_t length = name_length(text_.substr(at_));
    const bool more = peek(length) == '+' && peek(length + 1) == '=';
    if (!more && peek(length) != '=') return false;
    const std::string name(text_.substr(at_, length));
    take(length + (more ? 2 : 1));
    Words value;
    if (peek() == '(') {
      TRY(value, array());
      if (more)
        if (const Words* before = variables_.find(name)) value.insert(value.begin(), before->begin(), before->end());
    } else {
      TRY(const auto whole, word(true));
      value = {joined(whole)};
      if (more)
        if (const Words* before = variables_.find(name)) value = {joined(*before) + value.front()};
    }
    TRY_VOID(count(value));
    if (runs()) variables_.set(name, std::move(value));
    return true;
  }

  Result<Words> array() {
    const int line = line_;
    take();
    Words all;
    while (true) {
      const char c = peek();
      if (at_ >= text_.size()) return broken("found no end of an array, expected ')'", line);
      if (c == ')') return take(), all;
      if (c == '#') {
        skip_comment();
      } else if (blanks.find(c) != blanks.npos || (c == '\\' && peek(1) == '\n')) {
        take(c == '\\' ? 2 : 1);
      } else if (std::string_view(";&|<>(").find(c) != std::string_view::npos) {
        return broken(fmt::format("found '{}' in an array, expected its words", c), line_);
      } else {
        TRY(const auto words, word(false));
        all.insert(all.end(), words.begin(), words.end());
        TRY_VOID(count(words));
      }
    }
  }

  Result<void> count(const Words& words) {
    for (const std::string& one : words) characters_ += one.size() + 1;
    if (characters_ > most_characters) return broken("found values of more than 4 MiB, expected options", line_);
    return {};
  }

  // --- words

  /// Reads a word; with `whole`, values in it are not split.
  Result<Words> word(bool whole) {
    WordBuilder made;
    while (at_ < text_.size()) {
      const char c = peek();
      if (blanks.find(c) != blanks.npos || std::string_view(";&|<>()").find(c) != std::string_view::npos) break;
      if (c == '\\') {
        take();
        if (peek() == '\n')
          take();
        else if (at_ < text_.size())
          made.add(take());
      } else if (c == '\'') {
        TRY_VOID(single_quotes(made));
      } else if (c == '"') {
        TRY_VOID(double_quotes(made));
      } else if (c == '$' || c == '`') {
        TRY(const auto values, expansion());
        add_values(made, values, whole);
      } else {
        made.add(take());
      }
    }
    Words words = made.take();
    TRY_VOID(count(words));
    return words;
  }

  static void add_values(WordBuilder& made, const Words& values, bool whole) {
    if (whole) return made.add(joined(values));
    for (std::size_t v = 0; v < values.size(); ++v) {
      if (v > 0) made.end();
      made.split(values[v]);
    }
  }

  Result<void> single_quotes(WordBuilder& made) {
    const int line = line_;
    take();
    made.open();
    while (at_ < text_.size() && peek() != '\'') made.add(take());
    if (at_ >= text_.size()) return broken("found no end of quotes, expected '", line);
    take();
    return {};
  }

  Result<void> double_quotes(WordBuilder& made) {
    const int line = line_;
    take();
    bool nothing = false;  // but lists without words, which make none
    while (at_ < text_.size() && peek() != '"') {
      if (peek() == '\\') {
        take();
        const char c = peek();
        if (c == '\n')
          take();
        else if (c == '"' || c == '\\' || c == '$' || c == '`')
          made.add(take());
        else
          made.add('\\');
      } else if (peek() == '$' || peek() == '`') {
        list_ = false;
        TRY(const auto values, expansion());
        nothing = list_ && values.empty();
        for (std::size_t v = 0; v < values.size(); ++v) {
          if (v > 0) made.end();
          made.add(values[v]);
        }
      } else {
        made.add(take());
      }
    }
    if (at_ >= text_.size()) return broken("found no end of quotes, expected \"", line);
    take();
    if (!nothing) made.open();
    return {};
  }

  /// Returns the values of what is next: $NAME, ${NAME...}, $((...)), $(...), `...`.
  Result<Words> expansion() {
    if (peek() == '`') {
      take();
      const std::size_t end = text_.find('`', at_);
      if (end == text_.npos) return broken("found no end of a command, expected `", line_);
      take(end - at_ + 1);
      return variables_.miss("`...`"), Words{};
    }
    take();
    if (peek() == '(') return brackets();
    if (peek() == '{') {
      TRY(const auto inside, enclosed('{', '}'));
      return parameter(inside);
    }
    const std::size_t length = name_length(text_.substr(at_));
    if (length > 0) {
      const std::string name(text_.substr(at_, length));
      take(length);
      return value_of(name, false);
    }
    if (at_ < text_.size() && std::string_view("@*#?$!0123456789-").find(peek()) != std::string_view::npos) {
      list_ = peek() == '@';
      variables_.miss(fmt::format("${}", take()));
      return Words{};
    }
    return Words{"$"};
  }

  /// Takes what is between brackets that may hold others of their kind, without them.
  Result<std::string_view> enclosed(char open, char close) {
    const int line = line_;
    int depth = 0;
    const std::size_t from = at_ + 1;
    while (at_ < text_.size()) {
      const char c = take();
      if (c == '\\' && at_ < text_.size()) take();
      depth += (c == open) - (c == close);
      if (depth == 0) return text_.substr(from, at_ - 1 - from);
    }
    return broken(fmt::format("found '{}' without an end, expected '{}'", open, close), line);
  }

  Result<Words> brackets() {
    TRY(const auto inside, enclosed('(', ')'));
    if (inside.starts_with('(') && inside.ends_with(')'))
      if (const auto value = Arithmetic(inside.substr(1, inside.size() - 2), variables_).value())
        return Words{std::to_string(*value)};
    variables_.miss("$(...)");
    return Words{};
  }

  Words value_of(const std::string& name, bool all) {
    const Words* value = variables_.find(name);
    if (!value) {
      variables_.miss("$" + name);
      return {};
    }
    if (all || value->empty()) return *value;
    return {value->front()};
  }

  /// Returns the value of ${...}: with [@] all words of an array, with :- and :+ another value.
  Result<Words> parameter(std::string_view inside) {
    const std::size_t length = name_length(inside);
    const std::string name(inside.substr(0, length));
    std::string_view rest = inside.substr(length);
    if (length == 0) return variables_.miss(fmt::format("${{{}}}", inside.substr(0, 40))), Words{};
    bool all = false;
    if (rest.starts_with("[@]") || rest.starts_with("[*]")) all = list_ = true, rest.remove_prefix(3);
    const bool empty_counts = rest.starts_with(':');
    const std::string_view change = empty_counts ? rest.substr(1) : rest;
    if (change.empty() || std::string_view("-=+").find(change.front()) == std::string_view::npos) {
      if (!rest.empty()) variables_.miss(fmt::format("${{{}}}", inside.substr(0, 40)));
      return value_of(name, all);
    }
    const Words* value = variables_.find(name);
    const bool there = value && !(empty_counts && joined(*value).empty());
    if (there != (change.front() == '+')) return there ? value_of(name, all) : Words{};
    if (depth_ >= deepest) return broken("found values inside values, expected fewer", line_);
    return nested(change.substr(1));
  }

  Result<Words> nested(std::string_view text) {
    ShellReader inner(text);
    inner.variables_ = std::move(variables_);
    inner.depth_ = depth_ + 1, inner.line_ = line_, inner.characters_ = characters_;
    Result<Words> words = inner.quoted_text();
    variables_ = std::move(inner.variables_);
    characters_ = inner.characters_;
    return words;
  }

  /// Returns all of a text as one word.
  Result<Words> quoted_text() {
    std::string text;
    while (at_ < text_.size()) {
      TRY(const auto words, word(true));
      text += joined(words);
      if (at_ < text_.size()) text += take();
    }
    return Words{text};
  }

  // --- commands

  void end_command() {
    ShellCommand command = std::exchange(command_, {});
    const bool ran = runs();
    if (!command.words.empty()) {
      if (chain_) status_ = status_of(command.words);
      if (ran) script_.commands.push_back(std::move(command));
    }
    chain_ = true;
  }

  /// Returns true if the command's first word is one of the shell's own, which is then no part of a command.
  bool keyword() {
    const std::string& word = command_.words.front();
    if (word == "if") return branches_.push_back({.outer = runs()}), status_ = true, true;
    if (word == "case") ++case_depth_, script_.skipped = true;
    if (word == "esac" && case_depth_ > 0) return --case_depth_, true;
    if (word == "for" || word == "while" || word == "until") script_.skipped = true;
    for (const char* const own : {"do", "done", "{", "}", "export", "declare", "local", "readonly", "then", "else",
                                  "elif", "fi", "while", "until", "time", "exec"})
      if (word == own) return branch(word), true;
    return false;
  }

  void branch(std::string_view word) {
    if (branches_.empty()) return;
    Branch& now = branches_.back();
    if (word == "then") now = {now.outer, status_ && !now.taken, now.taken || status_, false};
    if (word == "elif") now = {now.outer, false, now.taken, true}, status_ = true;
    if (word == "else") now = {now.outer, !now.taken, true, false};
    if (word == "fi") branches_.pop_back();
  }

  /// Returns the result of a test; true for other commands.
  static bool status_of(const Words& words) {
    std::size_t from = 0;
    const bool negated = words[0] == "!" && words.size() > 1;
    if (negated) from = 1;
    const std::string& name = words[from];
    if (name == "false") return negated;
    if (name != "[" && name != "[[" && name != "test") return !negated;
    Words parts(words.begin() + static_cast<std::ptrdiff_t>(from) + 1, words.end());
    if (name != "test" && !parts.empty()) parts.pop_back();
    return test(parts) != negated;
  }

  static bool test(const Words& parts) {
    if (!parts.empty() && parts.front() == "!") return !test({parts.begin() + 1, parts.end()});
    if (parts.size() == 1) return !parts[0].empty() && parts[0] != "-n" && parts[0] != "-f" && parts[0] != "-d";
    if (parts.size() == 2) return parts[0] == "-z" ? parts[1].empty() : parts[0] == "-n" && !parts[1].empty();
    if (parts.size() < 3) return false;
    const std::string &left = parts[0], &sign = parts[1], &right = parts[2];
    if (sign == "=" || sign == "==") return left == right;
    if (sign == "!=") return left != right;
    const auto a = number_of(left), b = number_of(right);
    if (!a || !b) return false;
    return sign == "-eq"   ? *a == *b
           : sign == "-ne" ? *a != *b
           : sign == "-gt" ? *a > *b
           : sign == "-ge" ? *a >= *b
           : sign == "-lt" ? *a < *b
                           : sign == "-le" && *a <= *b;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1, depth_ = 0, case_depth_ = 0;
  std::size_t characters_ = 0;
  bool chain_ = true;   ///< the command that is read runs
  bool status_ = true;  ///< the last command succeeded
  bool list_ = false;   ///< the last value was that of a whole array
  ShellCommand command_;
  std::vector<Branch> branches_;
  Words here_;
  Variables variables_;
  ShellScript script_;
};

}  // namespace

Result<ShellScript> read_shell_script(std::string_view text, std::span<const Variable> given) {
  return ShellReader(text).run(given);
}

}  // namespace pipedeck::io::jobs
