import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '#src/graphql/context.ts';

/**
 * Resolves a field of many objects with one load: the keys that the objects of a list ask for in one turn of the event loop are loaded
 * together. Objects share a load only if they share the selection, and therefore the arguments. `load` returns values by key.
 */
export function createFieldLoader<Key, Value, Asked = undefined>(
  load: (context: Context, keys: Key[], asked: Asked) => Promise<ReadonlyMap<Key, Value>>,
): (context: Context, info: GraphQLResolveInfo, key: Key, asked: Asked) => Promise<Value | undefined> {
  interface Batch {
    keys: Set<Key>;
    loaded: Promise<ReadonlyMap<Key, Value>>;
  }
  const requests = new WeakMap<Context, Map<unknown, Batch>>();

  return async (context, info, key, asked) => {
    const batches = requests.get(context) ?? new Map<unknown, Batch>();
    requests.set(context, batches);
    // graphql-js passes the same array of nodes for all objects of a list.
    let batch = batches.get(info.fieldNodes);
    if (!batch) {
      const keys = new Set<Key>();
      const turn = new Promise<void>((resolve) => setImmediate(resolve));
      const loaded = turn.then(() => {
        batches.delete(info.fieldNodes);
        return load(context, [...keys], asked);
      });
      batches.set(info.fieldNodes, (batch = { keys, loaded }));
    }
    batch.keys.add(key);
    return (await batch.loaded).get(key);
  };
}
