#include "app/command_line.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>

#include "app/exit_codes.h"
#include "common/log.h"
#include "common/syscalls.h"

namespace bench {
namespace {

bool is_negative_number(const std::string& word) {
    return word.size() > 1 && word[0] == '-' &&
           (std::isdigit(static_cast<unsigned char>(word[1])) != 0 || word[1] == '.');
}

int refuse(const CommandLine& line, const std::string& message) {
    const std::string command = line.chosen.empty() ? "bench" : "bench " + line.chosen;
    const std::string text = fmt::format("{}: {} (see '{} --help')\n", command, message, command);
    (void)write_all(STDERR_FILENO, text.data(), text.size());
    const auto own = line.usage_exits.find(line.chosen);
    return own == line.usage_exits.end() ? kExitUsage : own->second;
}

/// The subcommand a word stands for; null for none.
CLI::App* find_command(CLI::App& app, const std::string& word) {
    for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
        if (command->check_name(word)) {
            return command;
        }
    }
    return nullptr;
}

std::string command_names(CLI::App& app) {
    std::string names;
    for (const CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
        names += (names.empty() ? "" : ", ") + command->get_name();
    }
    return names;
}

}  // namespace

/// CLI11 puts the names it was given in front: "-c,--clients: ..." becomes "--clients: ...".
std::string one_line(const CLI::ParseError& error) {
    std::string text = error.what();
    if (const auto colon = text.find(':'); colon != std::string::npos) {
        const auto comma = text.substr(0, colon).rfind(",--");
        if (comma != std::string::npos) {
            text.erase(0, comma + 1);
        }
    }
    std::replace(text.begin(), text.end(), '\n', ' ');
    if (const auto most = text.find("At Most 1 required"); most != std::string::npos) {
        text.replace(most, std::string::npos, "given more than once");
    }
    return text;
}

void CommandLine::on(CLI::App& command, std::string name, std::function<int()> body,
                     std::function<Status()> check) {
    command.callback(
        [this, name = std::move(name), body = std::move(body), check = std::move(check)] {
            if (check) {
                if (auto sound = check(); !sound) {
                    throw CLI::ValidationError(sound.error().object, sound.error().detail);
                }
            }
            chosen = name;
            action = body;
        });
}

std::vector<std::string> join_negative_values(std::vector<std::string> words) {
    std::vector<std::string> joined;
    for (auto& word : words) {
        const bool takes = !joined.empty() && joined.back().size() > 1 && joined.back()[0] == '-' &&
                           joined.back().find('=') == std::string::npos &&
                           !is_negative_number(joined.back());
        if (takes && is_negative_number(word)) {
            joined.back() += (joined.back()[1] == '-' ? "=" : "") + word;
        } else {
            joined.push_back(std::move(word));
        }
    }
    return joined;
}

void fill_standard_fds() {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
            // The wrong way round on purpose: a table that nobody can read is no success.
            (void)::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

int print(const std::string& text, int exit_code) {
    if (write_all(STDOUT_FILENO, text.data(), text.size())) {
        return exit_code;
    }
    if (errno != EPIPE) {
        log_error(errno_error("write", "standard output").message());
    }
    return kExitFailed;
}

int run_command_line(CommandLine& line, int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);  // a file over the limit (ulimit -f) is an error with words
    line.words.assign(argv, argv + argc);
    std::vector<std::string> words =
        join_negative_values(std::vector<std::string>(argv + 1, argv + argc));

    // Which command is meant, for messages, before anything can go wrong in it.
    CLI::App* command = &line.app;
    for (const auto& word : words) {
        if (word.starts_with('-')) {
            break;
        }
        CLI::App* next = find_command(*command, word);
        if (next == nullptr) {
            if (const auto known = command_names(*command); !known.empty()) {
                return refuse(line, fmt::format("'{}' is not a command: {}", word, known));
            }
            break;
        }
        line.chosen += (line.chosen.empty() ? "" : " ") + word;
        command = next;
    }

    const std::vector<std::string> given = words;
    for (const std::string& word : given) {
        // CLI11 would take the next word for the value.
        if (word.starts_with("--") && word.size() > 3 && word.find('=') == word.size() - 1) {
            return refuse(line, fmt::format("{} the value is empty", word));
        }
    }
    std::reverse(words.begin(), words.end());  // as CLI11 takes a vector
    try {
        line.app.parse(words);
    } catch (const CLI::CallForHelp&) {
        return print(line.app.help(), kExitOk);
    } catch (const CLI::CallForVersion& version) {
        return print(std::string(version.what()) + "\n", kExitOk);
    } catch (const CLI::ExtrasError&) {
        const auto extras = line.app.remaining(true);
        const auto first = std::find_if(given.begin(), given.end(), [&](const std::string& word) {
            return std::find(extras.begin(), extras.end(), word) != extras.end();
        });
        return refuse(line, fmt::format("'{}' is not an option or argument of it",
                                        first == given.end() ? extras.front() : *first));
    } catch (const CLI::RequiredError& error) {
        if (given.empty()) {
            const std::string help = line.app.help();
            (void)write_all(STDERR_FILENO, help.data(), help.size());
            return kExitUsage;
        }
        if (line.chosen.empty()) {
            return refuse(line, fmt::format("'{}' stands where a command is wanted: {}",
                                            given.front(), command_names(line.app)));
        }
        if (const auto known = command_names(*command);
            !known.empty() && command->get_subcommands().empty()) {
            return refuse(line, "it wants one of these behind it: " + known);
        }
        return refuse(line, one_line(error));
    } catch (const CLI::ParseError& error) {
        return refuse(line, one_line(error));
    }
    try {
        return line.action();
    } catch (const std::bad_alloc&) {
        log_error("out of memory");
    } catch (const std::exception& exception) {
        log_error(exception.what());
    }
    return kExitFailed;
}

std::optional<int> run_classic(std::vector<std::unique_ptr<Benchmark>>& benchmarks, int argc,
                               char** argv) {
    if (argc == 0) {
        return std::nullopt;
    }
    const char* slash = std::strrchr(argv[0], '/');
    const std::string name = slash == nullptr ? argv[0] : slash + 1;
    for (auto& benchmark : benchmarks) {
        if (!benchmark->classic_name().empty() && benchmark->classic_name() == name) {
            return benchmark->classic_main(argc, argv);
        }
    }
    return std::nullopt;
}

}  // namespace bench
