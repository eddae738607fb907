# C++20, warnings as errors and the sanitizers, as one interface target that every target of ours links.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
# The executables stand at the top of the build folder: build/release/bench.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")

add_library(bench_compiler INTERFACE)
target_compile_options(bench_compiler INTERFACE
    -Wall -Wextra -Wpedantic -Werror -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-qual
    -Woverloaded-virtual -Wconversion -Wsign-conversion -Wundef -Wformat=2 -Wimplicit-fallthrough
    $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wlogical-op -Wuseless-cast>
    # GCC 12 sees overlapping copies in joined strings that are none (GCC bug 105651).
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)
target_compile_definitions(bench_compiler INTERFACE _GNU_SOURCE _FILE_OFFSET_BITS=64)
if(BENCH_SANITIZE)
    target_compile_options(bench_compiler INTERFACE
        -fsanitize=${BENCH_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(bench_compiler INTERFACE -fsanitize=${BENCH_SANITIZE})
endif()
