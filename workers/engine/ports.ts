import { createCredentialBroker, type CredentialAccess } from '#src/automation/credentials/credential-broker.ts';
import type { ExpressionScope } from '#src/automation/expressions/scope.ts';
import type { CoreNodePorts } from '#src/automation/node-api/ports.ts';
import { type ClaimedRun, loadNodeCode } from '#src/automation/runs/engine/run-claims.service.ts';
import type { StepRecord } from '#src/automation/runs/engine/run-journal.service.ts';
import { startSubWorkflow } from '#src/automation/runs/engine/sub-workflows.service.ts';
import { openSecrets } from '#src/automation/secrets/read-secret.ts';
import { openState, type StateAccess } from '#src/automation/state/state-store.ts';
import type { Deps } from '#src/infra/deps.ts';
import type { Egress } from '#src/infra/egress/egress.ts';
import { storableJson } from '#src/infra/json.ts';
import type { Outcome } from '#workers/runtime/outcome.ts';
import type { Runtime } from '#workers/runtime/runtime.ts';
import { createBroker } from '#workers/runtime/tenant-broker.ts';
import type { Lease } from './lease.ts';
import type { RunSecrets } from './run-secrets.ts';

/** One attempt of a package's node, as the engine asks for it. */
export interface PackageCall {
  run: ClaimedRun;
  /** Told of every secret that is handed out. */
  secrets: RunSecrets;
  state: StateAccess;
  codeHash: string;
  credentialFields: CredentialAccess['fields'];
  config: unknown;
  inputs: Record<string, unknown>;
  idempotencyKey: string;
  timeoutMs: number;
  signal: AbortSignal;
  onLog: (line: { level: string; message: string }) => void;
}

/** Everything outside a run that its steps touch. */
export interface StepPorts {
  /** Before a step acts: see Lease. */
  confirmLease(): Promise<void> | undefined;
  /** Ports of a core node, for one attempt; what it emits is collected into `events`. */
  core(
    run: ClaimedRun,
    secrets: RunSecrets,
    state: StateAccess,
    events: StepRecord['events'],
    credentials: Pick<CredentialAccess, 'fields' | 'config'>,
  ): CoreNodePorts;
  package(call: PackageCall): Promise<Outcome>;
  secrets(run: ClaimedRun, secrets: RunSecrets): ExpressionScope['secrets'];
  subWorkflow(
    run: ClaimedRun,
    request: { workflowId: number; payload: unknown; wait: boolean; step: StepRecord },
  ): Promise<{ runId: number }>;
}

/** A sandbox process is shared: it may have ended, or its code not come, on another execution's account. */
const maxTries = 3;

export function createStepPorts(options: {
  deps: Deps;
  workerId: string;
  lease: Lease;
  egress: Egress;
  runtime: Runtime;
}): StepPorts {
  const { deps, egress, runtime } = options;
  const http: CoreNodePorts['http'] = {
    request: ({ body, ...request }) => egress.request({ ...request, ...(body !== null && { body }) }),
  };
  const credentialsOf = (
    { tenantId }: ClaimedRun,
    secrets: RunSecrets,
    access: Pick<CredentialAccess, 'fields' | 'config'>,
  ) => createCredentialBroker(deps, { ...access, tenantId, onSecret: (text) => secrets.learn(text) });
  const execute = ({
    run,
    codeHash,
    config,
    onLog,
    secrets,
    state,
    credentialFields: fields,
    ...call
  }: PackageCall): Promise<Outcome> =>
    runtime.execute({
      tenantId: run.tenantId,
      code: { hash: codeHash, source: () => loadNodeCode(deps, codeHash) },
      entry: 'execute',
      input: {
        config: config as Record<string, unknown>,
        inputs: call.inputs,
        idempotencyKey: call.idempotencyKey,
        trigger: { type: run.triggerType, handle: run.triggerHandle, payload: run.payload },
        run: { id: run.id, started_at: run.startedAt.toISOString() },
      },
      timeoutMs: call.timeoutMs,
      signal: call.signal,
      broker: createBroker({
        egress,
        onLog,
        state: openState(deps, run.tenantId, state),
        credential: credentialsOf(run, secrets, { fields, config }).field,
      }),
    });
  return {
    confirmLease: () => options.lease.confirm(),
    core: (run, secrets, state, events, access) => ({
      http,
      credentials: credentialsOf(run, secrets, access),
      state: openState(deps, run.tenantId, state),
      events: {
        emit: async ({ topic, data }) => {
          events.push({ topic, data: storableJson(secrets.value(data), 'data') });
        },
      },
    }),
    async package(call) {
      for (let tries = 1; ; tries += 1) {
        const outcome = await execute(call);
        if (outcome.ok || tries === maxTries || call.signal.aborted) return outcome;
        // Throws what kept the code from being read; when it can be read by now, the execution has another try.
        if (outcome.error.code === 'CODE_UNAVAILABLE') await loadNodeCode(deps, call.codeHash);
        else if (outcome.kind !== 'crashed') return outcome;
      }
    },
    secrets: (run, secrets) => openSecrets(deps, run.tenantId, (value) => secrets.learn(value)),
    subWorkflow: (run, request) => options.lease.under(() => startSubWorkflow(deps, options.workerId, run, request)),
  };
}
