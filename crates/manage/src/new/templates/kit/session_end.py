@hook.session_end
def goodbye(call):
    return message(f"The session ended ({call.payload['reason']}).")


run()
