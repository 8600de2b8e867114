import { namespacePattern } from '#src/automation/state/state.inputs.ts';
import { blobLimits, type WorkflowBlob, type WorkflowNode } from './blob.inputs.ts';
import type { NodeFault } from './builtin-config.rules.ts';
import { type IssueFix, setTo } from './issues.rules.ts';

const meaning = 'a namespace is a part of the state store, where values stay from one run to the next';

/** The fault of a node that reads or writes a state namespace which the workflow does not declare for that; none where an expression names it. */
export function namespaceFaults(
  { node }: WorkflowNode,
  { namespace }: Readonly<Record<string, unknown>>,
  state: WorkflowBlob['state'],
): NodeFault[] {
  const isWritten = node === 'core:state-set';
  if ((!isWritten && node !== 'core:state-get') || typeof namespace !== 'string' || namespace.includes('{{')) return [];
  const namespaces = state?.namespaces ?? {};
  const declared = Object.hasOwn(namespaces, namespace) ? namespaces[namespace] : undefined;
  if (declared === 'read_write' || (declared === 'read' && !isWritten)) return [];
  const shown = namespace.slice(0, 64);
  const access = isWritten ? 'read_write' : 'read';
  const message = declared
    ? `The workflow declares ${shown} for reading alone; declare it read_write in state.namespaces to write there.`
    : `Declare ${shown} as ${access} in state.namespaces of the workflow: ${meaning}.`;
  const fix = declareNamespace(namespace, access, state);
  return [
    {
      key: 'config.namespace',
      code: 'undeclared_namespace',
      message: `config.namespace: ${message}`,
      ...(fix && { fix }),
    },
  ];
}

/** Sets all namespaces, as a path cannot name one with a dot; undefined for a name or a number of them that no workflow may have. */
function declareNamespace(
  namespace: string,
  access: 'read' | 'read_write',
  state: WorkflowBlob['state'],
): IssueFix | undefined {
  const namespaces = { ...state?.namespaces, [namespace]: access };
  if (!namespacePattern.test(namespace) || Object.keys(namespaces).length > blobLimits.namespaces) return undefined;
  return state ? setTo('blob.state.namespaces', namespaces) : setTo('blob.state', { namespaces });
}
