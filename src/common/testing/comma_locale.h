#pragma once

#include <clocale>
#include <cstdlib>
#include <locale>
#include <stdexcept>
#include <string>

#include "common/testing/shell.h"
#include "common/testing/temp_folder.h"

namespace bench::testing {

/// German numbers ("1.234,5") for all of the process, C and C++, until the test ends. The locale is
/// built on the spot, so no machine lacks it; throws when it can't be had, for a test that went on
/// without it would prove nothing. Needs localedef and its sources (Debian: locales).
class CommaLocale {
  public:
    CommaLocale() : old_c_(std::setlocale(LC_ALL, nullptr)) {
        const std::string name = "de_DE.UTF-8";
        const ShellResult built =
            run_shell("localedef -i de_DE -f UTF-8 " + shell_word(folder_ / name));
        if (built.status != 0) {
            throw std::runtime_error("localedef: " + built.output);
        }
        ::setenv("LOCPATH", folder_.path().c_str(), 1);
        if (std::setlocale(LC_ALL, name.c_str()) == nullptr) {
            throw std::runtime_error("setlocale refuses " + name);
        }
        std::locale::global(std::locale(name));
    }
    ~CommaLocale() {
        std::locale::global(old_cpp_);
        std::setlocale(LC_ALL, old_c_.c_str());
        ::unsetenv("LOCPATH");
    }
    CommaLocale(const CommaLocale&) = delete;
    CommaLocale& operator=(const CommaLocale&) = delete;

  private:
    TempFolder folder_;
    std::string old_c_;
    std::locale old_cpp_;
};

}  // namespace bench::testing
