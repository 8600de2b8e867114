import { expect, test } from 'vitest';
import { fillTemplate, placeholderValue } from '#console/automation/editor/templates/fill-template.ts';
import { fillTemplate as fillOnServer } from '#src/automation/blob/placeholders.rules.ts';
import { commerceTemplates } from '#src/commerce/nodes/templates.ts';

test('a template is filled in the editor as the server fills it', () => {
  for (const template of commerceTemplates) {
    const placeholders = template.placeholders ?? [];
    const given = placeholders.filter(({ required }) => required !== false);
    const values = Object.fromEntries(given.map(({ key }) => [key, `https://erp.example/${key}`]));
    const defaults = Object.fromEntries(placeholders.map(({ key, default: value }) => [key, value]));
    expect(fillTemplate(template.blob, { ...defaults, ...values })).toEqual(fillOnServer(template, { values }));
  }
  expect(commerceTemplates.length).toBeGreaterThan(0);
});

test.for([
  ['https://erp.example', undefined, 'https://erp.example'],
  ['42', 'a text', '42'],
  ['42', 7, 42],
  ['{"a": 1}', undefined, { a: 1 }],
  ['{{ trigger.payload.a }}', undefined, '{{ trigger.payload.a }}'],
  [' ', 'a text', undefined],
] as const)('%j with the default %j is %j', ([text, otherwise, expected]) => {
  expect(placeholderValue(text, otherwise)).toEqual(expected);
});
