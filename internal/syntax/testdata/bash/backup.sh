#!/usr/bin/env bash
# Backs up directories to a store, and restores them.
#
# usage: backup.sh [-n] [-k days] command [directory …]

set -Eeuo pipefail
shopt -s nullglob extglob
IFS=$'\n\t'

# shellcheck source=lib/log.sh
source "${BASH_SOURCE[0]%/*}/lib/log.sh"
. "$HOME/.config/backup/env"

readonly PROGRAM=${0##*/} VERSION='2.3.1'
declare -ri KEEP_DEFAULT=30
declare -A CHECKSUMS=()
declare -a EXCLUDES=('*.tmp' '.cache/**' "node_modules")
export STORE="${STORE:-/var/backups}" RESTIC_PASSWORD
DRY_RUN= KEEP=$KEEP_DEFAULT
count=0 failed=0
size_text="Größe"
typeset -l mode=Full
: "${COMPRESS:=zstd}" "${LEVEL:?level is not set}"

alias l='ls -la' gs='git status'

# Prints how the program is called.
usage() {
  cat <<USAGE
usage: $PROGRAM [-n] [-k days] command

  function fake() { nothing; }
  commands of $(basename -- "$STORE"): save restore prune
USAGE
}

# Ends with a message.
#
#   die "what went wrong" [status]
die() { log::error "$1"; exit "${2:-1}"; }

function log::error {
  printf >&2 '%(%F %T)T %s: \e[31m%s\e[0m\n' -1 "$PROGRAM" "$*"
}

function log::info() {
  [[ -n ${QUIET-} ]] && return 0
  printf '%s\n' "$@"
} >&2

# Runs a command, or says what would be run.
run() {
  if [[ $DRY_RUN ]]; then
    log::info "would run: ${*@Q}"
    return
  fi
  "$@"
}

on_error() {
  local -r status=$? line=$1
  log::error "line $line: status $status: ${BASH_COMMAND}"
  (( failed += 1 ))
}

cleanup() {
  [[ -d ${WORK:-} ]] && rm -rf -- "$WORK"
}

trap cleanup EXIT
trap 'on_error $LINENO' ERR
trap 'die interrupted 130' INT TERM

# Waits for a lock; the file stays open.
with_lock() {
  local lock=$1 fd
  shift
  exec {fd}>"$lock"
  flock --timeout 10 "$fd" || die "locked: $lock"
  "$@"
  exec {fd}>&-
}

checksum() {
  local file=$1 sum _
  read -r sum _ < <(sha256sum -- "$file")
  CHECKSUMS[$file]=$sum
  echo "$sum"
}

# Lists what is to be saved, one path a line.
list_files() (
  cd -- "$1" || exit
  local -a arguments=()
  local pattern
  for pattern in "${EXCLUDES[@]}"; do
    arguments+=(-not -path "./$pattern")
  done
  find . -type f "${arguments[@]}" -printf '%P\n' | sort -u
)

archive_name() {
  local directory=$1 day
  printf -v day '%(%Y-%m-%d)T' -1
  directory=${directory//\//_}
  directory=${directory##_}
  REPLY="${directory,,}-$day.tar.${COMPRESS/zstd/zst}"
}

save() {
  local directory target files=()
  for directory; do
    [[ -d $directory ]] || { log::error "no directory: $directory"; continue; }
    archive_name "$directory"
    target=$STORE/$REPLY
    mapfile -t files < <(list_files "$directory")
    if (( ${#files[@]} == 0 )); then
      log::info "nothing in $directory"
      continue
    fi
    run tar --create --directory="$directory" --file=- -- "${files[@]}" |
      compress > "$target.part" &&
      mv -- "$target.part" "$target"
    checksum "$target" > "$target.sha256"
    (( ++count ))
  done
  printf '%s: %d\n' "$size_text" "$count"
}

compress() {
  case $COMPRESS in
    zstd | zst) zstd -q "-${LEVEL}" ;;
    gz*) gzip -c ;;
    none) cat ;;
    @(xz|lzma)) xz -T0 ;&
    *) die "unknown: $COMPRESS" ;;
  esac
}

restore() {
  local archive=${1:?archive} into=${2:-.} expected
  if [[ ! -e $archive ]]; then
    die "no archive: $archive" 2
  elif [[ $archive =~ ^(.+)-([0-9]{4})-[0-9-]+\.tar ]]; then
    log::info "from ${BASH_REMATCH[2]}"
  fi
  expected=$(< "$archive.sha256")
  if [[ "$(checksum "$archive")" != "$expected" ]]; then
    die "damaged: $archive"
  fi
  mkdir -p "$into" && tar --extract --directory "$into" --file "$archive"
}

# Removes what is older than KEEP days.
prune() {
  local -i days=${1:-$KEEP} removed=0
  local archive
  while IFS= read -r -d '' archive; do
    run rm -- "$archive" "$archive.sha256" && removed+=1
  done < <(find "$STORE" -name '*.tar.*' -mtime "+$days" -print0)
  until (( removed < 100 )); do
    removed=removed/2
    sleep 0.1
  done
  ((removed++)) || true
  ((--removed)) && echo "removed $removed"
}

remote() {
  local host=$1
  shift
  ssh "$host" "STORE=$STORE" bash -s -- "$@" <<-'REMOTE'
	save() { echo "not here"; }
	for d in "$@"; do save "$d"; done
	REMOTE
  local answer
  answer=$(ssh "$host" 'df -h /' | awk 'NR == 2 { print $4 }') || return
  echo "${answer:-?}"
}

menu() {
  local choice PS3='what? '
  select choice in save restore prune quit; do
    case $choice in
      quit) break ;;
      '') continue ;;
      *) "$choice" "$PWD" ;;
    esac
  done
}

# Gives a value back through a variable that the caller names.
json_string() {
  local -n into=$1
  local text=$2 i char
  into='"'
  for (( i = 0; i < ${#text}; i++ )); do
    char=${text:i:1}
    case $char in
      \" | \\) into+="\\$char" ;;
      $'\n') into+='\n' ;;
      *) into+=$char ;;
    esac
  done
  into+='"'
}

status() {
  local line total=0
  local -A by_kind
  while read -r size kind; do
    by_kind[$kind]=$(( ${by_kind[$kind]:-0} + size ))
    total=$((total + size))
  done <<< "$(du -k "$STORE"/* | awk '{ print $1, "x" }')"
  for kind in "${!by_kind[@]}"; do
    printf '%s\t%d\n' "$kind" "${by_kind[$kind]}"
  done
  json_string line "total $total"
  echo "{\"line\": $line}" | jq . | tee >(logger -t "$PROGRAM")
}

# Compares two versions: 0 when the first is older than the second.
older() {
  local -a a b
  IFS=. read -ra a <<< "$1"
  IFS=. read -ra b <<< "$2"
  local i
  for (( i = 0; i < 3; ++i )); do
    if (( ${a[i]:-0} != ${b[i]:-0} )); then
      (( a[i] < b[i] ))
      return
    fi
  done
  return 1
}

# Sends what went wrong to those who should know.
notify() {
  local subject=$1 body recipient
  body=$(cat) || body='(nothing)'
  : "${MAILER:=sendmail}"
  for recipient in ${RECIPIENTS//,/ }; do
    "$MAILER" -t <<MAIL && (( sent++ )) || true
To: $recipient
Subject: [$PROGRAM] ${subject@Q}

$body
$(date)
MAIL
  done
  echo $(( sent += 0, sent > 9 ? 9 : sent ))
}

複製() {
  cp -a -- "$1" "$2"
}

parse_options() {
  local OPTIND=1 option
  while getopts ':nk:qhV' option; do
    case "$option" in
      n) DRY_RUN=1 ;;
      k) KEEP=$OPTARG ;;
      q) declare -g QUIET=1 ;;
      V) echo "$VERSION"; exit ;;
      h) usage; exit ;;
      :) die "-$OPTARG needs a value" 2 ;;
      \?) usage >&2; exit 2 ;;
    esac
  done
  CONSUMED=$((OPTIND - 1))
}

main() {
  parse_options "$@"
  shift "$CONSUMED"
  local command=${1:-status}
  (( $# )) && shift
  WORK=$(mktemp -d -t backup.XXXXXX)
  export WORK
  if ! command -v tar jq zstd > /dev/null; then
    die "tools are missing"
  fi
  [ "$EUID" -eq 0 ] || log::info "not root"
  case $command in
    save | restore | prune | status | menu)
      with_lock "$STORE/.lock" "$command" "$@"
      ;;
    help) usage ;;
    *) die "unknown command: $command" 2 ;;
  esac
  LC_ALL=C TZ=UTC date
  eval "unused_$mode=1"
  unset -v WORK
  unset -f remote
  return $(( failed > 0 ? 1 : 0 ))
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
  main "$@"
fi
