# What is linked, all of it packaged by Debian. scripts/setup installs the packages by name.
find_package(Threads REQUIRED)
# Linked in: clients on the host and in a guest then deflate with the very same code.
set(ZLIB_USE_STATIC_LIBS ON)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
# fmt as a static library made here, and spdlog's headers on top of it: see fmt_compiled.cpp.
add_library(bench_fmt STATIC cmake/fmt_compiled.cpp)
target_include_directories(bench_fmt SYSTEM PUBLIC
    $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)
target_link_libraries(bench_fmt PRIVATE bench_compiler)
add_library(bench_spdlog INTERFACE)
target_include_directories(bench_spdlog SYSTEM INTERFACE
    $<TARGET_PROPERTY:spdlog::spdlog_header_only,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_definitions(bench_spdlog INTERFACE SPDLOG_FMT_EXTERNAL)
target_link_libraries(bench_spdlog INTERFACE bench_fmt)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
# Kernel packages are read, and guests' images written, with it.
find_package(LibArchive REQUIRED)
# Boost.Math's distributions: headers alone.
find_package(Boost REQUIRED)
add_library(bench_boost_math INTERFACE)
target_include_directories(bench_boost_math SYSTEM INTERFACE ${Boost_INCLUDE_DIRS})
if(BENCH_BUILD_TESTS)
    find_package(GTest REQUIRED)
endif()
if(BENCH_BUILD_BENCHMARKS)
    find_package(benchmark REQUIRED)
endif()
