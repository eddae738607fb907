#pragma once

#include <cstdint>

namespace bench {

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers from the same seed with every compiler
/// and library, so that a seed in a bundle reproduces a run. Not for cryptography.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31U);
    }

    /// Uniform in [0, bound), bound >= 1; rejection keeps it free of bias.
    std::uint64_t below(std::uint64_t bound) {
        const std::uint64_t threshold = (0 - bound) % bound;
        std::uint64_t value = next();
        while (value < threshold) {
            value = next();
        }
        return value % bound;
    }

    /// Uniform in [low, high], low <= high.
    std::int64_t between(std::int64_t low, std::int64_t high) {
        const auto span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
        const std::uint64_t offset = span == 0 ? next() : below(span);
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
    }

  private:
    std::uint64_t state_;
};

/// A seed for stream `index` of a run seeded with `seed`: clients and repetitions draw independent
/// sequences.
inline std::uint64_t derive_seed(std::uint64_t seed, std::uint64_t index) {
    Random mixer(seed ^ (index * 0xd1342543de82ef95U));
    return mixer.next();
}

}  // namespace bench
