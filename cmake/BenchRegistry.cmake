# The registry of tests is generated: a self-registering object in a static library would vanish at the link.

# bench_generate_registry(OUT TARGET TEST...): sets OUT to a generated source that lists the tests.
function(bench_generate_registry out target)
    set(declarations "")
    set(calls "")
    foreach(test IN LISTS ARGN)
        string(APPEND declarations
            "namespace bench::${test} {\nstd::unique_ptr<Benchmark> make_benchmark();\n}\n")
        string(APPEND calls "    benchmarks.push_back(bench::${test}::make_benchmark());\n")
    endforeach()
    set(file "${CMAKE_BINARY_DIR}/generated/${target}_registry.cpp")
    configure_file("${CMAKE_SOURCE_DIR}/cmake/registry.cpp.in" "${file}" @ONLY)
    set(${out} "${file}" PARENT_SCOPE)
endfunction()

# bench_add_executable(TARGET TEST...): the command with these tests built in.
function(bench_add_executable target)
    bench_generate_registry(registry ${target} ${ARGN})
    add_executable(${target} "${CMAKE_SOURCE_DIR}/src/app/main.cpp" "${registry}")
    set(libraries ${ARGN})
    list(TRANSFORM libraries PREPEND bench_)
    target_link_libraries(${target} PRIVATE bench_compiler bench_app ${libraries})
endfunction()

# bench_add_static_executable(TARGET TEST...): exec, list, version and the tests in one file without any
# library, for guest kernels. A warning of the static link (a name-service look-up) is an error.
function(bench_add_static_executable target)
    bench_generate_registry(registry ${target} ${ARGN})
    add_executable(${target} "${CMAKE_SOURCE_DIR}/src/app/main_static.cpp" "${registry}")
    set(libraries ${ARGN})
    list(TRANSFORM libraries PREPEND bench_)
    target_link_libraries(${target} PRIVATE bench_compiler bench_app ${libraries})
    set_target_properties(${target} PROPERTIES BENCH_STATIC ON)
    target_link_options(${target} PRIVATE -static -Wl,--fatal-warnings -Wl,--gc-sections)
endfunction()
