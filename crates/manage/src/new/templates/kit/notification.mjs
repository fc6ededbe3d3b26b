hook.notification((call) => message(`The agent waits: ${call.payload.message}`));

await run();
