// Follows the traces: asks for what changed, and leaves open what was open.
'use strict';
const query = location.search ? location.search + '&' : '?';
const pause = 2000;

async function look() {
  const main = document.querySelector('main');
  if (!document.hidden) {
    try {
      const since = encodeURIComponent(main.dataset.mark);
      const answer = await fetch('part' + query + 'since=' + since, { cache: 'no-store' });
      if (answer.status === 200) show(main, await answer.text());
      document.body.classList.toggle('ended', !answer.ok);
    } catch {
      document.body.classList.add('ended');
    }
  }
  setTimeout(look, pause);
}

// The text was escaped where it was made, and this page may run no script but this one.
function show(main, text) {
  const entries = () => document.querySelectorAll('.entry');
  const open = new Set();
  for (const entry of entries()) {
    if (entry.querySelector('details').open) open.add(entry.dataset.key);
  }
  main.outerHTML = text;
  for (const entry of entries()) {
    if (open.has(entry.dataset.key)) entry.querySelector('details').open = true;
  }
}

setTimeout(look, pause);
