import type { Logger } from '#src/infra/logs/logger.ts';
import { readBuild, readReleased, writeBuild } from './build-cache.ts';
import { hashInputs } from './build-inputs.ts';
import type { ConsoleBuild, ConsoleSite } from './console-build.ts';

/**
 * The console of a release, or of these sources: the build that an earlier start left, or a new one. A new one takes two seconds of processor time, half of them for the compiler of the code editor, and where
 * it cannot be kept, as on a read-only disk, every start takes it.
 */
export async function openConsole(log: Pick<Logger, 'info' | 'warn'>): Promise<ConsoleSite> {
  const build = await openBuild(log);
  return { build: () => build, close: () => undefined };
}

async function openBuild(log: Pick<Logger, 'info' | 'warn'>): Promise<ConsoleBuild> {
  const found = (await readReleased()) ?? (await readBuild(hashInputs()));
  if (found) return found;
  const started = performance.now();
  // Loaded only here, because a start that finds its build has no use for it.
  const { buildConsole } = await import('./build-console.ts');
  const build = await buildConsole();
  // Its process would stay for as long as ours. The bundler of packages starts another when it needs one, which is later.
  await (await import('esbuild')).stop();
  log.info({ ms: Math.round(performance.now() - started) }, 'The console was built.');
  await writeBuild(build).catch((error: Error) =>
    log.warn(
      { reason: error.message },
      'The build of the console could not be kept. `npm run build:console` makes it ahead.',
    ),
  );
  return build;
}
