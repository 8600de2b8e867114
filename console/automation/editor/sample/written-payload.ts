import { useSyncExternalStore } from 'react';

/** The payload that was written last for a workflow without a run, for as long as the page is open. */
let written: { workflowId: string; text: string } | undefined;
const listeners = new Set<() => void>();

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** The text of the payload that test runs start with and expressions are tried with, and how it is written. */
export function useWrittenPayload(workflowId: string): [string | undefined, (text: string) => void] {
  const text = useSyncExternalStore(subscribe, () => (written?.workflowId === workflowId ? written.text : undefined));
  const write = (next: string) => {
    written = { workflowId, text: next };
    for (const listener of listeners) listener();
  };
  return [text, write];
}
