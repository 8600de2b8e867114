import type { Logger } from '#src/infra/logs/logger.ts';
import { readBuild, writeBuild } from './build-cache.ts';
import { hashInputs } from './build-inputs.ts';
import { bundleConsole } from './bundle.ts';
import type { ConsoleBuild } from './console-build.ts';

/**
 * The console of these sources: the build that an earlier start left, or a new one. A new one takes a second of processor time, and where
 * it cannot be kept, as on a read-only disk, every start takes it.
 */
export async function openConsole(log: Pick<Logger, 'info' | 'warn'>): Promise<ConsoleBuild> {
  const id = await hashInputs();
  const found = await readBuild(id);
  if (found) return found;
  const started = performance.now();
  const build = { id, ...(await bundleConsole()) };
  log.info({ ms: Math.round(performance.now() - started) }, 'The console was built.');
  await writeBuild(build).catch((error: Error) =>
    log.warn(
      { reason: error.message },
      'The build of the console could not be kept. `npm run build:console` makes it ahead.',
    ),
  );
  return build;
}
