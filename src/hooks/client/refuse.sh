# shellcheck shell=sh
# The reply when there is no answer: a refusal if the event requires one, otherwise nothing. A stop is refused once.
refuse() {
  refusal=
  case $event in
    tool-before) refusal=@REFUSED_TOOL@ ;;
    agent-stop) refusal=@REFUSED_STOP@ ;;
    subagent-stop) refusal=@REFUSED_SUBAGENT_STOP@ ;;
  esac
  case $event in *-stop) case $input in *'"stop_hook_active":true'*) refusal= ;; esac ;; esac
  if [ -z "$refusal" ]; then
    echo '{}'
    exit 0
  fi
  printf '%s\n' "$refusal"
  printf '%s\n' @NO_ANSWER@ >&2
  exit 2
}
