#pragma once

#include <memory>
#include <optional>
#include <string>

#include "common/bundle.h"
#include "common/guardian.h"
#include "common/stop_source.h"
#include "common/sysfs.h"

namespace bench {

/// A sched_ext scheduler: a program that runs for as long as its scheduler does.
class SchedExtScheduler {
  public:
    static constexpr Duration kPatience = std::chrono::seconds(10);

    struct Options {
        std::string program;            ///< a name in PATH, or a path
        std::filesystem::path output;   ///< what it says is appended here
        Duration patience = kPatience;  ///< for the kernel to report it enabled
    };

    /// Whether a scheduler could be started here, without doing so: an Error for a kernel without
    /// sched_ext, a scheduler that is loaded already (named), a program that is not there.
    [[nodiscard]] static Status check(const SystemRoot& system, const std::string& program);

    /// Starts the program and waits until the kernel reports a scheduler enabled. An Error, with
    /// the program's last words, when it ends before or takes too long, and when `stop` cuts in;
    /// nothing of it is left then. `outlived_by` as in Guardian::Options.
    [[nodiscard]] static Result<std::unique_ptr<SchedExtScheduler>> start(
        const Options& options, const Guardian& outlived_by, StopSource& stop,
        const SystemRoot& system);

    SchedExtScheduler(const SchedExtScheduler&) = delete;
    SchedExtScheduler& operator=(const SchedExtScheduler&) = delete;
    ~SchedExtScheduler() = default;  // the guardian ends the program

    /// asked, program, and as the kernel told once it was enabled: state, ops, enable_seq,
    /// switch_all, nr_rejected. Absent: the kernel does not tell.
    [[nodiscard]] Json description() const;

    /// What became of it, in one line; nullopt: it runs as it was started.
    [[nodiscard]] std::optional<std::string> change();

    /// SIGINT to the program, SIGKILL when it is still there after `patience`, and waits as long
    /// again until the kernel reports that no scheduler is loaded. An Error when one stays.
    [[nodiscard]] Status stop(Duration patience = kPatience);

  private:
    SchedExtScheduler(Options options, std::filesystem::path path, SystemRoot system,
                      Guardian guardian)
        : options_(std::move(options)),
          path_(std::move(path)),
          system_(std::move(system)),
          guardian_(std::move(guardian)) {}

    [[nodiscard]] Status await_enabled(StopSource& stop);
    [[nodiscard]] std::string state() const;
    /// Schedulers loaded since before the start, ours included; nullopt: the kernel does not count.
    [[nodiscard]] std::optional<std::int64_t> loads() const;
    /// "; it said: ..." with the end of its output, or empty.
    [[nodiscard]] std::string last_words() const;

    Options options_;
    std::filesystem::path path_;
    SystemRoot system_;
    Guardian guardian_;
    std::optional<std::int64_t> loads_before_;  ///< enable_seq before the start
    Json started_ = Json::object();             ///< of the kernel, once it was enabled
};

}  // namespace bench
