hook.afterTool((call) => {
  // A tool that failed changed nothing.
  if (call.toolResponse?.error) return;
  const path = call.toolInput.file_path ?? "A file";
  return context(`${path} was changed: run the tests before you say that it works.`);
});

await run();
