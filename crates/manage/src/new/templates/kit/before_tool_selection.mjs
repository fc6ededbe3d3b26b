hook.beforeToolSelection((call) => {
  const messages = call.payload.llm_request.messages ?? [];
  const asked = messages.filter((it) => it.role === "user").at(-1)?.content ?? "";
  if (asked.toLowerCase().includes("explain")) {
    const allowedFunctionNames = ["read_file", "list_directory", "glob", "search_file_content"];
    return output({ toolConfig: { mode: "AUTO", allowedFunctionNames } });
  }
});

await run();
