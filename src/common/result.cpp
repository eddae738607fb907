#include "common/result.h"

#include <cerrno>
#include <system_error>

namespace bench {

std::string Error::message() const {
    std::string text = operation;
    if (!object.empty()) {
        text += ' ' + object;
    }
    if (code != 0) {
        text += ": " + std::generic_category().message(code);
        if (!detail.empty()) {
            text += " (" + detail + ")";
        }
    } else if (!detail.empty()) {
        text += text.empty() ? detail : ": " + detail;
    }
    return text;
}

Error errno_error(std::string operation, std::string object, std::string detail) {
    const int code = errno;
    return Error{code, std::move(operation), std::move(object), std::move(detail)};
}

Error plain_error(std::string operation, std::string object, std::string detail) {
    return Error{0, std::move(operation), std::move(object), std::move(detail)};
}

}  // namespace bench
