@hook.after_tool
def tests(call):
    # A tool that failed changed nothing.
    if (call.tool_response or {}).get("error"):
        return None
    path = call.tool_input.get("file_path", "A file")
    return context(f"{path} was changed: run the tests before you say that it works.")


run()
