import { expect, test } from 'vitest';
import { surveyedFirst, surveyedNext } from '#src/imports/merging/survey-sizes.rules.ts';
import { chunkRows } from '#src/imports/targets/target.ts';

test('a slow machine does not compare small parts with whole tables, and a repeated survey begins small', () => {
  let rows = surveyedFirst;
  for (const tookMs of [4_000, 12_000, 25_000, 29_000]) rows = surveyedNext(rows, tookMs);
  expect(rows).toBe(100_000);
  expect(surveyedNext(surveyedFirst, 9_000)).toBe(surveyedFirst);
  expect(surveyedNext(chunkRows, 12_000)).toBe(chunkRows);
  expect(surveyedNext(chunkRows, 200)).toBe(300_000);
  expect(surveyedNext(surveyedFirst, 0)).toBe(1_000_000);
  for (const tookMs of [1, 777, 2_999]) expect(surveyedNext(surveyedFirst, tookMs) % chunkRows).toBe(0);
});
