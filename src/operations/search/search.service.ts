import type { Database } from '#src/infra/postgres/database.ts';
import type { SearchKind } from './search.inputs.ts';
import { findByPrefix, findByTrigram, findRelated, type SearchOutcome, trigramSupport } from './search.reads.ts';
import { bestHits, hasTrigrams, searchedWords, type SearchHit } from './search.rules.ts';

/** The workflows whose runs, and the customers whose orders, are shown with them. */
const maxOwners = 3;

export interface SearchRequest {
  text: string;
  /** The kinds that are returned. */
  kinds: readonly SearchKind[];
  /** The kinds that the caller may see: without customers, no order is found by the name of its customer. */
  visible: readonly SearchKind[];
  first: number;
}

/** The tenant's rows that match the text, the best first; of the kinds that were asked for. */
export async function searchTenant(
  database: Database,
  tenantId: string,
  { text, kinds, visible, first }: SearchRequest,
): Promise<SearchOutcome> {
  const owners: SearchKind[] = [
    ...(kinds.includes('run') ? (['workflow'] as const) : []),
    ...(kinds.includes('order') ? (['customer'] as const) : []),
  ];
  const looked = [...new Set([...kinds, ...owners.filter((kind) => visible.includes(kind))])];
  const byPrefix = await findByPrefix(database, tenantId, looked, text, first);
  const unfilled = looked.filter((kind) => byPrefix.hits.filter((hit) => hit.kind === kind).length < first);
  const byTrigram = await findContaining(database, tenantId, unfilled, text, first);
  const direct = [...byPrefix.hits, ...byTrigram.hits];
  const related = await findRelated(
    database,
    tenantId,
    {
      workflows: kinds.includes('run') ? bestOwners(direct, 'workflow') : [],
      customers: kinds.includes('order') ? bestOwners(direct, 'customer') : [],
    },
    first,
  );
  const found = [...direct, ...related.hits].filter(({ kind }) => kinds.includes(kind));
  return {
    hits: bestHits(found, first),
    isPartial: byPrefix.isPartial || byTrigram.isPartial || related.isPartial,
  };
}

async function findContaining(
  database: Database,
  tenantId: string,
  kinds: readonly SearchKind[],
  text: string,
  first: number,
): Promise<SearchOutcome> {
  const { isIndexed, allScripts } = await trigramSupport(database, tenantId);
  const words = Object.groupBy(searchedWords(text), (word) => (hasTrigrams(word, allScripts) ? 'indexed' : 'others'));
  const { indexed, others = [] } = words;
  if (!isIndexed || !indexed) return { hits: [], isPartial: false };
  return findByTrigram(database, tenantId, kinds, { indexed, others, phrase: text }, first);
}

const bestOwners = (hits: readonly SearchHit[], kind: SearchKind): number[] =>
  bestHits(
    hits.filter((hit) => hit.kind === kind),
    maxOwners,
  ).map(({ id }) => id);
