import type { FieldRef } from '@pothos/core';
import { type prismaModelName, type PrismaNodeRef, queryFromInfo } from '@pothos/plugin-prisma';
import { encodeGlobalID } from '@pothos/plugin-relay';
import type { z } from 'zod';
import type { Transfer } from '#prisma/client.ts';
import type PrismaTypes from '#prisma/pothos.ts';
import { builder } from '#src/graphql/builder.ts';
import { inTenant, tenantKey } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { idField, mutationInput } from '#src/graphql/mutation-input.ts';
import { nodeAccess } from '#src/graphql/node-access.ts';
import { defineConnection } from '#src/graphql/paging/connection-types.ts';
import { offsetArg } from '#src/graphql/paging/connections.ts';
import { orderInput } from '#src/graphql/paging/order-input.ts';
import { pageInOrder } from '#src/graphql/paging/ordered-lists.ts';
import { permissions, permissionsType } from '#src/graphql/viewer-can.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import type { Direction } from '#src/imports/transfers/transfers.inputs.ts';
import type { Actor } from '#src/infra/deps.ts';
import { readId } from '#src/infra/inputs.ts';
import { scheduleList } from './schedules.reads.ts';
import { deleteSchedule } from './schedules.service.ts';

type Types = typeof builder.$inferSchemaTypes;
type Selected = Pick<Transfer, 'id' | 'tenantId'>;
type FieldBuilder = PothosSchemaTypes.PrismaObjectFieldBuilder<
  Types,
  PrismaTypes['Transfer'],
  Selected & { [prismaModelName]?: 'Transfer' }
>;

type PayloadBuilder = PothosSchemaTypes.ObjectFieldBuilder<Types, { schedule: Transfer }>;
type ScheduleRef = PrismaNodeRef<Types, PrismaTypes['Transfer'], Selected>;

/** A mutation, and the use case that it calls. */
interface Mutation<Given extends unknown[]> {
  description: string;
  run: (deps: ImportDeps, actor: Actor, ...given: Given) => Promise<Transfer>;
}

interface ScheduleKind {
  name: 'ImportSchedule' | 'ExportSchedule';
  direction: Direction;
  description: string;
  /** Descriptions of fields that both kinds have. */
  lastRunAt: string;
  lastSuccessAt: string;
  /** The fields that only this kind has. */
  fields: (t: FieldBuilder) => Record<string, FieldRef<Types, unknown, 'PrismaObject'>>;
  create: Mutation<[input: unknown]> & { input: z.ZodObject };
  update: Mutation<[id: bigint, input: unknown]> & { input: z.ZodObject };
  run: Mutation<[id: bigint]>;
  delete: { description: string };
}

const reads = { member: true, scope: 'io:read' } as const;
const writes = { admin: true, scope: 'io:write' } as const;

/** Adds a kind of schedule to the graph: its type, its queries and its mutations. */
export function addScheduleKind(kind: ScheduleKind): void {
  const { name, direction, description, lastRunAt, lastSuccessAt } = kind;
  const Permissions = permissionsType(`${name}Permissions`, {
    update: `update${name}`,
    delete: `delete${name}`,
    run: `run${name}`,
  });
  const ref = builder.prismaNode('Transfer', {
    variant: name,
    id: { resolve: ({ id }) => String(id) },
    findUnique: (id, context) => ({ tenantId_id: tenantKey(context, name, id), direction }),
    // Fields that lead to one have scopes of their own, so that a key which may only write gets what it wrote as the answer.
    extensions: nodeAccess(reads),
    description,
    select: { id: true, tenantId: true },
    fields: (t) => ({
      ...kind.fields(t as never),
      databaseId: t.expose('id', { type: 'Long', description: 'The id as an integer.' }),
      path: t.exposeString('path', {
        description: direction === 'import' ? 'The directory of the files.' : 'The directory that files are put into.',
      }),
      cron: t.exposeString('cron', { description: 'When it runs.' }),
      timezone: t.exposeString('timezone', { description: 'Of the cron.' }),
      active: t.exposeBoolean('active', { description: 'Whether it runs by itself.' }),
      nextRunAt: t.expose('nextAt', { type: 'DateTime', nullable: true, description: 'Null where it is not active.' }),
      lastRunAt: t.expose('lastRunAt', { type: 'DateTime', nullable: true, description: lastRunAt }),
      lastSuccessAt: t.expose('lastSuccessAt', { type: 'DateTime', nullable: true, description: lastSuccessAt }),
      lastError: t.exposeString('lastError', {
        nullable: true,
        description: 'Why the last run failed, and what to do; null once one has succeeded.',
      }),
      failures: t.exposeInt('failures', { description: 'Runs that failed since the last success.' }),
      viewerCan: t.field({ type: Permissions, resolve: () => permissions }),
      createdAt: t.expose('createdAt', { type: 'DateTime' }),
      updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
    }),
  });
  addQueries(ref, kind);
  addMutations(ref, kind);
}

function addQueries(ref: ScheduleRef, { name, direction }: ScheduleKind): void {
  const Order = orderInput(name, { of: `${direction} schedules`, fields: { CREATED_AT: {} } });
  const list = scheduleList(direction);
  builder.queryFields((t) => ({
    [`${direction}Schedule`]: t.prismaField({
      type: ref,
      description: `An ${direction} schedule of the tenant.`,
      nullable: true,
      authScopes: reads,
      args: { id: t.arg.id({ required: true }) },
      resolve: (query, _root, { id }, context) => {
        const { db, tenantId } = inTenant(context);
        const key = { tenantId, id: readId(name, id) };
        return db.transfer.findUnique({ ...query, where: { tenantId_id: key, direction } });
      },
    }),
    [`${direction}Schedules`]: t.connection(
      {
        type: ref,
        description: `The ${direction} schedules of the tenant.`,
        authScopes: reads,
        args: {
          orderBy: t.arg({ type: Order, description: 'Left out: newest first.' }),
          offset: t.arg.int(offsetArg),
        },
        resolve: (_root, { orderBy, ...page }, context, info) => {
          const { db, deps, tenantId } = inTenant(context);
          const selected = queryFromInfo({ context, info, path: ['edges', 'node'], typeName: name });
          return pageInOrder(list, page, {
            filter: { tenantId },
            order: orderBy ?? { field: 'CREATED_AT', direction: 'DESC' },
            query: (statement) => deps.database.tenantQuery(tenantId, statement),
            load: (ids) => db.transfer.findMany({ ...selected, where: { tenantId, id: { in: ids.map(BigInt) } } }),
            rowId: ({ id }) => String(id),
          });
        },
      },
      defineConnection(ref),
    ),
  }));
}

function addMutations(ref: ScheduleRef, { name, direction, create, update, run, delete: remove }: ScheduleKind): void {
  const payload = {
    outputFields: (t: PayloadBuilder) => ({
      [`${direction}Schedule`]: t.field({ type: ref, resolve: ({ schedule }) => schedule as never }),
    }),
  };
  builder.relayMutationField(
    `create${name}`,
    mutationInput(create.input),
    {
      description: create.description,
      authScopes: writes,
      errors: errorTypes,
      resolve: async (_root, { input }, context) => {
        const { imports, actor } = inTenant(context);
        return { schedule: await create.run(imports, actor, input) };
      },
    },
    payload,
  );
  builder.relayMutationField(
    `update${name}`,
    mutationInput(update.input, idField),
    {
      description: update.description,
      authScopes: writes,
      errors: errorTypes,
      resolve: async (_root, { input: { id, ...changes } }, context) => {
        const { imports, actor } = inTenant(context);
        return { schedule: await update.run(imports, actor, readId(name, String(id)), changes) };
      },
    },
    payload,
  );
  builder.relayMutationField(
    `run${name}`,
    { inputFields: idField },
    {
      description: run.description,
      authScopes: writes,
      errors: errorTypes,
      resolve: async (_root, { input: { id } }, context) => {
        const { imports, actor } = inTenant(context);
        return { schedule: await run.run(imports, actor, readId(name, id)) };
      },
    },
    payload,
  );
  builder.relayMutationField(
    `delete${name}`,
    { inputFields: idField },
    {
      description: remove.description,
      authScopes: writes,
      errors: errorTypes,
      resolve: async (_root, { input: { id } }, context) => {
        const key = readId(name, id);
        const { imports, actor } = inTenant(context);
        await deleteSchedule(imports, actor, { direction, id: key });
        return { deletedId: encodeGlobalID(name, key) };
      },
    },
    {
      outputFields: (t) => ({
        deletedId: t.exposeID('deletedId', { description: 'The global id of the deleted schedule.' }),
      }),
    },
  );
}
