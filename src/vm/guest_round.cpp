#include "vm/guest_round.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>

#include "common/available_memory.h"
#include "common/log.h"
#include "runner/cell_watch.h"
#include "vm/vm_executor.h"

namespace bench {
namespace {

constexpr std::size_t kRunsToVerify = 2;
constexpr std::size_t kRunsToDecide = 3;
/// Beside a guest's own memory: QEMU itself and its translated code.
constexpr std::uint64_t kOfQemu = 160U << 20U;

}  // namespace

std::optional<std::size_t> majority(const std::vector<std::string>& digests) {
    for (std::size_t i = 0; i < digests.size(); ++i) {
        const auto same = std::count(digests.begin(), digests.end(), digests[i]);
        if (digests.size() == 1 || same >= 2) {
            return i;
        }
    }
    return std::nullopt;
}

GuestRound::GuestRound(const GuestSetup& setup, StopSource& stop, const Guardian& keeper,
                       const std::string& init_image, std::int64_t& boots, CellQueue& queue)
    : setup_(setup),
      stop_(stop),
      keeper_(keeper),
      init_image_(init_image),
      boots_(boots),
      queue_(queue),
      free_cpus_(setup.host_cpus.cpus()) {
    // Another bench beside us should not begin with the same CPU.
    std::rotate(free_cpus_.begin(),
                free_cpus_.begin() + static_cast<std::ptrdiff_t>(
                                         static_cast<std::size_t>(::getpid()) % free_cpus_.size()),
                free_cpus_.end());
    free_cpus_.resize(std::min(free_cpus_.size(), most_at_once()));
}

std::size_t GuestRound::most_at_once() const {
    if (setup_.machine.time == GuestTime::real_time) {
        return 1;
    }
    const auto available = available_memory(SystemRoot());
    const std::uint64_t each = setup_.machine.memory.bytes + kOfQemu;
    return available ? std::max<std::size_t>(*available / each, 1) : free_cpus_.size();
}

std::shared_ptr<GuestRound::Group> GuestRound::make_group(std::vector<std::size_t> cells) const {
    auto group = std::make_shared<Group>();
    group->cells = std::move(cells);
    GuestTask& task = group->task;
    task.machine = setup_.machine;
    task.boot_timeout = setup_.boot_timeout;
    for (const std::size_t cell : group->cells) {
        const CellRequest request = queue_.request(cell);
        const std::string name = place_value(request.place, "--kernel");
        const auto kernel =
            std::find_if(setup_.kernels.begin(), setup_.kernels.end(),
                         [&](const KernelFile& candidate) { return candidate.given == name; });
        if (kernel == setup_.kernels.end()) {
            group->sound = plain_error("boot", name, "no kernel of this run");
            return group;
        }
        task.kernel = &*kernel;
        task.machine.append = place_value(request.place, "--append");
        task.cell_timeout = request.timeout;
        auto arguments = request.arguments;
        for (const auto& [key, value] : guest_variant(task.machine)) {
            arguments.push_back(fmt::format("--variant={}={}", key, value));
        }
        if (pauses(task.machine)) {
            arguments.emplace_back("--pause");
        }
        // Its place in the run is the host's business: in the guest more digits would be more
        // instructions, and another result.
        std::replace_if(
            arguments.begin(), arguments.end(),
            [](const std::string& word) { return word.starts_with("--cell="); }, "--cell=1");
        task.cells.push_back(std::move(arguments));
    }
    return group;
}

void GuestRound::enqueue(const std::shared_ptr<Group>& group, bool first) {
    const std::size_t runs = setup_.verify ? kRunsToVerify : 1;
    waiting_.insert(first ? waiting_.begin() : waiting_.end(), runs, group);
}

void GuestRound::plan() {
    std::vector<GuestCell> cells;
    for (std::size_t i = 0; i < queue_.size(); ++i) {
        const CellRequest request = queue_.request(i);
        cells.push_back({i, request.place, request.repetition});
    }
    for (auto& batch : batch_cells(cells, setup_.boots)) {
        enqueue(make_group(std::move(batch)), false);
    }
}

void GuestRound::tell_started(Active& active) {
    const auto& cells = active.group->cells;
    for (; active.told < cells.size() && active.told <= active.boot->cells_done(); ++active.told) {
        queue_.started(cells[active.told]);
    }
}

bool GuestRound::give_up(const Group& group, const Error& error) {
    return std::all_of(group.cells.begin(), group.cells.end(),
                       [&](std::size_t cell) { return queue_.ended(cell, error); });
}

bool GuestRound::start(const std::shared_ptr<Group>& group) {
    if (!group->sound) {
        std::erase(waiting_, group);
        return give_up(*group, group->sound.error());
    }
    const bool alone = setup_.machine.time == GuestTime::real_time && setup_.machine.vcpus > 1;
    const int cpu = free_cpus_.front();
    const std::int64_t number = ++boots_;
    const auto folder =
        queue_.request(group->cells.front()).bundle.string() + fmt::format(".guest-{}", number);
    auto boot = GuestBoot::start(group->task, setup_.qemu, init_image_, folder,
                                 alone ? setup_.host_cpus : CpuSet({cpu}), keeper_);
    if (!boot) {
        // Its other run would fare no better.
        std::erase(waiting_, group);
        return give_up(*group, boot.error());
    }
    free_cpus_.erase(free_cpus_.begin());
    active_.push_back({group, std::move(*boot), number, cpu});
    tell_started(active_.back());
    return true;
}

bool GuestRound::start_some() {
    while (!waiting_.empty() && !free_cpus_.empty()) {
        const auto group = waiting_.front();
        waiting_.pop_front();
        if (!start(group)) {
            return false;
        }
    }
    return true;
}

/// One descriptor for the events of all guests.
bool GuestRound::wait() {
    const Fd events(::epoll_create1(EPOLL_CLOEXEC));
    TimePoint give_up = TimePoint::max();
    for (const Active& active : active_) {
        epoll_event event{.events = EPOLLIN, .data = {}};
        // Without it the tick looks after the guest, only later.
        (void)::epoll_ctl(events.get(), EPOLL_CTL_ADD, active.boot->event_fd(), &event);
        give_up = std::min(give_up, active.boot->give_up());
    }
    return wait_a_tick(stop_, events.get(), give_up, [this] { return queue_.tick(); });
}

bool GuestRound::collect() {
    for (auto active = active_.begin(); active != active_.end();) {
        const bool over = active->boot->over();
        tell_started(*active);
        if (!over) {
            ++active;
            continue;
        }
        free_cpus_.push_back(active->cpu);
        const bool go_on = take(*active);
        active = active_.erase(active);
        if (!go_on) {
            return false;
        }
    }
    return true;
}

bool GuestRound::take(Active& active) {
    const auto& group = active.group;
    auto remains = active.boot->finish();
    std::vector<GuestAnswer> answers;
    if (remains) {
        answers = read_answers(group->task, *remains);
    } else {
        answers.resize(group->cells.size());
        for (GuestAnswer& answer : answers) {
            answer.execution.conduct = CellConduct::never_ran;
            answer.execution.reason = remains.error().message();
        }
    }
    group->runs.push_back(std::move(answers));
    group->boots.push_back(active.number);
    return group->runs.size() < (setup_.verify ? kRunsToVerify : 1) || settle(group);
}

/// Decides about the cells that all runs came to; cells behind have another boot.
bool GuestRound::settle(const std::shared_ptr<Group>& group) {
    std::size_t reached = group->cells.size();
    for (const auto& run : group->runs) {
        reached = std::min(reached, run.size());
    }
    std::vector<std::vector<std::string>> digests(reached);
    bool differs = false;
    for (std::size_t i = 0; i < reached && setup_.verify; ++i) {
        for (const auto& run : group->runs) {
            digests[i].push_back(run[i].digest());
        }
        differs |= std::any_of(digests[i].begin(), digests[i].end(),
                               [&](const auto& digest) { return digest != digests[i].front(); });
    }
    if (differs && group->runs.size() < kRunsToDecide) {
        waiting_.push_front(group);
        return true;
    }
    for (std::size_t i = 0; i < reached; ++i) {
        const auto chosen = setup_.verify ? majority(digests[i]) : std::optional<std::size_t>(0);
        const std::size_t run = chosen.value_or(0);
        GuestAnswer& answer = group->runs[run][i];
        CellExecution& execution = answer.execution;
        execution.boot = group->boots[run];
        const CellRequest request = queue_.request(group->cells[i]);
        if (setup_.verify) {
            const auto agreeing = std::count(digests[i].begin(), digests[i].end(), digests[i][run]);
            execution.details["determinism"] = {{"runs", digests[i].size()},
                                                {"agreeing", agreeing}};
            if (static_cast<std::size_t>(agreeing) < digests[i].size()) {
                log_warning(fmt::format("{}: {} of {} runs of cell {} gave the same bytes",
                                        group->task.kernel->release, chosen ? agreeing : 0,
                                        digests[i].size(), group->cells[i] + 1));
            }
        }
        if (!chosen) {
            execution.conduct = CellConduct::broke;
            execution.reason = "three runs of it in virtual time gave three results";
        } else if (const Status written = write_bundle(answer, request.bundle); !written) {
            execution.conduct = CellConduct::broke;
            execution.reason = written.error().message();
        }
        if (!queue_.ended(group->cells[i], std::move(execution))) {
            return false;
        }
    }
    if (reached < group->cells.size()) {
        enqueue(make_group({group->cells.begin() + static_cast<std::ptrdiff_t>(reached),
                            group->cells.end()}),
                true);
    }
    return true;
}

bool GuestRound::run() {
    plan();
    while (!waiting_.empty() || !active_.empty()) {
        if (!start_some()) {
            return false;
        }
        if (active_.empty()) {
            continue;
        }
        if (!wait() || !collect()) {
            return false;
        }
    }
    return true;
}

}  // namespace bench
