#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "common/testing/processes.h"
#include "common/testing/scoped_syscalls.h"

namespace bench::testing {

/// Has mkdir, rmdir and writes in a fixture's cgroup trees do what the kernel does with them: a new
/// group has its files, v2 ones by what the parent hands down; one with groups or processes in it
/// can't be removed; cgroup.subtree_control takes "+cpu -cpuset". Also in forked children.
class FakeCgroups {
  public:
    FakeCgroups() {
        state() = {.real = calls_.real()};
        calls_->mkdir = [](const char* path, mode_t mode) {
            const int made = state().real.mkdir(path, mode);
            if (made == 0) {
                fill(path);
            }
            return made;
        };
        calls_->rmdir = [](const char* path) { return empty(path); };
        calls_->open = [](const char* path, int flags, mode_t mode) {
            const bool writes = (flags & O_ACCMODE) == O_WRONLY;
            const bool refused = writes && !state().refused_file.empty() &&
                                 std::string_view(path).ends_with(state().refused_file);
            if (refused) {
                errno = state().refused_code;
                return -1;
            }
            const bool ours = writes && std::string_view(path).ends_with("/cgroup.subtree_control");
            const int fd = state().real.open(path, ours ? flags & ~O_TRUNC : flags, mode);
            if (ours) {
                state().fd = fd;
                state().path = path;
            }
            return fd;
        };
        calls_->write = [](int fd, const void* data, std::size_t size) -> ssize_t {
            if (fd < 0 || fd != std::exchange(state().fd, -1)) {
                return state().real.write(fd, data, size);
            }
            hand_down(std::string(static_cast<const char*>(data), size));
            return static_cast<ssize_t>(size);
        };
    }

    /// Writing to files whose path ends so fails.
    static void refuse(std::string file, int code) {
        state().refused_file = std::move(file);
        state().refused_code = code;
    }
    [[nodiscard]] Syscalls& calls() { return *calls_.operator->(); }

  private:
    struct State {
        Syscalls real{};
        int fd = -1;
        std::string path = {};
        std::string refused_file = {};
        int refused_code = 0;
    };
    static State& state() {
        static State one;
        return one;
    }
    static std::set<std::string> words_in(const std::filesystem::path& file) {
        std::istringstream in(file_text(file));
        std::set<std::string> words;
        for (std::string word; in >> word;) {
            words.insert(word);
        }
        return words;
    }
    static void put(const std::filesystem::path& file, std::string_view text) {
        std::ofstream(file, std::ios::trunc) << text;
    }
    static void fill(const std::filesystem::path& group) {
        const std::filesystem::path parent = group.parent_path();
        if (!std::filesystem::exists(parent / "cgroup.controllers")) {
            for (const auto& entry : std::filesystem::directory_iterator(parent)) {
                const std::string name = entry.path().filename().string();
                if (entry.is_regular_file() && name != "release_agent") {
                    put(group / name, name == "cpu.shares" ? "1024\n" : "");
                }
            }
            return;
        }
        std::string controllers;
        for (const std::string& word : words_in(parent / "cgroup.subtree_control")) {
            controllers += word + ' ';
            if (word == "cpu") {
                put(group / "cpu.weight", "100\n");
            } else if (word == "cpuset") {
                put(group / "cpuset.cpus", "\n");
                put(group / "cpuset.cpus.partition", "member\n");
            }
        }
        put(group / "cgroup.controllers", controllers + '\n');
        put(group / "cgroup.subtree_control", "\n");
        put(group / "cgroup.type", "domain\n");
        put(group / "cgroup.procs", "");
        put(group / "cpu.stat", "usage_usec 1500\nuser_usec 1000\n");
    }
    static int empty(const std::filesystem::path& group) {
        if (!std::filesystem::exists(group)) {
            errno = ENOENT;
            return -1;
        }
        bool busy = !file_text(group / "cgroup.procs").empty();
        for (const auto& entry : std::filesystem::directory_iterator(group)) {
            busy = busy || entry.is_directory();
        }
        if (busy) {
            errno = EBUSY;
            return -1;
        }
        std::filesystem::remove_all(group);
        return 0;
    }
    static void hand_down(const std::string& orders) {
        std::set<std::string> words = words_in(state().path);
        std::istringstream in(orders);
        for (std::string order; in >> order;) {
            const std::string controller = order.substr(1);
            if (order[0] == '+') {
                words.insert(controller);
            } else {
                words.erase(controller);
            }
        }
        std::string text;
        for (const std::string& word : words) {
            text += word + ' ';
        }
        put(state().path, text + '\n');
    }

    ScopedSyscalls calls_;
};

}  // namespace bench::testing
