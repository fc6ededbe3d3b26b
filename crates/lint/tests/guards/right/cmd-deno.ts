const text = await new Response(Deno.stdin.readable).text();
const event = JSON.parse(text) as { tool_input?: { command?: string } };
const command = event.tool_input?.command ?? "";

if (/\brm\s+-rf\b/.test(command)) {
  console.error("rm -rf is blocked");
  Deno.exit(2);
}
