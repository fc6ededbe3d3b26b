// One more attempt is enough: the agent must not go round in circles.
hook.afterAgent((call) => {
  if (!call.payload.stop_hook_active && call.promptResponse.includes("TODO")) {
    return deny("The answer still contains a TODO: finish it, or say why it has to stay.");
  }
});

await run();
