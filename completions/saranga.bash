# Bash completion for saranga. Installed as share/bash-completion/completions/saranga.

_saranga_data_verbs="print queues messages show stats verify explain hash diff export exp import imp
  compact
  encode decode build"

# Options of every verb, then those of each.
_saranga_common="--bindings --journal --paging --large-messages --broker --format --output --progress
  --quiet --verbose --strict --help --f --jdbc --jdbc-bindings-table-name --jdbc-message-table-name
  --jdbc-large-message-table-name --jdbc-page-store-table-name --jdbc-node-manager-table-name
  --jdbc-connection-url --jdbc-driver-class-name --jdbc-user --jdbc-password"
_saranga_data_print="--address --body --file --id --limit --max-pages --now --offset --queue
  --reclaimed --safe --since --skip-bindings --skip-journal --strict-names --tx --type --until
  --user-id --where"
_saranga_data_queues="--address --addresses --limit --non-empty --now --offset --queue --sort
  --strict-names"
_saranga_data_messages="--address --body --file --id --limit --now --offset --queue --since --state
  --strict-names --tx --type --until --user-id --where"
_saranga_data_show="--body --now"
_saranga_data_stats="--address --file --id --limit --now --offset --queue --since --state
  --strict-names --tx --type --until --user-id --where"
_saranga_data_verify="--file --id --id-cache-size --level --limit --now --target"
_saranga_data_explain="--compact-min-files --compact-percentage --limit --now"
_saranga_data_hash="--delivery --ids --now"
_saranga_data_diff="--address --delivery --file --id --ids --limit --now --offset --queue --since
  --state --strict-names --tx --type --until --user-id --where"
_saranga_data_export="--address --file --id --limit --log-interval --now --offset --queue --since
  --state --strict-names --tx --type --undefined-prefix --until --user-id --where"
_saranga_data_exp=$_saranga_data_export
_saranga_data_import="--create-queues --force --ids --input --into --journal-file-size --keep-going
  --legacy-prefixes --map-queue --skip-duplicates --sort --undefined-prefix"
_saranga_data_imp=$_saranga_data_import
_saranga_data_compact="--check --dry-run --force --to"

_saranga_perf_journal="--bindings --journal --paging --large-messages --broker --format --output
  --quiet --help --f --block-size --writes --tries --sync --no-sync --journal-type --sync-writes
  --file --max-aio --jdbc"
_saranga_data_encode="--directory --file-size --prefix --suffix"
_saranga_data_decode="--directory --file-size --force --input --prefix --suffix"
_saranga_data_build="--force"

# What may follow --format.
_saranga_formats() {
  case $1 in
    encode) echo text ;;
    export|exp) echo xml jsonl sqlite csv ;;
    print) echo text jsonl recipe ;;
    show) echo text jsonl ;;
    queues|messages) echo text json jsonl csv ;;
    *) echo text json jsonl ;;
  esac
}

# Completes the value of the option before the cursor; false when that one takes none.
_saranga_value() {
  local verb=$1 option=$2 word=$3
  case $option in
    --bindings|--journal|--paging|--large-messages|--directory|--to|--into)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    --broker|--input|--output)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    --format)
      mapfile -t COMPREPLY < <(compgen -W "$(_saranga_formats "$verb")" -- "$word") ;;
    --body)
      mapfile -t COMPREPLY < <(compgen -W "none summary text hex full" -- "$word") ;;
    --progress)
      mapfile -t COMPREPLY < <(compgen -W "auto always never" -- "$word") ;;
    --suffix)
      mapfile -t COMPREPLY < <(compgen -W "amq bindings jms hq" -- "$word") ;;
    --ids)
      [[ $verb == import || $verb == imp ]] || return 1
      mapfile -t COMPREPLY < <(compgen -W "keep new" -- "$word") ;;
    --sort)
      [[ $verb == queues ]] || return 1
      mapfile -t COMPREPLY < <(compgen -W "name id messages bytes oldest" -- "$word") ;;
    --level)
      mapfile -t COMPREPLY < <(compgen -W "header framing transactions bodies cross" -- "$word") ;;
    --check)
      mapfile -t COMPREPLY < <(compgen -W "records state" -- "$word") ;;
    --state)
      mapfile -t COMPREPLY < <(compgen -W "pending scheduled delivered prepared paged orphan expired
        large" -- "$word") ;;
    --journal-type)
      mapfile -t COMPREPLY < <(compgen -W "NIO ASYNCIO MAPPED" -- "$word") ;;
    --block-size|--writes|--tries|--max-aio)
      ;;
    --addresses|--non-empty|--strict-names|--delivery|--jdbc|--dry-run|--force|--create-queues|--keep-going|--legacy-prefixes|\
    --skip-duplicates)
      return 1 ;;
    --max-pages|--address|--file|--id|--limit|--now|--offset|--queue|--since|--tx|--type|--until|\
    --user-id|--where|--file-size|--journal-file-size|--map-queue|--prefix|--log-interval|--undefined-prefix|--compact-*|--id-cache-size|--target|--jdbc-*)
      ;;
    *)
      return 1 ;;
  esac
}

_saranga() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then
    mapfile -t COMPREPLY < <(compgen -W "data perf-journal --help --version" -- "$word")
    return
  fi
  local verb own options
  if [[ ${COMP_WORDS[1]} == perf-journal ]]; then
    verb=perf-journal
    options=$_saranga_perf_journal
  elif [[ ${COMP_WORDS[1]} != data ]]; then
    return
  elif [[ $COMP_CWORD -eq 2 ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$_saranga_data_verbs" -- "$word")
    return
  else
    verb=${COMP_WORDS[2]}
    own="_saranga_data_${verb//-/_}"
    options="$_saranga_common ${!own}"
  fi
  if _saranga_value "$verb" "$previous" "$word"; then return; fi
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  else
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -F _saranga saranga
