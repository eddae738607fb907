#include "analysis/version_order.h"

#include <algorithm>

namespace bench::analysis {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// A piece of a version: a run of digits or of letters, or one other character. The kinds are in
/// the order in which they follow the same beginning: 6.12~x, 6.12-rc3, 6.12, 6.12+x, 6.12-1,
/// 6.12.1.
struct Piece {
    enum Kind { before, candidate, end, other, letters, number } kind = end;
    std::string_view text;
};

std::size_t run_length(std::string_view text, bool (*belongs)(char)) {
    return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), belongs) -
                                    text.begin());
}

/// "rc" or "-rc" with a number behind it.
std::size_t candidate_length(std::string_view text) {
    const std::size_t dash = !text.empty() && text[0] == '-' ? 1 : 0;
    const std::string_view rest = text.substr(dash);
    return rest.starts_with("rc") && rest.size() > 2 && is_digit(rest[2]) ? dash + 2 : 0;
}

Piece next_piece(std::string_view& text) {
    Piece piece;
    std::size_t length = 1;
    // 6.12-rc1 calls itself 6.12.0-rc1 once it runs.
    if (text.starts_with(".0-rc")) {
        text.remove_prefix(2);
    }
    if (text.empty()) {
        return piece;
    }
    if (const std::size_t candidate = candidate_length(text); candidate > 0) {
        piece.kind = Piece::candidate;
        length = candidate;
    } else if (is_digit(text[0])) {
        piece.kind = Piece::number;
        length = run_length(text, is_digit);
    } else if (is_letter(text[0])) {
        piece.kind = Piece::letters;
        length = run_length(text, is_letter);
    } else {
        piece.kind = text[0] == '~' ? Piece::before : Piece::other;
    }
    piece.text = text.substr(0, length);
    text.remove_prefix(length);
    if (piece.kind == Piece::candidate) {
        piece.text = {};
    }
    return piece;
}

/// The order of separators: those that open a suffix before the one that opens a sub-release.
int separator_rank(char c) {
    switch (c) {
        case '+':
            return 0;
        case '_':
            return 1;
        case '-':
            return 2;
        case '.':
            return 4;
        default:
            return 3;
    }
}

int three_way(std::size_t left, std::size_t right) {
    return left < right ? -1 : (left > right ? 1 : 0);
}

int compare_numbers(std::string_view left, std::string_view right) {
    left.remove_prefix(std::min(left.find_first_not_of('0'), left.size()));
    right.remove_prefix(std::min(right.find_first_not_of('0'), right.size()));
    const int by_length = three_way(left.size(), right.size());
    return by_length != 0 ? by_length : left.compare(right);
}

int compare_pieces(const Piece& left, const Piece& right) {
    if (left.kind != right.kind) {
        return left.kind < right.kind ? -1 : 1;
    }
    if (left.kind == Piece::number) {
        return compare_numbers(left.text, right.text);
    }
    if (left.kind == Piece::other) {
        const int by_rank = separator_rank(left.text[0]) - separator_rank(right.text[0]);
        return by_rank != 0 ? by_rank : left.text.compare(right.text);
    }
    return left.text.compare(right.text);
}

int compare_versions(std::string_view left, std::string_view right) {
    while (!left.empty() || !right.empty()) {
        const int order = compare_pieces(next_piece(left), next_piece(right));
        if (order != 0) {
            return order;
        }
    }
    return 0;
}

}  // namespace

bool version_less(std::string_view left, std::string_view right) {
    const int order = compare_versions(left, right);
    return order != 0 ? order < 0 : left < right;
}

}  // namespace bench::analysis
