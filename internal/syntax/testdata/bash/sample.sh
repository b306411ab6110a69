#!/usr/bin/env bash
# Deploys a release.
set -euo pipefail

source "$(dirname "$0")/lib/common.sh"
. ./env.sh

readonly VERSION="1.4.2"
export DEPLOY_ENV=${DEPLOY_ENV:-staging}
declare -A hosts=([web]=web1 [db]=db1)
declare -r -i LIMIT=3
targets=(alpha beta "gamma ray")
COUNT=0
VERBOSE=

alias ll='ls -l'

# Prints a message to stderr.
# 使い方: log 文字列
log() {
  local level="$1" message
  shift
  message="$*"
  printf '[%s] %s %s\n' "$(date +%T)" "$level" "$message" >&2
  COUNT=$((COUNT + 1))
}

function die {
  log error "$@"
  exit 1
}

# Waits until a host answers.
function wait_for() (
  local host=$1
  local -i tries=0
  until curl -fsS "http://${host}/health" > /dev/null; do
    ((tries++)) || true
    if [[ $tries -ge $LIMIT && -n "${VERBOSE}" ]]; then
      die "no answer from ${host%%.*}"
    fi
    sleep "$((tries * 2))"
  done
)

build() {
  local dir
  dir="$(mktemp -d)"
  trap 'rm -rf "$dir"' EXIT
  pushd "$dir" || return 1
  tar -xzf "release-${VERSION}.tar.gz" | tee build.log
  for file in *.conf "${targets[@]}"; do
    sed -e "s/@VERSION@/$VERSION/" "$file" > "$file.out"
    names+=("$file")
  done
  while read -r line rest; do
    [ -z "$line" ] && continue
    log info "$line ${rest:-none}"
  done < <(find . -type f | sort)
  popd
}

upload() {
  local key=$2
  for ((i = 0; i < ${#targets[@]}; i++)); do
    scp -i "$key" out.tgz "deploy@${targets[$i]}:/srv" || die "upload failed"
  done
  case "$1" in
    web|api) hosts[web]="$1" ;;
    --dry-run) DRY=1 ;;
    *) log warn "odd: $1" ;;
  esac
  cat <<EOF > motd
Deployed $VERSION to ${DEPLOY_ENV}
EOF
  ssh "$key" bash -s <<'REMOTE'
restart_all $HOST
REMOTE
}

noop() {
  :
}

usage() { echo "usage: $0 [-v] target"; }

main() {
  local OPTIND opt
  while getopts ":vt:" opt; do
    case $opt in
      v) VERBOSE=1 ;;
      t) TIMEOUT="$OPTARG" ;;
      \?) usage; return 2 ;;
    esac
  done
  shift $((OPTIND - 1))
  if ! command -v curl >/dev/null 2>&1; then
    die "curl is missing"
  elif (( COUNT > 3 )); then
    unset VERBOSE
  fi
  build && upload "${1:?}" "$HOME/.ssh/id"
  LC_ALL=C sort out.txt | while read -r name; do wait_for "$name"; done
  log info "done in ${TIMEOUT:-30}s"
}

if [[ "${BASH_SOURCE[0]}" == "$0" ]]; then
  main "$@"
fi
