// The smallest test there can be: it shows what a new one must say, and that one word in a list is
// enough.
#include <charconv>

#include "common/benchmark.h"
#include "common/options.h"

namespace bench::fake_test {
namespace {

class FakeTest : public Benchmark {
  public:
    [[nodiscard]] std::string_view name() const override { return "fake-test"; }
    [[nodiscard]] std::string_view summary() const override {
        return "Answers its option times its clients";
    }

    void add_options(CLI::App& app) override {
        add_integer_option(app, "--answer", answer_, "What to answer", 0, 1000);
    }
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> variant() const override {
        return answer_ == kDefault ? std::vector<std::pair<std::string, std::string>>{}
                                   : std::vector{std::pair<std::string, std::string>{
                                         "answer", std::to_string(answer_)}};
    }
    [[nodiscard]] std::vector<Metric> metrics() const override { return {answer_metric()}; }
    [[nodiscard]] std::vector<TableColumn> table() const override {
        return {{"answer", "answer", Statistic::max}};
    }
    [[nodiscard]] Status check_requirements(const CellPlan& /*plan*/,
                                            const SystemRoot& /*system*/) const override {
        return {};
    }
    [[nodiscard]] Result<CellOutcome> run(const CellContext& context) override {
        if (answer_ == 0) {
            return plain_error("answer", "", "nothing to answer");
        }
        CellOutcome outcome;
        Series series;
        series.metric = answer_metric();
        series.values = {static_cast<double>(answer_ * context.plan.clients)};
        outcome.series.push_back(std::move(series));
        return outcome;
    }

    [[nodiscard]] bool can_import() const override { return true; }
    /// "answer 126", and one client.
    [[nodiscard]] Result<ImportedCell> import_classic(std::string_view text) const override {
        constexpr std::string_view kWord = "answer ";
        std::int64_t answer = 0;
        if (!text.starts_with(kWord) ||
            std::from_chars(text.data() + kWord.size(), text.data() + text.size(), answer).ec !=
                std::errc()) {
            return plain_error("import", "line 1", "no answer");
        }
        ImportedCell cell;
        Series series;
        series.metric = answer_metric();
        series.values = {static_cast<double>(answer)};
        cell.outcome.series.push_back(std::move(series));
        if (answer == 0) {
            cell.outcome.taints.emplace_back("an answer of nothing");
        }
        return cell;
    }

  private:
    static Metric answer_metric() {
        return {"answer", "1", Better::higher, "option times clients"};
    }

    static constexpr std::int64_t kDefault = 42;
    std::int64_t answer_ = kDefault;
};

}  // namespace

std::unique_ptr<Benchmark> make_benchmark();
std::unique_ptr<Benchmark> make_benchmark() {
    return std::make_unique<FakeTest>();
}

}  // namespace bench::fake_test
