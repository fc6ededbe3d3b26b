# One more attempt is enough: the agent must not go round in circles.
@hook.after_agent
def finished(call):
    if not call.payload.get("stop_hook_active") and "TODO" in call.prompt_response:
        return deny("The answer still contains a TODO: finish it, or say why it has to stay.")


run()
