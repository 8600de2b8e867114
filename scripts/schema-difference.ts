import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type SqlDriverAdapter,
} from '@prisma/driver-adapter-utils';
import * as wasm from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';

// Prisma's own engine as WebAssembly, which compares a database with a schema without a native binary to download. Used in development
// only: migrations are applied by src/infra/migrations.

const prismaDir = join(import.meta.dirname, '../prisma');
const charOid = 18;
const textOid = 25;
let loaded: Promise<void> | undefined;

async function load(): Promise<void> {
  const require = createRequire(import.meta.url);
  const bytes = await readFile(
    join(dirname(require.resolve('@prisma/schema-engine-wasm/schema_engine_bg')), 'schema_engine_bg.wasm'),
  );
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': wasm as never });
  wasm.__wbg_set_wasm(instance.exports);
  (instance.exports['__wbindgen_start'] as () => void)();
}

/** SQL that would bring the database at `url` to the state of prisma/schema; the empty string when they agree. */
export async function schemaDifference(url: string): Promise<string> {
  const dir = join(prismaDir, 'schema');
  const names = (await readdir(dir, { recursive: true })).filter((name) => name.endsWith('.prisma')).toSorted();
  const files = await Promise.all(
    names.map(async (name) => ({ path: join(dir, name), content: await readFile(join(dir, name), 'utf8') })),
  );
  // The engine requires a datasource in a schema file; the adapter decides which database it is.
  const datasource = { path: join(prismaDir, 'schema.prisma'), content: 'datasource db { provider = "postgresql" }' };
  const { stdout } = await withSchemaEngine(url, (engine) =>
    engine.diff({
      from: { tag: 'schemaDatasource', files: [datasource], configDir: prismaDir },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    }),
  );
  return stdout === '-- This is an empty migration.\n' ? '' : (stdout ?? '');
}

/** Runs `work` with the engine on the database at `url`, as that URL's user. */
export async function withSchemaEngine<T>(url: string, work: (engine: wasm.SchemaEngine) => Promise<T>): Promise<T> {
  loaded ??= load();
  await loaded;
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  const factory = new PrismaPg(pool);
  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const connection = await connect();
    readCatalogueChars(pool, connection);
    return connection;
  };
  const engine = await wasm.SchemaEngine.new(
    { datamodels: undefined },
    () => undefined,
    bindMigrationAwareSqlAdapterFactory(factory),
  );
  try {
    return await work(engine);
  } finally {
    engine.free();
    await pool.end();
  }
}

/**
 * The adapter refuses the catalogue's one-byte "char", in which Postgres describes partitioned tables. Such columns pass through the
 * adapter as text and get their real type on the way to the engine.
 */
function readCatalogueChars(pool: pg.Pool, connection: SqlDriverAdapter): void {
  const chars = new WeakMap<object, string[]>();
  let last: object = {};
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<pg.QueryResult>;
  pool.query = (async (...args: unknown[]) => {
    const result = await query(...args);
    const found = (result.fields ?? []).filter((field) => field.dataTypeID === charOid);
    for (const field of found) field.dataTypeID = textOid;
    last = result;
    chars.set(
      result,
      found.map((field) => field.name),
    );
    return result;
  }) as typeof pool.query;
  const queryRaw = connection.queryRaw.bind(connection);
  connection.queryRaw = async (params) => {
    const answer = await queryRaw(params);
    const names = chars.get(last) ?? [];
    const columnTypes = answer.columnTypes.map((type, index) =>
      names.includes(answer.columnNames[index] ?? '') ? ColumnTypeEnum.Character : type,
    );
    return { ...answer, columnTypes };
  };
}
