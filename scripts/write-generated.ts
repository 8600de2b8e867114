import { readFile, writeFile } from 'node:fs/promises';
import { configurationFile, configurationPage } from './configuration.ts';
import { workflowsFile, workflowsPage } from './core-node-table.ts';
import { printedSchema, schemaFile } from './printed-schema.ts';
import { sandboxChild, sandboxChildFile } from './sandbox-child.ts';
import { eventsPage, topicsFile } from './topics.ts';

await writeFile(schemaFile, await printedSchema());
await writeFile(configurationFile, configurationPage());
await writeFile(topicsFile, eventsPage(await readFile(topicsFile, 'utf8')));
await writeFile(workflowsFile, workflowsPage(await readFile(workflowsFile, 'utf8')));
await writeFile(sandboxChildFile, await sandboxChild());
