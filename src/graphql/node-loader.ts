import { brandWithType } from '@pothos/core';
import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { type Context, inTenant } from './context.ts';
import { createFieldLoader } from './fast/field-loader.ts';
import { maySee } from './node-access.ts';

/** The object of a type that implements Node, by its `databaseId`. */
export const nodeKey = (typeName: string, id: string): string => `${typeName}:${id}`;

interface Delegate {
  fields: object;
  findMany(query: object): Promise<{ id: bigint }[]>;
}
interface NodeExtensions {
  pothosPrismaModel?: string;
  pothosOptions?: { loadMany?: (ids: string[], context: Context) => Promise<(object | null)[]> };
}

/**
 * Loads the objects that a field of the type Node leads to, from the objects of a list: one statement for each of their types. `node(id)`
 * would take one for each object. Null for those that are gone, that the caller may not see, and of types that are only loaded one by one.
 */
export const createNodeLoader = () =>
  createFieldLoader(async (context: Context, keys: string[], info: GraphQLResolveInfo) => {
    const idsByType = Map.groupBy(
      keys.map((key) => key.split(':') as [type: string, id: string]),
      ([type]) => type,
    );
    const found = new Map<string, object>();
    await Promise.all(
      [...idsByType].map(async ([type, named]) => {
        const ids = named.flatMap(([, id]) => (/^[1-9]\d{0,17}$/.test(id) ? [id] : []));
        if (ids.length === 0 || !maySee(info.schema, type, context)) return;
        for (const [id, object] of await loadNodes(context, info, type, ids)) {
          brandWithType(object, type as never);
          found.set(nodeKey(type, id), object);
        }
      }),
    );
    return found;
  });

async function loadNodes(
  context: Context,
  info: GraphQLResolveInfo,
  typeName: string,
  ids: string[],
): Promise<[id: string, object][]> {
  const { db, tenantId } = inTenant(context);
  const { pothosPrismaModel: model, pothosOptions } = (info.schema.getType(typeName)?.extensions ??
    {}) as NodeExtensions;
  if (pothosOptions?.loadMany) {
    const objects = await pothosOptions.loadMany(ids, context);
    return ids.flatMap((id, index): [string, object][] => (objects[index] ? [[id, objects[index]]] : []));
  }
  if (model === undefined) return [];
  const delegate = (db as unknown as Record<string, Delegate>)[model.charAt(0).toLowerCase() + model.slice(1)];
  if (!delegate) return [];
  const rows = await delegate.findMany({
    ...queryFromInfo({ context, info, typeName }),
    where: {
      id: { in: ids.map(BigInt) },
      ...('tenantId' in delegate.fields && { tenantId }),
      ...('deletedAt' in delegate.fields && { deletedAt: null }),
    },
  });
  return rows.map((row) => [String(row.id), row]);
}
