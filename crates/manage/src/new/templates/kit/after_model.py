# A mark may begin in one chunk and end in the next: all text so far is looked at.
@hook.after_model
def marks(call):
    if "INTERNAL-ONLY" in (call.payload.get("full_content") or call.payload.get("content") or ""):
        return deny("The answer quotes text that is marked INTERNAL-ONLY.")


run()
