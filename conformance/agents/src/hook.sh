#!/bin/sh
# The person's hook in a proof: what it answers, marks in the command and files beside it say.
#
# As `worker ROLE` it speaks the words of a worker, for Gemini CLI, which runs commands of its own settings
# by itself and by its own law: a worker runs behind the bridge alone.
if [ "$1" = worker ]; then
    echo '{"hookloop": 1}'
    while read -r line; do
        case $line in
        *'"payload"'*) ;;
        *) continue ;;
        esac
        rest=${line#*\"id\":}
        id=${rest%%,*}
        if said=$(printf '%s' "$line" | sh "$0" "$2" 2>&1); then
            printf '{"id": %s, "reply": %s}\n' "$id" "${said:-{\}}"
        else
            printf '{"id": %s, "refuse": "%s"}\n' "$id" "$said"
        fi
    done
    exit
fi
input=$(cat)
folder=$(dirname "$0")
link=$folder/home/.local/share/hookloop/bin/hookloop
case $1 in
BeforeTool)
    case $input in
    *refused-file*)
        echo 'REASON-OF-A-COMMAND' >&2
        exit 2
        ;;
    *original-file*)
        printf '%s' '{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"command":"touch rewritten-file"}}}'
        ;;
    *broke-missing*) mv "$link" "$link.away" ;;
    *broke-killed*)
        mv "$link" "$link.away"
        # The shell that runs it is killed, as a hook program is by the system.
        printf '#!/bin/sh\nkill -KILL $$\n' >"$link"
        chmod +x "$link"
        ;;
    esac
    ;;
Late)
    case $input in
    *late-file*) sleep 60 ;;
    esac
    ;;
Write)
    case $input in
    *guarded-file*)
        echo 'REASON-OF-A-PATCH' >&2
        exit 2
        ;;
    esac
    ;;
AfterTool)
    case $input in
    *asked-file*)
        printf '%s' '{"hookSpecificOutput":{"hookEventName":"AfterTool","additionalContext":"CONTEXT-OF-A-TOOL"}}'
        ;;
    esac
    ;;
BeforeAgent)
    case $input in
    *refuse-this-prompt*)
        echo 'REASON-OF-A-PROMPT' >&2
        exit 2
        ;;
    *context-please*)
        printf '%s' '{"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"CONTEXT-OF-A-PROMPT"}}'
        ;;
    esac
    ;;
AfterAgent)
    if [ -e "$folder/marks/retry-always" ]; then
        printf '%s' '{"decision":"deny","reason":"REASON-OF-EVERY-RETRY"}'
    elif [ -e "$folder/marks/retry-once" ]; then
        rm "$folder/marks/retry-once"
        printf '%s' '{"decision":"deny","reason":"REASON-OF-A-RETRY"}'
    fi
    ;;
esac
