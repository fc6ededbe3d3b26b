// call.prompt is what the user wrote.
hook.beforeAgent(() => {
  const now = new Date();
  const two = (number) => String(number).padStart(2, "0");
  return context(`Today is ${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}.`);
});

await run();
