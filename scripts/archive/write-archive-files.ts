import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { buildAhead } from '#src/console/build-ahead.ts';
import { listFiles } from '#src/console/build-inputs.ts';
import { toPlainModule } from './plain-modules.ts';

const root = join(import.meta.dirname, '../..');

/** What the product is at run time. The console comes built. */
const sources = ['bin', 'examples', 'packages', 'prisma', 'rest-compat', 'src', 'workers'];

/** Files that are read as TypeScript: by the bundler of node packages, and by the editors of those who write with the kits. */
const alsoTyped = /^(?:examples|packages)\//;
const isModule = (path: string) => /\.[jt]s$/.test(path) && !/\.d\.(?:\w+\.)?ts$/.test(path);

interface Manifest {
  version: string;
  imports: Record<string, string>;
  exports?: Record<string, string | { types?: string; default: string }>;
}

const readManifest = async (path: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(root, path), 'utf8')) as Manifest;

/**
 * Writes into a folder what the archive of `npm pack` holds: the product as JavaScript that runs below `node_modules`, and its console,
 * built.
 */
export async function writeArchiveFiles(out: string): Promise<void> {
  await rm(out, { recursive: true, force: true });
  const kits = await readKits();
  for (const path of sources.flatMap((source) => listFiles(root, source))) await writeSource(path, out, kits);
  const { version, imports } = await readManifest('package.json');
  await writeJson(join(out, 'package.json'), { name: 'causeway', version, type: 'module', imports });
  await buildAhead(join(out, 'console-build'));
}

async function writeSource(path: string, out: string, kits: ReadonlyMap<string, string>): Promise<void> {
  const target = join(out, path);
  await mkdir(dirname(target), { recursive: true });
  if (!isModule(path) || (path.endsWith('.ts') && alsoTyped.test(path))) await cp(join(root, path), target);
  if (isModule(path)) {
    const rename = (specifier: string) => {
      const kit = kits.get(specifier);
      const file = kit === undefined ? specifier : withDot(relative(dirname(path), kit));
      return /^[.#]/.test(file) ? file.replace(/\.ts$/, '.js') : file;
    };
    await writeFile(target.replace(/\.ts$/, '.js'), toPlainModule(await readFile(join(root, path), 'utf8'), rename));
  }
  if (/^packages\/[^/]+\/package\.json$/.test(path)) await writeKitManifest(path, target);
}

const withDot = (path: string) => (path.startsWith('.') ? path : `./${path}`);

/** The files of the kits, by the names under which they are imported. */
async function readKits(): Promise<ReadonlyMap<string, string>> {
  const kits = new Map<string, string>();
  for (const name of ['node-kit', 'extension-kit', 'webhook-kit']) {
    const { exports = {} } = await readManifest(`packages/${name}/package.json`);
    for (const [entry, file] of Object.entries(exports)) {
      const path = typeof file === 'string' ? file : file.default;
      kits.set(join(`@causeway/${name}`, entry), join('packages', name, path));
    }
  }
  return kits;
}

/** Leads to the JavaScript of a kit, and editors to its types. */
async function writeKitManifest(path: string, target: string): Promise<void> {
  const manifest = await readManifest(path);
  const exports = Object.entries(manifest.exports ?? {}).map(([entry, file]) => [
    entry,
    typeof file === 'string' && isModule(file) ? { types: file, default: file.replace(/\.ts$/, '.js') } : file,
  ]);
  await writeJson(target, { ...manifest, exports: Object.fromEntries(exports) as unknown });
}

const writeJson = (path: string, value: unknown): Promise<void> =>
  writeFile(path, `${JSON.stringify(value, null, 2)}\n`);
