import { workflowNodeSchema } from '#src/automation/blob/blob.inputs.ts';
import { draftLimits, jsonBytes } from '#src/automation/drafts/drafts.inputs.ts';
import type { NodeDeps } from '#src/automation/node-api/node-deps.ts';
import { loadNodeCode } from '#src/automation/packages/node-code.reads.ts';
import { isStorable, unstorable } from '#src/infra/json.ts';

/** The limits of one request, whatever the code of packages does. */
export const migrationLimits = {
  /** Milliseconds of one call. */
  callMs: 5_000,
  /** Milliseconds of all calls together. */
  totalMs: 20_000,
  /** Bytes of all migrated configs as JSON: a draft holds no more. */
  bytes: draftLimits.bytes,
} as const;

export interface MigrationError {
  code: string;
  message: string;
}

export type Migration = { ok: true; config: Record<string, unknown> } | { ok: false; error: MigrationError };

/** One config, and the versions that it is migrated between. */
export interface MigrationCall {
  /** Hash of the code whose `migrate` is called. */
  codeHash: string;
  config: Record<string, unknown>;
  fromVersion: string;
}

/** Never rejects because of package code. Null when the code exports no `migrate`. */
export type Migrate = (call: MigrationCall) => Promise<Migration | null>;

const maxMessage = 2_000;
const fail = (code: string, message: string): Migration => ({
  ok: false,
  error: { code: code.slice(0, 100), message: message.slice(0, maxMessage) },
});

const outOfTime = fail('TIMEOUT', 'The migrations before this one took too long; ask for fewer nodes.');

/**
 * Calls `migrate(config, fromVersion)` of packages in the tenant's sandbox, one call at a time, so that the upgrade of a large workflow
 * leaves the sandbox to its runs. The code has neither network nor state, and no credential or secret is opened for it: expressions
 * are passed as their text.
 */
export function createMigrate(deps: NodeDeps, tenantId: string): Migrate {
  const left: { ms: number; bytes: number } = { ms: migrationLimits.totalMs, bytes: migrationLimits.bytes };
  const withoutMigrate = new Set<string>();

  async function migrate({ codeHash, ...input }: MigrationCall): Promise<Migration | null> {
    if (withoutMigrate.has(codeHash)) return null;
    if (left.ms <= 0) return outOfTime;
    const startedAt = performance.now();
    const outcome = await deps.nodeRuntime.execute({
      owner: tenantId,
      codeHash,
      source: () => loadNodeCode(deps, codeHash),
      entry: 'migrate',
      input,
      timeoutMs: Math.min(migrationLimits.callMs, left.ms),
      // Waiting for the sandbox counts as well.
      signal: AbortSignal.timeout(Math.ceil(left.ms)),
    });
    left.ms -= performance.now() - startedAt;
    if (outcome.ok) return readConfig(outcome.value);
    const { kind, error } = outcome;
    if (kind === 'threw' && error.code === 'NO_SUCH_ENTRY') {
      withoutMigrate.add(codeHash);
      return null;
    }
    if (kind === 'cancelled') return outOfTime;
    return fail(error.code ?? (kind === 'threw' ? 'NODE_THREW' : kind.toUpperCase()), error.message);
  }

  function readConfig(value: unknown): Migration {
    // Null would pass as a config that is left out.
    const { data: config, error } = workflowNodeSchema.shape.config.safeParse(value ?? null);
    if (!config) return fail('INVALID_RESULT', `migrate() must return the config: ${error?.issues[0]?.message}`);
    if (!isStorable(config)) return fail('INVALID_RESULT', unstorable);
    left.bytes -= jsonBytes(config);
    return left.bytes < 0
      ? fail('OUTPUT_TOO_LARGE', `The migrated configs are larger than ${migrationLimits.bytes} bytes together.`)
      : { ok: true, config };
  }

  let last: Promise<unknown> = Promise.resolve();
  return (call) => {
    const mine = last.then(() => migrate(call));
    last = mine.catch(() => {});
    return mine;
  };
}
