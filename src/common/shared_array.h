#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "common/result.h"

namespace bench {

/// An array in anonymous memory that forked children share. It has no name, so nothing is left
/// when everyone has died. Elements start out value-initialised and are never destroyed.
template <class T>
class SharedArray {
    static_assert(std::is_trivially_destructible_v<T>);

  public:
    SharedArray() = default;
    /// `size` >= 1.
    [[nodiscard]] static Result<SharedArray> create(std::size_t size) {
        void* memory = ::mmap(nullptr, size * sizeof(T), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) {
            return errno_error("mmap", std::to_string(size * sizeof(T)) + " bytes",
                               "memory shared with the workers");
        }
        SharedArray array;
        array.data_ = static_cast<T*>(memory);
        array.size_ = size;
        // Also faults the pages in, before anything is timed.
        std::uninitialized_value_construct_n(array.data_, size);
        return array;
    }

    SharedArray(SharedArray&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    SharedArray& operator=(SharedArray&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    SharedArray(const SharedArray&) = delete;
    SharedArray& operator=(const SharedArray&) = delete;
    ~SharedArray() {
        if (data_ != nullptr) {
            ::munmap(data_, size_ * sizeof(T));
        }
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    T& operator[](std::size_t index) { return data_[index]; }
    const T& operator[](std::size_t index) const { return data_[index]; }

  private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace bench
