import type { Deps } from '#src/infra/deps.ts';
import type { BuiltinNodes } from './builtin-package.ts';
import type { NodeRuntime } from './node-runtime.ts';

/** What use cases that run or check nodes are built on. */
export interface NodeDeps extends Deps {
  builtins: BuiltinNodes;
  /** The sandbox, for package code outside of runs. */
  nodeRuntime: NodeRuntime;
}
