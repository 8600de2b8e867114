import { buildAhead } from '#src/console/build-ahead.ts';

const { id, assets } = await buildAhead();
const bytes = (of: 'content' | 'br') => [...assets.values()].reduce((sum, asset) => sum + (asset[of]?.length ?? 0), 0);
console.log(`Built the console ${id}: ${assets.size} files, ${bytes('content')} bytes, ${bytes('br')} in brotli.`);
