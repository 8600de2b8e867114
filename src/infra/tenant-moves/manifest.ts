import { z } from 'zod';
import { readSealedJson, type SealedFiles } from './sealed-files.ts';
import type { TableSum } from './sums.ts';

const sum = z.object({ rows: z.number(), hash: z.string() }) satisfies z.ZodType<TableSum>;

/** A table in the archive. */
const movedTable = z.object({
  /** The rows in its file, with their sum. */
  copied: sum,
  /** All rows of the tenant in the source at that time. */
  rows: z.number(),
  /** The partitions that the rows in the file belong to. */
  partitions: z.array(z.number()),
});
export type TableEntry = z.infer<typeof movedTable>;

const named = z.object({ name: z.string(), id: z.number() });

/** What a part of an archive holds: `history`, copied while the tenant is open, or `rest`. */
export const manifestSchema = z.object({
  moveId: z.uuid(),
  part: z.enum(['history', 'rest']),
  /** The number of the source. */
  installation: z.number(),
  /** The migrations of the source, newest last. */
  migrations: z.array(z.string()),
  org: z.object({ id: z.string(), name: z.string() }),
  tenant: z.object({ id: z.string(), name: z.string(), createdAt: z.string() }),
  tables: z.record(z.string(), movedTable),
  users: z.array(
    z.object({
      id: z.number(),
      iss: z.string(),
      sub: z.string(),
      email: z.string().nullable(),
      name: z.string().nullable(),
    }),
  ),
  /** Themes and extensions by vendor/name@version. */
  themes: z.array(named),
  extensions: z.array(named),
  nodes: z.array(z.object({ slug: z.string(), version: z.string(), codeHash: z.string().nullable() })),
  credentialTypes: z.array(z.string()),
  /** Unwrapped data keys, in base64. */
  dataKeys: z.array(
    z.object({ purpose: z.enum(['credentials', 'secrets']), version: z.number(), key: z.string().nullable() }),
  ),
  objects: z.array(z.string()),
  jobs: z.array(z.object({ name: z.string(), data: z.record(z.string(), z.unknown()), startAfter: z.string() })),
});
export type Manifest = z.infer<typeof manifestSchema>;

export const readManifest = async (files: SealedFiles, part: Manifest['part']): Promise<Manifest> =>
  manifestSchema.parse(await readSealedJson(files, `${part}/manifest`));
