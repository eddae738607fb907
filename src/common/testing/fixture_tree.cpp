#include "common/testing/fixture_tree.h"

#include <stdlib.h>
#include <zlib.h>

#include <fstream>
#include <stdexcept>

namespace bench::testing {

namespace {

void check(bool ok, const std::filesystem::path& path) {
    if (!ok) {
        throw std::runtime_error("fixture tree: cannot write " + path.string());
    }
}

}  // namespace

FixtureTree::FixtureTree() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "bench-fixture-XXXXXX").string();
    check(::mkdtemp(pattern.data()) != nullptr, pattern);
    root_ = pattern;
}

FixtureTree::~FixtureTree() {
    std::error_code code;
    std::filesystem::remove_all(root_, code);
}

std::filesystem::path FixtureTree::place(std::string_view path) const {
    std::filesystem::path real_path = SystemRoot(root_).resolve(path);
    std::filesystem::create_directories(real_path.parent_path());
    return real_path;
}

FixtureTree& FixtureTree::file(std::string_view path, std::string_view content) {
    const std::filesystem::path real_path = place(path);
    std::ofstream out(real_path, std::ios::binary | std::ios::trunc);
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
    out.close();
    check(out.good(), real_path);
    return *this;
}

FixtureTree& FixtureTree::folder(std::string_view path) {
    std::filesystem::create_directories(place(path));
    return *this;
}

FixtureTree& FixtureTree::link(std::string_view path, std::string_view target) {
    std::filesystem::create_symlink(target, place(path));
    return *this;
}

FixtureTree& FixtureTree::gzip(std::string_view path, std::string_view content) {
    const std::filesystem::path real_path = place(path);
    gzFile out = gzopen(real_path.c_str(), "wb");
    check(out != nullptr, real_path);
    const bool written = gzwrite(out, content.data(), static_cast<unsigned>(content.size())) ==
                         static_cast<int>(content.size());
    check(gzclose(out) == Z_OK && written, real_path);
    return *this;
}

FixtureTree& FixtureTree::remove(std::string_view path) {
    std::filesystem::remove_all(place(path));
    return *this;
}

}  // namespace bench::testing
