import type { Chore } from './infra/chores.ts';
import { infraChores } from './infra/infra.chores.ts';
import type { JobDefinition } from './infra/jobs.ts';
import type { SealedColumn } from './infra/vault/rotation.ts';
import type { Audited } from './journal/audit/audited.ts';
import type { Topic } from './journal/outbox/topic.ts';

/** What a domain declares. It is data: a process that only migrates or rotates keys reads it and loads nothing else. */
export interface DomainParts {
  jobs: readonly JobDefinition[];
  topics: readonly Topic[];
  audited: readonly Audited[];
  sealedColumns: readonly SealedColumn[];
}

/** A domain as the start sees it. What a process does not need, it does not load. */
export interface Domain {
  name: string;
  parts?: Partial<DomainParts>;
  /** Adds the domain's types to the builder; in the API. */
  graphql?: () => Promise<unknown>;
  /** The domain's repeating work; in workers. */
  chores?: () => Promise<readonly Chore[]>;
}

/** The parts of all domains. Throws where two of them declare the same. */
export function gatherParts(domains: readonly Domain[]): DomainParts {
  const all = <Name extends keyof DomainParts>(name: Name, keyOf: (part: DomainParts[Name][number]) => string) => {
    const parts = domains.flatMap(({ parts: declared }): DomainParts[Name][number][] => [...(declared?.[name] ?? [])]);
    const [twice] = Map.groupBy(parts, keyOf)
      .entries()
      .filter(([, same]) => same.length > 1);
    if (twice) throw new Error(`${twice[0]} is declared twice among the domains' ${name}.`);
    return parts;
  };
  return {
    jobs: all('jobs', ({ name }) => name),
    topics: all('topics', ({ name }) => name),
    audited: all('audited', ({ type }) => type),
    sealedColumns: all('sealedColumns', ({ table, column }) => `${table}.${column}`),
  };
}

/** The repeating work of the infrastructure and of every domain. */
export async function loadChores(domains: readonly Domain[]): Promise<Chore[]> {
  const declared = await Promise.all(domains.map(async ({ chores }) => (await chores?.()) ?? []));
  return [...infraChores, ...declared.flat()];
}
