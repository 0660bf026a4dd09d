#!/bin/sh
# Asks signalbox about an event. Written by `signalbox stage`; `signalbox unstage` takes it back.
path=${PATH-} PATH=/usr/bin:/bin
unset @DANGEROUS@
event=@EVENT@ seal=@SEAL@
[ -n "$event" ] || event=$1
nl='
'
case ${SIGNALBOX_HOME-} in
  /*) entry=$SIGNALBOX_HOME/bin/hook ;;
  *) entry=${HOME-}/.signalbox/bin/hook ;;
esac
input=$(cat && printf .)
input=${input%.}

. ./refuse.sh

absent=@ABSENT@
if [ ! -e "$entry" ]; then
  if [ "$absent" = warn ]; then
    # Marked with a folder, because mkdir does not follow a link that somebody planted there.
    mkdir "${TMPDIR:-/tmp}/signalbox-absent-$(id -u)-$(date +%Y%j)" 2>/dev/null && printf '%s\n' @WARNING@ >&2
  elif [ "$event" = tool-before ]; then
    printf '%s\n' @ABSENT_DENIAL@
    printf '%s\n' @ABSENT_REASON@ >&2
    exit 2
  fi
  echo '{}'
  exit 0
fi

# Hooks of this repository, each after its event. A hook that is missing when it is needed counts as a refusal.
set -- @REMEMBERED@
pairs=$(($# / 2))
while [ "$pairs" -gt 0 ]; do
  if [ "$1" = "$event" ]; then set -- "$@" "$2"; fi
  shift 2
  pairs=$((pairs - 1))
done
answer=$({ printf '%s' "$input" | PATH=$path "$entry" @AGENT@ "$event" "$@"; } 2>/dev/null)
case $answer in
  '{'*'}'"$nl"*"$nl$seal 0") code=0 ;;
  '{'*'}'"$nl"*"$nl$seal 2") code=2 ;;
  *) refuse ;;
esac
text=${answer#*"$nl"}
text=${text%"$nl"*}
printf '%s\n' "${answer%%"$nl"*}"
[ -z "$text" ] || printf '%s\n' "$text" >&2
exit "$code"
