// SPDX-License-Identifier: Apache-2.0
// A document as GitHub-flavoured Markdown with its pictures in files.
#include <algorithm>

#include <fmt/format.h>

#include "core/study/reports/document.hpp"
#include "core/study/reports/plain_text.hpp"
#include "core/study/reports/svg.hpp"

namespace pipedeck::study::reports {
namespace {

class Markdown {
 public:
  Markdown(std::string folder, std::vector<PictureFile>& pictures) : folder_(std::move(folder)), pictures_(pictures) {}

  std::string operator()(const Heading& heading) const {
    return fmt::format("{} {}\n\n", std::string(static_cast<std::size_t>(heading.level), '#'),
                       markdown_text(heading.text));
  }
  std::string operator()(const Paragraph& paragraph) const { return markdown_line(paragraph.text) + "\n\n"; }
  std::string operator()(const Warning& warning) const {
    return fmt::format("> [!WARNING]\n> {}\n\n", markdown_line(warning.text));
  }
  std::string operator()(const List& list) const {
    std::string text;
    for (const std::string& item : list.items) text += fmt::format("- {}\n", markdown_line(item));
    return text + '\n';
  }
  std::string operator()(const Table& table) const {
    std::string heads = "|", rule = "|", rows;
    for (const Column& column : table.columns) {
      heads += fmt::format(" {} |", markdown_text(column.title));
      rule += column.figures ? " ---: |" : " --- |";
    }
    for (const auto& row : table.rows) {
      rows += '|';
      for (const std::string& cell : row) rows += fmt::format(" {} |", markdown_text(cell));
      rows += '\n';
    }
    return heads + '\n' + rule + '\n' + rows + '\n';
  }
  std::string operator()(const Picture& picture) const {
    const std::string file = picture.name + ".svg";
    pictures_.push_back({file, svg_file(picture.svg)});
    return fmt::format("![{}]({})\n\n", markdown_text(picture.says), url_text(folder_ + '/' + file));
  }
  std::string operator()(const Commands& commands) const {
    std::string text;
    for (const std::string& line : commands.lines) text += plain_text(line) + '\n';
    const std::string fence(std::max<std::size_t>(3, longest_run(text, '`') + 1), '`');
    return fence + "sh\n" + text + fence + "\n\n";
  }

 private:
  static std::size_t longest_run(const std::string& text, char of) {
    std::size_t longest = 0, run = 0;
    for (const char c : text) longest = std::max(longest, run = c == of ? run + 1 : 0);
    return longest;
  }

  std::string folder_;
  std::vector<PictureFile>& pictures_;
};

}  // namespace

MarkdownText to_markdown(const Document& document, const std::string& folder) {
  MarkdownText made;
  const Markdown render(folder, made.pictures);
  for (const Block& block : document.blocks) made.text += std::visit(render, block);
  while (made.text.ends_with("\n\n")) made.text.pop_back();
  return made;
}

}  // namespace pipedeck::study::reports
