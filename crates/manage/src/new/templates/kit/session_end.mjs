hook.sessionEnd((call) => message(`The session ended (${call.payload.reason}).`));

await run();
