# shellcheck shell=sh
# If the server dies during a write, this script must survive to answer.
trap '' PIPE
PATH=/usr/bin:/bin LC_ALL=C
unset @DANGEROUS@
event=$1 via=${2:-launch} seal=@SEAL@ patience=@SECONDS@ answer=
# A launch may check the work at a stop.
[ "$event" != agent-stop ] || patience=@STOP_SECONDS@
nl='
'

# Only accepts an answer that ends with the seal, so that truncated and forged answers are rejected.
sealed() {
  answer=${answer%"$nl"}
  case $answer in *"$nl$seal 0") code=0 ;; *"$nl$seal 2") code=2 ;; *) return 1 ;; esac
}

tell() {
  text=${answer%"$nl"*}
  out=${text%%"$nl"*}
  [ "$out" = '{}' ] || printf '%s\n' "$out"
  [ "$code" = 0 ] || printf '%s\n' "${text#*"$nl"}" >&2
  exit "$code"
}
