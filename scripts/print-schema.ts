import { writeFile } from 'node:fs/promises';
import { printedSchema, schemaFile } from './printed-schema.ts';

await writeFile(schemaFile, printedSchema());
