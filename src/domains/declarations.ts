import type { PublishedSchema } from '#src/infra/json-schema/published-schema.ts';
import type { Declarations, DomainManifest } from './domain-manifest.ts';

const schemaPath = ({ name, version }: PublishedSchema): string => `${name}/${version}`;

/** Collects the declarations of all domains. Throws if two of them declare the same name. */
export function collectDeclarations(domains: readonly DomainManifest[]): Declarations {
  const all = <Name extends keyof Declarations>(
    name: Name,
    toKey: (declared: Declarations[Name][number]) => string,
  ) => {
    const found = domains.flatMap(({ declarations }): Declarations[Name][number][] => [
      ...(declarations?.[name] ?? []),
    ]);
    const [twice] = Map.groupBy(found, toKey)
      .entries()
      .filter(([, same]) => same.length > 1);
    if (twice) throw new Error(`${twice[0]} is declared twice among the domains' ${name}.`);
    return found;
  };
  return {
    jobs: all('jobs', ({ name }) => name),
    topics: all('topics', ({ name }) => name),
    audited: all('audited', ({ type }) => type),
    sealedColumns: all('sealedColumns', ({ table, column }) => `${table}.${column}`),
    scopes: all('scopes', ({ name }) => name),
    importTargets: all('importTargets', ({ name }) => name),
    exportTargets: all('exportTargets', ({ name }) => name),
    schemas: all('schemas', schemaPath).toSorted((a, b) => (schemaPath(a) < schemaPath(b) ? -1 : 1)),
  };
}
