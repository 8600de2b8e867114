import { hashInputs, productDir } from './build-inputs.ts';
import { type BundleMode, bundleConsole } from './bundle.ts';
import type { ConsoleBuild } from './console-build.ts';
import { extractDocuments } from './documents.ts';

/** Builds the console of the sources in `directory`. Throws an error that shows what is wrong with them, and where. */
export async function buildConsole(directory = productDir, mode: BundleMode = 'production'): Promise<ConsoleBuild> {
  const id = hashInputs(directory);
  const [bundle, documents] = await Promise.all([bundleConsole(directory, mode), extractDocuments(directory)]);
  return { id, ...bundle, documents };
}
