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

test.each([
  ['sales order', true],
  ['order create', true],
  ['erp salesorder', true],
  ['ERP  Sales', true],
  ['sales invoice', false],
])('the palette asked for "%s" lists "create a salesOrder": %s', (text, isListed) => {
  const node = { slug: 'erp:post-sales-order', name: 'create a salesOrder', description: null } as Definition;
  expect(isWanted(node, text)).toBe(isListed);
});

test('Enter adds the node with all words in its slug rather than one with the words in its description', () => {
  const nodes = [
    { slug: 'erp:update-order', name: 'Update', description: 'Changes what create a sales order made.' },
    { slug: 'erp:create-sales-order', name: 'POST /salesOrder', description: null },
  ] as Definition[];
  expect(bestOf(nodes, 'create sales order')?.slug).toBe('erp:create-sales-order');
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
