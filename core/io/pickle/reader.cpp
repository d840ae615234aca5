// SPDX-License-Identifier: Apache-2.0
#include "core/io/pickle/reader.hpp"

#include <array>
#include <bit>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/io/text/printable.hpp"

namespace pipedeck::io::pickle {
namespace {

constexpr int oldest_protocol = 2, newest_protocol = 5;
constexpr std::size_t check_interval = 1 << 16;  // opcodes: whether to stop, how far it is
constexpr std::size_t longest_integer = 1024;    // bytes of a number
constexpr std::size_t longest_global = 80;       // bytes of the name in a message
constexpr std::size_t protocol_size = 2;         // bytes that a pickle begins with
constexpr Node no_node = std::numeric_limits<Node>::max();

/// The opcodes that are read (pickletools.py).
enum Opcode : unsigned char {
  mark = '(',
  stop_opcode = '.',
  none = 'N',
  new_true = 0x88,
  new_false = 0x89,
  binint = 'J',
  binint1 = 'K',
  binint2 = 'M',
  long1 = 0x8a,
  long4 = 0x8b,
  binfloat = 'G',
  short_binunicode = 0x8c,
  binunicode = 'X',
  binunicode8 = 0x8d,
  short_binbytes = 'C',
  binbytes = 'B',
  binbytes8 = 0x8e,
  empty_list = ']',
  append = 'a',
  appends = 'e',
  empty_tuple = ')',
  tuple1 = 0x85,
  tuple2 = 0x86,
  tuple3 = 0x87,
  tuple = 't',
  empty_dict = '}',
  setitem = 's',
  setitems = 'u',
  binput = 'q',
  long_binput = 'r',
  memoize = 0x94,
  binget = 'h',
  long_binget = 'j',
  proto = 0x80,
  frame = 0x95,
};

struct Refused {
  unsigned char code;
  std::string_view name;
};
/// Opcodes with a name for the message. All others are refused by their number.
constexpr std::array refused{
    Refused{'c', "GLOBAL"},      Refused{0x93, "STACK_GLOBAL"}, Refused{'R', "REDUCE"},
    Refused{'b', "BUILD"},       Refused{'i', "INST"},          Refused{'o', "OBJ"},
    Refused{0x81, "NEWOBJ"},     Refused{0x92, "NEWOBJ_EX"},    Refused{'P', "PERSID"},
    Refused{'Q', "BINPERSID"},   Refused{0x82, "EXT1"},         Refused{0x83, "EXT2"},
    Refused{0x84, "EXT4"},       Refused{0x97, "NEXT_BUFFER"},  Refused{0x98, "READONLY_BUFFER"},
    Refused{0x8f, "EMPTY_SET"},  Refused{0x90, "ADDITEMS"},     Refused{0x91, "FROZENSET"},
    Refused{0x96, "BYTEARRAY8"},
};

/// A machine that reads opcode after opcode. Marks are positions on the stack.
class Machine {
 public:
  Machine(std::string_view content, const Limits& limits) : content_(content), limits_(limits) {}

  Result<Tree> run(const std::stop_token& stop, const Progress& progress) {
    for (std::size_t count = 1; !done_; ++count) {
      if (count % check_interval == 0) {
        if (stop.stop_requested()) return fail(ErrorCode::cancelled, "cancelled");
        report(progress, static_cast<double>(at_) / static_cast<double>(content_.size()), "reading the pickle");
      }
      begin_ = at_;
      TRY_VOID(step());
      if (tree_.size() > limits_.nodes)
        return refuse(fmt::format("found more than {} values, expected fewer", limits_.nodes));
    }
    return std::move(tree_);
  }

 private:
  tl::unexpected<Error> refuse(std::string message) const {
    return fail(ErrorCode::bad_input, std::move(message), fmt::format("byte {}", begin_));
  }

  Result<std::string_view> take(std::uint64_t size) {
    if (size > content_.size() - at_)
      return refuse("found the end of the file in the middle of a value: it was cut off; expected a whole pickle");
    const std::string_view bytes = content_.substr(at_, static_cast<std::size_t>(size));
    at_ += static_cast<std::size_t>(size);
    return bytes;
  }
  /// Reads an unsigned number of `size` bytes, the lowest first.
  Result<std::uint64_t> take_unsigned(std::size_t size) {
    TRY(const std::string_view bytes, take(size));
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
  }

  Result<void> push(Content content) {
    stack_.push_back(tree_.add(std::move(content)));
    return {};
  }
  Result<Node> pop() {
    if (stack_.empty() || (!marks_.empty() && marks_.back() == stack_.size()))
      return refuse("found an opcode that takes a value where there is none, expected one before it");
    const Node node = stack_.back();
    stack_.pop_back();
    return node;
  }
  /// Returns the values above the last mark, and removes both.
  Result<Items> pop_to_mark() {
    if (marks_.empty()) return refuse("found an opcode that ends a list, expected a mark before it");
    const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    Items items(first, stack_.end());
    stack_.erase(first, stack_.end());
    marks_.pop_back();
    return items;
  }
  /// Returns the top of the stack if it has that type.
  template <class T>
  Result<T*> top(std::string_view expected) {
    T* const value = stack_.empty() || (!marks_.empty() && marks_.back() == stack_.size())
                         ? nullptr
                         : std::get_if<T>(&tree_.content(stack_.back()));
    if (value) return value;
    return refuse(
        fmt::format("found {}, expected {}", stack_.empty() ? "nothing" : tree_.describe(stack_.back()), expected));
  }

  Result<void> step() {
    TRY(const std::uint64_t code, take_unsigned(1));
    switch (code) {
      case proto:
        return check_protocol();
      case frame:
        return take(8).map([](std::string_view) {});
      case stop_opcode:
        return end();
      case none:
        return push(None{});
      case new_true:
      case new_false:
        return push(code == new_true);
      case mark:
        if (marks_.size() >= limits_.depth)
          return refuse(fmt::format("found more than {} levels in one another, expected a dump's few", limits_.depth));
        marks_.push_back(stack_.size());
        return {};
      default:
        return step_number(code);
    }
  }

  Result<void> step_number(std::uint64_t code) {
    switch (code) {
      case binint1:
      case binint2: {
        TRY(const std::uint64_t value, take_unsigned(code == binint1 ? 1 : 2));
        return push(static_cast<std::int64_t>(value));
      }
      case binint: {
        TRY(const std::uint64_t value, take_unsigned(4));
        return push(static_cast<std::int64_t>(static_cast<std::int32_t>(value)));
      }
      case long1:
      case long4: {
        TRY(const std::uint64_t size, take_unsigned(code == long1 ? 1 : 4));
        if (size > longest_integer)
          return refuse(fmt::format("found a number of {} bytes, expected at most {}", size, longest_integer));
        TRY(const std::string_view bytes, take(size));
        return push(integer_of(bytes));
      }
      case binfloat: {
        TRY(const std::string_view bytes, take(8));
        std::uint64_t value = 0;
        for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);  // the highest first
        return push(std::bit_cast<double>(value));
      }
      default:
        return step_text(code);
    }
  }

  /// Returns a number in two's complement, the lowest byte first.
  static Content integer_of(std::string_view bytes) {
    const bool negative = !bytes.empty() && static_cast<unsigned char>(bytes.back()) >= 0x80;
    if (bytes.size() > 8) {
      double value = negative ? -1 : 0;  // sign bits above the highest byte
      for (std::size_t i = bytes.size(); i-- > 0;) value = value * 256 + static_cast<unsigned char>(bytes[i]);
      return value;
    }
    std::uint64_t value = negative ? ~std::uint64_t{0} : 0;
    for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return static_cast<std::int64_t>(value);
  }

  Result<void> step_text(std::uint64_t code) {
    std::size_t size = 0;
    switch (code) {
      case short_binunicode:
      case short_binbytes:
        size = 1;
        break;
      case binunicode:
      case binbytes:
        size = 4;
        break;
      case binunicode8:
      case binbytes8:
        size = 8;
        break;
      default:
        return step_list(code);
    }
    TRY(const std::uint64_t length, take_unsigned(size));
    TRY(const std::string_view bytes, take(length));
    return push(std::string(bytes));
  }

  Result<void> step_list(std::uint64_t code) {
    switch (code) {
      case empty_list:
      case empty_tuple:
        return push(Items{});
      case tuple1:
      case tuple2:
      case tuple3: {
        Items items(static_cast<std::size_t>(code - tuple1) + 1);
        for (std::size_t i = items.size(); i-- > 0;) {
          TRY(items[i], pop());
        }
        return push(std::move(items));
      }
      case tuple: {
        TRY(Items items, pop_to_mark());
        return push(std::move(items));
      }
      case append: {
        TRY(const Node value, pop());
        TRY(Items * list, top<Items>("a list to append to"));
        list->push_back(value);
        return {};
      }
      case appends: {
        TRY(const Items values, pop_to_mark());
        TRY(Items * list, top<Items>("a list to append to"));
        list->insert(list->end(), values.begin(), values.end());
        return {};
      }
      default:
        return step_dictionary(code);
    }
  }

  Result<void> step_dictionary(std::uint64_t code) {
    switch (code) {
      case empty_dict:
        return push(Pairs{});
      case setitem: {
        TRY(const Node value, pop());
        TRY(const Node key, pop());
        TRY(Pairs * pairs, top<Pairs>("a dictionary to add to"));
        pairs->emplace_back(key, value);
        return {};
      }
      case setitems: {
        TRY(const Items values, pop_to_mark());
        if (values.size() % 2 != 0) return refuse("found a key without its value, expected pairs");
        TRY(Pairs * pairs, top<Pairs>("a dictionary to add to"));
        for (std::size_t i = 0; i < values.size(); i += 2) pairs->emplace_back(values[i], values[i + 1]);
        return {};
      }
      default:
        return step_memo(code);
    }
  }

  Result<void> step_memo(std::uint64_t code) {
    switch (code) {
      case binput:
      case long_binput: {
        TRY(const std::uint64_t number, take_unsigned(code == binput ? 1 : 4));
        return remember(number);
      }
      case memoize:
        return remember(memo_.size());
      case binget:
      case long_binget: {
        TRY(const std::uint64_t number, take_unsigned(code == binget ? 1 : 4));
        if (number >= memo_.size() || memo_[static_cast<std::size_t>(number)] == no_node)
          return refuse(fmt::format("found a reference to value {}, expected one that was stored before", number));
        stack_.push_back(memo_[static_cast<std::size_t>(number)]);
        return {};
      }
      default:
        return refuse_opcode(static_cast<unsigned char>(code));
    }
  }

  Result<void> remember(std::uint64_t number) {
    if (stack_.empty()) return refuse("found an opcode that stores a value, expected one before it");
    if (number > begin_)  // each number takes an opcode
      return refuse(fmt::format("found a value stored as number {}, expected numbers from 0 on", number));
    const auto place = static_cast<std::size_t>(number);
    if (place >= memo_.size()) memo_.resize(place + 1, no_node);
    memo_[place] = stack_.back();
    return {};
  }

  Result<void> check_protocol() {
    TRY(const std::uint64_t version, take_unsigned(1));
    if (begin_ == 0 && version >= oldest_protocol && version <= newest_protocol) return {};
    return refuse(fmt::format("found protocol {}, expected {} to {} at the begin alone", version, oldest_protocol,
                              newest_protocol));
  }

  Result<void> end() {
    if (!marks_.empty() || stack_.size() != 1)
      return refuse(fmt::format("found the end of the pickle with {} values, expected one", stack_.size()));
    tree_.set_root(stack_.back());
    done_ = true;
    return {};
  }

  Result<void> refuse_opcode(unsigned char code) const {
    for (const Refused& one : refused)
      if (one.code == code)
        return refuse(
            fmt::format("found the opcode {}{}, expected plain data: nothing in a pickle is imported or "
                        "executed",
                        one.name, global_name(code)));
    return refuse(fmt::format("found the opcode 0x{:02x}, expected those of plain data", code));
  }
  /// Returns " of builtins.eval" for an import by name.
  std::string global_name(unsigned char code) const {
    if (code != 'c') return {};
    const std::string_view rest = content_.substr(at_, longest_global);
    const std::size_t line = rest.find('\n');
    if (line == rest.npos) return {};
    const std::string_view second = rest.substr(line + 1);
    return text::printable(fmt::format(" of {}.{}", rest.substr(0, line), second.substr(0, second.find('\n'))));
  }

  std::string_view content_;
  Limits limits_;
  std::size_t at_ = 0, begin_ = 0;  ///< behind what was read, and where the current opcode begins
  Tree tree_;
  std::vector<Node> stack_;
  std::vector<std::size_t> marks_;
  std::vector<Node> memo_;
  bool done_ = false;
};

}  // namespace

bool looks_like_pickle(std::string_view content) {
  if (content.size() < protocol_size + 1 || static_cast<unsigned char>(content[0]) != proto) return false;
  const auto version = static_cast<unsigned char>(content[1]);
  return version >= oldest_protocol && version <= newest_protocol;
}

Result<Tree> read(std::string_view content, const std::stop_token& stop, const Progress& progress,
                  const Limits& limits) {
  if (!looks_like_pickle(content))
    return fail(ErrorCode::bad_input, "found no pickle, expected one of protocol 2 to 5", "byte 0");
  return Machine(content, limits).run(stop, progress);
}

}  // namespace pipedeck::io::pickle
