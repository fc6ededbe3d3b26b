@hook.notification
def waits(call):
    return message(f"The agent waits: {call.payload['message']}")


run()
