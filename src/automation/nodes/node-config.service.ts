import { z } from 'zod';
import type { CredentialDeps } from '#src/automation/credentials/oauth/token-refresh.service.ts';
import { testCredentials } from '#src/automation/credentials/test-credentials.service.ts';
import type { NodeManifest } from '#src/automation/node-api/manifest.ts';
import type { NodeDeps } from '#src/automation/node-api/node-deps.ts';
import { loadNodeCode } from '#src/automation/packages/node-code.reads.ts';
import { AppError, ConflictError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { resolveNodeConfigInput } from './node-calls.inputs.ts';
import { callOwner, noBuiltCode, type NodeCaller } from './node-test.service.ts';
import { findNode } from './nodes.service.ts';

const resolveTimeoutMs = 15_000;

/** The members that a node's `resolve` must return; others are passed on. */
const resolved = z.object({
  fields: z
    .array(z.looseObject({ key: z.string(), type: z.string() }))
    .max(1_000)
    .default([]),
  outputs: z
    .array(z.looseObject({ name: z.string() }))
    .max(1_000)
    .default([]),
});

export type ResolvedNodeConfig = z.output<typeof resolved>;

/**
 * The parts of a node that depend on its config: the options of dynamic fields, and the outputs. A node without `resolve`
 * returns what its manifest declares. Throws NotFoundError, ConflictError (no built code), ValidationError or RUNTIME_FAILED.
 */
export async function resolveNodeConfig(
  deps: NodeDeps & CredentialDeps,
  caller: NodeCaller,
  { slug, version, mayUseCredentials, ...given }: { slug: string; version: string; mayUseCredentials: boolean },
): Promise<ResolvedNodeConfig> {
  const { target, config, locale, search } = parseInput(resolveNodeConfigInput, given);
  const node = await findNode(deps.database.global, slug, version);
  const { codeHash, manifest } = node;
  const declared = manifest as unknown as NodeManifest;
  const isField = target !== '*' && target !== 'outputs';
  if (isField && !declared.config?.some(({ key }) => key === target)) {
    throw new ValidationError({ target: ['Name `outputs`, `*` or the key of a config field.'] });
  }
  if (deps.builtins.find(slug)) return asDeclared(declared, target);
  if (codeHash === null) throw new ConflictError(noBuiltCode);
  const credentials = testCredentials(deps, caller.tenantId, node, mayUseCredentials);
  const outcome = await deps.nodeRuntime.execute({
    owner: callOwner(caller),
    codeHash,
    source: () => loadNodeCode(deps, codeHash),
    entry: 'resolve',
    input: { target, config: config ?? {}, locale: locale ?? null, search: (isField ? search : null) ?? null },
    credential: credentials.open(config),
    holdsSecret: credentials.secrets.areIn,
    timeoutMs: resolveTimeoutMs,
  });
  if (!outcome.ok && outcome.error.code === 'NO_SUCH_ENTRY') return asDeclared(declared, target);
  if (!outcome.ok) throw failed(outcome.error.message);
  const answered = resolved.safeParse(outcome.value ?? {});
  if (!answered.success) throw failed('resolve() must return {fields?: [{key, type}], outputs?: [{name}]}.');
  const { fields: found, outputs } = answered.data;
  return { fields: found.map(credentials.cleanMembers), outputs: outputs.map(credentials.cleanMembers) };
}

const failed = (reason: string): AppError => new AppError('RUNTIME_FAILED', `Node runtime resolve failed: ${reason}`);

function asDeclared({ config = [], outputs = [] }: NodeManifest, target: string): ResolvedNodeConfig {
  const fields = target === 'outputs' ? [] : config.filter(({ key }) => target === '*' || key === target);
  return {
    fields: fields.map((field) => ({ ...field })),
    outputs: target === '*' || target === 'outputs' ? outputs.map((port) => ({ ...port })) : [],
  };
}
