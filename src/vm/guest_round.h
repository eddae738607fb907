#pragma once

#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/guardian.h"
#include "common/stop_source.h"
#include "runner/executor.h"
#include "vm/guest_answer.h"
#include "vm/guest_boot.h"
#include "vm/guest_setup.h"

namespace bench {

/// Runs a queue of cells to its end, some guests at a time.
class GuestRound {
  public:
    /// `boots` counts on. All must outlive this.
    GuestRound(const GuestSetup& setup, StopSource& stop, const Guardian& keeper,
               const std::string& init_image, std::int64_t& boots, CellQueue& queue);

    /// False: it was stopped before the end.
    [[nodiscard]] bool run();

  private:
    /// Cells of the queue that share a boot, and what its runs answered.
    struct Group {
        std::vector<std::size_t> cells;
        GuestTask task;
        Status sound;  ///< else it can't be booted
        std::vector<std::vector<GuestAnswer>> runs;
        std::vector<std::int64_t> boots;  ///< numbers of the runs
    };
    struct Active {
        std::shared_ptr<Group> group;
        std::unique_ptr<GuestBoot> boot;
        std::int64_t number = 0;
        int cpu = 0;
        std::size_t told = 0;  ///< cells whose start was told
    };

    [[nodiscard]] std::shared_ptr<Group> make_group(std::vector<std::size_t> cells) const;
    void plan();
    void enqueue(const std::shared_ptr<Group>& group, bool first);
    [[nodiscard]] std::size_t most_at_once() const;
    [[nodiscard]] bool start_some();
    [[nodiscard]] bool start(const std::shared_ptr<Group>& group);
    [[nodiscard]] bool wait();
    [[nodiscard]] bool collect();
    [[nodiscard]] bool take(Active& active);
    [[nodiscard]] bool settle(const std::shared_ptr<Group>& group);
    [[nodiscard]] bool give_up(const Group& group, const Error& error);
    void tell_started(Active& active);

    const GuestSetup& setup_;
    StopSource& stop_;
    const Guardian& keeper_;
    const std::string& init_image_;
    std::int64_t& boots_;
    CellQueue& queue_;
    std::deque<std::shared_ptr<Group>> waiting_;  ///< once for each run that it is still to have
    std::list<Active> active_;
    std::vector<int> free_cpus_;
};

/// Which of a cell's runs counts, given their digests: the first of two that agree. Absent: none
/// do.
[[nodiscard]] std::optional<std::size_t> majority(const std::vector<std::string>& digests);

}  // namespace bench
