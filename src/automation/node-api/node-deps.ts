import type { Deps } from '#src/infra/deps.ts';
import type { BuiltinNodes } from './builtin-package.ts';
import type { NodeRuntime } from './node-runtime.ts';

/** The dependencies of use cases that run or check nodes. */
export interface NodeDeps extends Deps {
  builtins: BuiltinNodes;
  /** The sandbox, for package code outside of runs. */
  nodeRuntime: NodeRuntime;
}
