# shellcheck shell=bash disable=SC2034
# Sourced by scripts/bench and scripts/test: installs what is missing, configures, builds.
# Everything it says goes to standard error; standard output belongs to the command.

BENCH_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BENCH_BUILD="$BENCH_TOP/build/release"

bench_run_packages=(g++ make cmake ninja-build git zlib1g-dev libcli11-dev libspdlog-dev libfmt-dev
    nlohmann-json3-dev libboost-math-dev libarchive-dev)
# The tests play films, boot kernels, run under a German locale, and read every file with another program.
bench_test_packages=("${bench_run_packages[@]}" libgtest-dev libgmock-dev libbenchmark-dev python3
    locales ffmpeg qemu-system-x86)
# Guests need it.
bench_guest_packages=(qemu-system-x86)
# Where the compiler has it: 32-bit code, in which durations must hold too.
[ "$(uname -m)" != x86_64 ] || bench_test_packages+=(g++-multilib)

bench_say() { printf 'bench: %s\n' "$*" >&2; }

# bench_install PACKAGE...: installs those of them that are missing, by name, as root or through sudo.
bench_install() {
    local missing=() package
    for package in "$@"; do
        # shellcheck disable=SC2016 # dpkg-query expands it
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
            missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            bench_say "these packages are missing, and only root can install them: ${missing[*]}"
            return 1
        fi
        as_root=(sudo)
    fi
    bench_say "installing ${missing[*]}"
    local log
    log=$(mktemp) || return 1
    if ! { "${as_root[@]}" apt-get update &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 </dev/null; then
        cat "$log" >&2
        rm -f "$log"
        bench_say "could not install ${missing[*]}"
        return 1
    fi
    rm -f "$log"
}

# bench_need PACKAGE...: bench_install, but asked only once per list and build folder.
bench_need() {
    local stamp="$BENCH_TOP/build/.packages-$1"
    shift
    [ "$(cat "$stamp" 2>/dev/null)" = "$*" ] && return 0
    bench_install "$@" || return 1
    mkdir -p "$BENCH_TOP/build" && printf '%s\n' "$*" >"$stamp"
}

# bench_build TARGET...: builds; silent when there is nothing to do.
bench_build() {
    local log="$BENCH_BUILD/.bench-build.log" polls=0
    ninja -C "$BENCH_BUILD" "$@" >"$log" 2>&1 </dev/null &
    local ninja=$!
    # Whether there is anything to do is known only by doing it: what is quick needs no word.
    while kill -0 "$ninja" 2>/dev/null; do
        polls=$((polls + 1))
        [ "$polls" -ne 40 ] || bench_say "building (once after a change)"
        sleep 0.05
    done
    wait "$ninja" && return 0
    cat "$log" >&2
    bench_say "the build failed"
    return 1
}
