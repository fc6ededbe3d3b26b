// A mark may begin in one chunk and end in the next: all text so far is looked at.
hook.afterModel((call) => {
  if ((call.payload.full_content ?? call.payload.content ?? "").includes("INTERNAL-ONLY")) {
    return deny("The answer quotes text that is marked INTERNAL-ONLY.");
  }
});

await run();
