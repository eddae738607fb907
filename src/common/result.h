#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace bench {

/// What went wrong with one operation on the system or on input.
struct Error {
    /// errno of the failed call; 0 when the kernel did not refuse it (bad input, a worker that
    /// died).
    int code = 0;
    /// What was tried: "open", "sched_setaffinity", "parse".
    std::string operation;
    /// On what: a path, an option's value, "client 7". May be empty.
    std::string object;
    /// More than errno says: the cause, what is allowed, the cure. May be empty.
    std::string detail;
    /// Nothing had been measured yet: the cell is not-run rather than failed.
    bool not_started = false;

    /// One line without a trailing newline: "open /x: No such file or directory (detail)".
    [[nodiscard]] std::string message() const;
};

/// The Error of a call that just failed with errno.
[[nodiscard]] Error errno_error(std::string operation, std::string object = {},
                                std::string detail = {});

/// The Error of something the kernel had no part in.
[[nodiscard]] Error plain_error(std::string operation, std::string object, std::string detail);

/// A value, or why there is none. Reading the absent side is a programming error (asserted).
template <class T>
class [[nodiscard]] Result {
  public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    [[nodiscard]] bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }

    T& value() & {
        assert(ok());
        return *std::get_if<0>(&state_);
    }
    const T& value() const& {
        assert(ok());
        return *std::get_if<0>(&state_);
    }
    T&& value() && {
        assert(ok());
        return std::move(*std::get_if<0>(&state_));
    }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    [[nodiscard]] const Error& error() const {
        assert(!ok());
        return *std::get_if<1>(&state_);
    }

    /// The value as an optional, for callers to whom "absent" says enough.
    [[nodiscard]] std::optional<T> optional() const {
        return ok() ? std::optional<T>(value()) : std::nullopt;
    }

  private:
    std::variant<T, Error> state_;
};

/// Success without a value, or an Error. `return {};` is success.
template <>
class [[nodiscard]] Result<void> {
  public:
    Result() = default;
    Result(Error error) : error_(std::move(error)) {}

    [[nodiscard]] bool ok() const { return !error_; }
    explicit operator bool() const { return ok(); }
    [[nodiscard]] const Error& error() const {
        assert(!ok());
        return *error_;
    }

  private:
    std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace bench
