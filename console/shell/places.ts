import { nouns, type Noun } from './nouns.ts';

/** The entries of the rail, in order, with the noun that each opens. */
export const places = [
  { place: 'overview', noun: 'overview' },
  { place: 'runs', noun: 'runs' },
  { place: 'workflows', noun: 'workflows' },
  { place: 'dead-letters', noun: 'dead-letters' },
  { place: 'deliveries', noun: 'deliveries' },
  { place: 'orders', noun: 'orders' },
  { place: 'stock', noun: 'stock' },
  { place: 'prices', noun: 'prices' },
  { place: 'customers', noun: 'customers' },
  { place: 'imports', noun: 'imports' },
  { place: 'themes', noun: 'themes' },
  { place: 'settings', noun: 'tenants' },
] as const;

export type Place = (typeof places)[number]['place'];

/** Stands for the tenant in addresses of operators who are in none; no slug is like it. */
export const noTenant = '-';

/** Who reads, and in which tenant. */
export interface Reader {
  tenant: string;
  roles: readonly string[];
}

/** Whether a noun is offered to somebody. Whoever opens its address all the same is told by the graph what they may not see. */
export function isOffered({ readers, isPart }: Noun, { tenant, roles }: Reader): boolean {
  if (isPart || readers === 'everybody') return !isPart;
  return readers === 'operators' ? roles.includes('operator') : tenant !== noTenant && !isOperatorAlone(roles);
}

/** Whether the roles are those of the installation alone, which allow nothing in a tenant. */
export const isOperatorAlone = (roles: readonly string[]): boolean =>
  roles.includes('operator') && !roles.includes('user') && !roles.includes('admin');

/** The nouns of a place, which are tabs above its pages. */
export const nounsOfPlace = (place: string, reader: Reader): readonly Noun[] =>
  nouns.filter((noun) => noun.place === place && isOffered(noun, reader));

/** The places that have screens for somebody, with the noun that each opens: its own, or the first that is offered. */
export const placesOf = (reader: Reader): readonly { place: Place; noun: string }[] =>
  places.flatMap(({ place, noun }) => {
    const offered = nounsOfPlace(place, reader);
    const opened = offered.find((other) => other.noun === noun) ?? offered[0];
    return opened ? [{ place, noun: opened.noun }] : [];
  });
