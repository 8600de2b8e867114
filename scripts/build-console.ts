import { buildAhead } from '#src/console/build-ahead.ts';

// Into the folder of a release, if one is named; else to where a start of this clone looks.
const [folder] = process.argv.slice(2);
const { id, assets } = await buildAhead(folder);
const bytes = (of: 'content' | 'br') => [...assets.values()].reduce((sum, asset) => sum + (asset[of]?.length ?? 0), 0);
console.log(`Built the console ${id}: ${assets.size} files, ${bytes('content')} bytes, ${bytes('br')} in brotli.`);
