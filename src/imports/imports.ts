import type { Deps } from '#src/infra/deps.ts';
import type { Services } from '#src/infra/services.ts';
import { createSignedLinks } from '#src/infra/signing/signed-links.ts';
import { openLiveBulkJobs } from './bulk-jobs/live-bulk-jobs.service.ts';
import type { ExportTarget } from './targets/export-target.ts';
import type { ImportDeps, ImportSettings } from './targets/import-deps.ts';
import type { ImportTarget } from './targets/target.ts';

declare module '#src/infra/services.ts' {
  interface Services {
    imports: ImportDeps;
  }
}

const hour = 3_600;

interface ImportsOpening {
  deps: Deps;
  settings: { imports: ImportSettings };
  /** The import targets of all domains. */
  importTargets: readonly ImportTarget[];
  exportTargets: readonly ExportTarget[];
  /** Members that later domains add are read when they are used. */
  services: Pick<Services, 'automation' | 'consumers'>;
}

export const importsServices = {
  open({ deps, settings, importTargets, exportTargets, services }: ImportsOpening) {
    const ending = new AbortController();
    const imports: ImportDeps = {
      ...deps,
      settings: settings.imports,
      targets: new Map(importTargets.map((target) => [target.name, target])),
      exportTargets: new Map(exportTargets.map((target) => [target.name, target])),
      consumers: () => services.consumers,
      expressions: services.automation.itemExpressions,
      uploadLinks: createSignedLinks(deps, {
        api: '/v1',
        path: '/io/uploads',
        ttlSeconds: settings.imports.uploadUrlTtlSeconds,
      }),
      rejectLinks: createSignedLinks(deps, { api: '/v1', path: '/io/rejects', ttlSeconds: hour }),
      exportLinks: createSignedLinks(deps, { api: '/v1', path: '/io/exports', ttlSeconds: hour }),
      liveBulkJobs: openLiveBulkJobs(deps),
      ending: ending.signal,
    };
    return {
      services: { imports },
      async close() {
        ending.abort();
      },
    };
  },
};
