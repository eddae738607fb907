#pragma once

#include <array>
#include <cstdio>
#include <string>
#include <vector>

namespace bench::testing {

struct ShellResult {
    int status = -1;  ///< as wait(2) gives it; 0 is success
    std::string output;
};

/// `text` as one word of a shell command.
inline std::string shell_word(const std::string& text) {
    std::string word = "'";
    for (const char c : text) {
        word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return word + "'";
}

/// Runs a command and takes what it writes to both outputs.
inline ShellResult run_shell(const std::string& command) {
    ShellResult result;
    FILE* pipe = ::popen(("{ " + command + "\n} 2>&1").c_str(), "re");
    if (pipe == nullptr) {
        return result;
    }
    std::array<char, 4096> buffer{};
    std::size_t got = 0;
    while ((got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0) {
        result.output.append(buffer.data(), got);
    }
    result.status = ::pclose(pipe);
    return result;
}

/// Runs a Python program, given as text, with arguments.
inline ShellResult run_python(const std::string& program,
                              const std::vector<std::string>& arguments) {
    std::string command = "python3 -c " + shell_word(program);
    for (const std::string& argument : arguments) {
        command += " " + shell_word(argument);
    }
    return run_shell(command);
}

}  // namespace bench::testing
