// Only what is named is changed; the rest of the request stays.
hook.beforeModel((call) => {
  if ((call.payload.llm_request.config?.temperature ?? 1) > 0.2) {
    return output({ llm_request: { config: { temperature: 0.2 } } });
  }
});

await run();
