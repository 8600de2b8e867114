import { readFile, writeFile } from 'node:fs/promises';
import { chartFiles } from './chart/chart-files.ts';
import { configurationFile, configurationPage } from './configuration.ts';
import { consoleFiles } from './console-graph.ts';
import { workflowsFile, workflowsPage } from './core-node-table.ts';
import { printedSchema, schemaFile } from './printed-schema.ts';
import { sandboxChild, sandboxChildFile } from './sandbox-child.ts';
import { eventsPage, topicsFile } from './topics.ts';

const schema = await printedSchema();
await writeFile(schemaFile, schema);
for (const [file, text] of consoleFiles(schema)) await writeFile(file, text);
await writeFile(configurationFile, configurationPage());
await writeFile(topicsFile, eventsPage(await readFile(topicsFile, 'utf8')));
await writeFile(workflowsFile, workflowsPage(await readFile(workflowsFile, 'utf8')));
for (const [file, text] of await chartFiles()) await writeFile(file, text);
await writeFile(sandboxChildFile, await sandboxChild());
