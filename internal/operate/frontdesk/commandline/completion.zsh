#compdef PROGRAM
# Completion of PROGRAM for zsh. In ~/.zshrc, behind compinit: source <(PROGRAM completion zsh)
_PROGRAM() {
  local line any_file
  local -a values
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      any_file=yes
    else
      values+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    fi
  done < <("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#values )) && _describe 'PROGRAM' values
  [[ -n $any_file ]] && _files
}
if [[ ${zsh_eval_context[-1]} == loadautofunc ]]; then
  _PROGRAM "$@"
else
  compdef _PROGRAM PROGRAM
fi
