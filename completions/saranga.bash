# Bash completion for saranga. Installed as share/bash-completion/completions/saranga.

# The options of each verb, and what an option is followed by.
_saranga_store_options="--bindings --journal --paging --large-messages --broker --f --jdbc
  --jdbc-bindings-table-name --jdbc-message-table-name --jdbc-large-message-table-name
  --jdbc-page-store-table-name --jdbc-node-manager-table-name --jdbc-connection-url
  --jdbc-driver-class-name --jdbc-user --jdbc-password"
_saranga_data_verbs="print"
_saranga_data_print="--safe --reclaimed --max-pages --skip-bindings --skip-journal --format --body
  --output --quiet --verbose --strict --help"

_saranga() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then
    mapfile -t COMPREPLY < <(compgen -W "data --help --version" -- "$word")
    return
  fi
  if [[ ${COMP_WORDS[1]} != data ]]; then return; fi
  if [[ $COMP_CWORD -eq 2 ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$_saranga_data_verbs" -- "$word")
    return
  fi
  case $previous in
    --bindings|--journal|--paging|--large-messages)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -d -- "$word")
      return ;;
    --broker|--output)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
      return ;;
    --format)
      mapfile -t COMPREPLY < <(compgen -W "text jsonl" -- "$word")
      return ;;
    --body)
      mapfile -t COMPREPLY < <(compgen -W "none summary text hex full" -- "$word")
      return ;;
    --max-pages|--jdbc-*)
      return ;;
  esac
  if [[ $word == -* ]]; then
    local own="_saranga_data_${COMP_WORDS[2]//-/_}"
    mapfile -t COMPREPLY < <(compgen -W "$_saranga_store_options ${!own}" -- "$word")
  else
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -F _saranga saranga
