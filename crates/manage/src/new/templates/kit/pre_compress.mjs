hook.preCompress((call) => message(`The history is being compressed (${call.payload.trigger}).`));

await run();
