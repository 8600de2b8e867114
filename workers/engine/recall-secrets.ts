import type { ExpressionScope } from '#src/automation/expressions/scope.ts';
import { parseCredentialId } from '#src/automation/node-api/credential-fields.rules.ts';
import { isPassing } from '#src/infra/postgres/outages.ts';
import type { CompiledGraph, CompiledNode } from './bundle.ts';
import { newAttempt } from './step-record.ts';
import { runBuiltin } from './step.ts';
import { throwIfStopped } from './stopping.ts';
import type { Drive } from './types.ts';
import { recordedOutcomes } from './walk.ts';

/** Equals the number of derived texts that a run remembers: the texts of more configs would displace one another. */
const maxConfigs = 2_000;

/** Reads the secrets that the bundle names, so that they are redacted even before a node reads them, and after a wait. */
export async function readNamedSecrets(drive: Drive, scope: ExpressionScope): Promise<void> {
  await Promise.all(drive.bundle.secrets.map((key) => attempt(async () => scope.secrets(key))));
}

/**
 * Collects again the secrets that the run knew before it was suspended, taken over or retried: the credentials that its configs
 * name, and the values that its expressions and pure nodes derive from secrets. These evaluate the recorded outputs, so they
 * derive the same values. Steps without a record are included, because one may have been interrupted.
 */
export async function recallSecrets(drive: Drive, scope: ExpressionScope, signal: AbortSignal): Promise<void> {
  let left = maxConfigs;

  async function recallIn(graph: CompiledGraph, prefix: string, outer: ExpressionScope): Promise<void> {
    const inner = { ...outer, nodes: { ...outer.nodes } };
    recordedOutcomes(drive, graph, prefix, inner);
    const isSecretItem = drive.secrets.areIn(outer.item);
    for (const compiled of graph.nodes.values()) {
      if (!compiled.usesSecrets && !isSecretItem) continue;
      left -= 1;
      if (left < 0) return;
      throwIfStopped(signal);
      await attempt(() => recall(compiled, prefix, inner));
    }
  }

  async function recall(compiled: CompiledNode, prefix: string, seen: ExpressionScope): Promise<void> {
    const { body, builtin, credentialFields, node } = compiled;
    const config = (await compiled.template.evaluate(seen)) as Record<string, unknown>;
    for (const { key } of credentialFields) {
      const id = parseCredentialId(config[key]);
      if (id !== undefined) await drive.ports.learnCredential(drive.run, drive.secrets, id);
    }
    if (builtin?.effect === 'pure') {
      const step = { drive, compiled, path: `${prefix}${node.id}`, scope: seen, inputs: {}, signal };
      await runBuiltin(step, newAttempt(0), config);
    }
    const items = config['items'];
    if (!body || !Array.isArray(items)) return;
    if (!body.nodes.values().some(({ usesSecrets }) => usesSecrets) && !drive.secrets.areIn(items)) return;
    for (const [index, item] of items.entries()) {
      if (left <= 0) return;
      await recallIn(body, `${prefix}${node.id}/${index}/`, { ...seen, item, index });
    }
  }

  await recallIn(drive.bundle.graph, '', scope);
}

/** Ignores a bad config or secret, which fails the step that needs it. Rethrows an outage, so that the run forgets no secret. */
async function attempt(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (isPassing(error)) throw error;
  }
}
