import type { Automation } from '#src/automation/automation.ts';
import {
  StoredCredentialBroker,
  type CredentialAccess,
} from '#src/automation/credentials/credential-broker.service.ts';
import { readCredential, listSecrets } from '#src/automation/credentials/credentials.store.ts';
import { StepTurns } from '#src/automation/credentials/rates/step-turns.service.ts';
import { createTurns } from '#src/automation/credentials/rates/turns.service.ts';
import type { ExpressionScope } from '#src/automation/expressions/scope.ts';
import { openRunFiles } from '#src/automation/files/run-files.service.ts';
import { bodyText } from '#src/automation/node-api/body-text.ts';
import { assertTopicHoldsNoSecret } from '#src/automation/node-api/event-topic.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { NodeCall, NodeCallOutcome } from '#src/automation/node-api/node-runtime.ts';
import type { NodePorts } from '#src/automation/node-api/ports.ts';
import { type CallLog, type CallTrace, sendNoted } from '#src/automation/node-api/sent-calls.ts';
import { loadNodeCode } from '#src/automation/packages/node-code.reads.ts';
import { openSecrets } from '#src/automation/secrets/secrets.reads.ts';
import { openState, type StateAccess, type StateStore } from '#src/automation/state/state-store.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { storableJson } from '#src/infra/json.ts';
import type { KnownSecrets } from '#src/infra/logs/known-secrets.ts';
import { type Cause, writeCause } from '#src/infra/tracing/cause.ts';
import type { EventMetadata } from '#src/journal/outbox/outbox.ts';
import type { ClaimedRun } from './claim-runs.ts';
import type { Lease } from './lease.ts';
import type { StepRecord } from './statements/step-log.ts';
import { keepLines } from './step-record.ts';
import { startSubWorkflow } from './sub-workflows.ts';
import type { Attempt } from './types.ts';

/** One attempt at a step of a package's node. */
export interface PackageStep extends Pick<NodeCall, 'codeHash' | 'timeoutMs' | 'onLog' | 'callLog'> {
  run: ClaimedRun;
  /** The node's id, qualified by the loops around it. */
  path: string;
  /** Receives every secret that is handed out, to redact it. */
  secrets: KnownSecrets;
  state: StateAccess;
  credentialFields: CredentialAccess['fields'];
  config: Record<string, unknown>;
  inputs: Record<string, unknown>;
  idempotencyKey: string;
  signal: AbortSignal;
}

/** A step's access to everything outside of its run. */
export interface StepPorts {
  /** See Lease.confirm. */
  confirmLease(): Promise<void> | undefined;
  /** Ports of a built-in node, for one attempt, which collects what it emits and the requests it sends. */
  builtin(
    run: ClaimedRun,
    secrets: KnownSecrets,
    state: StateAccess,
    attempt: Pick<Attempt, 'events' | 'logs'> & CallLog,
    credentials: Pick<CredentialAccess, 'fields' | 'config'> & { path: string },
  ): NodePorts;
  /** Rejects with a RateLimitedError if the step has to wait for the rate limit of a credential. */
  package(step: PackageStep): Promise<NodeCallOutcome>;
  secrets(run: ClaimedRun, secrets: KnownSecrets): ExpressionScope['secrets'];
  /** Learns the secrets of a credential that the run may have used before. */
  learnCredential(run: ClaimedRun, secrets: KnownSecrets, id: string): Promise<void>;
  subWorkflow(
    run: ClaimedRun,
    request: { workflowId: number; payload: unknown; wait: boolean; step: StepRecord; cause: Cause },
  ): Promise<{ runId: number }>;
}

/** The state store shows its entries to every user of the tenant, so it takes no secret. */
const withoutSecrets = (store: StateStore, secrets: KnownSecrets): StateStore => ({
  ...store,
  async set(entry) {
    if (secrets.areIn(entry.key) || secrets.areIn(entry.value)) {
      throw new NodeError(
        'SECRET_IN_STATE',
        'The key or the value contains a secret, which the state store would show. Keep it as a tenant secret, and name it where it is needed.',
      );
    }
    return store.set(entry);
  },
});

/** Where in its chain of runs an event comes from. */
function writeMetadata({ id, workflowId, depth, rootRunId, cause }: ClaimedRun, trace: CallTrace | undefined): string {
  const place: EventMetadata = {
    source: 'run',
    run_id: id,
    workflow_id: workflowId,
    depth,
    root_run_id: rootRunId ?? id,
    ...writeCause({ ...cause, trace: trace?.step }),
  };
  return JSON.stringify(place);
}

/** Executions share a sandbox process: another one may have crashed it, or kept it from loading this one's code. */
const maxTries = 3;

/** Executes in the sandbox, and repeats that if the sandbox process was lost or did not have the code. */
async function untilAnswered(
  signal: AbortSignal,
  execute: () => Promise<NodeCallOutcome>,
  assertCode: () => Promise<unknown> = async () => undefined,
): Promise<NodeCallOutcome> {
  for (let tries = 1; ; tries += 1) {
    const outcome = await execute();
    if (outcome.ok || tries === maxTries || signal.aborted) return outcome;
    if (outcome.error.code === 'CODE_UNAVAILABLE') await assertCode();
    else if (outcome.kind !== 'crashed') return outcome;
  }
}

/** One attempt at a step whose code is in the workflow. */
interface CodeStep extends Pick<PackageStep, 'run' | 'secrets' | 'state'> {
  log: CallLog;
  logs: Attempt['logs'];
}

const maxCodeMs = 60_000;

export function createStepPorts(options: { deps: Automation; workerId: string; lease: Lease }): StepPorts {
  const { deps } = options;
  const { egress, nodeRuntime } = deps;
  const turns = createTurns(deps.database);
  const createHttp = (secrets: KnownSecrets, log: CallLog): NodePorts['http'] => ({
    request: ({ body, ...request }) =>
      sendNoted(egress, log, {
        ...request,
        secure: request.secure || secrets.areIn([request.url, request.headers, bodyText(body)]),
        ...(body !== null && { body }),
      }),
  });
  const createBroker = (
    { tenantId }: ClaimedRun,
    secrets: KnownSecrets,
    access: Pick<CredentialAccess, 'fields' | 'config'>,
    stepTurns: StepTurns,
  ) =>
    new StoredCredentialBroker(deps, {
      ...access,
      tenantId,
      onSecret: (text) => secrets.learn(text),
      turns: stepTurns,
    });
  const turnsFor = ({ tenantId, workflowId, id: runId }: ClaimedRun, path: string) =>
    new StepTurns(turns, { tenantId, workflowId, runId, path });
  /** A chain of test runs begins with one, whose writes the others see. */
  const openRunState = ({ tenantId, isTest, rootRunId, id }: ClaimedRun, access: StateAccess) =>
    openState(deps, tenantId, access, { testRunId: isTest ? (rootRunId ?? id) : undefined });
  const openFiles = ({ tenantId, id: runId }: ClaimedRun, secrets: KnownSecrets) =>
    openRunFiles(deps, { tenantId, runId }, (name) => secrets.text(name));
  const runCode = async (
    { run, secrets, state, log, logs }: CodeStep,
    { code, input, idempotencyKey, signal, describeLog }: Parameters<NodePorts['sandbox']['run']>[0],
  ) => {
    const onLog = keepLines(logs);
    return untilAnswered(signal, () =>
      nodeRuntime.execute({
        owner: run.tenantId,
        codeHash: code.hash,
        source: async () => code.source,
        entry: 'run',
        input: { ...input, idempotencyKey },
        // The limit of the step aborts the signal earlier; the sandbox only needs an upper limit.
        timeoutMs: maxCodeMs,
        signal,
        onLog: ({ level, message }) => onLog({ level, message: describeLog(message) }),
        callLog: log,
        state: withoutSecrets(openRunState(run, state), secrets),
        files: openFiles(run, secrets),
        holdsSecret: secrets.areIn,
      }),
    );
  };
  const execute = async ({ run, path, secrets, state, credentialFields: fields, config, ...step }: PackageStep) => {
    const stepTurns = turnsFor(run, path);
    const outcome = await nodeRuntime.execute({
      owner: run.tenantId,
      codeHash: step.codeHash,
      source: () => loadNodeCode(deps, step.codeHash),
      entry: 'execute',
      input: {
        config,
        inputs: step.inputs,
        idempotencyKey: step.idempotencyKey,
        trigger: { type: run.triggerType, handle: run.triggerHandle, payload: run.payload },
        run: { id: run.id, started_at: run.startedAt.toISOString() },
      },
      timeoutMs: step.timeoutMs,
      signal: step.signal,
      ...(step.onLog && { onLog: step.onLog }),
      ...(step.callLog && { callLog: step.callLog }),
      state: withoutSecrets(openRunState(run, state), secrets),
      files: openFiles(run, secrets),
      credential: createBroker(run, secrets, { fields, config }, stepTurns),
      holdsSecret: secrets.areIn,
    });
    const { rateLimited } = stepTurns;
    if (!outcome.ok && rateLimited && outcome.error.code === rateLimited.code) throw rateLimited;
    return outcome;
  };
  return {
    confirmLease: () => options.lease.confirm(),
    builtin: (run, secrets, state, { events, logs, ...log }, { path, ...access }) => ({
      sockets: { open: (to) => egress.openSocket(to) },
      sandbox: { run: (call) => runCode({ run, secrets, state, log, logs }, call) },
      tenant: {
        id: () => run.tenantId,
        actor: () => ({
          ...systemActor(run.orgId, run.tenantId, 'system', { ...run.cause, trace: log.trace?.step }),
          sub: `run/${run.id}`,
        }),
      },
      http: createHttp(secrets, log),
      files: openFiles(run, secrets),
      credentials: createBroker(run, secrets, access, turnsFor(run, path)),
      state: withoutSecrets(openRunState(run, state), secrets),
      events: {
        emit: async ({ topic, data }) => {
          assertTopicHoldsNoSecret(topic, secrets.areIn);
          const text = storableJson(secrets.value(data), 'data');
          // The event of a test would start other workflows.
          if (!run.isTest) events.push({ topic, data: text, metadata: writeMetadata(run, log.trace) });
        },
      },
    }),
    package: (step) =>
      untilAnswered(
        step.signal,
        () => execute(step),
        // Throws the reason if the code still cannot be read.
        () => loadNodeCode(deps, step.codeHash),
      ),
    secrets: (run, secrets) => openSecrets(deps, run.tenantId, (value) => secrets.learn(value)),
    async learnCredential({ tenantId }, secrets, id) {
      const stored = await readCredential(deps, tenantId, BigInt(id));
      if (stored) for (const secret of listSecrets(stored)) secrets.learn(secret);
    },
    subWorkflow: (run, request) =>
      options.lease.under((server) => startSubWorkflow(deps, { workerId: options.workerId, server }, run, request)),
  };
}
