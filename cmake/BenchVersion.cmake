# The tool's version, git revision and compiler, for run.json. The revision is looked up at each build,
# and the header is rewritten only when it changed.
set(BENCH_GENERATED_DIR "${CMAKE_BINARY_DIR}/generated")
add_custom_target(bench_revision
    COMMAND ${CMAKE_COMMAND}
        -DSOURCE_DIR=${CMAKE_SOURCE_DIR} -DOUTPUT=${BENCH_GENERATED_DIR}/bench_revision.h
        -P ${CMAKE_SOURCE_DIR}/cmake/WriteRevision.cmake
    BYPRODUCTS ${BENCH_GENERATED_DIR}/bench_revision.h
    COMMENT "" VERBATIM)
add_library(bench_version INTERFACE)
add_dependencies(bench_version bench_revision)
target_include_directories(bench_version INTERFACE ${BENCH_GENERATED_DIR})
target_compile_definitions(bench_version INTERFACE
    BENCH_VERSION="${PROJECT_VERSION}"
    BENCH_COMPILER="${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
    BENCH_BUILD_TYPE="${CMAKE_BUILD_TYPE}")
