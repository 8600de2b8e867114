import { callNode } from '#src/automation/connectors/calls/call-node.ts';
import type { CredentialDeps } from '#src/automation/credentials/oauth/token-refresh.service.ts';
import { testCredentials, type TestCredentials } from '#src/automation/credentials/test-credentials.service.ts';
import { ExpressionError } from '#src/automation/expressions/expression-error.ts';
import type { ExpressionScope } from '#src/automation/expressions/scope.ts';
import { compileTemplate } from '#src/automation/expressions/template.ts';
import { bodyText } from '#src/automation/node-api/body-text.ts';
import {
  type NodeContext,
  portsFor,
  type RunnableNode,
  untouchedMembers,
} from '#src/automation/node-api/builtin-node.ts';
import { assertTopicHoldsNoSecret } from '#src/automation/node-api/event-topic.ts';
import { failureCodes } from '#src/automation/node-api/failure-codes.ts';
import { checkFieldValues, withDefaults } from '#src/automation/node-api/field-values.rules.ts';
import { withLists } from '#src/automation/node-api/list-fields.ts';
import type { ConfigField, NodeManifest } from '#src/automation/node-api/manifest.ts';
import { fitConfig } from '#src/automation/node-api/nested-fields.ts';
import type { NodeDeps } from '#src/automation/node-api/node-deps.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { NodeCallFailure, NodeLogLine } from '#src/automation/node-api/node-runtime.ts';
import type { NodePorts } from '#src/automation/node-api/ports.ts';
import { executeNode } from '#src/automation/node-api/secret-outputs.ts';
import { loadNodeCode } from '#src/automation/packages/node-code.reads.ts';
import { openSecrets } from '#src/automation/secrets/secrets.reads.ts';
import { openState, type StateAccess, type StateStore } from '#src/automation/state/state-store.service.ts';
import type { Deps } from '#src/infra/deps.ts';
import { AppError, ConflictError, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { testNodeInput } from './node-calls.inputs.ts';
import { findNode } from './nodes.service.ts';

export interface NodeTestResult {
  outputs: Record<string, unknown>;
  branch: string;
  logs: NodeLogLine[];
}

/** The node ran and failed in its own code; `error` and `logs` come from it. */
export class NodeThrewError extends AppError {
  readonly error: { message: string; code: string };
  readonly logs: NodeLogLine[];

  constructor(error: { message: string; code: string }, logs: NodeLogLine[]) {
    super('UNPROCESSABLE', `The node failed: ${error.message}`);
    this.name = 'NodeThrewError';
    this.error = error;
    this.logs = logs;
  }
}

export const noBuiltCode =
  'This node version has no built code, so it cannot be executed. Its code is built when its package is registered.';

const maxTimeoutMs = 30_000;
const maxMessage = 2_000;

/** Failures of the runtime; all others are the node's own. */
const hostFailures: ReadonlySet<NodeCallFailure> = new Set(['crashed', 'unavailable', 'cancelled']);

/** Who calls a node outside any run: a user, in a tenant or in none. */
export interface NodeCaller {
  tenantId: string | null;
  userId: bigint | null;
}

/** The owner of the sandbox process of a call: the tenant, or the user when the request names no tenant. */
export const callOwner = ({ tenantId, userId }: NodeCaller): string => tenantId ?? `user/${userId}`;

export interface NodeTest {
  slug: string;
  version: string;
  workflowId: bigint | undefined;
  /** Covers tenant secrets as well: anyone who may write a node's config may send either anywhere. */
  mayUseCredentials: boolean;
}

/**
 * Runs a node once, outside any run. Expressions see no trigger and no nodes, and the result contains no secrets.
 * `workflowId` must be a workflow of the caller's tenant; the node may read, but not write, the state that it declares.
 *
 * Throws NodeThrewError, NotFoundError, ConflictError (no built code), ValidationError, UNPROCESSABLE for nodes that only
 * a run can execute, or RUNTIME_FAILED.
 */
export async function testNode(
  deps: NodeDeps & CredentialDeps,
  caller: NodeCaller,
  { slug, version, workflowId, mayUseCredentials, ...given }: NodeTest,
): Promise<NodeTestResult> {
  const input = parseInput(testNodeInput, given);
  const node = await findNode(deps.database.global, slug, version);
  const state = workflowId === undefined ? undefined : await openTestState(deps, caller.tenantId, workflowId);
  const inputs = input.inputs ?? {};
  const config = { ...input.config, ...inputs };
  const timeoutMs = Math.min(input.timeoutMs ?? maxTimeoutMs, maxTimeoutMs);
  const builtin = deps.builtins.find(node.slug);
  const credentials = testCredentials(deps, caller.tenantId, node, mayUseCredentials);
  if (builtin?.effect === 'control') {
    const message = `${slug} steers a run and cannot be tested by itself. Start a run instead.`;
    throw new NodeThrewError({ message, code: 'NOT_TESTABLE' }, []);
  }
  const learnt: string[] = [];
  const learn = (secret: string): void => {
    learnt.push(secret);
    credentials.secrets.learn(secret);
  };
  const learnDerived = (text: string): void => {
    learnt.push(text);
    credentials.secrets.learnDerived(text);
  };
  const scope = {
    ...buildScope(deps, caller.tenantId, mayUseCredentials, learn),
    known: { ...credentials.secrets, learnDerived },
  };
  const { config: fields = [], call } = node.manifest as unknown as NodeManifest;
  const test = { inputs, timeoutMs, credentials, scope, state };
  if (builtin) {
    const listFields = deps.builtins.listFields(node.slug);
    const fit = (evaluated: unknown) => withLists(listFields, config, evaluated);
    return testBuiltinNode(deps, caller, builtin, { ...test, config, fit });
  }
  if (call) {
    assertValid(fields, config);
    return testBuiltinNode(deps, caller, callNode({ slug: node.slug, version: node.version, call, config: fields }), {
      ...test,
      config: withDefaults(fields, config),
      fit: (evaluated) => fitConfig(fields, config, evaluated),
    });
  }
  const { codeHash } = node;
  if (codeHash === null) throw new ConflictError(noBuiltCode);
  assertValid(fields, config);
  const template = await orThrew(async () => compileTemplate(withDefaults(fields, config), { path: 'config' }));
  const evaluated = await orThrew(
    async () => {
      return fitConfig(fields, config, await template.evaluate(scope));
    },
    undefined,
    [],
    credentials,
  );
  const outcome = await deps.nodeRuntime.execute({
    owner: callOwner(caller),
    codeHash,
    source: () => loadNodeCode(deps, codeHash),
    entry: 'execute',
    input: { config: evaluated, inputs, idempotencyKey: crypto.randomUUID() },
    secrets: learnt,
    credential: credentials.open(evaluated),
    holdsSecret: credentials.secrets.areIn,
    state,
    timeoutMs,
  });
  const { cleanMembers, cleanLine } = credentials;
  const logs = outcome.logs.map(cleanLine);
  if (outcome.ok) return { ...cleanMembers(outcome.value as Omit<NodeTestResult, 'logs'>), logs };
  const code = failureCodes[outcome.kind];
  if (hostFailures.has(outcome.kind))
    throw new AppError('RUNTIME_FAILED', `Node runtime execute failed: ${outcome.error.message}`);
  throw new NodeThrewError(cleanMembers({ message: outcome.error.message, code: outcome.error.code ?? code }), logs);
}

function assertValid(fields: readonly ConfigField[], config: Record<string, unknown>): void {
  const issues = checkFieldValues(fields, config, { expressions: true });
  if (issues.length > 0) {
    throw new ValidationError(
      Object.fromEntries(issues.map(({ key, path, message }) => [['config', key, ...path].join('.'), [message]])),
    );
  }
}

/** Read access to the state that a workflow of the caller's tenant declares. */
async function openTestState(deps: Deps, tenantId: string | null, id: bigint): Promise<StateStore> {
  if (tenantId === null) throw new NotFoundError();
  const found = await deps.database.reader(tenantId).workflow.findFirst({
    where: { tenantId, id, deletedAt: null },
    select: { blob: true },
  });
  if (!found) throw new NotFoundError();
  const { state } = found.blob as { state?: { namespaces?: StateAccess } };
  return openState(deps, tenantId, state?.namespaces ?? {}, {
    readOnly: 'A test reads the state store; writes stay run-only, so start a run.',
  });
}

function buildScope(
  deps: Deps,
  tenantId: string | null,
  mayUseSecrets: boolean,
  learn: (secret: string) => void,
): ExpressionScope {
  const forbidden = (): never => {
    throw new NodeError('SECRET_FORBIDDEN', 'Only an admin of a tenant may test a node with a secret.');
  };
  return {
    trigger: { payload: null, type: 'manual', handle: null },
    nodes: {},
    run: { id: 0, started_at: new Date(0).toISOString() },
    secrets: mayUseSecrets && tenantId !== null ? openSecrets(deps, tenantId, learn) : forbidden,
  };
}

const unavailable = (what: string) => () =>
  Promise.reject(new NodeError('NOT_AVAILABLE', `A test has no ${what} it may use.`));

const noFiles: NodePorts['files'] = { open: unavailable('files'), create: unavailable('files') };

const noState: NodePorts['state'] = { get: unavailable('state'), set: unavailable('state') };

/** Emitted events are only logged, never published. */
function testPorts(
  { egress, nodeRuntime }: NodeDeps,
  caller: NodeCaller,
  credentials: TestCredentials,
  config: unknown,
  state: StateStore | undefined,
  logs: NodeLogLine[],
): NodePorts {
  const { tenantId } = caller;
  return {
    sandbox: {
      run: ({ code, input, idempotencyKey, signal, describeLog }) =>
        nodeRuntime.execute({
          owner: callOwner(caller),
          codeHash: code.hash,
          source: async () => code.source,
          entry: 'run',
          input: { ...input, idempotencyKey },
          onLog: ({ level, message }) => logs.push({ level, message: describeLog(message) }),
          holdsSecret: credentials.secrets.areIn,
          state,
          timeoutMs: maxTimeoutMs,
          signal,
        }),
    },
    sockets: { open: (to) => egress.openSocket(to) },
    tenant: {
      id() {
        if (tenantId === null) throw new NodeError('NOT_AVAILABLE', 'This test names no tenant.');
        return tenantId;
      },
      actor() {
        throw new NodeError('NOT_AVAILABLE', 'A test changes nothing; start a run to use this node.');
      },
    },
    http: {
      request: ({ body, ...request }) =>
        egress.request({
          ...request,
          secure: request.secure || credentials.secrets.areIn([request.url, request.headers, bodyText(body)]),
          ...(body !== null && { body }),
        }),
    },
    credentials: credentials.open(config),
    state: state ?? noState,
    files: noFiles,
    events: {
      emit: async ({ topic, data }) => {
        assertTopicHoldsNoSecret(topic, credentials.secrets.areIn);
        const message = `Would emit ${topic}: ${JSON.stringify(data ?? null)}`;
        logs.push({ level: 'info', message: credentials.clean(message).slice(0, maxMessage) });
      },
    },
  };
}

async function testBuiltinNode(
  deps: NodeDeps,
  caller: NodeCaller,
  node: RunnableNode,
  {
    config,
    inputs,
    timeoutMs,
    credentials,
    scope,
    state,
    fit,
  }: {
    config: Record<string, unknown>;
    /** Prepares the evaluated config for the node, or throws a NodeError. */
    fit: (evaluated: unknown) => unknown;
    inputs: Record<string, unknown>;
    timeoutMs: number;
    credentials: TestCredentials;
    scope: ExpressionScope;
    state: StateStore | undefined;
  },
): Promise<NodeTestResult> {
  const logs: NodeLogLine[] = [];
  const clock = AbortSignal.timeout(timeoutMs);
  const { outputs, branch = 'default' } = await orThrew(
    async () => {
      const template = compileTemplate(config, { path: 'config', deferred: untouchedMembers(node) });
      const evaluated = fit(await template.evaluate(scope));
      const ctx: NodeContext = {
        inputs,
        scope,
        // A test has no edges that could handle an error, so every error is reported.
        hasEdge: () => false,
        evaluate: (member, local) => template.deferred(member).evaluate({ ...scope, ...local }),
        ports: portsFor(node, () => testPorts(deps, caller, credentials, evaluated, state, logs)),
        signal: clock,
        idempotencyKey: crypto.randomUUID(),
      };
      return executeNode(node, evaluated, ctx, credentials.secrets);
    },
    clock,
    logs,
    credentials,
  );
  return { ...credentials.cleanMembers({ outputs, branch }), logs: logs.map(credentials.cleanLine) };
}

const asItIs = <T>(value: T): T => value;

async function orThrew<T>(
  work: () => Promise<T>,
  clock?: AbortSignal,
  logs: NodeLogLine[] = [],
  { clean, cleanLine }: Pick<TestCredentials, 'clean' | 'cleanLine'> = { clean: asItIs, cleanLine: asItIs },
): Promise<T> {
  // Redacted before it is cut: half of a secret would not be recognised.
  const threw = (message: string, code: string) =>
    new NodeThrewError({ message: clean(message).slice(0, maxMessage), code }, logs.map(cleanLine));
  try {
    return await work();
  } catch (error) {
    if (clock?.aborted) throw threw('The node did not end in time.', 'TIMEOUT');
    if (error instanceof NodeError) throw threw(error.message, error.code);
    if (error instanceof ExpressionError) throw threw(error.message, 'EXPRESSION_FAILED');
    throw error;
  }
}
