# Only what is named is changed; the rest of the request stays.
@hook.before_model
def temperature(call):
    config = call.payload["llm_request"].get("config") or {}
    if config.get("temperature", 1) > 0.2:
        return output(llm_request={"config": {"temperature": 0.2}})


run()
