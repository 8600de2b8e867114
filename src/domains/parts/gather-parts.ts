import type { PublishedSchema } from '#src/infra/json-schema/published-schema.ts';
import type { Domain, DomainParts } from './domain.ts';

const pathOf = ({ name, version }: PublishedSchema): string => `${name}/${version}`;

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
    scopes: all('scopes', ({ name }) => name),
    importTargets: all('importTargets', ({ name }) => name),
    exportTargets: all('exportTargets', ({ name }) => name),
    schemas: all('schemas', pathOf).toSorted((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1)),
  };
}
