@hook.pre_compress
def told(call):
    return message(f"The history is being compressed ({call.payload['trigger']}).")


run()
