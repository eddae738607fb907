#include "common/compile_tree.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>

#include "common/fd.h"
#include "common/random.h"
#include "common/syscalls.h"

namespace bench {
namespace {

constexpr std::string_view kHeader = R"(struct item {
    unsigned key;
    int weight;
    double share;
    struct item *next;
};
struct table {
    struct item items[32];
    unsigned count;
    unsigned long sum;
};
)";

constexpr std::string_view kMakefile = R"(CC = cc
CFLAGS = -O2
SOURCES := $(wildcard *.c)
program: $(SOURCES:.c=.o)
	$(CC) -o $@ $^
%.o: %.c common.h
	$(CC) $(CFLAGS) -c -o $@ $<
clean:
	rm -f program *.o
.PHONY: clean
)";

Status write_file(const std::filesystem::path& path, std::string_view text) {
    constexpr mode_t kMode = 0644;
    const Fd file(syscalls().open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode));
    if (!file.valid()) {
        return errno_error("open", path.string());
    }
    return write_all(file.get(), text.data(), text.size()) ? Status()
                                                           : errno_error("write", path.string());
}

using Text = std::back_insert_iterator<std::string>;

void add_table_function(Text out, std::string_view name, Random& random) {
    fmt::format_to(out,
                   "static unsigned long {}(struct table *t, unsigned a)\n{{\n"
                   "    unsigned long s = a;\n"
                   "    for (unsigned i = 0; i < 32; i++) {{\n"
                   "        struct item *p = &t->items[(i * {}u + a) % 32];\n"
                   "        p->key ^= (unsigned)s * {}u;\n"
                   "        p->weight += (int)(p->key >> {}) - (int)i;\n"
                   "        p->share = p->share * {}.5 + (double)p->weight / (i + 1);\n"
                   "        if (p->weight > {} && p->share < {}.0)\n"
                   "            s += p->key + (unsigned long)p->share;\n"
                   "        else\n            s ^= p->key << (i % 7);\n"
                   "    }}\n    t->sum += s;\n    return s;\n}}\n",
                   name, random.between(3, 31), random.between(1000, 1000000),
                   random.between(1, 24), random.between(0, 3), random.between(10, 1000),
                   random.between(100, 10000));
}

void add_switch_function(Text out, std::string_view name, Random& random) {
    fmt::format_to(out,
                   "static unsigned long {}(struct table *t, unsigned a)\n{{\n"
                   "    unsigned long s = t->sum;\n    for (unsigned n = a % 64 + 8; n; n--) {{\n"
                   "        switch ((s ^ n) % 9) {{\n",
                   name);
    constexpr int kCases = 8;
    for (int label = 0; label < kCases; ++label) {
        fmt::format_to(
            out, "        case {}: s = s * {}u + t->items[n % 32].key; t->count += {}; break;\n",
            label, random.between(3, 9999), random.between(1, 9));
    }
    fmt::format_to(out,
                   "        default: s = s / {} + (unsigned)t->items[(s >> 3) % 32].weight;\n"
                   "        }}\n    }}\n    return s;\n}}\n",
                   random.between(2, 9));
}

void add_matrix_function(Text out, std::string_view name, Random& random) {
    fmt::format_to(out,
                   "static unsigned long {}(struct table *t, unsigned a)\n{{\n"
                   "    int m[12][12], r[12][12];\n"
                   "    for (int i = 0; i < 12; i++)\n        for (int j = 0; j < 12; j++)\n"
                   "            m[i][j] = t->items[(i * {} + j) % 32].weight + (int)a * j;\n"
                   "    for (int i = 0; i < 12; i++)\n        for (int j = 0; j < 12; j++) {{\n"
                   "            int x = {};\n            for (int k = 0; k < 12; k++)\n"
                   "                x += m[i][k] * m[k][j] - (m[j][k] & {});\n"
                   "            r[i][j] = x;\n        }}\n"
                   "    unsigned long s = 0;\n"
                   "    for (int i = 0; i < 12; i++)\n        s += (unsigned)r[i][(i * {}) % 12];\n"
                   "    return s;\n}}\n",
                   name, random.between(1, 12), random.between(0, 99), random.between(1, 255),
                   random.between(1, 11));
}

std::string unit_text(int unit, const CompileTreeOptions& options) {
    Random random(derive_seed(options.seed, static_cast<std::uint64_t>(unit)));
    std::string text = "#include \"common.h\"\n";
    const Text out = std::back_inserter(text);
    for (int index = 0; index < options.functions_per_unit; ++index) {
        const std::string name = fmt::format("f{}_{}", unit, index);
        constexpr int kShapes = 3;
        switch (index % kShapes) {
            case 0:
                add_table_function(out, name, random);
                break;
            case 1:
                add_switch_function(out, name, random);
                break;
            default:
                add_matrix_function(out, name, random);
        }
    }
    fmt::format_to(out, "unsigned long unit{}(struct table *t, unsigned a)\n{{\n", unit);
    fmt::format_to(out, "    unsigned long s = a;\n");
    for (int index = 0; index < options.functions_per_unit; ++index) {
        fmt::format_to(out, "    s += f{}_{}(t, (unsigned)s + {}u);\n", unit, index, index);
    }
    fmt::format_to(out, "    return s;\n}}\n");
    return text;
}

std::string main_text(const CompileTreeOptions& options) {
    std::string text = "#include \"common.h\"\n";
    const Text out = std::back_inserter(text);
    for (int unit = 0; unit < options.units; ++unit) {
        fmt::format_to(out, "unsigned long unit{}(struct table *t, unsigned a);\n", unit);
    }
    fmt::format_to(out, "static struct table t;\nint main(void)\n{{\n    unsigned long s = 0;\n");
    for (int unit = 0; unit < options.units; ++unit) {
        fmt::format_to(out, "    s += unit{}(&t, {}u);\n", unit, unit);
    }
    fmt::format_to(out, "    return (int)(s % 2) * 0;\n}}\n");
    return text;
}

}  // namespace

Status write_compile_tree(const std::filesystem::path& folder, const CompileTreeOptions& options) {
    Status status = write_file(folder / "common.h", kHeader);
    if (status) {
        status = write_file(folder / "Makefile", kMakefile);
    }
    if (status) {
        status = write_file(folder / "main.c", main_text(options));
    }
    for (int unit = 0; status && unit < options.units; ++unit) {
        status = write_file(folder / fmt::format("unit{:03}.c", unit), unit_text(unit, options));
    }
    return status;
}

}  // namespace bench
