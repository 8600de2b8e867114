import { getNamedType, isLeafType, isNonNullType, isObjectType } from 'graphql';
import pg from 'pg';
import { describe, expect, vi } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { schema } from '#test/setup/schema.ts';

const rows = 6;
let api: TestApp;

test.beforeAll(async ({ api: started }) => {
  api = started;
  const { database } = api.deps;
  for (let n = 0; n < rows; n += 1) {
    const { data, errors } = await api.graphql(`mutation {
      createApiKey(input: { name: "Key ${n}", scopes: ["*"] }) { __typename }
      createAttribute(input: { target: PRODUCT, code: "a${n}", type: TEXT }) { __typename }
      createSavedView(input: { list: "runs", name: "View ${n}", filter: { status: ["FAILED"] } }) { __typename }
    }`);
    expect(errors).toBeUndefined();
    expect(JSON.stringify(data)).not.toContain('Error');
    const version = `1.0.${n}`;
    const named = { vendor: 'acme', name: `thing-${n}`, version, title: 'Thing' };
    await database.withSystem(async (tx) => {
      await tx.query('INSERT INTO themes (vendor, name, version, title) VALUES ($1, $2, $3, $4)', Object.values(named));
    });
    await database.withTenant('acme-shop', async (tx) => {
      const theme = await tx.theme.findFirstOrThrow({ where: named });
      await tx.themeInstallation.create({ data: { tenantId: 'acme-shop', themeId: theme.id, key: `acme/thing-${n}` } });
      await tx.extensionName.create({ data: { tenantId: 'acme-shop', vendor: 'acme', name: named.name } });
      const { id } = await tx.extension.create({
        data: {
          ...named,
          tenantId: 'acme-shop',
          type: 'private',
          url: 'https://example.com',
          targetTheme: 'acme/thing',
          targetVersion: '*',
          manifest: {},
          integrity: {},
        },
      });
      await tx.installation.create({
        data: { tenantId: 'acme-shop', extensionId: id, vendor: 'acme', name: named.name },
      });
    });
  }
});

/** Fields of the objects that need no argument: those without members of their own, and members of the objects that they lead to. */
function selectLeaves(typeName: string, depth = 1): string {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) throw new Error(`${typeName} is no object type.`);
  return Object.values(type.getFields())
    .filter(({ args }) => args.every(({ type: needed }) => !isNonNullType(needed)))
    .flatMap((field): string[] => {
      const inner = getNamedType(field.type);
      if (isLeafType(inner)) return [field.name];
      return depth > 0 && isObjectType(inner) ? [`${field.name} { ${selectLeaves(inner.name, depth - 1)} }`] : [];
    })
    .join(' ');
}

async function countStatements(document: string, first: number): Promise<number> {
  const sent = vi.spyOn(pg.Client.prototype, 'query');
  try {
    const { data, errors } = await api.graphql<Record<string, { edges: unknown[] }>>(
      document,
      { first },
      { roles: ['admin', 'operator'] },
    );
    expect(errors).toBeUndefined();
    expect(Object.values(data)[0]?.edges).toHaveLength(first);
    // The settings of transactions, and what an app asks once a minute, vary.
    return sent.mock.calls.filter(([query]) =>
      /^\s*SELECT(?! set_config)/i.test((query as unknown as { text?: string }).text ?? ''),
    ).length;
  } finally {
    sent.mockRestore();
  }
}

describe('a page of many needs as many statements as a page of two', () => {
  test.for([
    ['apiKeys', 'ApiKey'],
    ['attributes', 'Attribute'],
    ['savedViews', 'SavedView'],
    ['themes', 'Theme'],
    ['themeInstallations', 'ThemeInstallation'],
    ['extensions', 'Extension'],
    ['allExtensions', 'Extension'],
    ['installations', 'Installation'],
  ] as const)('of %s', async ([list, type]) => {
    const document = `query ($first: Int) { ${list}(first: $first) { edges { node { ${selectLeaves(type)} } } } }`;
    await countStatements(document, 2);
    expect(await countStatements(document, rows)).toBe(await countStatements(document, 2));
  });
});
