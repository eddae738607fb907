// The smallest test there can be: it shows what a new one must say, and that one word in a list is
// enough.
#include <charconv>

#include "common/benchmark.h"
#include "common/options.h"
#include "common/random.h"
#include "common/units.h"

namespace bench::fake_test {
namespace {

class FakeTest : public Benchmark {
  public:
    [[nodiscard]] std::string_view name() const override { return "fake-test"; }
    [[nodiscard]] std::string_view summary() const override {
        return "Answers its option times its clients";
    }

    void add_options(CLI::App& app) override {
        add_integer_option(app, "--noise", noise_,
                           "Vary the answer by up to this many percent, by the cell's seed", 0, 50);
    }
    [[nodiscard]] std::vector<BenchmarkAxis> axes() override {
        return {
            {"--answer", "N", "What to answer", AxisList::comma, [this](const std::string& text) {
                 const auto numbers = parse_integer_list(text, 0, 1000);
                 if (!numbers || numbers->size() != 1) {
                     throw CLI::ValidationError("--answer", "'" + text + "' is not 0..1000");
                 }
                 answer_ = numbers->front();
                 return std::to_string(answer_);
             }}};
    }
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> variant() const override {
        std::vector<std::pair<std::string, std::string>> pairs;
        if (answer_ != kDefault) {
            pairs.emplace_back("answer", std::to_string(answer_));
        }
        if (noise_ != 0) {
            pairs.emplace_back("noise", std::to_string(noise_));
        }
        return pairs;
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
        series.values = {static_cast<double>(answer_ * context.plan.clients) *
                         (1 + noise(context.plan.seed))};
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

    /// Another one for every seed and every --noise: -noise_ to noise_ percent.
    [[nodiscard]] double noise(std::uint64_t seed) const {
        constexpr std::uint64_t kSteps = 1'000'001;
        Random random(derive_seed(seed, static_cast<std::uint64_t>(noise_)));
        const double place = static_cast<double>(random.below(kSteps)) / (kSteps - 1);
        return static_cast<double>(noise_) / 100 * (2 * place - 1);
    }

    static constexpr std::int64_t kDefault = 42;
    std::int64_t answer_ = kDefault;
    std::int64_t noise_ = 0;
};

}  // namespace

std::unique_ptr<Benchmark> make_benchmark();
std::unique_ptr<Benchmark> make_benchmark() {
    return std::make_unique<FakeTest>();
}

}  // namespace bench::fake_test
