import type { Deps } from '#src/infra/deps.ts';
import { type Catalogue, createCatalogue } from './blocks/blocks.reads.ts';
import { type Breakers, createBreakers } from './islands/breakers.service.ts';
import { createIslands, type Islands } from './islands/islands.service.ts';
import { createSiteRequests } from './islands/site-requests.service.ts';
import { createSanitiser } from './sanitiser/sanitiser.ts';

declare module '#src/infra/services.ts' {
  interface Services {
    themes: ThemeDeps;
  }
}

/** The services that the use cases of the domain share. Its `egress` calls extensions, with shorter timeouts than others. */
export interface ThemeDeps extends Deps {
  catalogue: Catalogue;
  islands: Islands;
  breakers: Breakers;
}

/** A page waits for the extension, so connecting to it must not take long. */
const connectMs = 1_000;

export const themesServices = {
  open({ deps }: { deps: Deps }) {
    const egress = deps.egress.connectingWithin(connectMs);
    const sanitiser = createSanitiser();
    const requests = createSiteRequests({ ...deps, egress });
    const islands = createIslands(requests, sanitiser, new URL(deps.publicUrl).origin);
    const breakers = createBreakers(deps);
    return {
      services: { themes: { ...deps, egress, islands, breakers, catalogue: createCatalogue(deps.database) } },
      close: async () => {
        await breakers.close();
        await sanitiser.close();
      },
    };
  },
};
