#include "analysis/study_ci.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/study_cases.h"
#include "analysis/study_text.h"
#include "analysis/study_words.h"
#include "common/csv.h"

namespace bench::analysis {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

std::size_t count(const std::vector<StudyCase>& cases, CaseResult result) {
    return static_cast<std::size_t>(std::count_if(
        cases.begin(), cases.end(), [=](const StudyCase& one) { return one.result == result; }));
}

/// "tests=... failures=...", of a suite and of all suites alike.
std::string counts_text(const std::vector<StudyCase>& cases) {
    return fmt::format(R"(tests="{}" failures="{}" errors="{}" skipped="{}")", cases.size(),
                       count(cases, CaseResult::failed), count(cases, CaseResult::error),
                       count(cases, CaseResult::skipped));
}

std::string junit_case(const StudyCase& one) {
    const std::string head = fmt::format(R"(    <testcase classname="bench.{}" name="{}")",
                                         xml_text(one.test), xml_text(one.name));
    const std::string text = xml_text(one.text);
    switch (one.result) {
        case CaseResult::passed:
            break;
        case CaseResult::skipped:
            return fmt::format("{}>\n      <skipped message=\"{}\"/>\n    </testcase>\n", head,
                               text);
        case CaseResult::failed:
        case CaseResult::error: {
            const char* element = one.result == CaseResult::failed ? "failure" : "error";
            return fmt::format(
                "{0}>\n      <{1} type=\"{2}\" message=\"{3}\">{3}</{1}>\n    </testcase>\n", head,
                element, xml_text(one.kind), text);
        }
    }
    return head + "/>\n";
}

/// As part of one line of KTAP: neither a '#', which ends a description, nor a line feed.
std::string ktap_text(std::string text) {
    std::replace_if(
        text.begin(), text.end(),
        [](char c) { return c == '#' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '_');
    return text;
}

std::string ktap_case(const StudyCase& one, std::size_t number) {
    const bool ok = one.result == CaseResult::passed || one.result == CaseResult::skipped;
    const char* directive = one.result == CaseResult::skipped ? "SKIP "
                            : one.result == CaseResult::error ? "ERROR "
                                                              : "";
    return fmt::format("{} {} {} {} # {}{}\n", ok ? "ok" : "not ok", number, ktap_text(one.test),
                       ktap_text(one.name), directive, ktap_text(one.text));
}

}  // namespace

std::string xml_text(std::string_view text) {
    std::string escaped;
    for (const char c : valid_utf8(text)) {
        switch (c) {
            case '&':
                escaped += "&amp;";
                break;
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            case '"':
                escaped += "&quot;";
                break;
            default:
                if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') {
                    escaped += kReplacement;
                } else {
                    escaped += c;
                }
        }
    }
    // The two noncharacters that are UTF-8 and yet no XML.
    for (const std::string_view forbidden : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
        for (auto at = escaped.find(forbidden); at != std::string::npos;
             at = escaped.find(forbidden, at)) {
            escaped.replace(at, forbidden.size(), kReplacement);
        }
    }
    return escaped;
}

std::string study_junit(const Study& study) {
    const auto cases = study_cases(study);
    std::string text = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites name=\"bench compare\" {0}>\n"
        "  <testsuite name=\"{1}\" {0}>\n",
        counts_text(cases), xml_text(sides_text(study)));
    for (const StudyCase& one : cases) {
        text += junit_case(one);
    }
    return text + fmt::format("    <system-out>{}</system-out>\n  </testsuite>\n</testsuites>\n",
                              xml_text(study_text(study)));
}

std::string study_ktap(const Study& study) {
    const auto cases = study_cases(study);
    std::string text = fmt::format("KTAP version 1\n1..{}\n", cases.size());
    const std::string report = study_text(study);
    for (std::size_t begin = 0; begin < report.size();) {
        const std::size_t end = report.find('\n', begin);
        const std::string line = report.substr(begin, end - begin);
        text += line.empty() ? "#\n" : "# " + line + "\n";
        begin = end + 1;
    }
    for (std::size_t i = 0; i < cases.size(); ++i) {
        text += ktap_case(cases[i], i + 1);
    }
    return text;
}

}  // namespace bench::analysis
