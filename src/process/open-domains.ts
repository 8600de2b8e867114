import type { Domain, Opening } from '#src/domains/parts/domain.ts';
import type { Opened } from '#src/infra/opened.ts';

export interface OpenDomains {
  opened: Opened;
  /** Brings the database to what this version of the product brings along; after the migrations, in the API. */
  prepare: () => Promise<void>;
  /** Resolves when nothing is under way that needs the database. */
  close: () => Promise<void>;
}

/** Opens every domain in this process, each with the node packages of all. */
export async function openDomains(
  domains: readonly Domain[],
  { deps, nodeRuntime }: Omit<Opening, 'nodePackages'>,
): Promise<OpenDomains> {
  const services = await Promise.all(domains.map(async ({ services: load }) => load?.()));
  const nodePackages = services.flatMap((each) => [...(each?.nodePackages?.(deps) ?? [])]);
  const open = services.flatMap((each) => each?.open?.({ deps, nodePackages, nodeRuntime }) ?? []);
  const consumers = open.flatMap((each) => [...(each.consumers ?? [])]);
  // Each member of Opened is declared by the domain that adds it here.
  const opened = Object.assign({}, ...open.map((each) => each.opened), { deps, consumers }) as Opened;
  return {
    opened,
    async prepare() {
      for (const each of open) await each.prepare?.();
    },
    async close() {
      await Promise.all(open.map(async (each) => each.close?.()));
    },
  };
}
