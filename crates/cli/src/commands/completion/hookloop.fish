# Completion of hookloop for fish: hookloop completions fish > ~/.config/fish/completions/hookloop.fish
complete -c hookloop -f -k -a '(hookloop @complete@ (count (commandline -opc)) -- (commandline -opc) (commandline -ct) 2>/dev/null)'
