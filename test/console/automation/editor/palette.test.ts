import { expect, test } from 'vitest';
import type { Definition } from '#console/automation/editor/node-shape.ts';
import { bestOf, isAboutRetry, isWanted } from '#console/automation/editor/panels/palette-groups.ts';
import { coreNodeManifests } from '#src/automation/core-nodes/manifests.ts';

/** The nodes that a text finds, by name. */
const wanted = (text: string) =>
  coreNodeManifests
    .map(({ slug, name, description }) => ({ slug, name, description }) as Definition)
    .filter((definition) => isWanted(definition, text));
const found = (text: string) => wanted(text).map(({ name }) => name);

test.each([
  ['loop', 'For each'],
  ['refuse', 'Fail'],
  ['answer', 'Respond'],
  ['skip', 'Filter'],
  ['chat', 'HTTP request'],
  ['fetch', 'HTTP request'],
  ['Condition', 'If'],
  ['delay', 'Wait'],
  ['retry', 'HTTP request'],
])('the palette finds by "%s", which is what somebody wants to do, the node "%s"', (text, name) => {
  expect(found(text)).toContain(name);
});

test.each([
  ['wait', 'Wait'],
  ['WAIT', 'Wait'],
  ['write', 'Write state'],
  ['each', 'For each'],
  ['state-get', 'Read state'],
  ['answer', 'Respond'],
  ['approve', 'Wait'],
  ['sum', 'Set values'],
])('Enter adds for "%s" the node "%s", and none that only mentions it', (text, name) => {
  expect(bestOf(wanted(text), text)?.name).toBe(name);
});

test('the palette says that every node can be tried again to who looks for that', () => {
  expect(['retry', 'Retr', 'try again', 'on_error'].filter(isAboutRetry)).toEqual([
    'retry',
    'Retr',
    'try again',
    'on_error',
  ]);
  expect(['', 're', 'render', 'request'].filter(isAboutRetry)).toEqual([]);
});
