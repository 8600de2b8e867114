import { writeFile } from 'node:fs/promises';
import { configurationFile, configurationPage } from './configuration.ts';
import { printedSchema, schemaFile } from './printed-schema.ts';

await writeFile(schemaFile, await printedSchema());
await writeFile(configurationFile, configurationPage());
