# shellcheck shell=bash disable=SC2034
# common - what quickstart and check share. Sourced, not run.
# Rules: no questions asked, apt-get only for what is missing, the repository is the current folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# To build and run.
BUILD_PACKAGES="gcc make pkg-config libc6-dev protobuf-c-compiler libprotobuf-c-dev libev-dev
    libhwloc-dev libsqlite3-dev libyaml-dev libjansson-dev libexpat1-dev zlib1g-dev
    libmicrohttpd-dev node-d3 librsvg2-bin"
# To test: libcheck for unit tests, clang and its runtime for the fuzz targets, a browser and what
# drives it for HTML pages, a cluster for studies.
TEST_PACKAGES="check clang libclang-rt-14-dev chromium python3 slurm-wlm munge"

say() {
    printf '== %s\n' "$*"
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "orrery: need root or sudo to install packages: $*" >&2
        return 1
    fi
}

is_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# need PACKAGE..: installs the ones that are missing.
need() {
    local missing=()
    for package in "$@"; do
        is_installed "$package" || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    say "installing ${missing[*]}"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
        "${missing[@]}" </dev/null
}

build() {
    say "building (make -j$(nproc))"
    make -s -j"$(nproc)"
}

# The main job: the bundled trace on the bundled system.
run_example() {
    say "configs/examples/run.sh"
    configs/examples/run.sh
}
