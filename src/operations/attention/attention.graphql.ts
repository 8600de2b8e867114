import { brandWithType } from '@pothos/core';
import { queryFromInfo } from '@pothos/plugin-prisma';
import { encodeGlobalID } from '@pothos/plugin-relay';
import type { GraphQLResolveInfo } from 'graphql';
import { assertAccess, hasAccess } from '#src/graphql/access.ts';
import { builder } from '#src/graphql/builder.ts';
import { type Context, inTenant } from '#src/graphql/context.ts';
import { defineEnum } from '#src/graphql/enums.ts';
import { createFieldLoader } from '#src/graphql/fast/field-loader.ts';
import { ValidationError } from '#src/infra/errors.ts';
import type { TenantReader } from '#src/infra/postgres/tenant-reader.ts';
import { findErrorGroups } from '#src/operations/error-groups/error-groups.reads.ts';
import { findFailedJobs } from '#src/operations/failed-jobs/failed-jobs.reads.ts';
import { readFailedJobs, readTenantAttention } from './attention.reads.ts';
import {
  attentionKinds,
  failureHours,
  maxFailedRuns,
  type AttentionNode,
  type AttentionRow,
  importDays,
  maxCounted,
  maxDeliveries,
  maxOfKind,
  nodeTypes,
  readMessage,
  severities,
  sortRows,
} from './attention.rules.ts';

const maxItems = 100;

const Kind = defineEnum('AttentionKind', attentionKinds, {
  description: 'What needs a person.',
  values: {
    failing_runs: `A group of failed runs that is open, within ${failureHours} hours of its last one.`,
    dead_letters: 'Pending dead letters of a workflow. The node is the newest.',
    destination_disabled: 'A webhook destination that is disabled; deliveries to it are held.',
    destination_failing:
      'A webhook destination that had no success for ten minutes, or whose deliveries wait for somebody.',
    credential_expiring: 'A credential that has expired, was revoked, or expires within 14 days.',
    import_rejects: `An import of the last ${importDays} days that rejected rows or failed, where it is the last one of its profile.`,
    circuit_open: 'An installed extension that was too slow and is therefore not called, within the last minute.',
    failed_jobs: 'Failed jobs of all tenants with the same name, for operators only. The node is the newest.',
  },
});
const Severity = defineEnum('AttentionSeverity', severities, {
  description: 'How urgent it is.',
  values: {
    critical: 'Something has stopped.',
    warning: 'Something has failed, or will stop soon.',
    info: 'Somebody caused it on purpose.',
  },
});

type Load = (context: Context, ids: string[], info: GraphQLResolveInfo) => Promise<object[]>;

/** Loads nodes of the tenant by id, with the fields that the document selects. */
const inTenantBy =
  (
    typeName: Exclude<AttentionNode, 'FailedJob' | 'ErrorGroup'>,
    find: (db: TenantReader, rows: { where: { tenantId: string; id: { in: bigint[] } } }) => Promise<object[]>,
  ): Load =>
  (context, ids, info) => {
    const { db, tenantId } = inTenant(context);
    const selected = queryFromInfo({ context, info, typeName });
    return find(db, { ...selected, where: { tenantId, id: { in: ids.map(BigInt) } } });
  };

const loads: Record<AttentionNode, Load> = {
  ErrorGroup: ({ deps, tenant }, ids) => findErrorGroups(deps.database, tenant?.id ?? '', ids),
  DeadLetter: inTenantBy('DeadLetter', (db, rows) => db.deadLetter.findMany(rows)),
  WebhookDestination: inTenantBy('WebhookDestination', (db, rows) => db.webhookDestination.findMany(rows)),
  Credential: inTenantBy('Credential', (db, rows) => db.credential.findMany(rows)),
  BulkJob: inTenantBy('BulkJob', (db, rows) => db.bulkJob.findMany(rows)),
  Installation: inTenantBy('Installation', (db, rows) => db.installation.findMany(rows)),
  FailedJob: ({ deps }, ids) => findFailedJobs(deps, ids),
};

/** One statement for all nodes of a type. */
const loadNode = createFieldLoader(async (context, keys: string[], info: GraphQLResolveInfo) => {
  const found = new Map<string, object>();
  const byType = Map.groupBy(keys, (key) => key.slice(0, key.indexOf('/')) as AttentionNode);
  for (const [type, typed] of byType) {
    const nodes = await loads[type](
      context,
      typed.map((key) => key.slice(type.length + 1)),
      info,
    );
    for (const node of nodes) {
      brandWithType(node, type as never);
      found.set(`${type}/${(node as { id: string | bigint }).id}`, node);
    }
  }
  return found;
});

const AttentionItem = builder.objectRef<AttentionRow>('AttentionItem').implement({
  description: 'Something that needs a person.',
  fields: (t) => ({
    kind: t.expose('kind', { type: Kind, description: 'What it is.' }),
    severity: t.expose('severity', { type: Severity, description: 'How urgent it is.' }),
    title: t.exposeString('title', {
      description: 'The name of the node, workflow, destination, credential, import profile, extension or job.',
    }),
    message: t.string({ description: 'What is wrong, for people.', resolve: readMessage }),
    count: t.exposeInt('count', {
      description: `Dead letters and failed jobs, of the newest ${maxCounted}; rejected rows; failed runs, up to ${maxFailedRuns}; deliveries that were not sent, up to ${maxDeliveries}; openings of a circuit breaker; 1 for a credential.`,
    }),
    since: t.expose('since', { type: 'DateTime', description: 'When it began, or when it was first counted.' }),
    nodeId: t.id({
      description: 'The global id of `node`.',
      resolve: ({ kind, nodeId }) => encodeGlobalID(nodeTypes[kind], nodeId),
    }),
    node: t.field({
      type: builder.nodeInterfaceRef(),
      nullable: true,
      description: 'What to open; null if it was deleted a moment ago.',
      resolve: ({ kind, nodeId }, _args, context, info) =>
        loadNode(context, info, `${nodeTypes[kind]}/${nodeId}`, info) as never,
    }),
  }),
});

builder.queryField('attention', (t) =>
  t.field({
    type: [AttentionItem],
    authScopes: { tester: true },
    complexity: 50,
    description: `What needs a person: in the tenant for its members, and failed jobs of all tenants for operators. The most severe first, then the latest; at most ${maxOfKind} of a kind.`,
    args: {
      kinds: t.arg({ type: [Kind], description: 'Only these; all that the caller may see where it is left out.' }),
      first: t.arg.int({ required: true, defaultValue: maxItems, description: `At most this many, 1 to ${maxItems}.` }),
    },
    resolve: async (_root, { kinds, first }, context) => {
      if (first < 1 || first > maxItems) throw new ValidationError({ first: [`Use 1 to ${maxItems}.`] });
      const asked = [...new Set(kinds ?? attentionKinds)];
      const { tenant, deps } = context;
      const isOperator = hasAccess(context, { operator: true });
      if (!isOperator) assertAccess(context, { member: true });
      const isMember = tenant !== null && hasAccess(context, { member: true });
      const rows = [
        ...(isMember ? await readTenantAttention(deps.database, tenant.id, asked) : []),
        ...(isOperator && asked.includes('failed_jobs') ? await readFailedJobs(deps.database) : []),
      ];
      return sortRows(rows).slice(0, first);
    },
  }),
);
