import type { DomainServices } from '#src/domains/parts/domain.ts';
import type { ImportDeps } from './targets/import-deps.ts';
import { createLinks } from './uploads/uploads.declarations.ts';

declare module '#src/infra/opened.ts' {
  interface Opened {
    imports: ImportDeps;
  }
}

const hour = 3_600;

export const importsServices: DomainServices = {
  open({ deps, importTargets, exportTargets, opened }) {
    const ending = new AbortController();
    const imports: ImportDeps = {
      ...deps,
      targets: new Map(importTargets.map((target) => [target.name, target])),
      exportTargets: new Map(exportTargets.map((target) => [target.name, target])),
      consumers: () => opened.consumers,
      expressions: opened.automation.itemExpressions,
      uploadLinks: createLinks(deps, { path: '/io/uploads', ttlSeconds: deps.uploadUrlTtlSeconds }),
      rejectLinks: createLinks(deps, { path: '/io/rejects', ttlSeconds: hour }),
      exportLinks: createLinks(deps, { path: '/io/exports', ttlSeconds: hour }),
      ending: ending.signal,
    };
    return {
      opened: { imports },
      async close() {
        ending.abort();
      },
    };
  },
};
