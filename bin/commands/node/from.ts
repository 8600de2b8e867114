import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { calledAs, type Command, CommandError, type CommandIo, textOption } from '#bin/command.ts';
import type { ApiChange } from '#src/automation/connectors/changes/api-change.ts';
import { compareNodes } from '#src/automation/connectors/changes/compare-nodes.rules.ts';
import { readDescription } from '#src/automation/connectors/descriptions/read-description.ts';
import { isChoice, type OperationChoice } from '#src/automation/connectors/packages/choose-operations.rules.ts';
import {
  isNamespace,
  isReserved,
  listMadeNodes,
  type MadeFiles,
} from '#src/automation/connectors/packages/made-files.ts';
import { namespaceFor } from '#src/automation/connectors/packages/make-package.ts';
import { type Connector, connectorPath, makePackageFiles } from '#src/automation/connectors/packages/package-files.ts';
import { isUrl, nameSource } from '#src/automation/connectors/packages/source-name.ts';
import { AppError } from '#src/infra/errors.ts';
import { fetchDescription, maxDescriptionBytes } from './fetch-description.ts';
import { count, listOperations, narrow } from './list-operations.ts';
import { assertNoLinks, listForeign, readMadeFolder } from './made-folder.ts';

export const command: Command = {
  usage: '<file or URL> --out <folder> [--all | --tag <tag> | --path <path> | --search <text>] [options]',
  options: {
    out: {
      type: 'string',
      about: 'Folder of the package. An existing package is made again, and files that you edited are kept.',
    },
    all: { type: 'boolean', about: 'Make a node of every operation.' },
    tag: { type: 'string', multiple: true, about: 'Only operations with this tag.' },
    path: { type: 'string', multiple: true, about: 'Only operations at this path or below it.' },
    search: {
      type: 'string',
      multiple: true,
      about: 'Only operations with all of these words in their name, title, path or tags.',
    },
    namespace: { type: 'string', about: "Prefix of the package's slugs; derived from the API's name by default." },
    overwrite: { type: 'boolean', about: 'Also replace files that were edited.' },
  },
  async run(values, [given], terminal) {
    const io = withPlainText(terminal);
    if (given === undefined)
      throw new CommandError(`Name a description: ${calledAs(io)} node from openapi.json --out my-nodes --all`, {
        exitCode: 2,
      });
    const { bytes, from } = await readSource(given, io);
    const description = await readDescription(bytes, { from }).catch((error: unknown) => {
      throw error instanceof AppError ? new CommandError(toPlainText(`${given}: ${error.message}`)) : error;
    });
    const out = textOption(values, 'out');
    const folder = out === undefined ? undefined : resolve(io.cwd, out);
    const before = folder === undefined ? undefined : await readMadeFolder(folder);
    const asked = readChoice(values);
    const choice = isChoice(asked) ? asked : (before?.connector.choice ?? asked);
    if (folder === undefined || !isChoice(choice))
      return listOperations(
        narrow(description, choice),
        { title: description.title || nameSource(given), isJson: values.json === true },
        io,
      );
    const namespace = readNamespace(textOption(values, 'namespace'), before) ?? namespaceFor(description.title);
    const source = nameSource(given);
    const versions = before?.versions ?? new Map();
    const { made, files } = makePackageFiles(description, { choice, namespace, source, before: versions });
    if (made.nodes.length + made.messages.length === 0)
      throw new CommandError(toPlainText(noNodes(made.skipped, choice)));
    const changes = before ? compareNodes(listMadeNodes(before), made.nodes) : [];
    const kept = await writeFiles(folder, files, before, values['overwrite'] === true);
    const operations = description.operations.length + description.skipped.length;
    const messages = made.messages.length;
    if (values.json === true)
      io.out(
        `${JSON.stringify({ operations, nodes: made.nodes.length, messages, skipped: made.skipped, kept, changes })}\n`,
      );
    else {
      for (const { operation, reason } of made.skipped) io.err(`Skipped ${operation}: ${reason}\n`);
      if (before) listDifferences(before, { title: description.title, changes }, io);
      for (const path of kept) io.err(`Kept ${path}, which was edited; --overwrite replaces it.\n`);
      const shown = out ?? folder;
      io.out(
        `${operations > 0 ? `${made.nodes.length} of ${count(operations, 'operation')} are nodes in ${shown}.\n` : ''}${
          messages > 0 ? `${count(messages, 'message')} can be chosen in webhook triggers.\n` : ''
        }Now: ${calledAs(io)} node test ${shown}\n`,
      );
    }
    return 0;
  },
};

/** Strips control characters, so that texts of a description cannot control the terminal. */
const toPlainText = (text: string): string => text.replaceAll(/[^\P{C}\n\p{Cn}\p{Co}]/gu, '\ufffd');

const withPlainText = (io: CommandIo): CommandIo => ({
  ...io,
  out: (text) => io.out(toPlainText(text)),
  err: (text) => io.err(toPlainText(text)),
});

async function readSource(given: string, io: CommandIo): Promise<{ bytes: Uint8Array; from: string }> {
  if (isUrl(given)) return { bytes: await fetchDescription(given), from: given };
  const path = resolve(io.cwd, given);
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${given} cannot be read: ${error.code ?? error.message}.`);
  });
  if (bytes.byteLength > maxDescriptionBytes)
    throw new CommandError(`${given} is larger than 50 MB. Cut out the part that you need.`);
  return { bytes, from: '' };
}

function readChoice(values: Parameters<Command['run']>[0]): OperationChoice {
  const list = (name: string): string[] => {
    const value = values[name];
    return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
  };
  const [tags, paths, search] = [list('tag'), list('path'), list('search').join(' ')];
  return {
    ...(values['all'] === true && { all: true }),
    ...(tags.length > 0 && { tags }),
    ...(paths.length > 0 && { paths }),
    ...(search !== '' && { search }),
  };
}

function readNamespace(given: string | undefined, before: MadeFiles | undefined): string | undefined {
  if (given !== undefined && (!isNamespace(given) || isReserved(given)))
    throw new CommandError(
      `"${given}" cannot be a namespace: use at most 63 lower-case letters, digits and dashes, and neither core nor commerce.`,
      { exitCode: 2 },
    );
  return given ?? before?.namespace;
}

/** Prints how the package changed. The graph's `compareApi` also names the workflows that break. */
function listDifferences(
  { connector }: MadeFiles,
  { title, changes }: { title: string; changes: readonly ApiChange[] },
  io: CommandIo,
): void {
  const { title: last } = connector.description;
  if (last !== title)
    io.err(`The package was made from "${last}" until now, and is of "${title}" from this version on.\n`);
  for (const { kind, slug, path, isBreaking, detail } of changes) {
    const place = path === null ? slug : `${slug} ${path}`;
    io.out(`${isBreaking ? 'Breaking: ' : ''}${place}: ${kind.replace('_', ' ')}${detail && `, ${detail}`}\n`);
  }
}

function noNodes(skipped: readonly { operation: string; reason: string }[], choice: OperationChoice): string {
  const [first] = skipped;
  if (choice.all !== true) return 'No operation fits. Call it without --tag, --path and --search to see all.';
  return `No operation can become a node${first ? `: ${first.operation}: ${first.reason}` : '.'}`;
}

/**
 * Writes the files, and deletes files of the previous package that the new one does not have. Keeps edited files and returns their paths.
 */
async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
  before: MadeFiles | undefined,
  overwrite: boolean,
): Promise<string[]> {
  const made: Connector['files'] = before?.connector.files ?? {};
  await assertNoLinks(folder, [...Object.keys(files), ...Object.keys(made)]);
  const kept = overwrite ? [] : [...(before?.edited ?? []), ...(await listForeign(folder, files, before))];
  for (const [path, content] of Object.entries(files)) {
    if (kept.includes(path)) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  for (const path of Object.keys(made))
    if (!Object.hasOwn(files, path) && !kept.includes(path) && path !== connectorPath)
      await rm(join(folder, path), { force: true });
  return kept;
}
