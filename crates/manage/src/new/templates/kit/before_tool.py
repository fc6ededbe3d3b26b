import re


@hook.before_tool
def no_env_files(call):
    arguments = json.dumps(dict(call.tool_input))
    if re.search(r"""(^|[/"'=\s])\.env(["'\s]|$)""", arguments):
        return deny("Files named .env hold secrets: find a way that does without them.")


run()
