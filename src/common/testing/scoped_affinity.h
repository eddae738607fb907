#pragma once

#include "common/affinity.h"

namespace bench::testing {

/// Gives the calling thread its CPUs back when the test ends.
class ScopedAffinity {
  public:
    ScopedAffinity() : saved_(get_affinity().value()) {}
    ~ScopedAffinity() { static_cast<void>(set_affinity(saved_)); }
    ScopedAffinity(const ScopedAffinity&) = delete;
    ScopedAffinity& operator=(const ScopedAffinity&) = delete;

    [[nodiscard]] const CpuSet& saved() const { return saved_; }

  private:
    CpuSet saved_;
};

}  // namespace bench::testing
