#pragma once

#include <gtest/gtest.h>

#include <csignal>
#include <optional>
#include <utility>

#include "common/stop_source.h"

namespace bench::testing {

/// A StopSource that gives the signal mask back, which every StopSource takes for the rest of its
/// process.
class ScopedStopSource {
  public:
    ScopedStopSource() {
        ::sigprocmask(SIG_SETMASK, nullptr, &mask_);
        auto created = StopSource::create();
        EXPECT_TRUE(created.ok());
        stop_.emplace(std::move(*created));
    }
    ~ScopedStopSource() { ::sigprocmask(SIG_SETMASK, &mask_, nullptr); }
    ScopedStopSource(const ScopedStopSource&) = delete;
    ScopedStopSource& operator=(const ScopedStopSource&) = delete;

    StopSource& operator*() { return *stop_; }
    StopSource* operator->() { return &*stop_; }

  private:
    sigset_t mask_{};
    std::optional<StopSource> stop_;
};

}  // namespace bench::testing
