import type { Deps } from '#src/infra/deps.ts';
import { createSignedLinks, type SignedLinks } from '#src/infra/signing/signed-links.ts';
import { createDescriptionReader, type DescriptionReader } from './connectors/reading/description-reader.ts';
import { corePackage } from './core-nodes/core-package.ts';
import { createFutileRenewals } from './credentials/oauth/futile-renewals.rules.ts';
import { type CredentialDeps, refreshesSettled } from './credentials/oauth/token-refresh.service.ts';
import { type LiveDeadLetterDeps, openLiveDeadLetters } from './dead-letters/live-dead-letters.service.ts';
import { itemExpressions, type ItemExpressions } from './expressions/item-expressions.ts';
import type { FileDeps, FileLimits } from './files/run-files.service.ts';
import { eventTriggers } from './firings/event-firing.service.ts';
import { createFiringBatcher, type FiringDeps } from './firings/firings.service.ts';
import { type BuiltinPackage, openBuiltins } from './node-api/builtin-package.ts';
import type { NodeDeps } from './node-api/node-deps.ts';
import type { NodeRuntime } from './node-api/node-runtime.ts';
import { registerBuiltinPackages } from './packages/builtin-packages.service.ts';
import { createImageUrls, type ImageUrls } from './packages/node-packages.declarations.ts';
import { type LiveRunDeps, openLiveRuns } from './runs/live/live-runs.service.ts';
import { Stamps, type RunQueue } from './runs/run-queue.service.ts';
import type { TriggerWatchDeps } from './trigger-samples/watch-trigger.service.ts';
import type { WorkflowWatchDeps } from './workflows/live/watch-workflow.service.ts';
import { EditorPresence } from './workflows/live/workflow-editors.service.ts';

declare module '#src/infra/services.ts' {
  interface Services {
    automation: Automation;
  }
}

/**
 * The dependencies that the domain's use cases share in a process, in addition to those of all domains. A slice takes the part that it
 * needs.
 */
export interface Automation
  extends
    Deps,
    NodeDeps,
    CredentialDeps,
    FiringDeps,
    RunQueue,
    LiveRunDeps,
    LiveDeadLetterDeps,
    WorkflowWatchDeps,
    TriggerWatchDeps,
    FileDeps {
  imageUrls: ImageUrls;
  /** Links to the outputs of steps. */
  outputLinks: SignedLinks;
  /** Links to files of runs. */
  fileLinks: SignedLinks;
  /** The language of expressions, for domains that know no automation. */
  itemExpressions: ItemExpressions;
  /** Reads descriptions of APIs in a separate process. */
  descriptions: DescriptionReader;
  /** Aborted when the process stops. Running polls are then released, and other workers continue them. */
  ending: AbortSignal;
}

interface AutomationOpening {
  deps: Deps;
  /** Nodes that come with the product, of every domain. */
  nodePackages: readonly BuiltinPackage[];
  nodeRuntime: NodeRuntime;
  settings: { automation: { fileLimits: FileLimits } };
}

export function openAutomation(
  { deps, nodePackages, nodeRuntime, settings }: AutomationOpening,
  ending: AbortSignal,
): Automation {
  const queue = { ...deps, fairness: new Stamps() };
  return {
    ...queue,
    liveRuns: openLiveRuns(deps),
    liveDeadLetters: openLiveDeadLetters(deps),
    editors: new EditorPresence(deps),
    triggerListeners: new Map(),
    builtins: openBuiltins(nodePackages),
    nodeRuntime,
    imageUrls: createImageUrls(deps),
    outputLinks: createSignedLinks(deps, { api: '/v1', path: '/step-outputs', ttlSeconds: 3_600 }),
    fileLinks: createSignedLinks(deps, { api: '/v1', path: '/run-files', ttlSeconds: 3_600 }),
    fileLimits: settings.automation.fileLimits,
    itemExpressions,
    descriptions: createDescriptionReader(),
    ending,
    refreshes: new Map(),
    futileRenewals: createFutileRenewals(),
    firings: createFiringBatcher(queue),
  };
}

export const automationServices = {
  nodePackages: () => [corePackage],
  open(opening: AutomationOpening) {
    const ending = new AbortController();
    const automation = openAutomation(opening, ending.signal);
    return {
      services: { automation },
      consumers: [eventTriggers(automation)],
      prepare: () => registerBuiltinPackages(automation),
      close: async () => {
        await automation.descriptions.close();
        ending.abort();
        await refreshesSettled(automation);
      },
    };
  },
};
