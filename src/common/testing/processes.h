#pragma once

#include <sys/mman.h>
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench::testing {

/// A value in memory that forked children share with the test.
template <class T>
class SharedValue {
  public:
    SharedValue() {
        void* memory =
            ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) {
            throw std::runtime_error("mmap failed");
        }
        value_ = new (memory) T{};
    }
    ~SharedValue() { ::munmap(value_, sizeof(T)); }
    SharedValue(const SharedValue&) = delete;
    SharedValue& operator=(const SharedValue&) = delete;

    T& operator*() { return *value_; }
    T* operator->() { return value_; }

  private:
    T* value_;
};

/// A folder below the temporary folder, removed with all it holds.
class TemporaryFolder {
  public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

/// Looks again and again, for up to 30 s, until `holds` says true. For what other processes do.
[[nodiscard]] bool eventually(const std::function<bool()>& holds);

/// Neither gone nor a zombie.
[[nodiscard]] bool is_alive(pid_t pid);

/// Whether the caller has no child, living or unreaped.
[[nodiscard]] bool has_no_children();

/// Descriptors that process `pid` holds, ascending.
[[nodiscard]] std::vector<int> open_fds(pid_t pid);

/// The whole file; empty when there is none.
[[nodiscard]] std::string file_text(const std::filesystem::path& path);

}  // namespace bench::testing
