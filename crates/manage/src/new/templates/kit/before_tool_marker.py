# Calls that contain one of these texts are refused: write what your project's guard is about.
FORBIDDEN = ["DO-NOT-TOUCH"]


@hook.before_tool
def refuse_forbidden_texts(call):
    arguments = json.dumps(dict(call.tool_input), ensure_ascii=False)
    for text in FORBIDDEN:
        if text in arguments:
            return deny(f"This call contains {text}, which stays as it is here: find another way.")


run()
