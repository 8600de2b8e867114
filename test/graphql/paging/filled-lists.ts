import { versionOrder } from '#src/automation/node-api/version-order.rules.ts';
import type { Database } from '#src/infra/postgres/database.ts';

/** Names with what a search or a sort could stumble over; 'er' is in half of them. */
const names = [
  'Orders to ERP',
  'orders',
  'Zebra',
  '100% of stock_levels',
  'O\'Brien\'s "order"; --',
  String.raw`back\slash`,
  '注文 order',
  'über alles',
  'Über server',
  '😀 smile',
  'A',
  'a',
  'ab',
  'a_b',
  'Transfer (2)',
  'transfer [3]',
  '$1 carrier',
];

/** Three instants, so that most rows share theirs with others; every fourth row has none where that is possible. */
const at = (index: number): Date => new Date(Date.UTC(2026, 2, 1 + (index % 3), 10, 0, 0, 123));
const atOrNever = (index: number): Date | null => (index % 4 === 0 ? null : at(index));
const pick = <T>(values: readonly T[], index: number): T => values[index % values.length] as T;

/** Fills every list that can be sorted: for acme-shop, the catalogue, and one row of each kind for acme-outlet. */
export async function fillLists(database: Database): Promise<void> {
  for (const [tenantId, given] of [
    ['acme-shop', names],
    ['acme-outlet', ['Foreign order']],
  ] as const) {
    await fillTenant(database, tenantId, given);
  }
  await fillCatalogue(database);
}

async function fillTenant(database: Database, tenantId: string, given: readonly string[]): Promise<void> {
  await database.withTenant(tenantId, async (tx) => {
    for (const [index, name] of given.entries()) {
      const { id: workflowId } = await tx.workflow.create({
        data: {
          tenantId,
          name,
          description: index % 2 === 0 ? `Of the keeper ${index}` : null,
          active: index % 3 !== 0,
          bundleStatus: pick(['none', 'ready', 'failed'] as const, index),
          blob: {},
          updatedAt: at(index),
        },
      });
      const { id: triggerId } = await tx.trigger.create({
        data: { tenantId, workflowId, type: 'schedule', name: `Every ${index % 5} ${name}` },
      });
      await tx.schedule.create({
        data: {
          tenantId,
          triggerId,
          workflowId,
          cron: '@daily',
          timezone: 'UTC',
          misfire: pick(['skip', 'fire_once', 'catch_up'] as const, index),
          active: index % 4 !== 0,
          nextFireAt: atOrNever(index),
          lastFiredAt: atOrNever(index + 1),
        },
      });
      await tx.credential.create({
        data: {
          tenantId,
          name,
          credentialTypeSlug: pick(['core:bearer', 'core:basic'], index),
          status: pick(['active', 'expired'] as const, index),
          publicConfig: {},
          config: Buffer.from('sealed'),
          configKeyVersion: 1,
          expiresAt: atOrNever(index),
          updatedAt: at(index),
        },
      });
      await tx.tenantSecret.create({
        data: {
          tenantId,
          key: `${pick(['ERP', 'CARRIER', 'A'], index)}_${index}`,
          value: Buffer.from('sealed'),
          keyVersion: 1,
          createdAt: at(index + 1),
          updatedAt: at(index),
        },
      });
    }
    await tx.workflow.create({ data: { tenantId, name: 'Deleted order', blob: {}, deletedAt: new Date() } });
  });
}

/** Two versions of everything; the first has a word in it that the second lost. */
async function fillCatalogue({ global }: Database): Promise<void> {
  for (const version of ['1.0.0', '1.10.0']) {
    const { id: packageId } = await global.nodePackage.create({
      data: { orgId: 'acme', name: 'lists', version, label: 'Lists', digest: '', build: {} },
    });
    const description = version === '1.0.0' ? 'only in the first version' : 'of the newer one';
    const versioned = names.map((name, index) => ({
      packageId,
      slug: `lists:${pick(['order', 'item', 'carrier'], index)}-${index}`,
      version,
      versionOrder: versionOrder(version),
      name: pick([name, 'The same'], index),
    }));
    await global.node.createMany({
      data: versioned.map((row, index) => ({
        ...row,
        namespace: 'lists',
        manifestVersion: 'v0-draft',
        manifest: { slug: row.slug, description, kind: pick(['action', 'transform', 'control'], index) },
      })),
    });
    await global.workflowTemplate.createMany({ data: versioned.map((row) => ({ ...row, description, manifest: {} })) });
    await global.credentialType.createMany({
      data: versioned.map((row) => ({ ...row, description, authKind: 'secret' as const, manifest: {} })),
    });
  }
}
