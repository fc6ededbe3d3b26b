// Calls that contain one of these texts are refused: write what your project's guard is about.
const forbidden = ["DO-NOT-TOUCH"];

hook.beforeTool((call) => {
  const args = JSON.stringify(call.toolInput);
  const found = forbidden.find((text) => args.includes(text));
  if (found) {
    return deny(`This call contains ${found}, which stays as it is here: find another way.`);
  }
});

await run();
