# The tool's version, git revision and compiler, for run.json: compiled into one source. The revision is looked up at each
# build, and its header is rewritten only when it changed.
set(BENCH_GENERATED_DIR "${CMAKE_BINARY_DIR}/generated")
add_custom_target(bench_revision
    COMMAND ${CMAKE_COMMAND}
        -DSOURCE_DIR=${CMAKE_SOURCE_DIR} -DOUTPUT=${BENCH_GENERATED_DIR}/bench_revision.h
        -P ${CMAKE_SOURCE_DIR}/cmake/WriteRevision.cmake
    BYPRODUCTS ${BENCH_GENERATED_DIR}/bench_revision.h
    COMMENT "" VERBATIM)
set_source_files_properties("${CMAKE_SOURCE_DIR}/src/common/tool_version.cpp" PROPERTIES
    INCLUDE_DIRECTORIES "${BENCH_GENERATED_DIR}"
    COMPILE_DEFINITIONS "BENCH_VERSION=\"${PROJECT_VERSION}\";BENCH_COMPILER=\"${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}\";BENCH_BUILD_TYPE=\"${CMAKE_BUILD_TYPE}\"")
