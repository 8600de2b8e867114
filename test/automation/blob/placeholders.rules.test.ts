import { expect, test } from 'vitest';
import { fillTemplate, placeholdersIn } from '#src/automation/blob/placeholders.rules.ts';
import type { TemplateManifest } from '#src/automation/node-api/manifest.ts';
import { ValidationError } from '#src/infra/errors.ts';

const hole = (key: string): { $placeholder: string } => ({ $placeholder: key });

const template: TemplateManifest = {
  slug: 'erp:flow',
  version: '1.0.0',
  name: 'Flow',
  placeholders: [
    { key: 'url', kind: 'value' },
    { key: 'limit', kind: 'value', default: 5 },
    { key: 'token', kind: 'credential', credential_types: ['erp:api'] },
    { key: 'extra', kind: 'credential', required: false, credential_types: ['erp:api'] },
  ],
  blob: {
    nodes: [{ config: { url: hole('url'), list: [hole('limit')], token: hole('token'), extra: hole('extra') } }],
  },
};

test('a template is filled with credentials, values and defaults, and members without a value are left out', () => {
  const blob = fillTemplate(template, { credentials: { token: 7 }, values: { url: 'https://erp.example.com' } });
  expect(blob).toEqual({ nodes: [{ config: { url: 'https://erp.example.com', list: [5], token: 7 } }] });
  expect(template.blob).toEqual({ nodes: [{ config: expect.objectContaining({ url: hole('url') }) }] });
});

test('every required placeholder without a value is named', () => {
  const fill = (): unknown => fillTemplate(template, { values: { token: 'a value is not a credential' } });
  expect(fill).toThrow(ValidationError);
  try {
    fill();
  } catch (error) {
    expect(Object.keys((error as ValidationError).fields)).toEqual(['values.url', 'credentials.token']);
  }
});

test('placeholders are found anywhere in a blob, but only as whole values', () => {
  const blob = { a: [{ b: hole('x') }], c: hole('y'), d: { ...hole('z'), more: 1 }, e: hole('x') };
  expect([...placeholdersIn(blob)]).toEqual(['x', 'y']);
});

test('a value that makes the blob too large by filling many placeholders is refused', () => {
  const wide = { ...template, blob: { nodes: Array.from({ length: 50 }, () => ({ config: { url: hole('url') } })) } };
  const fill = (size: number) => fillTemplate(wide, { credentials: { token: 7 }, values: { url: 'x'.repeat(size) } });
  expect(JSON.stringify(fill(20_000)).length).toBeGreaterThan(1_000_000);
  expect(() => fill(21_000)).toThrow(ValidationError);
});
