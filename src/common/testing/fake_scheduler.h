#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "common/testing/fixture_tree.h"

namespace bench::testing {

/// A kernel with sched_ext that has loaded nothing.
inline void add_sched_ext(FixtureTree& tree) {
    tree.file("/sys/kernel/sched_ext/state", "disabled\n")
        .file("/sys/kernel/sched_ext/enable_seq", "3\n")
        .file("/sys/kernel/sched_ext/nr_rejected", "0\n")
        .file("/sys/kernel/sched_ext/switch_all", "0\n")
        .file("/proc/version", "Linux\n");
}

/// Writes a program NAME into the fixture's /bin and gives its path. `body` is shell text that may
/// call (SIGINT and SIGTERM end it well from its first moment on)
///     enable OPS     the kernel has loaded OPS
///     disable        it has thrown it out
///     serve          until it is told to end
inline std::filesystem::path add_fake_scheduler(FixtureTree& tree, const std::string& name,
                                                const std::string& body) {
    const std::string path = "/bin/" + name;
    // Files are replaced whole, as the kernel's are never seen half written.
    tree.file(path, "#!/bin/sh\ncd '" + tree.root().string() +
                        "/sys/kernel/sched_ext' || exit 9\n" +
                        R"(put() { echo "$2" > "$1.new"; mv "$1.new" "$1"; }
enable() {
    mkdir -p root
    put root/ops "$1"
    put state enabled
    put enable_seq $(($(cat enable_seq) + 1))
}
disable() { put state disabled; rm -rf root; }
serve() { while :; do sleep 0.01; done; }
trap 'disable; echo bye; exit 0' INT TERM
)" + body + "\n");
    const std::filesystem::path program = tree.system().resolve(path);
    ::chmod(program.c_str(), 0755);
    return program;
}

}  // namespace bench::testing
