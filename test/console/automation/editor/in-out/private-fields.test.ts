import { expect, test } from 'vitest';
import { privateFields, writtenSecrets } from '#console/automation/editor/in-out/private-fields.ts';
import { readBlob } from '#console/automation/editor/model/blob.ts';
import { copyWhole } from '#console/automation/editor/model/clipboard.ts';
import { nodesOf } from '#console/automation/editor/model/graph.ts';
import type { Definitions } from '#console/automation/editor/node-shape.ts';

const fields = [
  { key: 'url', type: 'URL' },
  { key: 'login', type: 'CREDENTIALS_REF' },
  { key: 'pin', type: 'SECRET' },
  { key: 'tokens', type: 'NUMBER' },
];
const definitions = new Map([['erp:send', { slug: 'erp:send', fields }]]) as unknown as Definitions;
const graph = (config: object) => readBlob({ nodes: [{ id: 'send', node: 'erp:send', version: '1', config }] });

test('secrets that are written into a node are not exported, and are named', () => {
  const written = graph({ url: 'https://erp.example', login: 7, pin: 'hunter22', tokens: 3, old_password: 'hunter23' });
  expect(JSON.parse(copyWhole(written, 'Orders', privateFields(definitions)))).toMatchObject({
    blob: { nodes: [{ id: 'send', config: { url: 'https://erp.example', tokens: 3 } }] },
  });
  expect(copyWhole(written, 'Orders', privateFields(definitions))).not.toMatch(/hunter|login/);
  expect(writtenSecrets(nodesOf(written), definitions)).toEqual(['send.pin', 'send.old_password']);
});

test('an expression that reads a secret is exported unless it holds text of its own', () => {
  const kept = (pin: unknown) => !writtenSecrets(nodesOf(graph({ pin })), definitions).includes('send.pin');
  expect(['{{ secrets.ERP_2 }}', ' {{ $trim(secrets.ERP) }} ', ''].map(kept)).toEqual([true, true, true]);
  const literal = [
    'Bearer {{ secrets.ERP }}',
    "{{ 'hunter22' }}",
    '{{ secrets.A }}hunter22{{ secrets.B }}',
    1234,
    '{{ 1234 }}',
    {},
  ];
  expect(literal.map(kept)).toEqual([false, false, false, false, false, false]);
});

test('secrets in headers and in lists are left out and named, and those that are read from where they are kept stay', () => {
  const config = {
    headers: { Accept: 'text/plain', Authorization: 'Bearer hunter22', 'X-Api-Key': '{{ secrets.ERP }}' },
    form: [
      { name: 'user', value: 'shop' },
      { name: 'password', value: 'hunter23' },
    ],
    other: { Authorization: 'Bearer {{ secrets.ERP }}', max_tokens: 5 },
  };
  const text = copyWhole(graph(config), 'Orders', privateFields(definitions));
  expect(text).not.toContain('hunter');
  expect(JSON.parse(text)).toMatchObject({
    blob: {
      nodes: [
        {
          config: {
            headers: { Accept: 'text/plain', 'X-Api-Key': '{{ secrets.ERP }}' },
            form: [{ name: 'user', value: 'shop' }, { name: 'password' }],
            other: config.other,
          },
        },
      ],
    },
  });
  expect(writtenSecrets(nodesOf(graph(config)), definitions)).toEqual([
    'send.headers.Authorization',
    'send.form.1.value',
  ]);
});
