import type { DomainServices } from '#src/domains/parts/domain.ts';
import type { Deps } from '#src/infra/deps.ts';

declare module '#src/infra/opened.ts' {
  interface Opened {
    themes: ThemeDeps;
  }
}

/** What the domain's use cases share; its `egress` connects to extensions, and gives up sooner than others do. */
export type ThemeDeps = Deps;

/** A page waits for what an extension renders, so a site that does not even connect is not waited for. */
const connectMs = 1_000;

export const themesServices: DomainServices = {
  open: ({ deps }) => ({ opened: { themes: { ...deps, egress: deps.egress.connectingWithin(connectMs) } } }),
};
