#include "vm/sha256.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>

namespace bench {
namespace {

constexpr std::size_t kBlock = 64;

constexpr bool is_prime(std::uint32_t number) {
    for (std::uint32_t divisor = 2; divisor * divisor <= number; ++divisor) {
        if (number % divisor == 0) {
            return false;
        }
    }
    return true;
}

/// The first 32 bits behind the point of the k-th root of `number` (k: 2 or 3), by Newton's method:
/// a long double has more than twice as many bits as the roots need.
constexpr std::uint32_t root_fraction(std::uint32_t number, int k) {
    long double root = number;
    for (int step = 0; step < 64; ++step) {
        const long double power = k == 2 ? root : root * root;
        root -= (root * power - static_cast<long double>(number)) /
                (static_cast<long double>(k) * power);
    }
    const auto whole = static_cast<long double>(static_cast<std::uint32_t>(root));
    return static_cast<std::uint32_t>((root - whole) * 4294967296.0L);
}

template <std::size_t count>
constexpr std::array<std::uint32_t, count> prime_roots(int k) {
    std::array<std::uint32_t, count> roots{};
    std::size_t found = 0;
    for (std::uint32_t number = 2; found < count; ++number) {
        if (is_prime(number)) {
            roots[found++] = root_fraction(number, k);
        }
    }
    return roots;
}

constexpr auto kStart = prime_roots<8>(2);
constexpr auto kRound = prime_roots<64>(3);
static_assert(kStart[0] == 0x6a09e667 && kRound[0] == 0x428a2f98 && kRound[63] == 0xc67178f2);

void add_block(std::array<std::uint32_t, 8>& state, const unsigned char* block) {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 16; ++i) {
        w[i] = std::uint32_t{block[4 * i]} << 24U | std::uint32_t{block[4 * i + 1]} << 16U |
               std::uint32_t{block[4 * i + 2]} << 8U | std::uint32_t{block[4 * i + 3]};
    }
    for (std::size_t i = 16; i < 64; ++i) {
        const std::uint32_t a = w[i - 15];
        const std::uint32_t b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3U)) +
               (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10U));
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t i = 0; i < 64; ++i) {
        const std::uint32_t one = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                  ((e & f) ^ (~e & g)) + kRound[i] + w[i];
        const std::uint32_t two =
            (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + one;
        d = c;
        c = b;
        b = a;
        a = one + two;
    }
    const std::array<std::uint32_t, 8> more = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < more.size(); ++i) {
        state[i] += more[i];
    }
}

}  // namespace

std::string sha256_hex(std::string_view data) {
    std::array<std::uint32_t, 8> state = kStart;
    std::string padded_end(data.substr(data.size() - data.size() % kBlock));
    padded_end += '\x80';
    while (padded_end.size() % kBlock != kBlock - 8) {
        padded_end += '\0';
    }
    const std::uint64_t bits = std::uint64_t{data.size()} * 8;
    for (unsigned shift = 64; shift > 0; shift -= 8) {
        padded_end += static_cast<char>(bits >> (shift - 8));
    }
    const std::string_view whole = data.substr(0, data.size() - data.size() % kBlock);
    for (const std::string_view part : {whole, std::string_view(padded_end)}) {
        for (std::size_t at = 0; at < part.size(); at += kBlock) {
            std::array<unsigned char, kBlock> block{};
            part.copy(reinterpret_cast<char*>(block.data()), kBlock, at);
            add_block(state, block.data());
        }
    }
    std::string text;
    for (const std::uint32_t word : state) {
        text += fmt::format("{:08x}", word);
    }
    return text;
}

}  // namespace bench
