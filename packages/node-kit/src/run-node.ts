import { randomUUID } from 'node:crypto';
import type {
  CredentialTestResult,
  CredentialTypeDefinition,
  Http,
  Json,
  Log,
  NodeDefinition,
  State,
  StateEntry,
  WriteOptions,
} from './define.ts';
import { fetchHttp } from './fetch-http.ts';
import { type GivenFile, memoryFiles, type MemoryFile } from './memory-files.ts';

export interface RunNodeOptions<Config, Inputs> {
  config: Config;
  inputs?: Inputs;
  /** Field values by the config key that names the credential. */
  credentials?: Record<string, Record<string, string | number | boolean>>;
  /** State before the run: namespace -> key -> value. */
  state?: Record<string, Record<string, Json>>;
  /** Files before the run, by the id that a reference in the config names: `{ file: 'order' }`. */
  files?: Record<string, GivenFile>;
  /** Handles the node's requests; without it they go to the network. */
  http?: Http;
  idempotencyKey?: string;
  /** Cancels the node; 30 seconds by default. */
  signal?: AbortSignal;
}

export interface NodeRun<Outputs, Branch extends string> {
  outputs: Outputs;
  branch: Branch | 'default';
  logs: { level: keyof Log; message: string }[];
  /** State after the run: namespace -> key -> entry. */
  state: Record<string, Record<string, StateEntry>>;
  /** All files after the run, by id. */
  files: Record<string, MemoryFile>;
}

/**
 * Runs a node in this process as the platform would in its sandbox: values are passed as JSON. Throws what the node throws.
 */
export async function runNode<Config, Outputs, Inputs, Branch extends string>(
  node: Pick<NodeDefinition<Config, Outputs, Inputs, Branch>, 'execute'>,
  options: RunNodeOptions<Config, Inputs>,
): Promise<NodeRun<Outputs, Branch>> {
  if (typeof node.execute !== 'function') throw new Error('The module does not export a function "execute"; add one.');
  const logs: NodeRun<Outputs, Branch>['logs'] = [];
  const { state, entries } = memoryState(options.state ?? {});
  const { files, entries: kept } = memoryFiles(options.files ?? {});
  const credentials = options.credentials ?? {};
  const result = await node.execute({
    config: asJson(options.config),
    inputs: asJson(options.inputs ?? ({} as Inputs)),
    credentials: {
      async get(configKey, field) {
        const fields = credentials[configKey];
        if (fields === undefined)
          throw new Error(`runNode was given no credential for the config field "${configKey}".`);
        return fields[field] ?? null;
      },
    },
    state,
    log: logInto(logs),
    http: options.http ?? fetchHttp,
    files,
    signal: options.signal ?? AbortSignal.timeout(30_000),
    idempotencyKey: options.idempotencyKey ?? randomUUID(),
  });
  const { outputs, branch } = asJson(result);
  return { outputs: outputs ?? ({} as Outputs), branch: branch ?? 'default', logs, state: entries, files: kept };
}

/** Migrates a config in this process as the platform would in its sandbox: configs are passed as JSON. Throws what `migrate` throws. */
export async function migrateConfig(
  node: Pick<NodeDefinition, 'migrate'>,
  config: Record<string, unknown>,
  fromVersion: string,
): Promise<Record<string, unknown>> {
  if (typeof node.migrate !== 'function') throw new Error('The module does not export a function "migrate"; add one.');
  return asJson(await node.migrate(asJson(config), fromVersion));
}

/** Runs a credential type's test in this process. */
export async function runCredentialTest<Fields>(
  type: CredentialTypeDefinition<Fields>,
  options: { config: Fields; http?: Http; signal?: AbortSignal },
): Promise<CredentialTestResult> {
  return await type.test({
    config: asJson(options.config),
    log: logInto([]),
    http: options.http ?? fetchHttp,
    signal: options.signal ?? AbortSignal.timeout(30_000),
  });
}

/** The effect of the sandbox boundary on a value: functions, dates and prototypes do not survive. */
const asJson = <T>(value: T): T => (value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T));

function logInto(lines: { level: keyof Log; message: string }[]): Log {
  const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  const at =
    (level: keyof Log) =>
    (...values: unknown[]) =>
      void lines.push({ level, message: values.map(toText).join(' ') });
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** The version that a write replaces, 0 for none. */
function expectVersion(present: StateEntry | undefined, key: string, { expectedVersion }: WriteOptions = {}): number {
  const version = present?.version ?? 0;
  if (expectedVersion === undefined || (expectedVersion ?? 0) === version) return version;
  throw Object.assign(new Error(`The entry "${key}" is at version ${version}.`), { code: 'STATE_CONFLICT' });
}

function memoryState(initial: Record<string, Record<string, Json>>): {
  state: State;
  entries: Record<string, Record<string, StateEntry>>;
} {
  const entries: Record<string, Record<string, StateEntry>> = {};
  for (const [namespace, values] of Object.entries(initial)) {
    const versioned = Object.entries(values).map(([key, value]) => [key, { value, version: 1 }]);
    entries[namespace] = Object.fromEntries(versioned) as Record<string, StateEntry>;
  }
  const state: State = {
    async get(namespace, key) {
      return entries[namespace]?.[key] ?? null;
    },
    async set(namespace, key, value, options) {
      const keys = (entries[namespace] ??= {});
      const version = expectVersion(keys[key], key, options) + 1;
      keys[key] = { value: asJson(value), version };
      return { version };
    },
    async delete(namespace, key, options) {
      expectVersion(entries[namespace]?.[key], key, options);
      delete entries[namespace]?.[key];
    },
  };
  return { state, entries };
}
