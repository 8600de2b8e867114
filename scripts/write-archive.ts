import { join } from 'node:path';
import { writeArchiveFiles } from './archive/write-archive-files.ts';

// `npm pack` runs it before it reads `dist`.
await writeArchiveFiles(join(import.meta.dirname, '../dist'));
