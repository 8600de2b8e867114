import { watch } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '#src/infra/logs/logger.ts';
import { buildConsole } from './build-console.ts';
import { productDir } from './build-inputs.ts';
import type { ConsoleBuild, ConsoleSite } from './console-build.ts';

/** Editors write a file in several steps, and a checkout writes many. */
const settleMs = 50;

/**
 * The console for those who work on it: built again after each change of its sources or of the docs. A change that cannot be built is
 * logged, and the build before it stays.
 */
export async function watchConsole(
  log: Pick<Logger, 'info' | 'error'>,
  directory = productDir,
): Promise<ConsoleSite & Required<Pick<ConsoleSite, 'onChange'>>> {
  let build = await buildConsole(directory, 'development');
  const listeners = new Set<(build: ConsoleBuild) => void>();
  let isBuilding = false;
  let isStale = false;
  let timer: NodeJS.Timeout | undefined;

  async function rebuild(): Promise<void> {
    if (isBuilding) return void (isStale = true);
    isBuilding = true;
    const started = performance.now();
    try {
      const next = await buildConsole(directory, 'development');
      if (next.id === build.id) return;
      build = next;
      log.info({ build: next.id, ms: Math.round(performance.now() - started) }, 'The console was built.');
      for (const listener of listeners) listener(next);
    } catch (error) {
      log.error((error as Error).message);
    } finally {
      isBuilding = false;
      if (isStale) later();
      isStale = false;
    }
  }

  function later(): void {
    clearTimeout(timer);
    timer = setTimeout(() => void rebuild(), settleMs);
  }

  const watchers = ['console', 'docs'].map((path) => watch(join(directory, path), { recursive: true }, later));
  return {
    build: () => build,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}
