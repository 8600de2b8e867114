/**
 * Sanitising a fragment of 20 KiB, beside the library alone with lists of the same elements and attributes, in processor time.
 * `node bench/sanitise.ts [rounds=7] [times=100]`
 */
import sanitizeHtml from 'sanitize-html';
import { elements, everywhere } from '#src/themes/sanitiser/elements.ts';
import { sanitiseFragment } from '#src/themes/sanitiser/sanitise-fragment.ts';
import { printFigure } from './lib/figure.ts';

const [rounds = 7, times = 100] = process.argv.slice(2).map(Number);

const review = (at: number): string =>
  `<li class="review" id="acme-r${at}"><h3>Great &amp; good</h3><p style="color: var(--ink); margin: 0 4px">Bought it
  <b>twice</b>, see <a href="https://example.org/r/${at}?a=1&amp;b=2">here</a>.</p><acme-stars rating="${at % 5}" max="5">
  <svg viewBox="0 0 10 10"><path d="M0 0L10 10"/></svg></acme-stars><img src="/star.png" alt="star" width="16" height="16"></li>`;
let html = '';
for (let at = 0; html.length < 20 * 1024; at += 1) html += review(at);

const site = { vendor: 'acme', origin: 'https://shop.example' };
const listed = Object.fromEntries([...elements].map(([element, names]) => [element, [...names]]));
const options = {
  allowedTags: [...elements.keys(), 'acme-stars'],
  allowedAttributes: { ...listed, '*': [...everywhere], 'acme-stars': ['rating', 'max'] },
};

/** Milliseconds of processor time for one. */
function measureCost(work: () => void): number {
  const before = process.cpuUsage();
  for (let at = 0; at < times; at += 1) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / times;
}

const ours: number[] = [];
const library: number[] = [];
for (let round = 0; round <= rounds; round += 1) {
  const costs = [
    measureCost(() => sanitiseFragment(html, site)),
    measureCost(() => sanitizeHtml(html, options)),
  ] as const;
  // The first warms up.
  if (round === 0) continue;
  ours.push(costs[0]);
  library.push(costs[1]);
}

const [own, alone] = [1_000 / Math.min(...ours), 1_000 / Math.min(...library)];
printFigure({
  figure: 'sanitise-20-kib',
  value: own,
  unit: 'fragments/s of processor time',
  against: { name: 'sanitize-html alone', value: alone },
  reach: { of: 'ratio', atLeast: 0.8 },
  detail: { rounds, times, bytes: html.length },
});
