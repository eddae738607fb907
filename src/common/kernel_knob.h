#pragma once

#include <string>
#include <string_view>

#include "common/guardian.h"
#include "common/result.h"
#include "common/sysfs.h"

namespace bench {

/// One setting of the kernel that is to be changed: a sysctl, or a scheduler feature (one word in a
/// file of many). Values are compared with their white space normalised.
struct KernelKnob {
    enum class Kind { sysctl, feature };
    Kind kind = Kind::sysctl;
    std::string name;      ///< "kernel.sched_x"; a feature without NO_
    std::string path;      ///< below the root
    std::string asked;     ///< value; a feature with its NO_
    std::string before;    ///< as it was read, in the same form
    std::string old_text;  ///< what, written to the file, puts it back

    /// Nothing to write, and nothing to put back.
    [[nodiscard]] bool holds_already() const { return asked == before; }
};

/// Where a key lies: "kernel.sched_x" and "kernel/sched_x" are /proc/sys/kernel/sched_x. Whichever
/// of dot and slash comes first separates; the other then stands for a dot within a name
/// ("net.ipv4.conf.eth0/1.forwarding"). An Error for empty parts, "." and "..", and for what is no
/// printable ASCII.
[[nodiscard]] Result<std::string> sysctl_path(std::string_view key);
/// The one spelling of a key: with dots, or with slashes where a name has a dot in it.
[[nodiscard]] Result<std::string> canonical_sysctl(std::string_view key);

/// The knob with its present value. An Error says what keeps it from being read.
[[nodiscard]] Result<KernelKnob> read_sysctl_knob(const SystemRoot& system, std::string_view key,
                                                  std::string_view value);
/// `word`: "X" or "NO_X".
[[nodiscard]] Result<KernelKnob> read_feature_knob(const SystemRoot& system, std::string_view word);

/// The value that the kernel has now, in the form of `asked`.
[[nodiscard]] Result<std::string> current_value(const SystemRoot& system, const KernelKnob& knob);

/// Writes the value asked for and reads it back. An Error also when the kernel made something else
/// of it.
[[nodiscard]] Status set_knob(const SystemRoot& system, const KernelKnob& knob);

/// What a guardian writes to put it back.
[[nodiscard]] FileContent old_content(const SystemRoot& system, const KernelKnob& knob);

/// Runs of white space become one blank; none at the ends.
[[nodiscard]] std::string normalise_blanks(std::string_view text);

}  // namespace bench
