// SPDX-License-Identifier: Apache-2.0
// A text with tables and pictures, before it is HTML or Markdown. Every string is plain text: whoever renders it
// escapes it.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace pipedeck::study::reports {

struct Heading {
  int level = 2;  ///< 1 to 3
  std::string text;
};

struct Paragraph {
  std::string text;
};

/// A warning that stands out.
struct Warning {
  std::string text;
};

struct List {
  std::vector<std::string> items;
};

struct Column {
  std::string title;
  bool figures = false;  ///< set to the right
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  ///< as many cells as there are columns
  bool names_rows = false;                     ///< the first cell of a row is its heading
};

/// An SVG element of ours (svg.hpp): no foreign text is in it unescaped.
struct Picture {
  std::string name;  ///< "plan-1-schedule", of its file where it has one
  std::string says;  ///< for who does not see it
  std::string svg;
};

/// Lines to be typed.
struct Commands {
  std::vector<std::string> lines;
};

using Block = std::variant<Heading, Paragraph, Warning, List, Table, Picture, Commands>;

struct Document {
  std::string title;
  std::vector<Block> blocks;
  std::string language = "en";  ///< of its words, as HTML names it
};

/// XHTML that stands alone: style and pictures in it, nothing from the network, light or dark as the reader has it.
std::string to_html(const Document& document);

/// A file that a Markdown text refers to.
struct PictureFile {
  std::string name, svg;
};
struct MarkdownText {
  std::string text;
  std::vector<PictureFile> pictures;
};
/// GitHub-flavoured; pictures are looked for in `folder`, relative to the text.
MarkdownText to_markdown(const Document& document, const std::string& folder);

}  // namespace pipedeck::study::reports
