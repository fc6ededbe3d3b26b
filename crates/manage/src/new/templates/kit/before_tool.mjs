hook.beforeTool((call) => {
  if (/(^|[/"'=\s])\.env(["'\s]|$)/.test(JSON.stringify(call.toolInput))) {
    return deny("Files named .env hold secrets: find a way that does without them.");
  }
});

await run();
