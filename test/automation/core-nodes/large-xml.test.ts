import { describe, expect, test } from 'vitest';
import { parseXml } from '#src/automation/formats/parse-xml.ts';

/** CPU time of the work, in milliseconds. */
function measureCpu(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

describe('XML with many elements', () => {
  test.each([
    ['beside one another', (n: number) => `<items>${'<i><a>value number 1</a><b>two</b></i>'.repeat(n)}</items>`],
    ['within text', (n: number) => `<items>text ${'<i>one <b>two</b> three</i>'.repeat(n)}</items>`],
  ])('takes time in proportion to its length, with elements %s', (_which, xml) => {
    const [few, many] = [xml(2_000), xml(20_000)];
    parseXml(few);
    const [short, long] = [measureCpu(() => parseXml(few)), measureCpu(() => parseXml(many))];
    // Ten times as many elements; it was a hundred times as long, and then out of memory.
    expect(long).toBeLessThan(40 * Math.max(short, 5));
  });
});
