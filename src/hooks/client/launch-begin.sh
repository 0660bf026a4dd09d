# shellcheck shell=sh
# A server that dies while it is written to must not end this script: then nobody would answer.
trap '' PIPE
PATH=/usr/bin:/bin LC_ALL=C
unset @DANGEROUS@
event=$1 via=${2:-launch} seal=@SEAL@ answer=
nl='
'

# Only an answer that ends with the seal counts: neither half an answer nor somebody else's is believed.
sealed() {
  answer=${answer%"$nl"}
  case $answer in *"$nl$seal 0") code=0 ;; *"$nl$seal 2") code=2 ;; *) return 1 ;; esac
}

tell() {
  said=${answer%"$nl"*}
  out=${said%%"$nl"*}
  [ "$out" = '{}' ] || printf '%s\n' "$out"
  [ "$code" = 0 ] || printf '%s\n' "${said#*"$nl"}" >&2
  exit "$code"
}
