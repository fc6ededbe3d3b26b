@hook.before_tool_selection
def reading(call):
    messages = call.payload["llm_request"].get("messages") or []
    asked = [it.get("content", "") for it in messages if it.get("role") == "user"]
    if asked and "explain" in asked[-1].lower():
        tools = ["read_file", "list_directory", "glob", "search_file_content"]
        return output(toolConfig={"mode": "AUTO", "allowedFunctionNames": tools})


run()
